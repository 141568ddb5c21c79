//! Requests to the control socket of a run.

use std::time::Duration;

use crate::run::control::{ControlAnswer, ControlRequest, RunStatus, request};
use crate::store::RunFolder;

/// A running run answers within this time.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the state of the run in `folder`, or `None` if it is not running or too busy to answer.
pub(super) fn status_of(folder: &RunFolder, message: ControlRequest) -> Option<RunStatus> {
    status_within(folder, message, TIMEOUT)
}

/// Returns the state of the run in `folder`, or `None` if it does not answer in time.
pub(super) fn status_within(
    folder: &RunFolder,
    message: ControlRequest,
    limit: Duration,
) -> Option<RunStatus> {
    match request(folder, message, limit) {
        Ok(ControlAnswer::Status(status)) => Some(*status),
        Ok(ControlAnswer::Error { .. }) | Err(_) => None,
    }
}

/// Parses a request that changes a run. Requests that only read its state are refused.
pub(super) fn parse_order(text: &str) -> Result<ControlRequest, String> {
    match text.parse()? {
        ControlRequest::Status | ControlRequest::Boards => {
            Err("known orders: pause, continue, concurrency N, stop".to_owned())
        }
        request => Ok(request),
    }
}
