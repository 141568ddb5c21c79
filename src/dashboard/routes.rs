//! The routes of the server.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tokio::sync::{Semaphore, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::WatchStream;

use crate::dashboard::auth::{Access, HostCheck};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::compare::compared;
use crate::dashboard::connection_cap::Activity;
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

/// Time for the answer to a request, which may have to read a long journal.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(60);

/// Time for a control request to arrive and be answered.
const MAX_CONTROL_TIME: Duration = Duration::from_secs(5);

/// Largest response that is not counted, the number of larger ones that wait to be read, and the size of their parts.
const SMALL_BODY: usize = 256 << 10;
const MAX_BODIES: usize = 4;
const BODY_PART: usize = 64 << 10;

/// Header with the token. A foreign page cannot send it without a CORS preflight, which this server does not answer.
const TOKEN: HeaderName = HeaderName::from_static("x-playself-token");

/// State shared by all requests.
pub(super) struct AppState {
    pub(super) catalogue: Catalogue,
    pub(super) sources: Arc<Sources>,
    pub(super) access: Access,
    pub(super) host_check: HostCheck,
    game_lists: GameLists,
    live_games: Arc<LiveGames>,
    streams: Arc<Semaphore>,
    heavy: Semaphore,
    /// Responses in memory that clients have not read yet.
    bodies: Arc<Semaphore>,
}

impl AppState {
    pub(super) fn new(catalogue: Catalogue, access: Access, host_check: HostCheck) -> Self {
        Self {
            catalogue,
            sources: Arc::new(Sources::default()),
            access,
            host_check,
            game_lists: GameLists::default(),
            live_games: Arc::default(),
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            heavy: Semaphore::new(1),
            bodies: Arc::new(Semaphore::new(MAX_BODIES)),
        }
    }
}

impl AppState {
    /// Returns `text` as the body of a response. A large one is refused while several others have not been read, so that
    /// unread responses do not fill the memory.
    fn body(&self, text: String) -> Result<Body, Refusal> {
        if text.len() <= SMALL_BODY {
            return Ok(Body::from(text));
        }
        let permit = Arc::clone(&self.bodies).try_acquire_owned().map_err(|_| Refusal::Full)?;
        let bytes = Bytes::from(text);
        let starts = (0..bytes.len()).step_by(BODY_PART);
        let parts = tokio_stream::iter(starts).map(move |start| {
            let _held_until_the_last_part = &permit;
            Ok::<_, Infallible>(bytes.slice(start..bytes.len().min(start + BODY_PART)))
        });
        Ok(Body::from_stream(parts))
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
        .route(
            "/run/{id}/control",
            post(control_run).layer(DefaultBodyLimit::max(256)).layer(from_fn(in_time)),
        )
        .route("/run/{id}/report.html", get(report))
        .route("/run/{id}/faults/{name}", get(bundle))
        .route("/run/{id}/game/{round}", get(game))
        .route("/run/{id}/games", get(games))
        .route("/run/{id}/live/{slot}", get(live_game))
        .route("/run/{id}/{file}", get(file))
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Refuses requests with a foreign host or origin or without the right to read, and sets the security headers of every
/// response.
async fn guard(
    State(shared): App,
    ConnectInfo(activity): ConnectInfo<Activity>,
    request: Request,
    next: Next,
) -> Response {
    let _open = activity.request();
    let mut response = match refusal(&shared, &request) {
        Some(refusal) => refusal,
        None => {
            let answered = tokio::time::timeout(MAX_ANSWER_TIME, next.run(request)).await;
            answered.unwrap_or_else(|_| Refusal::Full.into_response())
        }
    };
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

/// Returns the response to a request that may not read, or `None` if it may.
fn refusal(shared: &AppState, request: &Request) -> Option<Response> {
    let headers = request.headers();
    if let Some(refusal) = foreign(&shared.host_check, request.uri(), headers) {
        return Some(refusal);
    }
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let access = &shared.access;
    // The URL that is printed at the start has the token as its query: the browser keeps it as a cookie.
    if let Some(cookie) = access.cookie()
        && access.token_in_query(request.uri().query().unwrap_or_default())
    {
        let page = format!("{}#token={}", request.uri().path(), access.token().text());
        return Some(([(header::SET_COOKIE, cookie)], Redirect::to(&page)).into_response());
    }
    let allowed = access.allows_reading(text(header::COOKIE), text(TOKEN));
    (!allowed).then(|| Refusal::NoToken.into_response())
}

/// Refuses a request whose body does not arrive in time.
async fn in_time(request: Request, next: Next) -> Response {
    let answered = tokio::time::timeout(MAX_CONTROL_TIME, next.run(request)).await;
    answered.unwrap_or_else(|_| (StatusCode::REQUEST_TIMEOUT, "the request took too long\n").into_response())
}

/// Returns the refusal of a request with a foreign host or origin, or `None` if both are valid.
fn foreign(host_check: &HostCheck, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
    let text = |name: HeaderName| headers.get(name).map(HeaderValue::to_str);
    let is_ours = |host: &HeaderValue| host.to_str().is_ok_and(|host| host_check.is_ours(host));
    // Exactly one header; a server in the request line must be this one, too.
    let hosts: Vec<&HeaderValue> = headers.get_all(header::HOST).iter().collect();
    let asked = uri.authority().is_none_or(|authority| host_check.is_ours(authority.as_str()));
    if !(asked && matches!(hosts[..], [host] if is_ours(host))) {
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
    let sources = Arc::clone(&shared.sources);
    let pages = WatchStream::new(pages).take_while(move |_| !sources.is_over());
    let events = pages.filter_map(move |page| {
        let _held_as_long_as_the_stream = &permit;
        sent.changed(&page).map(|parts| Event::default().data(parts))
    });
    let events = events.chain(tokio_stream::once(Event::default().event("over").data("over")));
    let events = events.map(Ok::<_, Infallible>);
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
    if !shared.access.token().is(given) {
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
    let page = shared.body(page.map_err(|_| Refusal::Full)??)?;
    let kind = "text/html; charset=utf-8";
    Ok(([(header::CONTENT_SECURITY_POLICY, OWN_POLICY), (header::CONTENT_TYPE, kind)], page).into_response())
}

async fn file(State(shared): App, Path((id, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let text = tokio::task::spawn_blocking(move || files::text_of(&folder, &name)).await;
    let text = shared.body(text.map_err(|_| Refusal::Full)??)?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

async fn bundle(State(shared): App, Path((id, name)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let text = tokio::task::spawn_blocking(move || files::bundle(&folder, &name)).await;
    let text = shared.body(text.map_err(|_| Refusal::Full)??)?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

async fn game(State(shared): App, Path((id, round)): Path<(String, String)>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
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
                "this needs the token of the URL that was printed at the start".to_owned(),
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
