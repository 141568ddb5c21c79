//! What can be asked of the server.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tokio::sync::{Semaphore, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::WatchStream;

use crate::report::page::VIEWER_SCRIPT;
use crate::store::RunFolder;

use crate::dashboard::auth::{HostCheck, Token};
use crate::dashboard::catalogue::Catalogue;
use crate::dashboard::control;
use crate::dashboard::files::{self, NoFile};
use crate::dashboard::overview::Overview;
use crate::dashboard::page_parts::{PageParts, Seen};
use crate::dashboard::run_source::RunSource;
use crate::dashboard::skeleton::{self, Others};
use crate::dashboard::sources::Sources;
use crate::dashboard::url::url_segment;

/// Watchers at the same time; more are asked to come back.
const MOST_STREAMS: usize = 256;

/// The header that carries the token. A page elsewhere cannot send it without asking first, and nobody answers.
const TOKEN: HeaderName = HeaderName::from_static("x-playself-token");

/// What all requests share.
pub(super) struct AppState {
    pub(super) catalogue: Catalogue,
    pub(super) feeds: Arc<Sources>,
    pub(super) token: Token,
    pub(super) host_check: HostCheck,
    streams: Arc<Semaphore>,
    heavy: Semaphore,
}

impl AppState {
    pub(super) fn new(catalogue: Catalogue, token: Token, host_check: HostCheck) -> Self {
        Self {
            catalogue,
            feeds: Arc::new(Sources::default()),
            token,
            host_check,
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            heavy: Semaphore::new(1),
        }
    }
}

type App = State<Arc<AppState>>;

/// All of it.
pub(super) fn router(shared: Arc<AppState>) -> Router {
    Router::new()
        .route("/", get(overview_page))
        .route("/events", get(overview_events))
        .route(
            "/live.js",
            get(|| async { ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], skeleton::SCRIPT) }),
        )
        .route(
            "/viewer.js",
            get(|| async { ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], VIEWER_SCRIPT) }),
        )
        .route(
            "/style.css",
            get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], skeleton::style()) }),
        )
        .route("/run/{id}", get(with_slash))
        .route("/run/{id}/", get(run_page))
        .route("/run/{id}/events", get(run_events))
        .route("/run/{id}/control", post(steer).layer(DefaultBodyLimit::max(256)))
        .route("/run/{id}/report.html", get(report))
        .route("/run/{id}/faults/{name}", get(bundle))
        .route("/run/{id}/game/{round}", get(game))
        .route("/run/{id}/{file}", get(file))
        .layer(from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Turns away whoever calls us by another's name, and tells browsers what our pages may do.
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

/// The answer to a request under a foreign name or from a foreign page; `None` if it is neither.
fn foreign(host_check: &HostCheck, headers: &HeaderMap) -> Option<Response> {
    let text = |name: HeaderName| headers.get(name).map(HeaderValue::to_str);
    let host_is_ours = text(header::HOST).is_some_and(|host| host.is_ok_and(|host| host_check.is_ours(host)));
    if !host_is_ours {
        let why = "this server does not go by that name\n";
        return Some((StatusCode::MISDIRECTED_REQUEST, why).into_response());
    }
    let origin_is_ours = match text(header::ORIGIN) {
        None => host_check.may_come_from(None),
        Some(origin) => origin.is_ok_and(|origin| host_check.may_come_from(Some(origin))),
    };
    (!origin_is_ours)
        .then(|| (StatusCode::FORBIDDEN, "requests from other pages are refused\n").into_response())
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
    let frames = shared.feeds.subscribe("/", || Box::new(Overview::new(catalogue)));
    stream(&shared, frames)
}

async fn run_events(State(shared): App, Path(id): Path<String>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    let key = format!("/run/{id}");
    let frames = shared.feeds.subscribe(&key, || Box::new(RunSource::new(id, folder)));
    stream(&shared, frames)
}

/// Sends what changes for as long as the watcher stays. One that is slow in reading is sent the latest next.
fn stream(shared: &AppState, frames: Option<watch::Receiver<PageParts>>) -> Result<Response, Refusal> {
    let (Some(frames), Ok(place)) = (frames, Arc::clone(&shared.streams).try_acquire_owned()) else {
        return Err(Refusal::Full);
    };
    let mut seen = Seen::default();
    let events = WatchStream::new(frames).filter_map(move |frame| {
        let _held_for_as_long_as_the_stream = &place;
        seen.news(&frame).map(|news| Ok::<_, Infallible>(Event::default().data(news)))
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(10));
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

async fn steer(
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
    let request = control::steering(&order).map_err(Refusal::Nonsense)?;
    let answer = tokio::task::spawn_blocking(move || control::send(&folder, request)).await;
    match answer {
        Ok(Ok(answer)) => Ok(axum::Json(answer).into_response()),
        _ => Err(Refusal::NotRunning),
    }
}

async fn report(State(shared): App, Path(id): Path<String>) -> Result<Response, Refusal> {
    let folder = find(&shared, &id)?;
    // Reading a long journal takes a while; one at a time is enough.
    let _turn = shared.heavy.acquire().await.map_err(|_| Refusal::Full)?;
    let page = tokio::task::spawn_blocking(move || files::report(&folder)).await;
    let page = page.map_err(|_| Refusal::Full)??;
    // The page brings its own policy, which allows its own script by its hash.
    let policy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    Ok(([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
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

fn find(shared: &AppState, id: &str) -> Result<RunFolder, Refusal> {
    shared.catalogue.find(id).ok_or(Refusal::NoRun)
}

/// Why a request is not granted.
enum Refusal {
    NoRun,
    NoToken,
    NotRunning,
    Full,
    Nonsense(String),
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
            Self::NoRun => (StatusCode::NOT_FOUND, "there is no such run".to_owned()),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "steering needs the token that was printed at the start".to_owned(),
            ),
            Self::NotRunning => (StatusCode::CONFLICT, "the run is not running".to_owned()),
            Self::Full => (StatusCode::SERVICE_UNAVAILABLE, "too many watchers; come back later".to_owned()),
            Self::Nonsense(why) => (StatusCode::BAD_REQUEST, why),
            Self::File(why @ (NoFile::Unknown | NoFile::NoGame)) => (StatusCode::NOT_FOUND, why.to_string()),
            Self::File(NoFile::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, NoFile::TooLarge.to_string()),
            Self::File(why @ NoFile::Io(_)) => (StatusCode::INTERNAL_SERVER_ERROR, why.to_string()),
        };
        let mut response = (status, why + "\n").into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            // Whoever waits on the same connection would keep its place from those who only want to look.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
