//! Control requests of the live page to a run in play.

use std::time::Duration;

use crate::run::control::{ControlAnswer, ControlError, ControlRequest, RunStatus, request};
use crate::store::RunFolder;

/// A run answers within milliseconds; a page must not wait longer than this for one that does not.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Sends one request to the run in `folder`.
pub(super) fn send(folder: &RunFolder, what: ControlRequest) -> Result<ControlAnswer, ControlError> {
    request(folder, what, TIMEOUT)
}

/// Returns the answer of the run in `folder` to a request for its status, or `None` if it is not in play.
pub(super) fn status(folder: &RunFolder, what: ControlRequest) -> Option<RunStatus> {
    match send(folder, what) {
        Ok(ControlAnswer::Status(status)) => Some(*status),
        _ => None,
    }
}

/// Parses a request that changes a run; those that only read are refused.
pub(super) fn steering(text: &str) -> Result<ControlRequest, String> {
    match text.parse()? {
        ControlRequest::Status | ControlRequest::Boards => {
            Err("known orders: pause, continue, concurrency N, stop".to_owned())
        }
        request => Ok(request),
    }
}
