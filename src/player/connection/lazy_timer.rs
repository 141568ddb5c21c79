//! A timer that is set for every move and hardly ever touched.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep, sleep_until};

/// One timer, reused from wait to wait.
///
/// Moving a timer costs more than a whole instant move, so a deadline that lies after the one already set leaves it
/// where it is; should it ring early, it is set again then.
#[derive(Debug)]
pub struct LazyTimer {
    sleep: Pin<Box<Sleep>>,
}

impl LazyTimer {
    /// A timer that has not been set.
    pub fn new() -> Self {
        Self { sleep: Box::pin(sleep_until(Instant::now())) }
    }

    /// Ready once `deadline` has passed.
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
    async fn an_alarm_rings_at_its_deadline_whatever_it_was_set_to_before() {
        let mut alarm = LazyTimer::new();
        for wait in [50, 5, 500, 1] {
            let (start, wait) = (Instant::now(), Duration::from_millis(wait));
            std::future::poll_fn(|cx| alarm.poll_at(start + wait, cx)).await;
            assert_eq!(start.elapsed(), wait);
            // Set, then abandoned for an earlier one.
            let far = Instant::now() + Duration::from_secs(9);
            let rings = std::future::poll_fn(|cx| Poll::Ready(alarm.poll_at(far, cx).is_ready())).await;
            assert!(!rings);
        }
    }
}
