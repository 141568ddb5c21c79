//! The page of a run, assembled from sections that the live page shares.

use askama::Template;

use crate::report::chart::CHART_STYLE;
use crate::report::filters;
use crate::report::markup::render;
use crate::report::page::GameShelf;
use crate::report::page::csp::policy;

/// The style sheet of every page, without that of the charts.
pub const PAGE_STYLE: &str = include_str!("page.css");
/// The script of the game viewer, for games in the page or on a server.
pub const VIEWER_SCRIPT: &str = include_str!("viewer.js");

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
    context: &'a PageContext,
    sections: Vec<&'a Section>,
    shelf: &'a GameShelf,
}

/// Returns the page as one file: head, `sections`, game viewer and plan.
pub fn whole_page(context: &PageContext, sections: &[Section], shelf: &GameShelf) -> String {
    let style = format!("{PAGE_STYLE}{CHART_STYLE}");
    let head = head_section(context);
    render(&WholePage {
        policy: policy(VIEWER_SCRIPT, &style),
        style,
        script: VIEWER_SCRIPT,
        context,
        sections: std::iter::once(&head).chain(sections).collect(),
        shelf,
    })
}

#[derive(Template)]
#[template(path = "head.html")]
struct Head<'a> {
    context: &'a PageContext,
    first: &'a str,
    others: String,
}

/// Returns the section with name, verdict and figures.
pub fn head_section(context: &PageContext) -> Section {
    let (first, others) = context
        .engines
        .split_first()
        .map_or(("?", String::new()), |(first, others)| (first.as_str(), others.join(", ")));
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
