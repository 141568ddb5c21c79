//! Client side of the ACE dialogue: one process per game, one move per line.

use std::task::{Context, Poll};
use std::time::Duration;

use crate::chess::Color;
use crate::player::connection::{Connection, ConnectionEnd};
use crate::player::exchange::{Answer, Irregularities, MoveReply, Question, ThinkLimits, ThinkReport};
use crate::player::{ExitEvidence, Transport};
use crate::protocol::ace::{ClaimedResult, Invocation, Line, MoveLimit, Template, TemplateError};

/// Number of moves that a clock without a period is divided by.
const LONG_GAME: u32 = 200;

/// State of an ACE dialogue.
#[derive(Debug)]
pub(in crate::player) struct AceDialogue {
    moves: Moves,
}

/// Whether the program has made a move, which proves that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    NoneYet,
    Some,
}

impl AceDialogue {
    pub(in crate::player) fn new() -> Self {
        Self { moves: Moves::NoneYet }
    }

    /// Returns the arguments of a game in which the program plays `side` from `fen`.
    pub(in crate::player) fn arguments(
        template: &[String],
        side: Color,
        limits: &ThinkLimits,
        fen: &str,
    ) -> Result<Vec<String>, TemplateError> {
        Template::new(template.to_vec())?.build(&Invocation::playing(side, move_limit(side, limits), fen))
    }

    /// Returns the time allowed for the first move in addition to the clock: without a handshake, it includes the
    /// start of the program.
    pub(in crate::player) fn grace(&self, start: Duration) -> Duration {
        match self.moves {
            Moves::NoneYet => start,
            Moves::Some => Duration::ZERO,
        }
    }

    /// Queues the opponent's move. A program that moves first is started as such by its arguments and receives
    /// nothing.
    pub(in crate::player) fn ask<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        question: &Question<'_>,
    ) {
        connection.begin_exchange();
        if let Some((before, mv)) = question.last {
            connection.queue_line(before.ace(mv).as_bytes());
        }
    }

    /// Polls for the program's move. Blank lines, which the original program prints before each move, are skipped.
    pub(in crate::player) fn poll_answer<T: Transport>(
        &mut self,
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Answer, ConnectionEnd>> {
        if connection.is_sending() {
            // A line that arrives before the question has been written cannot answer it.
            while let Poll::Ready(range) = connection.poll_early_line(cx) {
                note_unexpected_line(connection.text(range?), irregularities);
            }
        }
        let sent = connection.poll_send(cx);
        loop {
            let range = match connection.poll_line(cx) {
                Poll::Ready(Ok(range)) => range,
                Poll::Ready(Err(end)) => return Poll::Ready(Err(end)),
                Poll::Pending => {
                    return match sent {
                        Poll::Ready(Err(end)) => Poll::Ready(Err(end)),
                        _ => Poll::Pending,
                    };
                }
            };
            match Line::parse(&String::from_utf8_lossy(connection.text(range))) {
                Line::Move(word) => {
                    let reply = MoveReply::new(word);
                    self.moves = Moves::Some;
                    irregularities.garbage += connection.take_overlong();
                    let took = connection.read_at().saturating_duration_since(connection.wrote_at());
                    return Poll::Ready(Ok(Answer {
                        reply,
                        at: connection.read_at(),
                        took,
                        ponder: None,
                        report: ThinkReport::default(),
                        extra: None,
                    }));
                }
                Line::Blank => {}
                Line::Exit | Line::Noise(_) => irregularities.garbage += 1,
            }
        }
    }

    /// Processes the output of a program that should be silent. Ready only when the connection has ended.
    pub(in crate::player) fn poll_idle<T: Transport>(
        connection: &mut Connection<T>,
        irregularities: &mut Irregularities,
        cx: &mut Context<'_>,
    ) -> Poll<ConnectionEnd> {
        if connection.is_sending()
            && let Poll::Ready(Err(end)) = connection.poll_send(cx)
        {
            return Poll::Ready(end);
        }
        loop {
            match std::task::ready!(connection.poll_line(cx)) {
                Ok(range) => note_unexpected_line(connection.text(range), irregularities),
                Err(end) => return Poll::Ready(end),
            }
        }
    }
}

/// Counts a line that answers no question.
fn note_unexpected_line(line: &[u8], irregularities: &mut Irregularities) {
    match Line::parse(&String::from_utf8_lossy(line)) {
        Line::Move(_) => irregularities.stray += 1,
        Line::Blank => {}
        Line::Exit | Line::Noise(_) => irregularities.garbage += 1,
    }
}

/// Returns whether an exit status names another winner than the board. Status 0 of an unfinished game names none.
pub fn exit_disagrees(exit: ExitEvidence, winner: Option<Color>) -> bool {
    match exit {
        ExitEvidence::Code(code) => match ClaimedResult::from_status(code) {
            Some(ClaimedResult::Won(color)) => winner != Some(color),
            Some(ClaimedResult::DrawOrUnfinished) => winner.is_some(),
            None => true,
        },
        ExitEvidence::Signal(_) => true,
    }
}

/// Returns the single limit that an ACE program can be given; a clock is converted to a fixed share per move.
fn move_limit(side: Color, limits: &ThinkLimits) -> MoveLimit {
    if let Some(nodes) = limits.nodes {
        return MoveLimit::Nodes(nodes);
    }
    if let Some(depth) = limits.depth {
        return MoveLimit::Depth(depth);
    }
    let share = limits.time[side].map(|time| {
        // The protocol only supports a fixed time per move, set once for the whole game, so the share must not
        // exhaust the clock in a long one.
        let moves = limits.moves_to_go.unwrap_or(LONG_GAME).max(1);
        time / (moves + 1) + limits.increment[side].unwrap_or_default() * 4 / 5
    });
    let time = match (limits.movetime, share) {
        (Some(movetime), Some(share)) => movetime.min(share),
        (Some(time), None) | (None, Some(time)) => time,
        (None, None) => Duration::from_secs(1),
    };
    MoveLimit::Time(time)
}
