//! A timer that has a new deadline for every move but is rarely re-registered.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

/// A timer that is reused from wait to wait.
///
/// Re-registering a timer with the runtime costs more than a whole immediate move, so a later deadline leaves the
/// registered one in place; if that fires early, the timer is registered again.
#[derive(Debug)]
pub struct LazyTimer {
    sleep: Pin<Box<Sleep>>,
}

impl LazyTimer {
    /// Creates a timer without a deadline.
    pub fn new() -> Self {
        Self { sleep: Box::pin(sleep_until(Instant::now())) }
    }

    /// Returns `Ready` once `deadline` has passed.
    pub fn poll_at(&mut self, deadline: Instant, cx: &mut Context<'_>) -> Poll<()> {
        if self.sleep.deadline() > deadline {
            self.sleep.as_mut().reset(deadline);
        }
        while self.sleep.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(());
            }
            self.sleep.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

impl Default for LazyTimer {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_timer_fires_at_its_deadline_regardless_of_earlier_ones() {
        let mut timer = LazyTimer::new();
        for wait in [50, 5, 500, 1] {
            let (start, wait) = (Instant::now(), Duration::from_millis(wait));
            std::future::poll_fn(|cx| timer.poll_at(start + wait, cx)).await;
            assert_eq!(start.elapsed(), wait);
            // Registered, then superseded by an earlier deadline.
            let far = Instant::now() + Duration::from_secs(9);
            let fired = std::future::poll_fn(|cx| Poll::Ready(timer.poll_at(far, cx).is_ready())).await;
            assert!(!fired);
        }
    }
}
