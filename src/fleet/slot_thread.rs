//! A permanent thread that hosts slots. It serves their engines, so it only ends after they do.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};

use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;
use tokio_util::task::TaskTracker;

use crate::fleet::live_board::LiveBoard;
use crate::fleet::placement::Thread;
use crate::fleet::slot::{PairEnd, Slot, SlotOrder, SlotShared};
use crate::fleet::stall_detector::DelayProbe;
use crate::player::Serving;

/// A slot to be opened on a worker.
#[derive(Debug)]
pub(super) struct NewSlot {
    pub(super) number: usize,
    pub(super) board: LiveBoard,
    pub(super) orders: UnboundedReceiver<SlotOrder>,
}

/// The thread on which a slot runs.
#[derive(Debug)]
pub(super) struct WorkerHost {
    thread: Thread,
    probe: Rc<DelayProbe>,
    /// Number of slots that have engines.
    active_slots: Cell<usize>,
    bound_to: RefCell<Vec<usize>>,
}

impl WorkerHost {
    /// Binds this thread to the processors of a game, if it serves no other game.
    pub(super) fn bind_if_alone(&self, processors: &[usize]) {
        if self.active_slots.get() == 1 {
            self.bind(processors);
        }
    }

    fn bind(&self, processors: &[usize]) {
        if *self.bound_to.borrow() != processors {
            self.thread.bind(processors);
            self.bound_to.replace(processors.to_vec());
        }
    }

    fn count(&self, active_slots: usize) {
        self.active_slots.set(active_slots);
        // A thread that serves several games cannot be bound to the processor of one, nor block on the engines of
        // one.
        if active_slots != 1 {
            self.bind(&[]);
        }
        self.probe.serve(if active_slots == 1 { Serving::OneGame } else { Serving::Others });
    }
}

/// Registration of an active slot on its thread, until it is dropped.
#[derive(Debug)]
pub(super) struct ActiveSlot(Rc<WorkerHost>);

impl ActiveSlot {
    pub(super) fn on(host: &Rc<WorkerHost>) -> Self {
        host.count(host.active_slots.get() + 1);
        Self(Rc::clone(host))
    }
}

impl Drop for ActiveSlot {
    fn drop(&mut self) {
        self.0.count(self.0.active_slots.get() - 1);
    }
}

/// Whether a worker handles signals for the whole fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkerRole {
    Slots,
    SlotsAndSignals,
}

/// A worker thread.
#[derive(Debug)]
pub(super) struct SlotWorker {
    pub(super) slots: UnboundedSender<NewSlot>,
    pub(super) thread: JoinHandle<()>,
}

impl SlotWorker {
    /// Starts a worker. It ends when the sender of its slots and all senders of their orders have been dropped.
    pub(super) fn start(
        number: usize,
        role: WorkerRole,
        shared: Arc<SlotShared>,
        done: impl Fn(usize, PairEnd) + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let (slots, new_slots) = unbounded_channel();
        let (report, built) = channel();
        // The runtime is built on its own thread: if the system has no thread for it, there must be none to drop here, inside
        // another runtime.
        let thread = thread::Builder::new().name(format!("slots-{number}")).spawn(move || {
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(report.send(error)),
            };
            drop(report);
            LocalSet::new().block_on(&runtime, serve(role, shared, new_slots, done));
        })?;
        match built.recv() {
            Ok(error) => Err(error),
            // The sender is dropped once the runtime is there.
            Err(_) => Ok(Self { slots, thread }),
        }
    }
}

async fn serve(
    role: WorkerRole,
    shared: Arc<SlotShared>,
    mut new_slots: UnboundedReceiver<NewSlot>,
    done: impl Fn(usize, PairEnd) + Clone + 'static,
) {
    let probe = Rc::new(DelayProbe::new());
    let watch = tokio::task::spawn_local({
        let (probe, shared) = (Rc::clone(&probe), Arc::clone(&shared));
        async move {
            if role == WorkerRole::SlotsAndSignals {
                tokio::join!(probe.run(&shared.suspensions), shared.suspensions.watch_sigcont(&probe));
            } else {
                probe.run(&shared.suspensions).await;
            }
        }
    });
    let (playing, shutdowns) = (TaskTracker::new(), TaskTracker::new());
    let host = Rc::new(WorkerHost {
        thread: Thread::current(),
        probe: Rc::clone(&probe),
        active_slots: Cell::new(0),
        bound_to: RefCell::default(),
    });
    while let Some(NewSlot { number, board, orders }) = new_slots.recv().await {
        let (shared, probe, shutdowns) = (Arc::clone(&shared), Rc::clone(&probe), shutdowns.clone());
        let slot = Slot { number, cpus: Vec::new(), host: Rc::clone(&host), shared, probe, board, shutdowns };
        playing.spawn_local(slot.run(orders, done.clone()));
    }
    playing.close();
    playing.wait().await;
    shutdowns.close();
    shutdowns.wait().await;
    watch.abort();
}
