//! The page of a match or a test, put together from its picture.

use std::fmt::Write;

use super::charts::{colour_chart, elo_chart, length_chart, llr_chart, pentanomial_chart};
use super::policy::policy;
use crate::report::chart::{CHART_STYLE, escape, grouped};
use crate::report::page::{GameShelf, MatchPicture};
use crate::stats::Bounds;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("viewer.js");

/// What a page says beside its picture.
#[derive(Clone, Debug)]
pub struct PageContext {
    /// The run's name.
    pub name: String,
    /// The outcome in one sentence.
    pub sentence: String,
    /// Label and value of every figure of the summary, as `summary.json` has them.
    pub figures: Vec<(String, String)>,
    /// The test's bounds, if there is a test.
    pub bounds: Option<Bounds>,
    /// The plan, as its file says it.
    pub plan: String,
    /// The command that repeats the run.
    pub repeat: String,
    /// When it ended, in UTC, for the footer.
    pub written: String,
}

/// The whole page.
pub fn match_page(context: &PageContext, picture: &MatchPicture, shelf: &GameShelf) -> String {
    let style = format!("{STYLE}{CHART_STYLE}");
    let mut body = String::new();
    header(&mut body, context, picture);
    test_section(&mut body, context, picture);
    result_section(&mut body, picture);
    game_section(&mut body, picture);
    time_section(&mut body, picture);
    fault_section(&mut body, picture);
    viewer_section(&mut body, shelf);
    plan_section(&mut body, context);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\">\
         <title>{title}</title><style>{style}</style></head>\n<body><main>{body}</main>\n\
         <script type=\"application/json\" id=\"games\">{games}</script>\n<script>{SCRIPT}</script></body></html>\n",
        policy = escape(&policy(SCRIPT, &style)),
        title = escape(&format!("{}: {}", context.name, context.sentence)),
        games = shelf.json(),
    )
}

fn header(body: &mut String, context: &PageContext, picture: &MatchPicture) {
    let engine =
        |place: usize| picture.engines().get(place).map_or_else(|| "?".to_owned(), |name| escape(name));
    let _ = write!(
        body,
        "<header><p class=\"run\">{}</p><h1>{}</h1><p class=\"engines\"><strong>{}</strong> against {}</p></header>\
         <dl class=\"figures\">",
        escape(&context.name),
        escape(&context.sentence),
        engine(0),
        engine(1)
    );
    for (label, value) in &context.figures {
        let _ = write!(body, "<div><dt>{}</dt><dd>{}</dd></div>", escape(label), escape(value));
    }
    body.push_str("</dl>");
}

fn figure(body: &mut String, id: &str, heading: &str, svg: &str) {
    let _ = write!(body, "<figure id=\"{id}\"><figcaption>{}</figcaption>{svg}</figure>", escape(heading));
}

fn test_section(body: &mut String, context: &PageContext, picture: &MatchPicture) {
    body.push_str("<section><h2>How sure it is</h2>");
    if let Some(svg) = context.bounds.and_then(|bounds| llr_chart(picture, bounds)) {
        figure(body, "llr", "The test: log-likelihood ratio between its bounds", &svg);
    }
    match elo_chart(picture) {
        Some(svg) => figure(body, "elo", "Elo difference with its 95 % interval", &svg),
        None => body.push_str("<p>No pair has been counted yet.</p>"),
    }
    body.push_str("</section>");
}

fn result_section(body: &mut String, picture: &MatchPicture) {
    body.push_str("<section><h2>Results</h2>");
    figure(body, "pentanomial", "Pairs by the candidate's points", &pentanomial_chart(picture));
    figure(body, "colours", "The candidate's games by colour", &colour_chart(picture));
    let [white, black, other] = picture.openings.map(grouped);
    let _ = write!(
        body,
        "<p>White won both games of {white} openings, Black both of {black}; the other {other} were split or drawn.</p>\
         </section>"
    );
}

