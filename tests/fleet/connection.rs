//! The connection to the server: what is stored, leased, delivered again and refused.

use std::time::{Duration, Instant};

use playself::fleet::nats::{
    Access, Backoff, ConnectError, Delivery, Link, NatsError, Pulled, Puller, Role, RunId, ServerConnection,
    StreamLimits, WorkerName, subject,
};
use tokio::time::timeout;

use crate::nats::{NatsServer, Proxy};

const SOON: Duration = Duration::from_secs(10);

/// Times that suit a server on this machine.
pub(crate) fn quick() -> Backoff {
    let ms = Duration::from_millis;
    Backoff { first: ms(20), longest: ms(100), reconnect_jitter: ms(50), request_timeout: ms(1000) }
}

pub(crate) fn access(url: &str) -> Access {
    Access { url: url.to_owned(), ..Access::default() }
}

pub(crate) async fn coordinator(url: &str) -> ServerConnection {
    ServerConnection::open(&access(url), &Role::Coordinator, &quick(), SOON).await.unwrap()
}

pub(crate) async fn prepared(url: &str) -> ServerConnection {
    let connection = coordinator(url).await;
    connection.prepare(&StreamLimits::default()).await.unwrap();
    connection
}

pub(crate) fn worker(name: &str) -> WorkerName {
    WorkerName::try_from(name.to_owned()).unwrap()
}

async fn next(puller: &mut Puller) -> Delivery {
    match timeout(SOON, puller.next()).await.expect("a message arrives").unwrap() {
        Pulled::Message(delivery) => delivery,
        other => panic!("{other:?}"),
    }
}

async fn wait_for(connection: &ServerConnection, link: &Link) {
    let mut state = connection.link();
    timeout(SOON, state.wait_for(|now| now == link)).await.expect("the link changes").unwrap();
}

#[tokio::test]
async fn streams_are_made_once_and_a_card_is_written_by_one_program_only() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    connection.prepare(&StreamLimits::default()).await.unwrap();
    let run = RunId::random().unwrap();
    assert_eq!(connection.notice(&run).await.unwrap(), None);
    let first = connection.put_notice(&run, b"one".to_vec(), 0).await.unwrap();
    assert_eq!(connection.put_notice(&run, b"two".to_vec(), 0).await, Err(NatsError::Conflict));
    let second = connection.put_notice(&run, b"two".to_vec(), first).await.unwrap();
    assert_eq!(connection.notice(&run).await.unwrap(), Some((second, b"two".to_vec())));
    assert_eq!(connection.runs().await.unwrap(), [run]);
}

#[tokio::test]
async fn jobs_are_stored_once_listed_and_deleted_by_sequence() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let run = RunId::random().unwrap();
    let id = |pair: u64| Some(format!("{run}.{pair}.0"));
    for pair in [1, 1, 2] {
        connection.put_job(subject::job(&run, pair, 0), id(pair), b"job".to_vec()).await.unwrap();
    }
    let mut listed = connection.listed_jobs(&run).await.unwrap();
    listed.sort();
    assert_eq!(listed, [subject::job(&run, 1, 0), subject::job(&run, 2, 0)]);
    let sequence =
        connection.job_sequence(&subject::job(&run, 1, 0)).await.unwrap().expect("the job is stored");
    connection.delete_job(sequence).await.unwrap();
    connection.delete_job(sequence).await.expect("a job that is gone is no error");
    assert_eq!(connection.job_sequence(&subject::job(&run, 1, 0)).await.unwrap(), None);
    assert_eq!(connection.listed_jobs(&run).await.unwrap(), [subject::job(&run, 2, 0)]);
}

