//! The two live pages without their content, which arrives as events.

use askama::Template;

use crate::dashboard::url::url_segment;
use crate::report::chart::CHART_STYLE;
use crate::report::markup::render;
use crate::report::page::{PAGE_STYLE, PIECES};

/// Script of both pages.
pub(super) const SCRIPT: &str = include_str!("live.js");

const STYLE: &str = include_str!("live.css");

/// Content security policy: pages load and run files of this server only, never markup in data.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the style sheet of both pages.
pub(super) fn style() -> String {
    format!("{PAGE_STYLE}{CHART_STYLE}{STYLE}")
}

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage {
    title: &'static str,
    run: &'static str,
    pieces: &'static str,
}

/// Returns the page with the list of runs.
pub(super) fn overview_page() -> String {
    render(&OverviewPage { title: "runs", run: "", pieces: PIECES })
}

#[derive(Template)]
#[template(path = "run.html")]
struct LiveRunPage<'a> {
    title: &'a str,
    run: String,
    pieces: &'static str,
    has_overview: bool,
}

/// Returns the live page of one run.
pub(super) fn run_page(id: &str, others: Others) -> String {
    render(&LiveRunPage {
        title: id,
        run: url_segment(id),
        pieces: PIECES,
        has_overview: others == Others::Listed,
    })
}

/// Whether the server lists other runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    Listed,
    None,
}
