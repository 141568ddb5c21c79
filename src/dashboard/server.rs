//! The server: a thread with a runtime of its own, so that no game ever waits for a watcher.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::dashboard::auth::{HostCheck, ServeAddress, Token};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::connection_cap::CappedListener;
use crate::dashboard::routes::{AppState, router};

/// How long watchers get to see the end of a run.
const FAREWELL: Duration = Duration::from_millis(900);

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The address is taken, or not ours.
    #[error("the page cannot be served there: {0}")]
    Bind(io::Error),
    /// The system gave us no thread, no randomness or no runtime.
    #[error("the page cannot be served: {0}")]
    System(#[from] io::Error),
}

/// A page being served, until the program ends.
pub struct Server {
    shared: Arc<AppState>,
    url: String,
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Serves the runs of `catalogue` at `address`.
    pub fn start(address: &ServeAddress, catalogue: Catalogue) -> Result<Self, DashboardError> {
        let listener = address.bind().map_err(DashboardError::Bind)?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let token = Token::fresh()?;
        let url = format!("http://{}:{port}/", address.url_host());
        let shared = Arc::new(AppState::new(catalogue, token, HostCheck::new(address, port)));
        let router = router(Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("live page".to_owned()).spawn(move || {
            runtime.block_on(async {
                let listener = CappedListener::new(tokio::net::TcpListener::from_std(listener)?);
                axum::serve(listener, router).await
            })
        })?;
        Ok(Self { shared, url, thread })
    }

    /// Where to look.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where to look and steer. The token stands behind the `#`, which browsers keep to themselves.
    pub fn steering_url(&self) -> String {
        format!("{}#token={}", self.url, self.shared.token.text())
    }

    /// Serves until the program is stopped.
    pub fn wait(self) -> io::Result<()> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the server broke")))
    }

    /// Gives those who watch a moment to see how it ended.
    pub fn say_farewell(&self) {
        if self.shared.feeds.watchers() > 0 {
            thread::sleep(FAREWELL);
        }
    }
}
