//! Workers that lie, repeat themselves, send rubbish or speak a newer language.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use playself::fleet::nats::messages::{Message, WorkerReport};
use playself::fleet::nats::{Pulled, WorkerName, subject};
use serde_json::{Value, json};

use crate::bench::{Fleet, Game, Played, Process, SLOTS};
use crate::faults::connected;
use crate::run::wait_for;

fn name(text: &str) -> WorkerName {
    WorkerName::try_from(text.to_owned()).unwrap()
}

/// Starts simulated workers whose script has these lines.
fn fake_workers(fleet: &Fleet, workers: usize, first: usize, script: &str) -> Process {
    let path: PathBuf = fleet.bench.path(&format!("script-{first}"));
    std::fs::write(&path, script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-worker"));
    command.arg(fleet.server.url()).args(["--slots", "2", "--seconds", "60"]);
    command.args(["--workers", &workers.to_string(), "--first", &first.to_string()]);
    fleet.spawn(&format!("fake-{first}"), command.arg("--script").arg(path))
}

/// Workers that were excluded, in the order of the journal.
fn excluded(fleet: &Fleet) -> Vec<String> {
    let records = fleet.records("there", "quarantined");
    records.iter().map(|record| record["worker"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn rows_206_207_and_233_repeated_and_broken_reports_and_false_acknowledgements_cost_nothing() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    connected(fleet, async |connection| {
        let run = connection.runs().await.unwrap().remove(0);
        let fox = name("fox");
        for (number, payload) in
            [b"not JSON".to_vec(), br#"{"v":9,"kind":"pair"}"#.to_vec(), vec![b'['; 900_000], Vec::new()]
                .into_iter()
                .enumerate()
        {
            connection.put_report(&run, &fox, format!("junk-{number}"), payload.clone()).await.unwrap();
            connection.publish(subject::beat(&fox), payload).await.unwrap();
        }
        // More than the server lets through.
        let huge = connection.put_report(&run, &fox, "huge".to_owned(), vec![b' '; 10 << 20]).await;
        assert!(huge.is_err(), "{huge:?}");
        // A worker takes a job, acknowledges it at once and never plays it.
        let mut jobs = connection.pull_jobs(&run).await.unwrap();
        jobs.request(1, Duration::from_secs(5)).await.unwrap();
        let Some(Pulled::Message(delivery)) = jobs.next().await else { panic!("there is a job") };
        delivery.ack().await.unwrap();
        // Every result arrives three times, under names that the server does not recognise as repetitions, and then another one.
        let mut reports = connection.subscribe(subject::results(&run)).await.unwrap();
        let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
        fleet.permit(2 * 9 + SLOTS);
        let mut arrived: BTreeMap<u64, u32> = BTreeMap::new();
        while coordinator.is_alive() {
            let next = tokio::time::timeout(Duration::from_millis(200), reports.next()).await;
            let Ok(Some(message)) = next else { continue };
            let Ok(WorkerReport::Pair { token, .. }) = WorkerReport::decode(&message.payload) else {
                continue;
            };
            // What is sent here arrives here, too.
            let times = arrived.entry(token.pair).or_default();
            *times += 1;
            if *times <= 3 {
                let id = format!("again-{times}-{}", token.pair);
                let another = *times == 3;
                let payload = if another { with_one_game(&message.payload) } else { message.payload };
                connection.put_report(&run, &name("oak"), id, payload).await.unwrap();
            } else if arrived.values().filter(|times| **times >= 4).count() == 9 {
                fleet.release();
            }
        }
    });
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    assert!(fleet.log("coordinator").contains("worker fox: "), "{}", fleet.log("coordinator"));
    assert!(excluded(fleet).is_empty(), "{}", fleet.log("coordinator"));
}

/// The report of a pair, with its first game only.
fn with_one_game(report: &[u8]) -> Vec<u8> {
    let mut report: Value = serde_json::from_slice(report).unwrap();
    report["games"].as_array_mut().unwrap().truncate(1);
    serde_json::to_vec(&report).unwrap()
}

#[test]
fn row_226_a_job_of_a_newer_program_is_given_back_and_the_run_left_to_others() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    let mut oak = fleet.spawn("oak", &mut fleet.roomy_worker("oak"));
    connected(fleet, async |connection| {
        let run = connection.runs().await.unwrap().remove(0);
        // The comparison with the pairs in flight deletes it, so it is stored until it was seen.
        while !fleet.log("oak").contains("comes from a newer program") {
            let (payload, forged) = (br#"{"v":9,"shape":"unknown"}"#.to_vec(), subject::job(&run, 99_999, 0));
            if !connection.listed_jobs(&run).await.unwrap().contains(&forged) {
                connection.put_job(forged, None, payload).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    wait_for("the refusal", 10, || fleet.log("oak").contains("cannot be played here"));
    fleet.release();
    let _elm = fleet.spawn("elm", &mut fleet.worker("elm"));
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    assert!(oak.is_alive(), "it waits for other runs");
    assert!(fleet.records("there", "game").iter().all(|game| game["by"] == "elm"));
    let claims = fleet.records("there", "claimed");
    let first = claims.iter().position(|claim| claim["worker"] == "elm").unwrap();
    assert!(
        claims[first..].iter().all(|claim| claim["worker"] == "elm"),
        "it takes no more pairs of this run"
    );
}

#[test]
fn row_225_a_worker_of_another_version_with_the_same_rules_of_play_plays() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 20, ..Game::default() });
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _older = fake_workers(&fleet, 1, 0, "length 300 400\nversion 0.0.9");
    let _newer = fake_workers(&fleet, 1, 1, "length 300 400\nversion 99.0.0");
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    fleet.assert_complete("there", 20);
    let versions: Vec<Value> =
        fleet.records("there", "worker").into_iter().map(|facts| facts["program"].clone()).collect();
    assert!(versions.contains(&"0.0.9".into()) && versions.contains(&"99.0.0".into()), "{versions:?}");
}

#[test]
#[ignore = "takes 12 s; `just test-fleet`"]
fn row_230_a_worker_on_which_engines_lose_on_time_is_excluded_and_no_other() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 300, ..Game::default() });
    let text = std::fs::read_to_string(&config).unwrap().replace("depth = 1", "tc = \"60+1\"");
    std::fs::write(&config, text).unwrap();
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _good = fake_workers(&fleet, 3, 0, "length 10 30");
    let _bad = fake_workers(&fleet, 1, 7, "length 10 30\nforfeits 0.4");
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    assert_eq!(excluded(&fleet), ["fake-7"], "{}", fleet.log("coordinator"));
    let last = fleet.records("there", "quarantined")[0]["seq"].as_u64().unwrap();
    let claims = fleet.records("there", "claimed");
    let later =
        claims.iter().filter(|claim| claim["worker"] == "fake-7" && claim["seq"].as_u64() > Some(last));
    // Those that it had pulled before it knew.
    assert!(later.count() <= 4, "it gets no more pairs");
    fleet.assert_complete("there", 300);
    assert!(fleet.log("coordinator").contains("noisy run: "), "{}", fleet.log("coordinator"));
}

#[test]
fn row_231_impossible_results_are_void_and_the_pairs_played_again_elsewhere() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    let _liar = fake_workers(fleet, 1, 0, "length 10 20\nlies 1");
    wait_for("the first lie", 20, || !fleet.records("there", "void").is_empty());
    fleet.release();
    let _oak = fleet.spawn("oak", &mut fleet.worker("oak"));
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    played.assert_same("there");
    assert_eq!(excluded(fleet), ["fake-0"]);
    assert!(fleet.log("coordinator").contains("impossible game"), "{}", fleet.log("coordinator"));
}

#[test]
fn row_232_plausible_lies_are_found_by_playing_pairs_again_elsewhere() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 150, ..Game::default() });
    let text = std::fs::read_to_string(&config).unwrap().replace("[fleet]", "[fleet]\naudit = 1.0");
    std::fs::write(&config, text).unwrap();
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _honest: Vec<Process> =
        ["ash", "elm", "oak"].iter().map(|name| fleet.spawn(name, &mut fleet.worker(name))).collect();
    // Its games are made up, and possible.
    let _liar = fake_workers(&fleet, 1, 0, "length 50 80");
    wait_for("the exclusion", 60, || !excluded(&fleet).is_empty() || !coordinator.is_alive());
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    assert_eq!(excluded(&fleet), ["fake-0"], "{}", fleet.log("coordinator"));
    assert!(fleet.log("coordinator").contains("was played differently by"), "{}", fleet.log("coordinator"));
    // Games that are played again do not count.
    fleet.assert_complete("there", 150);
    assert!(
        fleet.log("coordinator").contains("workers that were excluded later"),
        "{}",
        fleet.log("coordinator")
    );
}

