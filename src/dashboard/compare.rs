//! The comparison of chosen runs.

use crate::dashboard::catalogue::{Catalogue, plan_of};
use crate::dashboard::url::url_segment;
use crate::report::Summary;
use crate::report::comparison::{ComparedRun, by_strength, comparison_page};

/// Largest number of runs in a comparison.
const MAX_COMPARED: usize = 100;

/// Returns the page that compares the runs with these names. Runs that do not exist or have no summary are left out.
pub(super) fn compared(catalogue: &Catalogue, ids: &[String]) -> String {
    let listed = catalogue.list();
    let run = |id: &String| {
        let folder = &listed.iter().find(|listed| listed.id == *id)?.folder;
        let (plan, _) = plan_of(folder).ok()?;
        let summary = Summary::read_latest(folder).ok()?;
        Some(ComparedRun::new(&plan, id, format!("run/{}/", url_segment(id)), summary))
    };
    comparison_page(&by_strength(ids.iter().take(MAX_COMPARED).filter_map(run).collect()), Some("/"))
}
