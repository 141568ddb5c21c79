//! The HTTP server, on its own thread and runtime, so that no game waits for a client.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::dashboard::auth::{HostCheck, ServeAddress, Token};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::connection_cap::CappedListener;
use crate::dashboard::routes::{AppState, router};

/// Time for the clients to receive the end of a run.
const LAST_UPDATE: Duration = Duration::from_millis(900);

/// Error: the live page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The address is in use or does not belong to this machine.
    #[error("the live page cannot be served at this address: {0}")]
    Bind(io::Error),
    /// No thread, no random bytes or no runtime.
    #[error("the live page cannot be served: {0}")]
    System(#[from] io::Error),
}

/// A running server. It serves until the program ends.
pub struct Server {
    shared: Arc<AppState>,
    url: String,
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts to serve the runs of `catalogue` at `address`.
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

    /// Returns the URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL with the token that control requests need. Browsers do not send what follows the `#`.
    pub fn control_url(&self) -> String {
        format!("{}#token={}", self.url, self.shared.token.text())
    }

    /// Serves until the program is stopped.
    pub fn wait(self) -> io::Result<()> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the server thread panicked")))
    }

    /// Waits until the clients have received the end of the run.
    pub fn send_last_update(&self) {
        if self.shared.sources.clients() > 0 {
            thread::sleep(LAST_UPDATE);
        }
    }
}
