//! Engines and their files on the way to a worker, through a real server.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use playself::fleet::nats::messages::{DescribedEngine, RefusalCode};
use playself::fleet::nats::{
    BlobError, Building, Cache, MOST_CACHE_BYTES, NatsError, ProvideError, ServerConnection, ShippedEngine,
    StreamLimits, get_bytes, probe, publish_engines, put_bytes, target,
};
use playself::fleet::{Shipment, SourcePlan};
use playself::player::{EngineOption, EngineSpec, WorkingDir};

use crate::bench::at_once;
use crate::connection::{coordinator, prepared};
use crate::nats::{NatsServer, Proxy};

const FAKE: &str = env!("CARGO_BIN_EXE_fake-engine");

fn shipped(shipment: Shipment) -> ShippedEngine {
    let mut spec = EngineSpec::uci("fake", FAKE);
    spec.options =
        shipment.files.iter().map(|path| EngineOption::new("File", path.display().to_string())).collect();
    ShippedEngine { spec, program: FAKE.into(), shipment }
}

async fn publish(connection: &ServerConnection, engine: ShippedEngine) -> DescribedEngine {
    publish_engines(connection, &[engine]).await.unwrap().remove(0)
}

fn script(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn refusal(error: ProvideError) -> (RefusalCode, String) {
    match error {
        ProvideError::Refused(refusal) => (refusal.code, refusal.why),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_engine_arrives_with_its_files_and_is_fetched_only_once() {
    let Some(mut server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let dir = tempfile::tempdir().unwrap();
    let net = dir.path().join("big.nnue");
    let content: Vec<u8> = (0..400_000_u32).map(|number| ((number * 31) >> 3) as u8).collect();
    fs::write(&net, &content).unwrap();
    let sent =
        publish(&connection, shipped(Shipment { files: vec![net.clone()], ..Shipment::default() })).await;
    assert_eq!(sent.spec.options[0].value, "{file:big.nnue}");
    assert_eq!(sent.binaries[0].target, target());
    let cache = Cache::open(&dir.path().join("cache"), MOST_CACHE_BYTES).unwrap();
    let spec = cache.provide(&connection, &sent, Building::Refused).await.unwrap();
    assert_eq!(fs::read(&spec.options[0].value).unwrap(), content);
    assert_eq!(fs::read(&spec.program).unwrap(), fs::read(FAKE).unwrap());
    assert_eq!(spec.dir, WorkingDir::Private);
    let mut plain = spec.clone();
    plain.options.clear();
    assert!(probe(&plain, 1, 6, None).await.unwrap().signature.is_some(), "the engine runs from the cache");
    // Publishing again stores nothing, and a second worker process needs no server.
    publish(&connection, shipped(Shipment { files: vec![net], ..Shipment::default() })).await;
    server.kill();
    let again = Cache::open(&dir.path().join("cache"), MOST_CACHE_BYTES).unwrap();
    assert_eq!(again.provide(&connection, &sent, Building::Refused).await.unwrap().program, spec.program);
}

/// Row 222: a program or network that differs is fetched once more, then refused.
#[tokio::test]
async fn row_222_a_damaged_file_is_fetched_once_more_and_then_refused() {
    let Some(server) = NatsServer::start() else { return };
    let coordinator = prepared(&server.url()).await;
    let proxy = Proxy::to(server.port());
    let worker = prepared(&proxy.url()).await;
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path(), MOST_CACHE_BYTES).unwrap();
    let sent = publish(&coordinator, shipped(Shipment::default())).await;
    proxy.damage(1);
    let spec = cache.provide(&worker, &sent, Building::Refused).await.unwrap();
    assert_eq!(fs::read(&spec.program).unwrap(), fs::read(FAKE).unwrap());
    // The copy on the disk decays.
    let blob = dir.path().join("blobs").join(&sent.binaries[0].file.sha256);
    let mut bytes = fs::read(&blob).unwrap();
    bytes[1000] ^= 1;
    fs::remove_file(&blob).unwrap();
    fs::write(&blob, &bytes).unwrap();
    let spec = cache.provide(&worker, &sent, Building::Refused).await.unwrap();
    assert_eq!(fs::read(&spec.program).unwrap(), fs::read(FAKE).unwrap());
    fs::remove_file(&blob).unwrap();
    proxy.damage(u64::MAX);
    let (code, why) = refusal(cache.provide(&worker, &sent, Building::Refused).await.unwrap_err());
    assert_eq!(code, RefusalCode::Files);
    assert!(why.contains("damaged"), "{why}");
    assert!(!blob.exists(), "nothing damaged stays");
    proxy.damage(0);
    cache.provide(&worker, &sent, Building::Refused).await.unwrap();
    // A file that the server lost.
    fs::remove_file(&blob).unwrap();
    coordinator.delete_object(&sent.binaries[0].file.sha256).await.unwrap();
    let (code, _) = refusal(cache.provide(&worker, &sent, Building::Refused).await.unwrap_err());
    assert_eq!(code, RefusalCode::Files);
}

#[test]
fn workers_that_share_a_cache_do_not_take_programs_from_each_other() {
    let Some(server) = NatsServer::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let program = script(dir.path(), "engine", "#!/bin/sh\nexit 7\n");
    let content = fs::read(&program).unwrap();
    let folder = dir.path().join("cache");
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sent = runtime().block_on(async {
        let engine = ShippedEngine { program, ..shipped(Shipment::default()) };
        publish(&prepared(&server.url()).await, engine).await
    });
    at_once([1, 2, 3, 4], |_| {
        runtime().block_on(async {
            let connection = coordinator(&server.url()).await;
            let (mut provided, mut attempts) = (0, 0);
            while provided < 40 {
                attempts += 1;
                assert!(attempts <= 400, "the program was provided {provided} times in 400 attempts");
                // There is no room for anything, so whatever is not in use is removed.
                let cache = Cache::open(&folder, 0).unwrap();
                let spec = match cache.provide(&connection, &sent, Building::Refused).await {
                    Ok(spec) => spec,
                    // A file that another worker has removed is fetched at the next attempt.
                    Err(ProvideError::Disk(_) | ProvideError::Nats(_)) => continue,
                    Err(other) => panic!("{other}"),
                };
                provided += 1;
                for _ in 0..3 {
                    assert_eq!(fs::read(&spec.program).expect("the program is there"), content);
                    std::thread::sleep(Duration::from_millis(1));
                }
                let _ = fs::remove_file(folder.join("blobs").join(&sent.binaries[0].file.sha256));
            }
        });
    });
}

#[tokio::test]
async fn a_machine_without_a_program_builds_it_or_refuses() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().join("repo");
    fs::create_dir(&repo).unwrap();
    fs::write(repo.join("engine.txt"), "#!/bin/sh\nexec fake-engine\n").unwrap();
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let output = Command::new("git").arg("-C").arg(&repo).args(identity).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "one"]);
    let plan = |build: &str| SourcePlan {
        repo: repo.clone(),
        rev: "HEAD".to_owned(),
        build: build.to_owned(),
        program: "out/engine".to_owned(),
    };
    let with = |build: &str| shipped(Shipment { source: Some(plan(build)), ..Shipment::default() });
    let foreign = |mut sent: DescribedEngine| {
        sent.binaries[0].target = "riscv64-linux".to_owned();
        sent
    };
    let cache = Cache::open(&dir.path().join("cache"), MOST_CACHE_BYTES).unwrap();
    let build = "mkdir out && cp engine.txt out/engine && chmod +x out/engine && echo built >> ../count";
    let sent = foreign(publish(&connection, with(build)).await);
    let (code, why) = refusal(cache.provide(&connection, &sent, Building::Refused).await.unwrap_err());
    assert!(code == RefusalCode::Build && why.contains("--build"), "{why}");
    for _ in 0..2 {
        let spec = cache.provide(&connection, &sent, Building::Allowed).await.unwrap();
        assert_eq!(fs::read_to_string(&spec.program).unwrap(), "#!/bin/sh\nexec fake-engine\n");
    }
    assert_eq!(fs::read_to_string(dir.path().join("cache/count")).unwrap(), "built\n", "it was built once");
    for (build, reason) in
        [("echo no compiler >&2; exit 3", "no compiler"), ("true", "did not make out/engine")]
    {
        let sent = foreign(publish(&connection, with(build)).await);
        let (code, why) = refusal(cache.provide(&connection, &sent, Building::Allowed).await.unwrap_err());
        assert!(code == RefusalCode::Build && why.contains(reason), "{why}");
    }
    let sent = foreign(publish(&connection, shipped(Shipment::default())).await);
    let (code, why) = refusal(cache.provide(&connection, &sent, Building::Allowed).await.unwrap_err());
    assert!(code == RefusalCode::Target && why.contains("riscv64-linux"), "{why}");
}

