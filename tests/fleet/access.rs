//! Keys, permissions and TLS of a private fleet, with the configuration that `playself fleet init` writes.

use std::process::Command;
use std::time::{Duration, Instant};

use playself::fleet::nats::{
    Access, ConnectError, FleetFolder, Link, Listen, NatsError, Pulled, Role, RunId, ServerConnection,
    StreamLimits, get_bytes, put_bytes, subject,
};
use serde_json::json;
use tempfile::TempDir;
use tokio::time::timeout;

use crate::bench::{Fleet, Game, Process, SLOTS};
use crate::connection::{quick, worker};
use crate::nats::{NatsServer, Proxy};
use crate::run::{Bench, wait_for};

const SOON: Duration = Duration::from_secs(10);

/// A secured fleet on this machine.
struct SecuredFleet {
    dir: TempDir,
    folder: FleetFolder,
    server: NatsServer,
}

impl SecuredFleet {
    fn start(workers: &[&str]) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let hosts = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let mut folder = FleetFolder::init(dir.path(), &Listen::default(), &hosts, 1 << 30).unwrap();
        for name in workers {
            folder.add(&worker(name)).unwrap();
        }
        let server = NatsServer::with_config_file(&folder.config_file())?;
        Some(Self { dir, folder, server })
    }

    fn access(&self, key: &str) -> Access {
        Access { url: self.server.url(), key: Some(self.dir.path().join(key)), ..Access::default() }
    }

    async fn coordinator(&self) -> ServerConnection {
        let connection = open(&self.access("coordinator.nk"), &Role::Coordinator).await.unwrap();
        connection.prepare(&StreamLimits::default()).await.unwrap();
        connection
    }

    async fn worker(&self, name: &str) -> ServerConnection {
        open(&self.access(&format!("workers/{name}.nk")), &Role::Worker(worker(name))).await.unwrap()
    }
}

async fn open(access: &Access, role: &Role) -> Result<ServerConnection, ConnectError> {
    ServerConnection::open(access, role, &quick(), Duration::from_millis(200)).await
}

#[tokio::test]
async fn a_worker_can_do_all_of_its_work_with_its_key() {
    let Some(fleet) = SecuredFleet::start(&["box"]) else { return };
    let coordinator = fleet.coordinator().await;
    let run = RunId::random().unwrap();
    coordinator.put_notice(&run, b"notice".to_vec(), 0).await.unwrap();
    coordinator.open_jobs(&run, SOON).await.unwrap();
    coordinator.put_job(subject::job(&run, 0, 0), None, b"job".to_vec()).await.unwrap();
    let mut results = coordinator.open_results(&run, SOON).await.unwrap();
    results.request(10, SOON).await.unwrap();
    let description = put_bytes(&coordinator, vec![b'x'; 300_000]).await.unwrap();
    let mut beats = coordinator.subscribe(subject::beats()).await.unwrap();
    let name = worker("box");
    let connection = fleet.worker("box").await;
    let mut answers = connection.subscribe(subject::answer(&name)).await.unwrap();
    let mut notices = connection.subscribe(subject::notices()).await.unwrap();
    assert_eq!(connection.runs().await.unwrap(), std::slice::from_ref(&run));
    assert_eq!(connection.notice(&run).await.unwrap().unwrap().1, b"notice");
    assert_eq!(get_bytes(&connection, &description.sha256, 1 << 20).await.unwrap(), vec![b'x'; 300_000]);
    let mut jobs = connection.pull_jobs(&run).await.unwrap();
    jobs.request(1, SOON).await.unwrap();
    let Some(Pulled::Message(job)) = timeout(SOON, jobs.next()).await.unwrap() else { panic!("no job") };
    job.in_progress().await.unwrap();
    connection.put_report(&run, &name, "id".to_owned(), b"report".to_vec()).await.unwrap();
    connection.publish(subject::beat(&name), b"beat".to_vec()).await.unwrap();
    job.ack().await.unwrap();
    connection.flush().await;
    let Some(Pulled::Message(report)) = timeout(SOON, results.next()).await.unwrap() else {
        panic!("no report")
    };
    assert_eq!(
        (report.subject.as_str(), report.payload.as_slice()),
        (subject::result(&run, &name, "id").as_str(), &b"report"[..])
    );
    assert_eq!(timeout(SOON, beats.next()).await.unwrap().unwrap().payload, b"beat");
    coordinator.publish(subject::answer(&name), b"answer".to_vec()).await.unwrap();
    assert_eq!(timeout(SOON, answers.next()).await.unwrap().unwrap().payload, b"answer");
    coordinator.publish(subject::notice(&run), b"new".to_vec()).await.unwrap();
    assert_eq!(timeout(SOON, notices.next()).await.unwrap().unwrap().payload, b"new");
}

