//! The page of `gridhunt serve`: runs in a browser, live.
//!
//! ```text
//! browser --> guard (host, origin, token, size, time) --> routes --> served_runs (runs and their views)
//!                                                                --> control
//! ```
//!
//! * `guard`: which requests are answered;
//! * `app`: what all requests share; `routes`: addresses and their answers; `answer`: the answers in JSON; `events`:
//!   answers that stay open and report every change;
//! * `served_runs`, `served_run`: the runs that are shown, read from their files every second;
//! * `control`: starting, stopping and resuming hunts, if that is allowed;
//! * `connections`: accepts connections, within limits.
//!
//! The server only reads the files of a hunt. No part of a request is used as a path: runs, configurations and files of
//! the page are found by their names in lists that the server has made.

mod answer;
mod app;
mod connections;
mod control;
mod error;
mod events;
mod guard;
mod page_files;
mod play;
mod routes;
mod served_run;
mod served_runs;
mod slow_work;

pub use answer::Answer;
pub use control::Control;
pub use error::ServeError;

use app::App;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The interval between polls of the files of runs.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

const STOP_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What is served, and to whom.
#[derive(Debug)]
pub struct ServeOptions {
    /// Address and port.
    pub listen: SocketAddr,
    /// Further names by which browsers may call the host.
    pub names: Vec<String>,
    /// Run directories, and folders of run directories.
    pub sources: Vec<PathBuf>,
    /// How hunts are controlled; `None` if they are only shown.
    pub control: Option<Control>,
}

/// A server that is bound to its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    address: SocketAddr,
}

impl Server {
    /// Binds the address and finds the runs.
    ///
    /// # Errors
    /// When the address is in use, or a source is not a folder or cannot be read.
    pub fn bind(options: ServeOptions) -> Result<Self, ServeError> {
        let listen = options.listen;
        let listen_error = |error| ServeError::Listen { listen, error };
        let listener = TcpListener::bind(listen).map_err(listen_error)?;
        listener.set_nonblocking(true).map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let app = App::new(address, options)?;
        Ok(Self { listener, app: Arc::new(app), address })
    }

    /// The address of the page, with the token.
    #[must_use]
    pub fn url(&self) -> String {
        // An address such as 0.0.0.0 means all addresses of the machine. A browser cannot open it.
        let host = match self.address.ip().is_unspecified() {
            true => format!("localhost:{}", self.address.port()),
            false => self.address.to_string(),
        };
        format!("http://{host}/?token={}", self.app.guard.token)
    }

    /// The address of the page where people play, with the token. `link` is the fragment of a game.
    #[must_use]
    pub fn game_url(&self, link: &str) -> String {
        self.url().replacen("/?", "/play/?", 1) + "#" + link
    }

    /// Whether other machines can reach the server.
    #[must_use]
    pub fn is_reachable_by_others(&self) -> bool {
        !self.address.ip().is_loopback()
    }

    /// Answers requests until `is_over` returns true. Calls `is_over` ten times per second.
    ///
    /// # Errors
    /// When the threads of the server cannot be started.
    pub fn run(self, mut is_over: impl FnMut() -> bool) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(8)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(ServeError::Threads)?;
        let Self { listener, app, .. } = self;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Threads)?;
            tokio::spawn(connections::accept(listener, routes::router(&app)));
            tokio::spawn(poll_runs(Arc::clone(&app)));
            while !is_over() {
                tokio::time::sleep(STOP_POLL_INTERVAL).await;
            }
            Ok::<_, ServeError>(())
        })?;
        // Streams of events never end by themselves.
        runtime.shutdown_background();
        Ok(())
    }
}

async fn poll_runs(app: Arc<App>) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let app = Arc::clone(&app);
        // A panic ends this poll only.
        let _ = tokio::task::spawn_blocking(move || app.served_runs.poll()).await;
    }
}