#[test]
fn row_232_results_with_clocks_that_do_not_fit_those_of_the_others_raise_an_alarm() {
    let Some(fleet) = Fleet::start() else { return };
    let config = fleet.config("match", &Game { pairs: 400, ..Game::default() });
    let text = std::fs::read_to_string(&config).unwrap().replace("depth = 1", "tc = \"60+1\"");
    std::fs::write(&config, text).unwrap();
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(&config, "there"));
    let _honest = fake_workers(&fleet, 3, 0, "length 10 30");
    let _liar = fake_workers(&fleet, 1, 7, "length 10 30\nfavours 1");
    assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    let alarm = "the results of worker fake-7 do not fit those of the others";
    assert_eq!(fleet.log("coordinator").matches(alarm).count(), 1, "{}", fleet.log("coordinator"));
    assert!(excluded(&fleet).is_empty(), "an alarm is for a person");
    fleet.assert_complete("there", 400);
}

/// Changes messages: bytes, and values of JSON.
struct Mutator(u64);

impl Mutator {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }

    fn mutant(&mut self, message: &[u8]) -> Vec<u8> {
        if self.below(3) > 0 {
            let mut value: Value = serde_json::from_slice(message).unwrap();
            for _ in 0..=self.below(2) {
                self.change(&mut value);
            }
            return serde_json::to_vec(&value).unwrap();
        }
        let mut bytes = message.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 => bytes.truncate(at),
                2 => bytes.insert(at, b"{}[]\",:-9"[self.below(9)]),
                _ => {
                    let piece = bytes[at..].to_vec();
                    bytes.extend_from_slice(&piece[..piece.len().min(1000)]);
                }
            }
        }
        bytes
    }

    /// Replaces one value somewhere inside.
    fn change(&mut self, value: &mut Value) {
        let inner = match value {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        };
        if inner > 0 && self.below(8) > 0 {
            let at = self.below(inner);
            return match value {
                Value::Array(items) => self.change(&mut items[at]),
                Value::Object(entries) => self.change(entries.values_mut().nth(at).unwrap()),
                _ => {}
            };
        }
        let values = [
            json!(null),
            json!(-1),
            json!(0),
            json!(1),
            json!(u64::MAX),
            json!(u64::from(u32::MAX)),
            json!(1e308),
            json!("\u{0}"),
            json!("a1a8"),
            json!([[], {}]),
            json!({ "pair": 1 }),
            json!("x".repeat(100_000)),
        ];
        *value = values[self.below(values.len())].clone();
    }
}