#[tokio::test]
async fn programs_are_checked_before_they_are_sent() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let dir = tempfile::tempdir().unwrap();
    let other = script(dir.path(), "engine", "#!/bin/sh\n");
    let binaries = BTreeMap::from([("aarch64-linux".to_owned(), other.clone())]);
    let wrong = publish_engines(&connection, &[shipped(Shipment { binaries, ..Shipment::default() })]).await;
    let why = wrong.unwrap_err().to_string();
    assert!(why.contains("it is for script, not for aarch64-linux"), "{why}");
    fs::write(&other, "MZ").unwrap();
    let engine = ShippedEngine { program: other, ..shipped(Shipment::default()) };
    let why = publish_engines(&connection, &[engine]).await.unwrap_err().to_string();
    assert!(why.contains("not a program for Linux"), "{why}");
    let missing = Shipment { files: vec![dir.path().join("absent")], ..Shipment::default() };
    let why = publish_engines(&connection, &[shipped(missing)]).await.unwrap_err().to_string();
    assert!(why.contains("absent"), "{why}");
}

#[tokio::test]
async fn bytes_are_stored_by_their_hash_and_unused_objects_stay_for_two_weeks() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    for size in [0, 1, 131_072, 131_073, 600_000] {
        let bytes = vec![b'x'; size];
        let stored = put_bytes(&connection, bytes.clone()).await.unwrap();
        assert_eq!(stored.size, size as u64);
        assert_eq!(get_bytes(&connection, &stored.sha256, 1 << 20).await.unwrap(), bytes, "{size}");
    }
    let large = put_bytes(&connection, vec![b'x'; 600_000]).await.unwrap();
    assert!(get_bytes(&connection, &large.sha256, 1000).await.is_err());
    assert_eq!(connection.delete_unused_objects().await.unwrap(), 0);
    connection.delete_object(&large.sha256).await.unwrap();
    assert!(!connection.has_object(&large.sha256).await.unwrap());
    assert_eq!(put_bytes(&connection, vec![b'x'; 600_000]).await.unwrap(), large);
    assert!(get_bytes(&connection, &large.sha256, 1 << 20).await.is_ok());
}