#[tokio::test]
async fn row_234_a_worker_can_do_nothing_else_with_its_key() {
    let Some(fleet) = SecuredFleet::start(&["box", "other"]) else { return };
    let coordinator = fleet.coordinator().await;
    let run = RunId::random().unwrap();
    coordinator.put_notice(&run, b"notice".to_vec(), 0).await.unwrap();
    coordinator.open_jobs(&run, SOON).await.unwrap();
    let mut beats = coordinator.subscribe(subject::beats()).await.unwrap();
    let thief = fleet.worker("box").await;
    let other = worker("other");
    // What belongs to others does not arrive.
    let mut everything = Vec::new();
    for subject in
        [">", "_INBOX_other.>", "_INBOX_coordinator.>", &subject::answer(&other), &subject::beats(), "$JS.>"]
    {
        everything.push(thief.subscribe(subject.to_owned()).await.unwrap());
    }
    // A denied request has no answer.
    let limits = StreamLimits::default();
    let denied = tokio::join!(
        thief.put_job(subject::job(&run, 1, 0), None, b"forged".to_vec()),
        thief.put_report(&run, &other, "id".to_owned(), b"forged".to_vec()),
        thief.put_notice(&run, b"forged".to_vec(), 1),
        thief.open_jobs(&run, SOON),
        thief.open_results(&run, SOON),
        thief.remove_run(&run),
        thief.listed_jobs(&run),
        thief.prepare(&limits),
        thief.delete_job(1),
        put_bytes(&thief, b"forged".to_vec()),
    );
    assert_eq!(denied.0, Err(NatsError::Timeout), "publish a job");
    assert_eq!(denied.1, Err(NatsError::Timeout), "report under another name");
    assert_eq!(denied.2, Err(NatsError::Timeout), "write a notice");
    assert_eq!(denied.3, Err(NatsError::Timeout), "make a consumer");
    assert_eq!(denied.4.map(drop), Err(NatsError::Timeout), "read reports");
    assert_eq!(denied.5, Err(NatsError::Timeout), "remove a run");
    assert_eq!(denied.6.map(drop), Err(NatsError::Timeout), "list jobs");
    assert_eq!(denied.7, Err(NatsError::Timeout), "make streams");
    assert_eq!(denied.8, Err(NatsError::Timeout), "delete a job");
    assert!(denied.9.is_err(), "write a file");
    for subject in [
        subject::beat(&other),
        subject::answer(&other),
        "$O.playself.C.x".to_owned(),
        "$O.playself.M.x".to_owned(),
    ] {
        thief.publish(subject, b"forged".to_vec()).await.unwrap();
    }
    thief.publish(subject::beat(&worker("box")), b"true".to_vec()).await.unwrap();
    thief.flush().await;
    let beat = timeout(SOON, beats.next()).await.unwrap().unwrap();
    assert_eq!(
        (beat.subject, beat.payload),
        (subject::beat(&worker("box")), b"true".to_vec()),
        "a forged beat arrived"
    );
    assert_eq!(coordinator.listed_jobs(&run).await.unwrap(), Vec::<String>::new());
    assert_eq!(coordinator.notice(&run).await.unwrap().unwrap().1, b"notice");
    // The traffic of all others while the thief listened.
    coordinator.publish(subject::answer(&other), b"secret".to_vec()).await.unwrap();
    coordinator.flush().await;
    for mut subscription in everything {
        let stolen = timeout(Duration::from_millis(50), subscription.next()).await;
        assert!(stolen.is_err(), "{stolen:?}");
    }
}