#[test]
fn row_233_thousands_of_mutated_messages_neither_stop_a_run_nor_count() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    connected(fleet, async |connection| {
        let run = connection.runs().await.unwrap().remove(0);
        let mut reports = connection.subscribe(subject::results(&run)).await.unwrap();
        let mut beats = connection.subscribe(subject::beats()).await.unwrap();
        connection.flush().await;
        let mut oak = fleet.spawn("oak", &mut fleet.worker("oak"));
        fleet.play("there", 1, SLOTS);
        // What a true worker has sent, under the name of another.
        let renamed =
            |message: &[u8]| String::from_utf8_lossy(message).replace("\"oak\"", "\"fox\"").into_bytes();
        let mut corpus = vec![renamed(&beats.next().await.unwrap().payload)];
        while corpus.len() < 5 {
            corpus.push(renamed(&reports.next().await.unwrap().payload));
        }
        let mut mutator = Mutator(7);
        for number in 0..4_000 {
            let mutant = mutator.mutant(&corpus[number % corpus.len()]);
            if number % corpus.len() == 0 {
                connection.publish(subject::beat(&name("fox")), mutant).await.unwrap();
            } else {
                connection.put_report(&run, &name("fox"), format!("mutant-{number}"), mutant).await.unwrap();
            }
        }
        assert!(coordinator.is_alive() && oak.is_alive(), "{}", fleet.log("coordinator"));
        fleet.release();
        assert_eq!(coordinator.status("the match", 60), 0, "{}", fleet.log("coordinator"));
    });
    played.assert_same("there");
    let log = fleet.log("coordinator");
    assert!(log.contains("worker fox: ") && !log.contains("panicked"), "{log}");
    assert!(fleet.records("there", "game").iter().all(|game| game["by"] == "oak"));
}

