//! `fake-worker`: many workers of a fleet in one process, with real connections and games that are made up.
//!
//! A script states what they do, one rule per line: `length 200 2000` (milliseconds of a pair), and the probabilities of
//! faults per pair: `dies 0.01` (silence after the claim), `twice 0.05` (the result is sent again), `acks 0.01` (the job is
//! acknowledged at once), `lies 0.001` (an impossible game), `forfeits 0.1` (a game lost on time), `favours 0.5` (the
//! candidate wins a game and loses none). `version 0.0.9` is what they state about themselves.

mod games;
mod script;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use playself::fleet::PairJob;
use playself::fleet::nats::messages::{
    CoordinatorAnswer, Heartbeat, Job, Message, NoticeState, PLAY, Playing, RunDescription, RunNotice, Token,
    TokenTuple, WorkerReport, message_id,
};
use playself::fleet::nats::{
    Access, Asking, Backoff, Delivery, Pulled, Role, RunId, ServerConnection, WorkerName,
    beats_per_extension, get_bytes, subject, target,
};
use playself::journal::GameEntry;

use crate::games::{favour_the_candidate, lose_on_time, made_up};
use crate::script::Script;

/// Simulate workers of a fleet
#[derive(Debug, Parser)]
#[command(name = "fake-worker")]
struct Call {
    /// Address of the server
    url: String,
    /// Number of workers
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// Pairs that each of them plays at once
    #[arg(long, default_value_t = 8)]
    slots: usize,
    /// Number of the first worker, which is part of its name
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// File of rules
    #[arg(long)]
    script: Option<PathBuf>,
    /// Seconds after which all end
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

/// What all workers have done.
#[derive(Debug, Default)]
struct Counts {
    results: AtomicU64,
    answers: AtomicU64,
    deaths: AtomicU64,
    connected: AtomicU64,
    /// Milliseconds from a result to its answer.
    receipts: std::sync::Mutex<Vec<u32>>,
}

fn main() -> ExitCode {
    match run(&Call::parse()) {
        Ok(text) => {
            #[expect(clippy::print_stdout, reason = "the result of the program")]
            {
                println!("{text}");
            }
            ExitCode::SUCCESS
        }
        Err(why) => {
            #[expect(clippy::print_stderr, reason = "the message of the program")]
            {
                eprintln!("fake-worker: {why}");
            }
            ExitCode::from(4)
        }
    }
}

fn run(call: &Call) -> Result<String, String> {
    let text = match &call.script {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?
        }
        None => String::new(),
    };
    let script = Script::parse(&text)?;
    let counts = Arc::new(Counts::default());
    let runtime = tokio_runtime()?;
    let until = Instant::now() + Duration::from_secs(call.seconds);
    runtime.block_on(async {
        let mut workers = Vec::new();
        for number in call.first..call.first + call.workers {
            let name = WorkerName::try_from(format!("fake-{number}")).map_err(|error| error.to_string())?;
            let worker = FakeWorker {
                access: Access { url: call.url.clone(), ..Access::default() },
                name,
                slots: call.slots,
                script: script.clone(),
                random: number as u64 * 2 + 1,
                counts: Arc::clone(&counts),
            };
            workers.push(tokio::spawn(worker.work(until)));
            // A server accepts only so many connections at a time.
            if number % 50 == 49 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        for worker in workers {
            let _ = worker.await;
        }
        Ok::<_, String>(())
    })?;
    let mut receipts = counts.receipts.lock().map_err(|error| error.to_string())?.clone();
    receipts.sort_unstable();
    let at = |part: f64| {
        receipts.get(((receipts.len() as f64 * part) as usize).min(receipts.len().saturating_sub(1)))
    };
    Ok(format!(
        "{{\"connected\":{},\"results\":{},\"answers\":{},\"deaths\":{},\"receipt_ms\":{{\"p50\":{},\"p99\":{},\"max\":{}}}}}",
        counts.connected.load(Ordering::Relaxed),
        counts.results.load(Ordering::Relaxed),
        counts.answers.load(Ordering::Relaxed),
        counts.deaths.load(Ordering::Relaxed),
        at(0.5).unwrap_or(&0),
        at(0.99).unwrap_or(&0),
        at(1.0).unwrap_or(&0),
    ))
}

fn tokio_runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())
}

/// One simulated worker.
struct FakeWorker {
    access: Access,
    name: WorkerName,
    slots: usize,
    script: Script,
    random: u64,
    counts: Arc<Counts>,
}

/// A pair on a simulated worker.
struct Pair {
    token: Token,
    delivery: Delivery,
    job: Box<PairJob>,
    begun: Instant,
    ends: Instant,
    sent: Option<Instant>,
    dead: bool,
}

impl FakeWorker {
    fn chance(&mut self, probability: f64) -> bool {
        self.number() < probability
    }

