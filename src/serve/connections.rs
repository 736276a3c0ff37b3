//! Accepts connections, within limits.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep};

/// The most connections at a time. Further ones wait.
const MOST: usize = 256;

/// The longest time until the head of a request is whole.
const HEAD: Duration = Duration::from_secs(10);

/// The longest time without progress while an answer is written: a client that reads nothing must not keep its place.
const STALLED: Duration = Duration::from_secs(30);

/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 16 << 10;

/// The pause after a connection that could not be accepted, because files are all in use for example.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections without end.
pub(super) async fn accept(listener: TcpListener, router: Router) {
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Events are short, and each is to arrive at once.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
            // A connection that breaks is the end of it.
            let _ = builder.serve_connection(TokioIo::new(Progressing::new(stream, STALLED)), service).await;
            drop(permit);
        });
    }
}

/// A connection that breaks where nothing can be written for too long.
struct Progressing<S> {
    stream: S,
    limit: Duration,
    /// When the connection breaks, if nothing can be written now.
    end: Pin<Box<Sleep>>,
    is_stalled: bool,
}

impl<S> Progressing<S> {
    fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, end: Box::pin(sleep(limit)), is_stalled: false }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Progressing<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, bytes)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Progressing<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) {
            self.is_stalled = false;
            return Poll::Ready(written);
        }
        if !self.is_stalled {
            let end = Instant::now() + self.limit;
            self.end.as_mut().reset(end);
            self.is_stalled = true;
        }
        self.end.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    /// A client that takes some bytes, and then none.
    struct Client(usize);

    impl AsyncWrite for Client {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Poll::Pending } else { Poll::Ready(Ok(taken)) }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// The test would not end otherwise.
    #[test]
    fn a_client_that_reads_nothing_loses_its_connection() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let results = runtime.block_on(async {
            let mut connection = Progressing::new(Client(3), Duration::from_millis(20));
            let first = poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, b"four")).await;
            let second = poll_fn(|cx| Pin::new(&mut connection).poll_write(cx, b"more")).await;
            (first.unwrap(), second.unwrap_err().kind())
        });
        assert_eq!(results, (3, io::ErrorKind::TimedOut));
    }
}
