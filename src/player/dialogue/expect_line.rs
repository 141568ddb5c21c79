//! Waiting for a line until an absolute deadline.

use std::ops::ControlFlow;
use std::task::{Poll, ready};

use tokio::time::{Instant, timeout_at};

use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::{StallPoint, Transport};

/// Reason why an expected line did not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum ExpectError {
    /// The connection ended.
    End(ConnectionEnd),
    /// The deadline passed.
    Late(StallPoint),
}

/// Writes the queued lines, then passes every received line to `accept` until it breaks. Received lines do not extend
/// the deadline.
pub(in crate::player) async fn expect_line<T: Transport>(
    connection: &mut Connection<T>,
    deadline: Instant,
    waiting_for: StallPoint,
    mut accept: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), ExpectError> {
    let received = std::future::poll_fn(|cx| {
        let sent = connection.poll_send(cx);
        loop {
            match connection.poll_line(cx) {
                Poll::Ready(Ok(range)) => {
                    if accept(connection.text(range)).is_break() {
                        return Poll::Ready(Ok(()));
                    }
                }
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending => {
                    // Everything that the engine sent before it closed its input has been processed by now.
                    ready!(sent)?;
                    return Poll::Pending;
                }
            }
        }
    });
    match timeout_at(deadline, received).await {
        Ok(result) => result.map_err(ExpectError::End),
        Err(_) if connection.is_sending() => Err(ExpectError::Late(StallPoint::Stdin)),
        Err(_) => Err(ExpectError::Late(waiting_for)),
    }
}
