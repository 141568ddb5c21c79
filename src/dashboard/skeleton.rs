//! The frames of the two pages; what stands in them comes by events.

use crate::report::chart::{CHART_STYLE, escape};
use crate::report::page::{PAGE_STYLE, VIEWER};

use crate::dashboard::url::url_segment;

/// The script of both pages.
pub(super) const SCRIPT: &str = include_str!("live.js");

const STYLE: &str = include_str!("live.css");

/// What pages of this server may load and run: its own files, and nothing that stands in data.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The style of both pages.
pub(super) fn style() -> String {
    format!("{PAGE_STYLE}{CHART_STYLE}{STYLE}")
}

/// The list of runs.
pub(super) fn overview_page() -> String {
    page(
        "playself: runs",
        "",
        "<h1>Runs</h1><section id=\"runs\"><p>Looking…</p></section><section id=\"compared\"></section>",
    )
}

/// One run, live.
pub(super) fn run_page(id: &str, others: Others) -> String {
    let back = match others {
        Others::Listed => "<a href=\"/\">All runs</a> · ",
        Others::None => "",
    };
    let body = format!(
        "<nav>{back}<a href=\"report.html\">Report</a> · <a href=\"summary.json\">summary.json</a> · \
         <a href=\"pairs.csv\">pairs.csv</a> · <a href=\"games.pgn\">games.pgn</a></nav>\
         <section id=\"head\"></section><section id=\"now\" aria-label=\"progress\"><p id=\"phase\" role=\"status\">Connecting…</p>\
         <progress id=\"progress\" max=\"1\" value=\"0\" hidden></progress><p id=\"eta\"></p>\
         <div id=\"steer\" hidden><button data-order=\"pause\">Pause</button> <button data-order=\"continue\">Continue</button> \
         <button data-order=\"stop\">Stop</button> <label>Pairs at once <input id=\"concurrency\" type=\"number\" min=\"1\" \
         max=\"4096\" value=\"1\"></label> <button data-order=\"concurrency\">Set</button> \
         <span id=\"answer\" role=\"status\"></span></div>\
         <p id=\"unarmed\" hidden>Watching only. To steer the run, open the address that was printed at its start.</p></section>\
         <section id=\"playing\" hidden><h2>On the boards</h2><div id=\"boards\"></div></section>\
         <div id=\"parts\"></div>\
         <section id=\"feed\" hidden><h2>News of faults</h2><ul id=\"news\"></ul></section>\
         <section id=\"watch\"><h2>Watch a game</h2><p>Any game of the run, by the number of its pair and 1 or 2.</p>\
         {VIEWER}</section><script src=\"/viewer.js\"></script>"
    );
    page(&format!("playself: {id}"), &url_segment(id), &body)
}

/// Whether there are other runs to go back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    Listed,
    None,
}

fn page(title: &str, run: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">\
         <title>{}</title><link rel=\"stylesheet\" href=\"/style.css\"></head>\n\
         <body data-run=\"{}\"><main>{body}\
         <noscript><p>The live page needs its script; the report does not.</p></noscript></main>\n\
         <script src=\"/live.js\"></script></body></html>\n",
        escape(title),
        escape(run)
    )
}
