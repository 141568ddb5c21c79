//! What listens to the engines of a run: the log, the debugging output, and the examination of their lines of play.

use std::sync::Arc;

use crate::compat::console::LineWriter;
use crate::compat::dialogue_log::{DialogueLog, ProgramLog, open_log};
use crate::compat::invocation::LogLevel;
use crate::compat::play::SurfaceRun;
use crate::compat::pv_watch::PvWatch;
use crate::compat::surface::Surface;
use crate::compat::texts;
use crate::player::{DialogueListener, DialogueTap, TappedLine};

impl SurfaceRun {
    /// Returns the listeners to the engines: the log, the debugging output, and the examination of their lines of play.
    pub(super) fn listen(&self, out: &LineWriter) -> Result<Listening, String> {
        let command = &self.command;
        let mut listeners: Vec<Arc<dyn DialogueListener>> = Vec::new();
        let (mut file, mut log, mut watch) = (None, None, None);
        if let Some(args) = command.log.as_ref().filter(|log| !log.out.file.as_os_str().is_empty()) {
            let writer = open_log(args).map_err(|error| error.to_string())?;
            if args.engines {
                listeners.push(Arc::new(DialogueLog::logged(writer.handle())));
            }
            let program = ProgramLog::new(writer.handle(), args.level);
            program.note(LogLevel::Info, texts::version(command.surface).lines().next().unwrap_or_default());
            program.note(LogLevel::Info, "Starting tournament...");
            (file, log) = (Some(writer), Some(program));
        }
        let debugged: Vec<String> = command
            .engines
            .iter()
            .filter(|engine| engine.debug)
            .filter_map(|engine| engine.name.clone())
            .collect();
        if command.debug || !debugged.is_empty() {
            let engines = if command.debug { Vec::new() } else { debugged };
            listeners.push(Arc::new(DialogueLog::printed(out.handle(), engines)));
        }
        if command.surface == Surface::Fastchess {
            let pv = Arc::new(PvWatch::new(command, out.handle(), log.clone(), self.stop.clone()));
            listeners.push(Arc::clone(&pv) as Arc<dyn DialogueListener>);
            watch = Some(pv);
        }
        let tap = match listeners.len() {
            0 => DialogueTap::default(),
            1 => DialogueTap::new(Arc::clone(&listeners[0])),
            _ => DialogueTap::new(Arc::new(Listeners(listeners))),
        };
        Ok(Listening { tap, log, watch, file })
    }
}

/// What listens to the engines of a run.
pub(super) struct Listening {
    pub(super) tap: DialogueTap,
    pub(super) log: Option<ProgramLog>,
    pub(super) watch: Option<Arc<PvWatch>>,
    /// The file of the log, which is complete once this is dropped.
    pub(super) file: Option<LineWriter>,
}

/// Several listeners, in this order.
struct Listeners(Vec<Arc<dyn DialogueListener>>);

impl DialogueListener for Listeners {
    fn line(&self, line: &TappedLine<'_>) {
        self.0.iter().for_each(|listener| listener.line(line));
    }
}
