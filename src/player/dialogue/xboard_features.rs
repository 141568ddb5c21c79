//! The first lines exchanged with an xboard engine: its version of the protocol, features and options.

use std::ops::ControlFlow;
use std::time::Duration;

use tokio::time::Instant;

use crate::player::connection::Connection;
use crate::player::dialogue::expect_line::{ExpectError, expect_line};
use crate::player::dialogue::handshake_error::{HandshakeError, Prospect, ProtocolSigns};
use crate::player::{EngineSpec, StallPoint, Transport};
use crate::protocol::uci::{OptionDeclaration, OptionKind};
use crate::protocol::xboard::{Capability, Command, Feature, FeatureList, FeatureSet, Reply};

/// Time for the first feature. An engine that sends none speaks version 1.
const FIRST_FEATURE: Duration = Duration::from_secs(8);
/// Time after which a silent engine is sent [`NUDGE`], again and again.
const NUDGE_INTERVAL: Duration = Duration::from_secs(1);
/// Harmless commands of every version, and the question once more. GNU Chess may miss that it has input to read, and
/// then notices it only when more arrives.
const NUDGE: [Command<'static>; 5] =
    [Command::New, Command::Force, Command::Easy, Command::Post, Command::Protover(2)];
/// Time for the next feature of an engine that has announced neither `done=0` nor `done=1`.
const NEXT_FEATURE: Duration = Duration::from_secs(2);
/// Larger than the number of features and options of any engine; bounds the memory that a hostile one can use.
const MOST: usize = 4096;

/// What an engine announced.
#[derive(Debug)]
pub(super) struct Announcement {
    /// Whether any feature was announced, which version 1 does not have.
    pub(super) version: Version,
    pub(super) features: FeatureSet,
    pub(super) options: Vec<OptionDeclaration>,
    /// Replies to the features that are due.
    replies: Vec<String>,
    progress: Progress,
}

/// Version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

/// How far the announcement has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Silent,
    Announcing,
    Waiting,
    Done,
}

/// Sends `xboard` and `protover 2`, and collects the features.
pub(super) async fn announcement<T: Transport>(
    connection: &mut Connection<T>,
    spec: &EngineSpec,
) -> Result<Announcement, HandshakeError> {
    let mut found = Announcement {
        version: Version::One,
        features: FeatureSet::silent(),
        options: Vec::new(),
        replies: Vec::new(),
        progress: Progress::Silent,
    };
    let mut signs = ProtocolSigns::default();
    for command in [Command::Xboard, Command::Protover(2)] {
        connection.queue_line(command.to_string().as_bytes());
    }
    let latest = Instant::now() + spec.timeouts.start;
    let given_up = Instant::now() + FIRST_FEATURE;
    while found.progress != Progress::Done {
        let deadline = match found.progress {
            Progress::Silent => Instant::now() + NUDGE_INTERVAL,
            Progress::Announcing => Instant::now() + NEXT_FEATURE,
            Progress::Waiting | Progress::Done => latest,
        };
        let mut prospect = Prospect::Open;
        let received = expect_line(connection, deadline.min(latest), StallPoint::Features, |line| {
            let text = String::from_utf8_lossy(line);
            match Reply::parse(&text) {
                Reply::Features(list) => {
                    found.take(list);
                    return ControlFlow::Break(());
                }
                // An engine of version 1 that complains about what it does not know need not be waited for.
                Reply::Complaint(complaint) if complaint.is_about("protover") => {
                    found.progress = Progress::Done;
                    return ControlFlow::Break(());
                }
                _ => prospect = signs.note(&text, "xboard"),
            }
            if prospect == Prospect::Hopeless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .await;
        if prospect == Prospect::Hopeless
            && let Some(error) = std::mem::take(&mut signs).of_xboard()
        {
            return Err(error);
        }
        match received {
            Ok(()) => {}
            Err(ExpectError::Late(StallPoint::Features))
                if found.progress == Progress::Silent && Instant::now() < given_up.min(latest) =>
            {
                for command in NUDGE {
                    connection.queue_line(command.to_string().as_bytes());
                }
            }
            Err(ExpectError::Late(StallPoint::Features)) if found.progress != Progress::Waiting => break,
            Err(error) => return Err(error.into()),
        }
        for reply in found.replies.drain(..) {
            connection.queue_line(reply.as_bytes());
        }
    }
    found.declare_resources();
    Ok(found)
}

impl Announcement {
    fn take(&mut self, list: FeatureList<'_>) {
        self.version = Version::Two;
        if self.progress == Progress::Silent {
            self.progress = Progress::Announcing;
        }
        for (name, feature) in list.iter().take(MOST) {
            self.features.apply(&feature);
            let reply = match &feature {
                Feature::Unused(_) => Command::Rejected(name),
                _ => Command::Accepted(name),
            };
            self.replies.push(reply.to_string());
            match feature {
                Feature::Done => self.progress = Progress::Done,
                Feature::Wait => self.progress = Progress::Waiting,
                Feature::Option(Some(option)) if self.options.len() < MOST => self.options.push(option),
                _ => {}
            }
        }
    }

    /// Declares `Hash` and `Threads` for engines that take them as commands of the protocol.
    fn declare_resources(&mut self) {
        for (capability, name) in [(Capability::Memory, "Hash"), (Capability::Cores, "Threads")] {
            let declared = self.options.iter().any(|option| option.name.eq_ignore_ascii_case(name));
            if self.features.has(capability) && !declared {
                let kind = OptionKind::Spin { default: None, min: Some(1), max: None };
                self.options.push(OptionDeclaration { name: name.to_owned(), kind });
            }
        }
    }
}
