//! The page of a run, put together from sections that the live page shares.

use std::fmt::Write;

use crate::report::chart::{CHART_STYLE, escape};
use crate::report::number_text::grouped;
use crate::report::page::GameShelf;
use crate::report::page::csp::policy;

/// The look of every page, charts included.
pub const PAGE_STYLE: &str = include_str!("page.css");
/// The viewer's script, for the report's own games or those that a server finds.
pub const VIEWER_SCRIPT: &str = include_str!("viewer.js");
/// The viewer's place in a page.
pub const VIEWER: &str = include_str!("viewer.html");

/// A part of a page under a heading of its own; the live page replaces the parts that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name in the page, unique.
    pub id: &'static str,
    /// Its markup. Whatever came from outside is escaped.
    pub html: String,
}

/// What a page says besides its pictures.
#[derive(Clone, Debug)]
pub struct PageContext {
    /// The run's name.
    pub name: String,
    /// The outcome in one sentence.
    pub sentence: String,
    /// Who played whom.
    pub engines: Vec<String>,
    /// Label and value of every figure of the summary, as `summary.json` has them.
    pub figures: Vec<(String, String)>,
    /// The plan, as its file says it.
    pub plan: String,
    /// The command that repeats the run.
    pub repeat: String,
    /// When it was written, in UTC, for the footer.
    pub written: String,
}

/// The whole page as one file: head, these sections, the games' viewer and the plan.
pub fn whole_page(context: &PageContext, sections: &[Section], shelf: &GameShelf) -> String {
    let style = format!("{PAGE_STYLE}{CHART_STYLE}");
    let mut body = String::new();
    for section in std::iter::once(&head_section(context)).chain(sections) {
        let _ = writeln!(body, "<section id=\"{}\">{}</section>", section.id, section.html);
    }
    viewer_section(&mut body, shelf);
    plan_section(&mut body, context);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">\
         <title>{title}</title><style>{style}</style></head>\n<body><main>{body}</main>\n\
         <script type=\"application/json\" id=\"games\">{games}</script>\n<script>{VIEWER_SCRIPT}</script></body></html>\n",
        policy = escape(&policy(VIEWER_SCRIPT, &style)),
        title = escape(&format!("{}: {}", context.name, context.sentence)),
        games = shelf.json(),
    )
}

/// Name, verdict and figures.
pub fn head_section(context: &PageContext) -> Section {
    let mut html = String::new();
    let (first, others) = context.engines.split_first().map_or(("?", String::new()), |(first, others)| {
        (first.as_str(), others.iter().map(|name| escape(name)).collect::<Vec<_>>().join(", "))
    });
    let against = if others.is_empty() { String::new() } else { format!(" against {others}") };
    let _ = write!(
        html,
        "<p class=\"run\">{}</p><h1>{}</h1><p class=\"engines\"><strong>{}</strong>{against}</p>\
         <dl class=\"figures\">",
        escape(&context.name),
        escape(&context.sentence),
        escape(first),
    );
    for (label, value) in &context.figures {
        let _ = write!(html, "<div><dt>{}</dt><dd>{}</dd></div>", escape(label), escape(value));
    }
    html.push_str("</dl>");
    Section { id: "head", html }
}

/// A chart with its caption.
pub(super) fn figure(html: &mut String, id: &str, heading: &str, svg: &str) {
    let _ = write!(html, "<figure id=\"{id}\"><figcaption>{}</figcaption>{svg}</figure>", escape(heading));
}

fn viewer_section(body: &mut String, shelf: &GameShelf) {
    let (kept, seen) = (shelf.kept(), shelf.seen());
    let held = if kept >= seen {
        match seen {
            1 => "The only game is in this page.".to_owned(),
            all => format!("All {} games are in this page.", grouped(all)),
        }
    } else {
        format!(
            "{} of {} games are in this page: the first, and those that ended by a fault. \
             <code>playself report RUN_DIR --game PAIR.GAME</code> adds any other; <code>playself serve</code> shows all \
             of them.",
            grouped(kept),
            grouped(seen)
        )
    };
    let _ = writeln!(body, "<section id=\"watch\"><h2>Watch a game</h2><p>{held}</p>{VIEWER}</section>");
}

fn plan_section(body: &mut String, context: &PageContext) {
    let _ = write!(
        body,
        "<section id=\"plan\"><h2>Repeat it</h2><pre class=\"command\">{}</pre><details><summary>The plan</summary>\
         <pre>{}</pre></details></section><footer><p>Written by playself on {} UTC.</p></footer>",
        escape(&context.repeat),
        escape(&context.plan),
        escape(&context.written)
    );
}
