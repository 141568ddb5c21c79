//! Verdicts of an examination.

use serde::Serialize;

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As the protocol requires.
    Pass,
    /// Tolerable, but it may surprise.
    Warn,
    /// Against the protocol, or harmful in a match.
    Fail,
    /// Not applicable to this engine.
    Skip,
}

impl Grade {
    /// Returns the word at the beginning of a line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::Skip => "skip",
        }
    }
}

/// The result of one check. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// The verdict.
    pub grade: Grade,
    /// What was measured.
    pub detail: String,
}

/// What a check found, before it has its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) grade: Grade,
    pub(super) detail: String,
}

impl Judgement {
    pub(super) fn pass(detail: impl Into<String>) -> Self {
        Self { grade: Grade::Pass, detail: detail.into() }
    }

    pub(super) fn warn(detail: impl Into<String>) -> Self {
        Self { grade: Grade::Warn, detail: detail.into() }
    }

    pub(super) fn fail(detail: impl Into<String>) -> Self {
        Self { grade: Grade::Fail, detail: detail.into() }
    }

    pub(super) fn skip(detail: impl Into<String>) -> Self {
        Self { grade: Grade::Skip, detail: detail.into() }
    }
}

/// The results of all checks. Its keys are a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The engine as it was named.
    pub engine: String,
    /// The name that it gives itself.
    pub id_name: Option<String>,
    /// Results in the order of the table.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Returns how many checks have this verdict.
    pub fn count(&self, grade: Grade) -> usize {
        self.findings.iter().filter(|finding| finding.grade == grade).count()
    }

    /// Returns whether no check failed.
    pub fn conforms(&self) -> bool {
        self.count(Grade::Fail) == 0
    }
}