#[tokio::test]
async fn a_full_server_deletes_the_files_that_no_run_has_named_for_two_weeks() {
    let Some(server) = NatsServer::start() else { return };
    let connection = coordinator(&server.url()).await;
    connection.prepare(&StreamLimits { object_bytes: 1_000_000, ..StreamLimits::default() }).await.unwrap();
    let mut descriptions = connection.subscribe("$O.playself.M.>".to_owned()).await.unwrap();
    let put = async |letter: u8| put_bytes(&connection, vec![letter; 400_000]).await;
    let old = put(b'a').await.unwrap();
    let description = descriptions.next().await.unwrap();
    let recent = put(b'b').await.unwrap();
    let full = put(b'c').await;
    assert!(matches!(full, Err(BlobError::Nats(NatsError::Full(_)))), "{full:?}");
    assert!(connection.has_object(&old.sha256).await.unwrap(), "nothing is old");
    // A run named the first file 15 days ago, and none did since.
    let mut info: serde_json::Value = serde_json::from_slice(&description.payload).unwrap();
    info["used"] = (info["used"].as_u64().unwrap() - 15 * 24 * 3600).into();
    connection.publish(description.subject, info.to_string().into_bytes()).await.unwrap();
    connection.flush().await;
    let new = put(b'c').await.unwrap();
    for (file, letter) in [(recent, b'b'), (new, b'c')] {
        assert_eq!(get_bytes(&connection, &file.sha256, 1 << 20).await.unwrap(), vec![letter; 400_000]);
    }
    assert!(!connection.has_object(&old.sha256).await.unwrap());
}
