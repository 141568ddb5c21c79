//! Connections with limits: of their number, so that clients cannot exhaust the file descriptors of a run, and of the time
//! that they may spend without a request.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};

/// Largest number of open connections; further ones are closed immediately.
pub(super) const MAX_CONNECTIONS: usize = 400;

/// Time that a client may take for a request, and leave a response unread. Event streams write more often than that.
pub(super) const MAX_IDLE: Duration = Duration::from_secs(20);

/// A TCP listener that closes connections beyond the limit.
pub(super) struct CappedListener {
    listener: TcpListener,
    permits: Arc<Semaphore>,
}

impl CappedListener {
    /// Accepts at most `most` connections at once.
    pub(super) fn new(listener: TcpListener, most: usize) -> Self {
        Self { listener, permits: Arc::new(Semaphore::new(most)) }
    }
}

impl Listener for CappedListener {
    type Io = CappedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (CappedStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, from)) => {
                    // Without a permit the stream is dropped here, which closes it.
                    if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
                        return (CappedStream::new(stream, permit), from);
                    }
                }
                // No descriptors left, or the client disconnected. The pause avoids a busy loop.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// What a connection is doing, shared with the requests on it.
#[derive(Clone, Debug)]
pub(super) struct Activity(Arc<ActivityState>);

#[derive(Debug)]
struct ActivityState {
    /// Number of requests that are being answered.
    requests: AtomicUsize,
    /// Time of the last progress: the start, a write, or the end of a request.
    progress: Mutex<Instant>,
}

impl Activity {
    fn new() -> Self {
        Self(Arc::new(ActivityState { requests: AtomicUsize::new(0), progress: Mutex::new(Instant::now()) }))
    }

    /// Marks the connection as busy until the returned value is dropped.
    pub(super) fn request(&self) -> OpenRequest {
        self.0.requests.fetch_add(1, Ordering::Relaxed);
        OpenRequest(self.clone())
    }

    fn is_answering(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) > 0
    }

    fn note_progress(&self) {
        *self.0.progress.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns the time at which the connection has been idle for too long.
    fn deadline(&self) -> Instant {
        *self.0.progress.lock().unwrap_or_else(PoisonError::into_inner) + MAX_IDLE
    }
}

impl Connected<IncomingStream<'_, CappedListener>> for Activity {
    fn connect_info(stream: IncomingStream<'_, CappedListener>) -> Self {
        stream.io().activity.clone()
    }
}

/// A request that is being answered.
pub(super) struct OpenRequest(Activity);

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.note_progress();
        self.0.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection that fails once it has been idle for too long, and releases its permit when it is dropped.
pub(super) struct CappedStream {
    stream: TcpStream,
    activity: Activity,
    timer: Pin<Box<Sleep>>,
    _permit: OwnedSemaphorePermit,
}

impl CappedStream {
    fn new(stream: TcpStream, permit: OwnedSemaphorePermit) -> Self {
        let activity = Activity::new();
        let timer = Box::pin(sleep_until(activity.deadline()));
        Self { stream, activity, timer, _permit: permit }
    }

    /// Fails once the deadline has passed. `excused` connections have no deadline.
    fn poll_idle(&mut self, context: &mut Context<'_>, excused: bool) -> Poll<io::Error> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let deadline = self.activity.deadline();
            if !excused && deadline <= Instant::now() {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            let next = if excused { Instant::now() + MAX_IDLE } else { deadline };
            self.timer.as_mut().reset(next);
        }
    }
}

impl AsyncRead for CappedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let excused = this.activity.is_answering();
        // A request that arrives a byte at a time does not extend its deadline.
        if !excused && this.activity.deadline() <= Instant::now() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Pending => this.poll_idle(context, excused).map(Err),
            read => read,
        }
    }
}

impl AsyncWrite for CappedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        match Pin::new(&mut this.stream).poll_write(context, bytes) {
            Poll::Pending => this.poll_idle(context, false).map(Err),
            written => {
                this.activity.note_progress();
                written
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