#[tokio::test]
async fn row_235_a_revoked_key_is_out_within_a_second() {
    let Some(mut fleet) = SecuredFleet::start(&["box", "stays"]) else { return };
    fleet.coordinator().await;
    let key = fleet.dir.path().join("workers/box.nk");
    let stolen = fleet.dir.path().join("stolen.nk");
    std::fs::copy(&key, &stolen).unwrap();
    // On the machine of a worker there is a copy of the key.
    let revoked = open(&fleet.access("stolen.nk"), &Role::Worker(worker("box"))).await.unwrap();
    let stays = fleet.worker("stays").await;
    let dropped = Instant::now();
    fleet.folder.remove(&worker("box")).unwrap();
    assert!(fleet.folder.reload().unwrap(), "the server runs");
    let mut link = revoked.link();
    timeout(SOON, link.wait_for(|link| matches!(link, Link::Refused(_))))
        .await
        .expect("the key is refused")
        .unwrap();
    assert!(dropped.elapsed() < Duration::from_secs(1), "{:?}", dropped.elapsed());
    assert_eq!(stays.runs().await, Ok(Vec::new()), "the others stay");
    assert_eq!(*stays.link().borrow(), Link::Up);
    let again = open(&fleet.access("stolen.nk"), &Role::Worker(worker("box"))).await.map(drop);
    let text = format!("{} does not accept the key in {}", fleet.server.url(), stolen.display());
    assert_eq!(again, Err(ConnectError::Refused(text)));
    // A worker that is added while the server runs gets in.
    fleet.folder.add(&worker("late")).unwrap();
    assert!(fleet.folder.reload().unwrap());
    let late = async {
        let access = fleet.access("workers/late.nk");
        while open(&access, &Role::Worker(worker("late"))).await.is_err() {}
    };
    timeout(SOON, late).await.expect("a new worker gets in");
}

/// Row 235 with processes: the worker ends, names the cause and keeps its results, and its pairs move.
#[test]
fn row_235_a_worker_whose_key_is_revoked_ends_and_its_pairs_move_to_others() {
    let Some(mut fleet) = SecuredFleet::start(&["oak", "elm"]) else { return };
    let runs = Fleet::at(NatsServer::start().unwrap(), Bench::new());
    let config = runs.config("match", &Game::default());
    assert_eq!(runs.play_here(&config, "here"), 0);
    runs.hold();
    let (url, key) = (fleet.server.url(), |name: &str| fleet.dir.path().join(name));
    let mut command = runs.coordinator_at(&config, "there", &url);
    let mut coordinator = runs.spawn("coordinator", command.arg("--key").arg(key("coordinator.nk")));
    let worker_of = |name: &str, url: &str| {
        let mut command = runs.worker_at(name, url);
        // On the machine of a worker there is a copy.
        let copy = runs.bench.path(&format!("{name}.nk"));
        std::fs::copy(key(&format!("workers/{name}.nk")), &copy).unwrap();
        runs.spawn(name, command.arg("--key").arg(copy))
    };
    let proxy = Proxy::to(fleet.server.port());
    let mut oak = worker_of("oak", &proxy.url());
    runs.play("there", 2, SLOTS);
    wait_for("the answers to the first results", 20, || runs.spooled("oak") == 0);
    proxy.silence();
    runs.permit(2 * SLOTS);
    wait_for("results that cannot be sent", 20, || runs.spooled("oak") == SLOTS);
    runs.hold();
    fleet.folder.remove(&worker("oak")).unwrap();
    assert!(fleet.folder.reload().unwrap());
    proxy.open();
    assert_eq!(oak.status("the revoked worker", 20), 4, "{}", runs.log("oak"));
    assert!(runs.log("oak").contains("does not accept the key"), "{}", runs.log("oak"));
    assert_eq!(runs.spooled("oak"), SLOTS, "its results are kept");
    runs.release();
    let _elm = worker_of("elm", &url);
    assert_eq!(coordinator.status("the match", 60), 0, "{}", runs.log("coordinator"));
    runs.assert_same("there", "here");
}

#[tokio::test]
async fn row_235_tls_that_is_missing_or_signed_by_another_is_refused_with_the_cause() {
    let Some(fleet) = SecuredFleet::start(&["box"]) else { return };
    let strangers = tempfile::tempdir().unwrap();
    let mut folder =
        FleetFolder::init(strangers.path(), &Listen::default(), &["127.0.0.1".to_owned()], 1 << 30).unwrap();
    let strange_key = folder.add(&worker("box")).unwrap();
    let role = Role::Worker(worker("box"));
    let refusal = async |access: Access| match open(&access, &role).await.map(drop) {
        Err(ConnectError::Refused(text)) => text,
        other => panic!("{other:?}"),
    };
    let access = fleet.access("workers/box.nk");
    let wrong = strangers.path().join("ca.pem");
    let text = refusal(Access { ca: Some(wrong.clone()), ..access.clone() }).await;
    assert!(text.contains("certificate") && text.contains(&wrong.display().to_string()), "{text}");
    let text = refusal(Access { key: None, ..access.clone() }).await;
    assert!(text.contains("--ca FILE"), "{text}");
    // The key of another fleet.
    let text = refusal(Access { key: Some(strange_key.clone()), ..access.clone() }).await;
    assert!(text.contains("certificate"), "{text}");
    let ca = Some(fleet.dir.path().join("ca.pem"));
    let text = refusal(Access { key: Some(strange_key), ca, ..access.clone() }).await;
    assert!(text.contains("does not accept the key"), "{text}");
    let plain = NatsServer::start().unwrap();
    let text = refusal(Access { url: plain.url(), ..access.clone() }).await;
    assert!(text.contains("does not offer TLS"), "{text}");
    let other = Role::Worker(worker("other"));
    for (key, role, named) in [
        ("none.nk", &role, "none.nk"),
        ("ca.pem", &role, "does not contain the seed"),
        ("coordinator.nk", &role, "is the key of coordinator: a worker needs a key of its own"),
        ("workers/box.nk", &other, "is the key of worker box: this worker is named other"),
        (
            "workers/box.nk",
            &Role::Coordinator,
            "is the key of worker box: a run needs the key of the coordinator",
        ),
    ] {
        let outcome = open(&fleet.access(key), role).await.map(drop);
        assert!(matches!(&outcome, Err(ConnectError::Usage(text)) if text.contains(named)), "{outcome:?}");
    }
}