#[test]
fn row_233_a_worker_survives_mutated_jobs_and_answers() {
    let Some(played) = Played::start() else { return };
    let Played { fleet, config } = &played;
    let mut coordinator = fleet.spawn("coordinator", &mut fleet.coordinator(config, "there"));
    wait_for("the first pairs", 20, || !fleet.records("there", "pair_started").is_empty());
    connected(fleet, async |connection| {
        let run = connection.runs().await.unwrap().remove(0);
        let oak = name("oak");
        let mut answers = connection.subscribe(subject::answer(&oak)).await.unwrap();
        let mut jobs = connection.pull_jobs(&run).await.unwrap();
        jobs.request(1, Duration::from_secs(5)).await.unwrap();
        let Some(Pulled::Message(delivery)) = jobs.next().await else { panic!("there is a job") };
        delivery.nak(None).await.unwrap();
        let mut worker = fleet.spawn("oak", &mut fleet.worker("oak"));
        fleet.play("there", 1, SLOTS);
        let answer = answers.next().await.unwrap().payload;
        let mut mutator = Mutator(11);
        for number in 0..300 {
            connection.publish(subject::answer(&oak), mutator.mutant(&answer)).await.unwrap();
            let mutant = mutator.mutant(&delivery.payload);
            // Another version of the messages is another matter, and so is another result for a pair of the run.
            let Ok(mut job) = serde_json::from_slice::<Value>(&mutant) else {
                connection.put_job(subject::job(&run, 50_000 + number, 0), None, mutant).await.unwrap();
                continue;
            };
            if job.is_object() {
                job["v"] = 1.into();
                if job["job"]["id"].is_object() {
                    job["job"]["id"]["index"] = (50_000 + number).into();
                }
            }
            let payload = serde_json::to_vec(&job).unwrap();
            connection.put_job(subject::job(&run, 50_000 + number, 0), None, payload).await.unwrap();
        }
        fleet.release();
        assert_eq!(
            coordinator.status("the match", 60),
            0,
            "{}{}",
            fleet.log("coordinator"),
            fleet.log("oak")
        );
        assert!(worker.is_alive(), "{}", fleet.log("oak"));
    });
    played.assert_same("there");
    assert!(!fleet.log("oak").contains("panicked at src/fleet/nats"), "{}", fleet.log("oak"));
}
