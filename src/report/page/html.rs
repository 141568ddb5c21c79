//! The page of a run, assembled from sections that the live page shares.

use askama::Template;

use crate::report::chart::CHART_STYLE;
use crate::report::markup::render;
use crate::report::page::GameShelf;
use crate::report::page::csp::policy;
use crate::report::{Condition, EngineConditions, filters};

/// The style sheet of every page, without that of the charts.
pub const PAGE_STYLE: &str = include_str!("page.css");
/// The script of every page: charts, tables, boards, the list of games and their viewer, in a page or on a server.
pub const PAGE_SCRIPT: &str = concat!(
    include_str!("script/charts.js"),
    include_str!("script/tables.js"),
    include_str!("script/board.js"),
    include_str!("script/viewer.js"),
    include_str!("script/games.js"),
    include_str!("script/page.js"),
);
/// The drawings of the chess pieces, which boards refer to.
pub const PIECES: &str = include_str!("pieces.svg");

/// A part of a page under its own heading. The live page replaces the sections that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Unique name of the section in the page.
    pub id: &'static str,
    /// Escaped markup of the section.
    pub html: String,
}

/// The text of a page outside its sections.
#[derive(Clone, Debug)]
pub struct PageContext {
    /// Name of the run.
    pub name: String,
    /// Result in one sentence.
    pub sentence: String,
    /// Names of the engines, the candidate first.
    pub engines: Vec<String>,
    /// Conditions under which the run was played.
    pub conditions: Vec<Condition>,
    /// Version, limits and options of each engine.
    pub engine_conditions: Vec<EngineConditions>,
    /// That the run has not ended, and why.
    pub unfinished: Option<String>,
    /// What the page cannot show and why, or what makes its result doubtful.
    pub gap: Option<String>,
    /// Label and value of every figure of the summary, with the values of `summary.json`.
    pub figures: Vec<(String, String)>,
    /// Text of `plan.toml`.
    pub plan: String,
    /// Command that repeats the run.
    pub repeat: String,
    /// Time of writing in UTC, for the footer.
    pub written: String,
}

#[derive(Template)]
#[template(path = "whole_page.html")]
struct WholePage<'a> {
    policy: String,
    style: String,
    script: &'static str,
    pieces: &'static str,
    plan: String,
    context: &'a PageContext,
    sections: Vec<&'a Section>,
    shelf: &'a GameShelf,
}

/// Returns the page as one file: head, `sections`, game viewer and plan.
pub fn whole_page(context: &PageContext, sections: &[Section], shelf: &GameShelf) -> String {
    let style = format!("{PAGE_STYLE}{CHART_STYLE}");
    let head = head_section(context);
    render(&WholePage {
        policy: policy(PAGE_SCRIPT, &style),
        style,
        script: PAGE_SCRIPT,
        pieces: PIECES,
        plan: plan_section(context).html,
        context,
        sections: std::iter::once(&head).chain(sections).collect(),
        shelf,
    })
}

#[derive(Template)]
#[template(path = "plan.html")]
struct PlanTemplate<'a> {
    context: &'a PageContext,
}

/// Returns the section with the plan and the command that repeats the run.
pub fn plan_section(context: &PageContext) -> Section {
    Section { id: "plan", html: render(&PlanTemplate { context }) }
}

#[derive(Template)]
#[template(path = "head.html")]
struct Head<'a> {
    context: &'a PageContext,
    first: String,
    others: String,
}

/// Returns the section with name, verdict and figures.
pub fn head_section(context: &PageContext) -> Section {
    let (first, others) = match &context.engines[..] {
        [candidate, baseline] => (candidate.clone(), baseline.clone()),
        // No engine of a tournament is the candidate.
        engines => (engines.join(", "), String::new()),
    };
    Section { id: "head", html: render(&Head { context, first, others }) }
}

/// A chart with its caption.
#[derive(Template)]
#[template(path = "figure.html")]
struct Figure<'a> {
    id: &'a str,
    caption: &'a str,
    svg: String,
}

/// Returns a chart with its caption as markup.
pub(super) fn figure(id: &str, caption: &str, svg: String) -> String {
    render(&Figure { id, caption, svg })
}
