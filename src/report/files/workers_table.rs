//! The machines that played a run: `workers.csv` and `workers` of the summary.

use serde::{Deserialize, Serialize};

use crate::run::{FleetHistory, WorkerHistory};
use crate::stats::Pentanomial;

/// The header of `workers.csv`.
const HEADER: &str =
    "worker,target,cpu,slots,nps,scale_ppm,pairs,pentanomial,forfeits,faults,voids,residual,quarantined\n";

/// One machine of a fleet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the keys are documented as a whole in docs/contracts.md")]
pub struct WorkerRow {
    pub worker: String,
    #[serde(default)]
    pub target: String,
    #[serde(default)]
    pub cpu: String,
    #[serde(default)]
    pub slots: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale_ppm: Option<u32>,
    pub pairs: u64,
    pub pentanomial: Pentanomial,
    pub forfeits: u64,
    pub faults: u64,
    pub voids: u64,
    /// How much its results differ from those of all machines: chi-squared, with four degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantined: Option<String>,
}

/// Returns a row for every machine that played.
pub(super) fn worker_rows(fleet: &FleetHistory) -> Vec<WorkerRow> {
    let row = |(worker, residual): (&WorkerHistory, Option<f64>)| WorkerRow {
        worker: worker.facts.worker.clone(),
        target: worker.facts.target.clone(),
        cpu: worker.facts.cpu.clone(),
        slots: worker.facts.slots,
        nps: worker.facts.nps,
        scale_ppm: worker.facts.scale_ppm,
        pairs: worker.pairs,
        pentanomial: worker.pentanomial,
        forfeits: worker.forfeits,
        faults: worker.faults,
        voids: worker.voids,
        residual,
        quarantined: worker.excluded.clone(),
    };
    fleet.residuals().map(row).collect()
}

/// Returns the text of `workers.csv`.
pub(super) fn workers_csv(rows: &[WorkerRow]) -> String {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::Any(b'\n'))
        .from_writer(HEADER.as_bytes().to_vec());
    for row in rows {
        let optional = |value: Option<String>| value.unwrap_or_default();
        let fields = [
            row.worker.clone(),
            row.target.clone(),
            row.cpu.clone(),
            row.slots.to_string(),
            optional(row.nps.map(|nps| nps.to_string())),
            optional(row.scale_ppm.map(|ppm| ppm.to_string())),
            row.pairs.to_string(),
            row.pentanomial.0.map(|count| count.to_string()).join(" "),
            row.forfeits.to_string(),
            row.faults.to_string(),
            row.voids.to_string(),
            optional(row.residual.map(|residual| residual.to_string())),
            optional(row.quarantined.clone()),
        ];
        writer.write_record(&fields).expect("writing to memory does not fail");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("all fields are text")
}
