//! Accepts connections, within limits.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// The most connections at a time. Further ones wait.
const MOST_CONNECTIONS: usize = 256;

/// The longest time until the head of a request is complete.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest time without progress of a write. A client that reads nothing must not keep its connection.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

const MOST_HEAD_BYTES: usize = 16 << 10;

/// The pause after a failed accept, for example with too many open files.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

pub(super) async fn accept(listener: TcpListener, router: Router) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_PAUSE).await;
            continue;
        };
        // Events are short, and each must arrive at once.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(WRITE_TIMEOUT));
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MOST_HEAD_BYTES);
            // An error means only that the connection has ended.
            let _ = builder.serve_connection(TokioIo::new(Box::pin(stream)), service).await;
            drop(permit);
        });
    }
}