#[tokio::test]
async fn a_lease_that_is_not_extended_moves_the_job() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let run = RunId::random().unwrap();
    // On a busy machine an extension may be late by some hundred milliseconds.
    let lease = Duration::from_secs(1);
    connection.open_jobs(&run, lease).await.unwrap();
    connection.put_job(subject::job(&run, 7, 0), None, b"job".to_vec()).await.unwrap();
    let (mut one, mut two) =
        (connection.pull_jobs(&run).await.unwrap(), connection.pull_jobs(&run).await.unwrap());
    one.request(1, SOON).await.unwrap();
    let held = next(&mut one).await;
    assert_eq!((held.delivered, held.payload.as_slice()), (1, b"job".as_slice()));
    two.request(1, SOON).await.unwrap();
    for _ in 0..10 {
        held.in_progress().await.unwrap();
        assert!(timeout(lease / 4, two.next()).await.is_err(), "an extended lease holds");
    }
    let moved = next(&mut two).await;
    assert_eq!((moved.delivered, moved.sequence), (2, held.sequence));
    moved.nak(None).await.unwrap();
    two.request(1, SOON).await.unwrap();
    let again = next(&mut two).await;
    assert_eq!(again.delivered, 3);
    again.ack().await.unwrap();
    connection.flush().await;
    let gone = async {
        while !connection.listed_jobs(&run).await.unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, gone).await.expect("an acknowledged job leaves the stream");
}

#[tokio::test]
async fn a_pull_without_messages_ends_and_a_deleted_consumer_is_noticed() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let run = RunId::random().unwrap();
    connection.open_jobs(&run, SOON).await.unwrap();
    let mut puller = connection.pull_jobs(&run).await.unwrap();
    puller.request(3, Duration::from_millis(50)).await.unwrap();
    let ended = timeout(SOON, puller.next()).await.unwrap().unwrap();
    assert!(matches!(ended, Pulled::Ended(_)), "{ended:?}");
    puller.request(1, SOON).await.unwrap();
    connection.flush().await;
    connection.remove_run(&run).await.unwrap();
    // A parked pull is either ended by the deletion, or the next one finds nothing.
    puller.request(1, SOON).await.unwrap();
    let missing = timeout(SOON, puller.next()).await.unwrap().unwrap();
    assert!(matches!(missing, Pulled::Missing), "{missing:?}");
}

