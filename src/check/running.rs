//! A running engine under examination: handshake, commands and searches.

use std::time::Duration;

use tokio::time::Instant;

use crate::check::examination::Broken;
use crate::check::search::Search;
use crate::player::{
    EngineOption, EngineSpec, ExitEvidence, Launcher, LineClient, LineError, ReceivedLine, printed_lines,
};
use crate::protocol::uci::{OptionDeclaration, Reply};

/// Time for an answer that needs no search.
pub(super) const PROMPT: Duration = Duration::from_secs(5);

/// A UCI engine that has completed its handshake.
pub(super) struct RunningEngine {
    client: LineClient,
    /// Name from `id name`.
    pub(super) id_name: Option<String>,
    /// Author from `id author`.
    pub(super) author: Option<String>,
    /// Declared options.
    pub(super) options: Vec<OptionDeclaration>,
    /// Time from `uci` to `uciok`.
    pub(super) uciok_after: Duration,
}

impl RunningEngine {
    /// Starts the engine, performs the handshake and sets the options of its specification.
    pub(super) async fn start(launcher: &Launcher, spec: &EngineSpec) -> Result<Self, Broken> {
        let no_arguments: [&str; 0] = [];
        let transport =
            launcher.launch(spec, &no_arguments, &[]).await.map_err(|error| Broken(error.to_string()))?;
        let client = LineClient::new(transport, &spec.timeouts);
        let mut engine =
            Self { client, id_name: None, author: None, options: Vec::new(), uciok_after: Duration::ZERO };
        if let Err(broken) = engine.handshake(spec).await {
            engine.kill().await;
            return Err(broken);
        }
        Ok(engine)
    }

    async fn handshake(&mut self, spec: &EngineSpec) -> Result<(), Broken> {
        let sent = self.send(&["uci"]).await?;
        let deadline = sent + spec.timeouts.start;
        loop {
            let line = match self.client.line(deadline).await {
                Ok(line) => line,
                Err(error) => {
                    let printed = printed_lines(&self.client.transcript());
                    let problem = if error == LineError::Late { "no uciok" } else { "it ended before uciok" };
                    return Err(Broken(format!("{problem}; {printed}")));
                }
            };
            match Reply::parse(&line.text) {
                Reply::UciOk => {
                    self.uciok_after = line.at - sent;
                    break;
                }
                Reply::Option(option) => self.options.push(option),
                Reply::IdName(name) => self.id_name = Some(name.chars().take(128).collect()),
                Reply::IdAuthor(author) => self.author = Some(author.chars().take(128).collect()),
                _ => {}
            }
        }
        let options: Vec<String> = spec.options.iter().map(EngineOption::command).collect();
        let lines: Vec<&str> = options.iter().map(String::as_str).collect();
        self.send(&lines).await?;
        self.ready().await.map(drop)
    }

    /// Returns the declaration of an option.
    pub(super) fn option(&self, name: &str) -> Option<&OptionDeclaration> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Sends lines; returns when they were written.
    pub(super) async fn send(&mut self, lines: &[&str]) -> Result<Instant, Broken> {
        self.client.send(lines).await.map_err(|error| self.broken(error, "to read its input"))
    }

    /// Waits for the next line; `None` at the deadline.
    pub(super) async fn line(&mut self, deadline: Instant) -> Result<Option<ReceivedLine>, Broken> {
        match self.client.line(deadline).await {
            Ok(line) => Ok(Some(line)),
            Err(LineError::Late) => Ok(None),
            Err(error) => Err(self.broken(error, "to answer")),
        }
    }

    /// Sends `isready` and waits for `readyok`; returns how long it took.
    pub(super) async fn ready(&mut self) -> Result<Duration, Broken> {
        let sent = self.send(&["isready"]).await?;
        loop {
            match self.line(sent + PROMPT).await? {
                Some(line) if Reply::parse(&line.text) == Reply::ReadyOk => return Ok(line.at - sent),
                Some(_) => {}
                None => return Err(Broken(format!("no readyok within {} s", PROMPT.as_secs()))),
            }
        }
    }

    /// Sends `position` and `go`, and waits for `bestmove` until the deadline.
    pub(super) async fn search(
        &mut self,
        position: &str,
        go: &str,
        limit: Duration,
    ) -> Result<Search, Broken> {
        let search = self.try_search(position, go, limit).await?;
        match search.best {
            Some(_) => Ok(search),
            None => {
                let so_far = search.progress();
                Err(Broken(format!("no bestmove within {} after `{go}`{so_far}", seconds(limit))))
            }
        }
    }

    /// The same, but a search without an answer at the deadline is returned as it is.
    pub(super) async fn try_search(
        &mut self,
        position: &str,
        go: &str,
        limit: Duration,
    ) -> Result<Search, Broken> {
        let sent = self.send(&[position, go]).await?;
        let mut search = Search::new(sent);
        self.follow(&mut search, sent + limit).await?;
        Ok(search)
    }

    /// Collects the lines of a search until its `bestmove` or the deadline.
    pub(super) async fn follow(&mut self, search: &mut Search, deadline: Instant) -> Result<(), Broken> {
        while search.best.is_none() {
            let Some(line) = self.line(deadline).await? else { return Ok(()) };
            search.take(&line);
        }
        Ok(())
    }

    /// Sends `stop` and waits for the end of the search; returns how long it took.
    pub(super) async fn stop(&mut self, search: &mut Search) -> Result<Duration, Broken> {
        let sent = self.send(&["stop"]).await?;
        self.follow(search, sent + PROMPT).await?;
        match search.ended {
            Some(at) => Ok(at.saturating_duration_since(sent)),
            None => Err(Broken(format!("no bestmove within {} after `stop`", seconds(PROMPT)))),
        }
    }

    /// Closes the engine's input.
    pub(super) fn close_input(&mut self) {
        self.client.close_input();
    }

    /// Sends SIGTERM.
    pub(super) fn terminate(&self) {
        self.client.terminate();
    }

    /// Waits for the end of the process.
    pub(super) async fn exit(&mut self, allowed: Duration) -> Option<ExitEvidence> {
        self.client.exit(allowed).await
    }

    /// Returns the process.
    pub(super) fn client(&self) -> &LineClient {
        &self.client
    }

    /// Kills the engine.
    pub(super) async fn kill(self) {
        self.client.kill().await;
    }

    fn broken(&self, error: LineError, waiting: &str) -> Broken {
        Broken(match error {
            LineError::Late => format!("it took too long {waiting}"),
            LineError::Closed => "it ended or closed its output".to_owned(),
        })
    }
}

/// Formats a time as seconds.
pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}
