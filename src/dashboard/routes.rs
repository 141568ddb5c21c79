//! The routes of the server.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tokio::sync::{Semaphore, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::WatchStream;

use crate::dashboard::auth::{HostCheck, Token};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::compare::compared;
use crate::dashboard::control;
use crate::dashboard::files::{self, NoFile};
use crate::dashboard::game_lists::{GameLists, parse_query};
use crate::dashboard::live_games::{LiveGameWriter, LiveGames};
use crate::dashboard::overview::Overview;
use crate::dashboard::page_parts::{PageParts, SentParts};
use crate::dashboard::run_source::RunSource;
use crate::dashboard::skeleton::{self, Others};
use crate::dashboard::sources::Sources;
use crate::dashboard::url::url_segment;
use crate::report::page::PAGE_SCRIPT;
use crate::run::control::request;
use crate::store::RunFolder;

/// Largest number of event streams; further requests are answered with 503.
const MAX_STREAMS: usize = 256;

/// Policy beside that of a page that contains its own, which allows its script by its hash.
const OWN_POLICY: &str = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Header with the token. A foreign page cannot send it without a CORS preflight, which this server does not answer.
const TOKEN: HeaderName = HeaderName::from_static("x-playself-token");

/// State shared by all requests.
pub(super) struct AppState {
    pub(super) catalogue: Catalogue,
    pub(super) sources: Arc<Sources>,
    pub(super) token: Token,
    pub(super) host_check: HostCheck,
    game_lists: GameLists,
    live_games: Arc<LiveGames>,
    streams: Arc<Semaphore>,
    heavy: Semaphore,
}