#[tokio::test]
async fn reports_that_were_not_acknowledged_come_again_in_order_to_a_new_coordinator() {
    let Some(server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    let run = RunId::random().unwrap();
    let mut puller = connection.open_results(&run, SOON).await.unwrap();
    for number in 0..6 {
        let name = worker(if number % 2 == 0 { "even" } else { "odd" });
        let id = format!("{run}.{number}");
        for _ in 0..2 {
            connection.put_report(&run, &name, id.clone(), vec![b'0' + number]).await.unwrap();
        }
    }
    puller.request(100, SOON).await.unwrap();
    for number in 0..4 {
        let report = next(&mut puller).await;
        assert_eq!(report.payload, [b'0' + number]);
        if number < 2 {
            report.ack().await.unwrap();
        }
    }
    connection.flush().await;
    let mut puller = connection.open_results(&run, SOON).await.unwrap();
    puller.request(100, SOON).await.unwrap();
    // An acknowledgement may still be on its way when the consumer is made again.
    let mut again = vec![next(&mut puller).await.payload[0]];
    while again.last() != Some(&b'5') {
        again.push(next(&mut puller).await.payload[0]);
    }
    assert!(b"012345".ends_with(&again) && again.len() >= 4, "{again:?}");
}

#[tokio::test]
async fn a_connection_and_its_subscriptions_survive_a_killed_server() {
    let Some(mut server) = NatsServer::start() else { return };
    let connection = prepared(&server.url()).await;
    wait_for(&connection, &Link::Up).await;
    let mut beats = connection.subscribe(subject::beats()).await.unwrap();
    server.kill();
    wait_for(&connection, &Link::Down).await;
    server.restart();
    wait_for(&connection, &Link::Up).await;
    connection.publish(subject::beat(&worker("box")), b"alive".to_vec()).await.unwrap();
    let beat = timeout(SOON, beats.next()).await.expect("the subscription lives").unwrap();
    assert_eq!((beat.subject, beat.payload), (subject::beat(&worker("box")), b"alive".to_vec()));
    server.wipe();
    wait_for(&connection, &Link::Up).await;
    let run = RunId::random().unwrap();
    let mut missing = Err(NatsError::Timeout);
    // The first request may be lost with the connection.
    for _ in 0..3 {
        if missing == Err(NatsError::Timeout) {
            missing = connection.put_job(subject::job(&run, 0, 0), None, Vec::new()).await;
        }
    }
    assert_eq!(missing, Err(NatsError::Missing), "a wiped store has no stream");
}

#[tokio::test]
async fn a_silent_server_times_out_and_a_cut_line_is_noticed() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::to(server.port());
    let connection = prepared(&proxy.url()).await;
    proxy.silence();
    let asked = Instant::now();
    assert_eq!(connection.runs().await, Err(NatsError::Timeout));
    assert!(asked.elapsed() < 3 * quick().request_timeout, "{:?}", asked.elapsed());
    proxy.cut();
    wait_for(&connection, &Link::Down).await;
    proxy.open();
    wait_for(&connection, &Link::Up).await;
    proxy.delay(Duration::from_millis(20));
    assert_eq!(connection.runs().await, Ok(Vec::new()));
    server.freeze();
    assert_eq!(connection.runs().await, Err(NatsError::Timeout));
    server.thaw();
    assert_eq!(connection.runs().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_server_that_is_absent_or_refuses_is_named() {
    let Some(server) = NatsServer::with_config("authorization { token: \"right\" }") else { return };
    let address = format!("127.0.0.1:{}", server.port());
    let open = async |url: String, insecure: bool| {
        let access = Access { insecure, ..access(&url) };
        let connect_timeout = Duration::from_millis(100);
        ServerConnection::open(&access, &Role::Coordinator, &quick(), connect_timeout).await.map(drop)
    };
    assert_eq!(open(format!("nats://right@{address}"), false).await, Ok(()));
    let refused = open(format!("nats://wrong@{address}"), false).await;
    let text = format!("nats://{address} does not accept the token of the URL");
    assert_eq!(refused, Err(ConnectError::Refused(text)));
    let Err(ConnectError::Refused(text)) = open(format!("nats://{address}"), false).await else { panic!() };
    assert!(text.contains("without a key"), "{text}");
    let Err(ConnectError::Usage(text)) = open("http://host".to_owned(), false).await else { panic!() };
    assert!(text.contains("nats://HOST:4222"), "{text}");
    let Err(ConnectError::Unreachable(_)) = open("nats://127.0.0.1:1".to_owned(), false).await else {
        panic!()
    };
    // TLS is asked for by name, and the server has none.
    let Err(ConnectError::Refused(text)) = open(format!("tls://right@{address}"), true).await else {
        panic!()
    };
    assert!(text.contains("does not offer TLS"), "{text}");
}

#[tokio::test]
async fn a_full_stream_is_reported_and_a_small_disk_gets_small_streams() {
    let Some(server) = NatsServer::start() else { return };
    let connection = coordinator(&server.url()).await;
    let limits = StreamLimits { job_bytes: 10_000, ..StreamLimits::default() };
    connection.prepare(&limits).await.unwrap();
    let run = RunId::random().unwrap();
    let put = |pair| connection.put_job(subject::job(&run, pair, 0), None, vec![b'x'; 6_000]);
    put(0).await.unwrap();
    let full = put(1).await;
    assert!(matches!(full, Err(NatsError::Full(_))), "{full:?}");
    // 0.5 GB for streams of 7 GB.
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("small.conf");
    let text = format!("jetstream {{ store_dir: {:?}, max_file: 500000000 }}", dir.path().join("store"));
    std::fs::write(&config, text).unwrap();
    let small = NatsServer::with_config_file(&config).unwrap();
    prepared(&small.url()).await;
}
