//! `[fleet]` of a run file.

use std::path::PathBuf;

use crate::config::toml_reader::Fields;
use crate::run::FleetPlan;

/// The shortest and the longest time of the protocol, in seconds.
const SHORTEST: f64 = 0.05;
const LONGEST: f64 = 3600.0;

/// Reads the table.
pub(super) fn fleet(fields: &mut Fields) -> FleetPlan {
    let usual = FleetPlan::default();
    let url = fields.text("url");
    if url.as_ref().is_some_and(|url| url.contains('@')) {
        fields.wrong("url must not contain a secret: plan.toml would show it; use key, or --fleet");
    }
    let slowest = fields.number_within("slowest", 0.0, 1.0).unwrap_or(usual.slowest);
    let audit = fields.number_within("audit", 0.0, 1.0).unwrap_or(usual.audit);
    let mut milliseconds = |name: &str, usual: u64| {
        let seconds = fields.number_within(name, SHORTEST, LONGEST);
        seconds.map_or(usual, |seconds| (seconds * 1000.0).round() as u64)
    };
    let lease_ms = milliseconds("lease_s", usual.lease_ms);
    let beat_ms = milliseconds("beat_s", usual.beat_ms);
    let reconcile_ms = milliseconds("reconcile_s", usual.reconcile_ms);
    if lease_ms < 4 * beat_ms {
        fields.wrong("lease_s must be at least four times beat_s, or pairs in play are given to others");
    }
    FleetPlan {
        url,
        key: fields.text("key").map(PathBuf::from),
        ca: fields.text("ca").map(PathBuf::from),
        reference_nps: fields.whole("reference_nps", 1, i64::MAX),
        slowest,
        ahead: fields.whole("ahead", 1, 1_000_000).unwrap_or(usual.ahead),
        priority: fields.whole("priority", -1_000, 1_000).unwrap_or(usual.priority),
        weight: fields.whole("weight", 1, 1_000_000).unwrap_or(usual.weight),
        audit,
        lease_ms,
        beat_ms,
        reconcile_ms,
    }
}
