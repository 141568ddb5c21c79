//! Waiting for a line, never past an absolute deadline.

use std::ops::ControlFlow;
use std::task::{Poll, ready};

use tokio::time::{Instant, timeout_at};

use crate::player::link::{Link, LinkEnd};
use crate::player::{StallPoint, Transport};

/// Why an expected line did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The conversation is over.
    End(LinkEnd),
    /// It is late.
    Late(StallPoint),
}

/// Sends what waits, then hands every line to `hear` until it breaks. Lines do not extend the deadline.
pub(super) async fn hear_until<T: Transport>(
    link: &mut Link<T>,
    deadline: Instant,
    waiting_for: StallPoint,
    mut hear: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), Trouble> {
    let heard = std::future::poll_fn(|cx| {
        let sent = link.poll_send(cx);
        loop {
            match link.poll_line(cx) {
                Poll::Ready(Ok(place)) => {
                    if hear(link.text(place)).is_break() {
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
        Ok(result) => result.map_err(Trouble::End),
        Err(_) if link.is_sending() => Err(Trouble::Late(StallPoint::Stdin)),
        Err(_) => Err(Trouble::Late(waiting_for)),
    }
}