fn game_section(body: &mut String, picture: &MatchPicture) {
    body.push_str("<section><h2>Games</h2><table><caption>How games ended</caption><thead><tr><th>reason<th>games</tr></thead><tbody>");
    let mut endings: Vec<_> = picture.endings.iter().collect();
    endings.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), **reason));
    for (reason, count) in endings {
        let _ = write!(body, "<tr><td>{}<td>{}</tr>", escape(&reason.replace('_', " ")), grouped(*count));
    }
    body.push_str("</tbody></table>");
    figure(body, "lengths", "Games by length", &length_chart(picture));
    body.push_str("</section>");
}

fn time_section(body: &mut String, picture: &MatchPicture) {
    body.push_str(
        "<section><h2>Time</h2><table><caption>What each engine did with its time</caption><thead><tr><th>engine<th>moves\
         <th>mean ms a move<th>longest ms<th>nodes a second<th>mean depth</tr></thead><tbody>",
    );
    for (name, used) in picture.engines().iter().zip(&picture.use_of_time) {
        let mean = if used.moves == 0 { 0.0 } else { used.time_us as f64 / used.moves as f64 / 1e3 };
        let nps = used.nps().map_or_else(|| "–".to_owned(), grouped);
        let depth = used.mean_depth().map_or_else(|| "–".to_owned(), |depth| format!("{depth:.1}"));
        let _ = write!(
            body,
            "<tr><td>{}<td>{}<td>{mean:.2}<td>{:.1}<td>{nps}<td>{depth}</tr>",
            escape(name),
            grouped(used.moves),
            used.longest_us as f64 / 1e3
        );
    }
    body.push_str("</tbody></table></section>");
}

fn fault_section(body: &mut String, picture: &MatchPicture) {
    body.push_str("<section><h2>Faults</h2>");
    if picture.fault_count == 0 {
        body.push_str(
            "<p>None: no engine crashed, stalled, forfeited on time or played an illegal move.</p></section>",
        );
        return;
    }
    let _ = write!(body, "<p>{} games ended by a fault.</p>", grouped(picture.fault_count));
    body.push_str("<table><thead><tr><th>game<th>engine<th>what it did<th>bundle</tr></thead><tbody>");
    for fault in &picture.faults {
        let round = format!("{}.{}", fault.pair + 1, fault.game.number());
        let _ = write!(
            body,
            "<tr><td>{round}<td>{}<td>{}<td><a href=\"faults/{round}\">faults/{round}</a></tr>",
            escape(&fault.engine),
            escape(&fault.reason)
        );
    }
    body.push_str("</tbody></table></section>");
}

fn viewer_section(body: &mut String, shelf: &GameShelf) {
    let _ = write!(
        body,
        "<section><h2>Watch a game</h2><p>{} of {} games are in this page; <code>games.pgn</code> has all of them.</p>\
         <div id=\"viewer\"><label for=\"pick\">Game</label> <select id=\"pick\"></select>\
         <p id=\"who\" aria-live=\"polite\"></p><div id=\"board\" role=\"img\" aria-label=\"board\" tabindex=\"0\"></div>\
         <p class=\"controls\"><button id=\"first\" aria-label=\"to the start\">«</button>\
         <button id=\"back\" aria-label=\"one move back\">‹</button>\
         <button id=\"forward\" aria-label=\"one move on\">›</button>\
         <button id=\"last\" aria-label=\"to the end\">»</button> <span id=\"ply\"></span></p>\
         <div id=\"evals\"></div><p id=\"moves\"></p></div></section>",
        grouped(shelf.kept()),
        grouped(shelf.seen())
    );
}

fn plan_section(body: &mut String, context: &PageContext) {
    let _ = write!(
        body,
        "<section><h2>Repeat it</h2><pre class=\"command\">{}</pre><details><summary>The plan</summary><pre>{}</pre></details>\
         </section><footer><p>Written by playself on {}.</p></footer>",
        escape(&context.repeat),
        escape(&context.plan),
        escape(&context.written)
    );
}