impl AppState {
    pub(super) fn new(catalogue: Catalogue, token: Token, host_check: HostCheck) -> Self {
        Self {
            catalogue,
            sources: Arc::new(Sources::default()),
            token,
            host_check,
            game_lists: GameLists::default(),
            live_games: Arc::default(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            heavy: Semaphore::new(1),
        }
    }
}

type App = State<Arc<AppState>>;

/// Returns the router of the server.
pub(super) fn router(shared: Arc<AppState>) -> Router {
    Router::new()
        .route("/", get(overview_page))
        .route("/events", get(overview_events))
        .route("/compare", get(compare))
        .route(
            "/live.js",
            get(|| async { ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], skeleton::SCRIPT) }),
        )
        .route(
            "/page.js",
            get(|| async { ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], PAGE_SCRIPT) }),
        )
        .route(
            "/style.css",
            get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], skeleton::style()) }),
        )
        .route("/run/{id}", get(with_slash))
        .route("/run/{id}/", get(run_page))
        .route("/run/{id}/events", get(run_events))
        .route("/run/{id}/control", post(control_run).layer(DefaultBodyLimit::max(256)))
        .route("/run/{id}/report.html", get(report))
        .route("/run/{id}/faults/{name}", get(bundle))
        .route("/run/{id}/game/{round}", get(game))
        .route("/run/{id}/games", get(games))
        .route("/run/{id}/live/{slot}", get(live_game))
        .route("/run/{id}/{file}", get(file))
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Refuses requests with a foreign host or origin, and sets the security headers of every response.
async fn guard(State(shared): App, request: Request, next: Next) -> Response {
    if let Some(refusal) = foreign(&shared.host_check, request.headers()) {
        return refusal;
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(skeleton::POLICY));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the refusal of a request with a foreign host or origin, or `None` if both are valid.
fn foreign(host_check: &HostCheck, headers: &HeaderMap) -> Option<Response> {
    let text = |name: HeaderName| headers.get(name).map(HeaderValue::to_str);
    let host_is_ours = text(header::HOST).is_some_and(|host| host.is_ok_and(|host| host_check.is_ours(host)));
    if !host_is_ours {
        let why = "the Host header does not name this server\n";
        return Some((StatusCode::MISDIRECTED_REQUEST, why).into_response());
    }
    let origin_is_ours = match text(header::ORIGIN) {
        None => host_check.allows_origin(None),
        Some(origin) => origin.is_ok_and(|origin| host_check.allows_origin(Some(origin))),
    };
    (!origin_is_ours)
        .then(|| (StatusCode::FORBIDDEN, "requests from other origins are refused\n").into_response())
}

async fn overview_page(State(shared): App) -> Response {
    match shared.catalogue.only() {
        Some(id) => Redirect::temporary(&format!("/run/{}/", url_segment(&id))).into_response(),
        None => Html(skeleton::overview_page()).into_response(),
    }
}

async fn with_slash(Path(id): Path<String>) -> Redirect {
    Redirect::permanent(&format!("/run/{}/", url_segment(&id)))
}

async fn run_page(State(shared): App, Path(id): Path<String>) -> Result<Html<String>, Refusal> {
    find(&shared, &id)?;
    let others = if shared.catalogue.only().is_some() { Others::None } else { Others::Listed };
    Ok(Html(skeleton::run_page(&id, others)))
}

async fn overview_events(State(shared): App) -> Result<Response, Refusal> {
    let catalogue = shared.catalogue.clone();
    let pages = shared.sources.subscribe("/", || Box::new(Overview::new(catalogue)));
    stream(&shared, pages)
}

async fn run_events(State(shared): App, Path(id): Path<String>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let key = format!("/run/{id}");
    let pages = shared.sources.subscribe(&key, || {
        let live_games = LiveGameWriter::new(&id, Arc::clone(&shared.live_games));
        Box::new(RunSource::new(id, folder, live_games))
    });
    stream(&shared, pages)
}

/// Sends the changes of a page until the client disconnects. A slow client skips to the latest state.
fn stream(shared: &AppState, pages: Option<watch::Receiver<PageParts>>) -> Result<Response, Refusal> {
    let (Some(pages), Ok(permit)) = (pages, Arc::clone(&shared.streams).try_acquire_owned()) else {
        return Err(Refusal::Full);
    };
    let mut sent = SentParts::default();
    let events = WatchStream::new(pages).filter_map(move |page| {
        let _held_as_long_as_the_stream = &permit;
        sent.changed(&page).map(|parts| Ok::<_, Infallible>(Event::default().data(parts)))
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(10));
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

async fn control_run(
    State(shared): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    order: String,
) -> Result<Response, Refusal> {
    let given = headers.get(TOKEN).and_then(|given| given.to_str().ok()).unwrap_or_default();
    if !shared.token.is(given) {
        return Err(Refusal::NoToken);
    }
    let folder = find(&shared, &id)?;
    let order = control::parse_order(&order).map_err(Refusal::BadOrder)?;
    let answer = tokio::task::spawn_blocking(move || request(&folder, order, control::TIMEOUT)).await;
    match answer {
        Ok(Ok(answer)) => Ok(axum::Json(answer).into_response()),
        _ => Err(Refusal::NotRunning),
    }
}

async fn report(State(shared): App, Path(id): Path<String>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    // A long journal takes seconds to read, so only one is read at a time.
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let page = tokio::task::spawn_blocking(move || files::report(&folder)).await;
    let page = page.map_err(|_| Refusal::Full)??;
    Ok(([(header::CONTENT_SECURITY_POLICY, OWN_POLICY)], Html(page)).into_response())
}

async fn file(State(shared): App, Path((id, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let text = tokio::task::spawn_blocking(move || files::text_of(&folder, &name)).await;
    Ok(text.map_err(|_| Refusal::Full)??.into_response())
}

async fn bundle(State(shared): App, Path((id, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    Ok(files::bundle(&folder, &name)?.into_response())
}

async fn game(State(shared): App, Path((id, round)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let found = tokio::task::spawn_blocking(move || files::game(&folder, &round)).await;
    let game = found.map_err(|_| Refusal::Full)??;
    Ok(([(header::CONTENT_TYPE, "application/json")], game).into_response())
}

/// Returns the game in a slot of a run with all its moves, as long as the run is watched.
async fn live_game(State(shared): App, Path((id, slot)): Path<(String, usize)>) -> Result<Response, Refusal> {
    find(&shared, &id)?;
    // The game may have ended since the client saw it.
    let game = shared.live_games.get(&id, slot).map_or_else(|| "null".to_owned(), |game| game.to_string());
    Ok(([(header::CONTENT_TYPE, "application/json")], game).into_response())
}

/// Answers a query about all games of a run.
async fn games(
    State(shared): App,
    Path(id): Path<String>,
    Query(parameters): Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    // The first query of a long run takes a moment, so only one is answered at a time.
    let turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let lists = Arc::clone(&shared);
    let query = parse_query(&parameters);
    let rows = tokio::task::spawn_blocking(move || lists.game_lists.answer(&id, &folder, &query)).await;
    drop(turn);
    let rows = rows.map_err(|_| Refusal::Full)?.map_err(NoFile::from)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], rows).into_response())
}

/// Compares the runs of the parameter `runs`, separated by commas.
async fn compare(
    State(shared): App,
    Query(parameters): Query<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let ids =
        parameters.get("runs").map_or("", String::as_str).split(',').map(str::to_owned).collect::<Vec<_>>();
    let page = tokio::task::spawn_blocking(move || compared(&shared.catalogue, &ids)).await;
    let page = page.map_err(|_| Refusal::Full)?;
    Ok(([(header::CONTENT_SECURITY_POLICY, OWN_POLICY)], Html(page)).into_response())
}

fn find(shared: &AppState, id: &str) -> Result<RunFolder, Refusal> {
    shared.catalogue.find(id).ok_or(Refusal::NoRun)
}

/// Reason why a request is refused.
enum Refusal {
    NoRun,
    NoToken,
    NotRunning,
    Full,
    BadOrder(String),
    File(NoFile),
}

impl From<NoFile> for Refusal {
    fn from(why: NoFile) -> Self {
        Self::File(why)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, why) = match self {
            Self::NoRun => (StatusCode::NOT_FOUND, "this run does not exist".to_owned()),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "control requests need the token of the URL that was printed at the start".to_owned(),
            ),
            Self::NotRunning => (StatusCode::CONFLICT, "the run is not running".to_owned()),
            Self::Full => (StatusCode::SERVICE_UNAVAILABLE, "too many watchers; try again later".to_owned()),
            Self::BadOrder(why) => (StatusCode::BAD_REQUEST, why),
            Self::File(why @ (NoFile::Unknown | NoFile::NoGame)) => (StatusCode::NOT_FOUND, why.to_string()),
            Self::File(NoFile::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, NoFile::TooLarge.to_string()),
            Self::File(why @ NoFile::Io(_)) => (StatusCode::INTERNAL_SERVER_ERROR, why.to_string()),
        };
        let mut response = (status, why + "\n").into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            // A client that waits on the same connection would occupy one of the limited connections.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
