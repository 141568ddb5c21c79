//! The HTTP server, on its own thread and runtime, so that no game waits for a client.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::dashboard::auth::{Access, HostCheck, ServeAddress, Token};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::connection_cap::{Activity, CappedListener, MAX_CONNECTIONS};
use crate::dashboard::routes::{AppState, router};

/// Time for the clients to receive the end of a run.
const LAST_UPDATE: Duration = Duration::from_millis(900);

/// Time for the streams of the clients to end.
const LAST_BYTES: Duration = Duration::from_millis(100);

/// Descriptors of the listener, the runtime, and the pages that are updated.
const OTHER_DESCRIPTORS: u64 = 100;

/// With fewer connections, one browser could not follow a run.
const MIN_CONNECTIONS: usize = 8;

/// Error: the live page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The address is in use or does not belong to this machine.
    #[error("the live page cannot be served at this address: {0}")]
    Bind(io::Error),
    /// The games of the run need the file descriptors.
    #[error("the live page cannot be served: the limit on open files is too low (ulimit -Hn)")]
    Descriptors,
    /// No thread, no random bytes or no runtime.
    #[error("the live page cannot be served: {0}")]
    System(#[from] io::Error),
}

/// A running server. It serves until the program ends.
pub struct Server {
    shared: Arc<AppState>,
    url: String,
    /// Until somebody waits for it.
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Server {
    /// File descriptors that a server uses at most: its connections, and the files of the pages that it updates.
    pub const MAX_DESCRIPTORS: u64 = MAX_CONNECTIONS as u64 + OTHER_DESCRIPTORS;

    /// Starts to serve the runs of `catalogue` at `address`, with at most `descriptors` file descriptors.
    pub fn start(
        address: &ServeAddress,
        catalogue: Catalogue,
        descriptors: u64,
    ) -> Result<Self, DashboardError> {
        let connections = descriptors.saturating_sub(OTHER_DESCRIPTORS).min(MAX_CONNECTIONS as u64) as usize;
        if connections < MIN_CONNECTIONS {
            return Err(DashboardError::Descriptors);
        }
        let listener = address.bind().map_err(DashboardError::Bind)?;
        listener.set_nonblocking(true)?;
        let bound = listener.local_addr()?;
        let port = bound.port();
        let access = Access::new(Token::fresh()?, bound);
        let url = format!("http://{}:{port}/", address.url_host());
        let shared = Arc::new(AppState::new(catalogue, access, HostCheck::new(address, port)));
        let service = router(Arc::clone(&shared)).into_make_service_with_connect_info::<Activity>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::Builder::new().name("live page".to_owned()).spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                axum::serve(CappedListener::new(listener, connections), service).await
            })
        })?;
        Ok(Self { shared, url, thread: Some(thread) })
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL with the token. Control requests need it; a page that other machines can reach needs it for reading
    /// as well, and gets it from the query. Browsers do not send what follows the `#`.
    pub fn control_url(&self) -> String {
        let mark = if self.is_public() { '?' } else { '#' };
        format!("{}{mark}token={}", self.url, self.shared.access.token().text())
    }

    /// Returns whether other machines can reach the page.
    pub fn is_public(&self) -> bool {
        self.shared.access.reading_needs_token()
    }

    /// Serves until the program is stopped.
    pub fn wait(mut self) -> io::Result<()> {
        let ended = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        ended.unwrap_or_else(|_| Err(io::Error::other("the server thread panicked")))
    }

    /// Waits until the clients have received the end of the run.
    pub fn send_last_update(&self) {
        if self.shared.sources.clients() > 0 {
            thread::sleep(LAST_UPDATE);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A stream that breaks off is an error in the browser.
        if self.shared.sources.clients() > 0 {
            self.shared.sources.end();
            thread::sleep(LAST_BYTES);
        }
    }
}