    fn number(&mut self) -> f64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    async fn work(mut self, until: Instant) {
        let backoff = Backoff { longest: Duration::from_secs(5), ..Backoff::default() };
        let role = Role::Worker(self.name.clone());
        let Ok(connection) =
            ServerConnection::open(&self.access, &role, &backoff, Duration::from_secs(60)).await
        else {
            return;
        };
        self.counts.connected.fetch_add(1, Ordering::Relaxed);
        while Instant::now() < until {
            match open_run(&connection).await {
                Some((notice, description)) => {
                    let mut over = false;
                    self.serve(&connection, &notice, &description, until, &mut over).await;
                    if over {
                        return;
                    }
                }
                None => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    /// Serves a run; `over` is set when it has ended.
    async fn serve(
        &mut self,
        connection: &ServerConnection,
        notice: &RunNotice,
        description: &RunDescription,
        until: Instant,
        over: &mut bool,
    ) -> Option<()> {
        let mut jobs = connection.pull_jobs(&notice.run).await.ok()?;
        let mut answers = connection.subscribe(subject::answer(&self.name)).await.ok()?;
        let mut notices = connection.subscribe(subject::notice(&notice.run)).await.ok()?;
        let mut beat = tokio::time::interval(Duration::from_millis(description.beat_ms));
        let mut pairs: BTreeMap<(u64, u32), Pair> = BTreeMap::new();
        let (mut asked, mut in_vain) = (0_usize, false);
        let (mut next_question, mut all_slots) = (Instant::now(), notice.slots);
        let [lease, pause] = [description.lease_ms, description.beat_ms].map(Duration::from_millis);
        let (beats_per_extension, mut beats) = (beats_per_extension(lease, pause), 0);
        while Instant::now() < until {
            // A slot does not wait for the answer to its result.
            let in_play = pairs.values().filter(|pair| pair.sent.is_none()).count();
            let free = self.slots.saturating_sub(in_play);
            if free > 0 && asked == 0 && Instant::now() >= next_question {
                let sent = match Asking::in_fleet_of(all_slots, self.number()) {
                    Asking::Waiting => jobs.request(free, Duration::from_secs(30)).await,
                    Asking::Polling(_) if in_vain => jobs.request_now(free).await,
                    Asking::Polling(_) => jobs.request(free, Asking::FIRST_WAITS).await,
                };
                match sent {
                    Ok(()) => asked = free,
                    Err(_) => next_question = Instant::now() + Duration::from_millis(200),
                }
            }
            let waits = free > 0 && asked == 0;
            let unsent = pairs.values().filter(|pair| pair.sent.is_none());
            let next_due = unsent.map(|pair| pair.ends).chain(waits.then_some(next_question)).min();
            tokio::select! {
                pulled = jobs.next() => match pulled? {
                    Pulled::Message(delivery) => {
                        (asked, in_vain) = (asked.saturating_sub(1), false);
                        self.take(connection, &notice.run, delivery, &mut pairs).await;
                    }
                    Pulled::Ended(missing) => {
                        asked = asked.saturating_sub(missing.unwrap_or(asked));
                        in_vain = true;
                        if let Asking::Polling(pause) = Asking::in_fleet_of(all_slots, self.number()) {
                            next_question = Instant::now() + pause;
                        }
                    }
                    Pulled::Missing => {
                        asked = 0;
                        tokio::time::sleep(Duration::from_millis(200)).await;
                    }
                },
                () = tokio::time::sleep_until(next_due.unwrap_or(until).into()) => {
                    self.send_finished(connection, &notice.run, &mut pairs).await;
                }
                _ = beat.tick() => {
                    beats += 1;
                    self.beat(connection, &notice.run, &pairs, beats % beats_per_extension == 0).await;
                }
                answer = answers.next() => self.answer(&CoordinatorAnswer::decode(&answer?.payload).ok()?, &mut pairs).await,
                message = notices.next() => {
                    let notice = RunNotice::decode(&message?.payload).ok()?;
                    all_slots = notice.slots;
                    if notice.state == NoticeState::Over || notice.excluded.contains(&self.name) {
                        *over = true;
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    async fn take(
        &mut self,
        connection: &ServerConnection,
        run: &RunId,
        delivery: Delivery,
        pairs: &mut BTreeMap<(u64, u32), Pair>,
    ) {
        let Ok(Job { base, job, .. }) = Job::decode(&delivery.payload) else { return };
        let token =
            Token { pair: job.id.index, attempt: job.id.attempt, delivery: delivery.delivered + base };
        let place = (token.pair, token.attempt);
        if let Some(pair) = pairs.get_mut(&place) {
            pair.delivery = delivery;
            return;
        }
        let claim = WorkerReport::Claim { worker: self.name.clone(), token, scale_ppm: None };
        if connection
            .put_report(run, &self.name, message_id::claim(run, token), claim.encode())
            .await
            .is_err()
        {
            return;
        }
        let [least, most] = self.script.length;
        let length = least as f64 + self.number() * most.saturating_sub(least) as f64;
        let dead = self.chance(self.script.dies);
        if dead {
            self.counts.deaths.fetch_add(1, Ordering::Relaxed);
        }
        if self.chance(self.script.acks) {
            let _ = delivery.ack().await;
        }
        let begun = Instant::now();
        let ends = begun + Duration::from_millis(length as u64);
        pairs.insert(place, Pair { token, delivery, job: Box::new(job), begun, ends, sent: None, dead });
    }

    async fn send_finished(
        &mut self,
        connection: &ServerConnection,
        run: &RunId,
        pairs: &mut BTreeMap<(u64, u32), Pair>,
    ) {
        let now = Instant::now();
        // A worker that dies forgets everything.
        pairs.retain(|_, pair| !(pair.dead && now >= pair.ends));
        let due: Vec<(u64, u32)> = pairs
            .iter()
            .filter(|(_, pair)| pair.sent.is_none() && now >= pair.ends)
            .map(|(place, _)| *place)
            .collect();
        for place in due {
            let (lies, forfeits) = (self.chance(self.script.lies), self.chance(self.script.forfeits));
            let favours = self.chance(self.script.favours);
            let times = 1 + u32::from(self.chance(self.script.twice));
            let Some(pair) = pairs.get_mut(&place) else { continue };
            let mut games: Vec<GameEntry> =
                pair.job.id.part.games().iter().map(|&game| made_up(&pair.job, game)).collect();
            if favours {
                games.iter_mut().for_each(|game| favour_the_candidate(&pair.job, game));
            }
            if forfeits {
                lose_on_time(&pair.job, &mut games[0]);
            }
            if lies {
                games[0].moves.push_str("a1a8");
            }
            let worker = self.name.clone();
            let report =
                WorkerReport::Pair { worker, token: pair.token, games, bundles: Vec::new() }.encode();
            pair.sent = Some(now);
            for resend in 0..times {
                let message = message_id::result(run, pair.token, resend);
                let _ = connection.put_report(run, &self.name, message, report.clone()).await;
            }
            self.counts.results.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn answer(&mut self, answer: &CoordinatorAnswer, pairs: &mut BTreeMap<(u64, u32), Pair>) {
        for TokenTuple(token) in answer.counted.iter().chain(&answer.over) {
            let place = (token.pair, token.attempt);
            if pairs.get(&place).is_some_and(|pair| pair.token == *token)
                && let Some(pair) = pairs.remove(&place)
            {
                let _ = pair.delivery.ack().await;
                self.counts.answers.fetch_add(1, Ordering::Relaxed);
                if let (Some(sent), Ok(mut receipts)) = (pair.sent, self.counts.receipts.lock()) {
                    receipts.push(u32::try_from(sent.elapsed().as_millis()).unwrap_or(u32::MAX));
                }
            }
        }
        for TokenTuple(token) in &answer.stale {
            pairs.retain(|_, pair| pair.token != *token);
        }
        for TokenTuple(token) in &answer.resend {
            if let Some(pair) = pairs.values_mut().find(|pair| pair.token == *token) {
                pair.sent = None;
            }
        }
    }

    async fn beat(
        &self,
        connection: &ServerConnection,
        run: &RunId,
        pairs: &BTreeMap<(u64, u32), Pair>,
        extends: bool,
    ) {
        for pair in pairs.values().filter(|pair| extends && !pair.dead) {
            let _ = pair.delivery.in_progress().await;
        }
        let alive = || pairs.values().filter(|pair| !pair.dead);
        let beat = Heartbeat {
            worker: self.name.clone(),
            nonce: 1,
            version: self.script.version.clone(),
            play: PLAY,
            cpu: "none".to_owned(),
            target: target(),
            slots: self.slots,
            free: 0,
            run: Some(run.clone()),
            nps: None,
            scale_ppm: None,
            playing: alive()
                .filter(|pair| pair.sent.is_none())
                .map(|pair| Playing { token: pair.token, plies: pair.begun.elapsed().as_secs() })
                .collect(),
            waiting: alive().filter(|pair| pair.sent.is_some()).map(|pair| TokenTuple(pair.token)).collect(),
            spool_bytes: 0,
            trouble: None,
            boards: Vec::new(),
        };
        let _ = connection.publish(subject::beat(&self.name), beat.encode()).await;
    }
}

async fn open_run(connection: &ServerConnection) -> Option<(RunNotice, RunDescription)> {
    for run in connection.runs().await.ok()? {
        let Ok(Some((_, bytes))) = connection.notice(&run).await else { continue };
        let Ok(notice) = RunNotice::decode(&bytes) else { continue };
        if notice.state != NoticeState::Open {
            continue;
        }
        let bytes = get_bytes(connection, &notice.description, RunDescription::LIMIT as u64).await.ok()?;
        return Some((notice, RunDescription::decode(&bytes).ok()?));
    }
    None
}