/// Runs `playself fleet` and returns its exit status, standard output and standard error.
fn playself_fleet(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_playself")).arg("fleet").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_fleet_is_made_by_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let fleet = dir.path().join("fleet");
    let path = fleet.to_str().unwrap();
    let (status, _, error) = playself_fleet(&["add", path, "box"]);
    assert_eq!(status, Some(2), "{error}");
    assert!(error.contains("fleet init"), "{error}");
    let (status, text, error) = playself_fleet(&["init", path, "--listen", "127.0.0.1:4333"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(text.contains("--fleet nats://127.0.0.1:4333 --key"), "{text}");
    let (status, text, _) = playself_fleet(&["add", path, "box"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("playself worker nats://127.0.0.1:4333 --key box.nk"), "{text}");
    assert!(fleet.join("workers/box.nk").is_file());
    assert_eq!(playself_fleet(&["add", path, "Box"]).0, Some(2));
    assert_eq!(playself_fleet(&["drop", path, "box"]).0, Some(0));
    assert_eq!(playself_fleet(&["drop", path, "box"]).0, Some(2));
    assert_eq!(FleetFolder::open(&fleet).unwrap().workers().count(), 0);
}

/// The walk through docs/fleet.md, with the server that `playself fleet serve` runs.
#[test]
fn a_fleet_that_serves_itself_plays_a_run_and_closes_its_door_to_a_dropped_worker() {
    if crate::nats::program().is_none() {
        return;
    }
    let bench = Bench::new();
    let folder = bench.path("fleet");
    let path = folder.to_str().unwrap();
    // Another program may take the port before the server does.
    let mut served = None;
    while served.is_none() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let (status, _, error) = playself_fleet(&["init", path, "--listen", &listen]);
        assert_eq!(status, Some(0), "{error}");
        let mut command = Command::new(env!("CARGO_BIN_EXE_playself"));
        let mut server = Process(
            command.args(["fleet", "serve", path]).stderr(std::process::Stdio::null()).spawn().unwrap(),
        );
        let reachable = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
        wait_for("the server", 20, || reachable() || !server.is_alive());
        served = server.is_alive().then_some((server, format!("nats://{listen}")));
    }
    let (mut server, url) = served.unwrap();
    let (status, _, error) = playself_fleet(&["add", path, "oak"]);
    assert_eq!(status, Some(0), "{error}");
    let runs = Fleet::at(NatsServer::start().unwrap(), bench);
    let config = runs.config("match", &Game { pairs: 4, ..Game::default() });
    assert_eq!(runs.play_here(&config, "here"), 0);
    runs.hold();
    let coordinator_key = folder.join("coordinator.nk");
    let mut command = runs.coordinator_at(&config, "there", &url);
    let mut coordinator = runs.spawn("coordinator", command.arg("--key").arg(&coordinator_key));
    let key = runs.bench.path("oak.nk");
    std::fs::copy(folder.join("workers/oak.nk"), &key).unwrap();
    let mut oak = runs.spawn("oak", runs.single_worker_at("oak", &url).arg("--key").arg(&key));
    runs.play("there", 1, 1);
    let coordinator_key = coordinator_key.to_str().unwrap();
    wait_for("the worker with its results in the status", 30, || {
        let (status, text, error) =
            playself_fleet(&["status", &url, "--key", coordinator_key, "--listen", "1"]);
        assert_eq!(status, Some(0), "{error}");
        text.contains("waits for pair ") && text.contains(" 0 forfeits, 0 faults, 0 void, residual ")
    });
    runs.release();
    assert_eq!(coordinator.status("the match", 60), 0, "{}{}", runs.log("coordinator"), runs.log("oak"));
    runs.assert_same("there", "here");
    let (status, _, error) = playself_fleet(&["serve", path]);
    assert_eq!(status, Some(4), "{error}");
    assert!(error.contains("runs already"), "{error}");
    let (status, text, error) = playself_fleet(&["drop", path, "oak"]);
    assert_eq!((status, text.as_str()), (Some(0), "oak is out of the fleet now\n"), "{error}");
    assert_eq!(oak.status("the dropped worker", 20), 4, "{}", runs.log("oak"));
    assert!(runs.log("oak").contains("does not accept the key"), "{}", runs.log("oak"));
    assert!(server.is_alive());
    server.signal(nix::sys::signal::Signal::SIGTERM);
    // nats-server ends with 1 after a signal.
    assert!([0, 1].contains(&server.status("the server", 20)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_of_a_fleet_shows_runs_and_workers_and_a_refusal_ends_with_4() {
    let Some(fleet) = SecuredFleet::start(&["box"]) else { return };
    let url = fleet.server.url();
    let status = |key: &str, url: &str| {
        let key = fleet.dir.path().join(key);
        playself_fleet(&["status", url, "--key", key.to_str().unwrap(), "--listen", "1", "--json"])
    };
    let (code, text, error) = status("coordinator.nk", &url);
    assert_eq!(code, Some(0), "{error}");
    let empty: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(empty["runs"].as_array().unwrap().is_empty() && empty["workers"].as_array().unwrap().is_empty());
    let run = RunId::random().unwrap();
    let notice = json!({ "v": 1, "run": run, "name": "a-vs-b", "epoch": 1, "state": "open", "play": 1, "sheet": "",
        "priority": 3, "weight": 100, "slots": 4, "flying": 6, "counted": 12, "waits_for": [12, "box"], "banned": [] });
    let coordinator = fleet.coordinator().await;
    coordinator.put_notice(&run, notice.to_string().into_bytes(), 0).await.unwrap();
    let worker_connection = fleet.worker("box").await;
    let beat = json!({ "v": 1, "worker": "box", "nonce": 1, "version": "0.1.0", "play": 1, "cpu": "c", "target": "t",
        "slots": 4, "free": 1, "run": run, "nps": 1_000_000, "scale_ppm": 1_250_000 });
    let beating = tokio::spawn(async move {
        loop {
            let sent =
                worker_connection.publish(subject::beat(&worker("box")), beat.to_string().into_bytes()).await;
            sent.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let (code, text, error) = status("coordinator.nk", &url);
    assert_eq!(code, Some(0), "{error}");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&found["runs"][0]["name"], &found["runs"][0]["waits_for"]),
        (&json!("a-vs-b"), &json!([12, "box"]))
    );
    assert_eq!((&found["workers"][0]["name"], &found["workers"][0]["free"]), (&json!("box"), &json!(1)));
    let key = fleet.dir.path().join("coordinator.nk");
    let (_, text, _) = playself_fleet(&["status", &url, "--key", key.to_str().unwrap(), "--listen", "1"]);
    assert!(text.contains("waits for pair 13 on box") && text.contains("times x 1.25"), "{text}");
    beating.abort();
    // A worker's key cannot act as the coordinator, a wrong URL is a wrong call, and a stranger is refused by name.
    assert_eq!(status("coordinator.nk", "http://x").0, Some(2));
    assert_eq!(status("absent.nk", &url).0, Some(2));
    let (code, _, error) = playself_fleet(&["status", &url, "--listen", "1"]);
    assert_eq!(code, Some(4));
    assert!(error.contains("certificate"), "{error}");
    let strangers = tempfile::tempdir().unwrap();
    FleetFolder::init(strangers.path(), &Listen::default(), &["127.0.0.1".to_owned()], 1 << 30).unwrap();
    let (key, ca) = (strangers.path().join("coordinator.nk"), fleet.dir.path().join("ca.pem"));
    let (key, ca) = (key.to_str().unwrap(), ca.to_str().unwrap());
    let (code, _, error) = playself_fleet(&["status", &url, "--key", key, "--ca", ca, "--listen", "1"]);
    assert_eq!(code, Some(4));
    assert!(error.contains("does not accept the key"), "{error}");
}
