//! Waiting for a line, never past an absolute deadline.

use std::ops::ControlFlow;
use std::task::{Poll, ready};

use tokio::time::{Instant, timeout_at};

use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::{StallPoint, Transport};

/// Why an expected line did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::player) enum ExpectError {
    /// The conversation is over.
    End(ConnectionEnd),
    /// It is late.
    Late(StallPoint),
}

/// Sends what waits, then hands every line to `hear` until it breaks. Lines do not extend the deadline.
pub(in crate::player) async fn expect_line<T: Transport>(
    connection: &mut Connection<T>,
    deadline: Instant,
    waiting_for: StallPoint,
    mut hear: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), ExpectError> {
    let heard = std::future::poll_fn(|cx| {
        let sent = connection.poll_send(cx);
        loop {
            match connection.poll_line(cx) {
                Poll::Ready(Ok(place)) => {
                    if hear(connection.text(place)).is_break() {
                        return Poll::Ready(Ok(()));
                    }
                }
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending => {
                    // What it still said before it closed its input has been heard by now.
                    ready!(sent)?;
                    return Poll::Pending;
                }
            }
        }
    });
    match timeout_at(deadline, heard).await {
        Ok(result) => result.map_err(ExpectError::End),
        Err(_) if connection.is_sending() => Err(ExpectError::Late(StallPoint::Stdin)),
        Err(_) => Err(ExpectError::Late(waiting_for)),
    }
}
