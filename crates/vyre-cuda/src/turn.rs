//! The turn of a run: when it may add commands, how many, and how it ends.
//!
//! Commands are added in batches, so that neither their memory grows without bound nor a deadline is looked at only in the
//! end. Lists of several threads do not mix within a batch.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use vyre_runtime::{Error, RunOptions};

use crate::cancel::CancelWord;
use crate::context::{Context, Current, Lane, Listed, locked};
use crate::driver::EventHandle;
use crate::event::{Event, SPIN};
use crate::graph::Graph;
use crate::timestamps::Timestamps;

/// The most that a batch costs.
const MOST: u64 = 1 << 14;

/// The most that a batch costs whose run may be told to end.
const MOST_IF_ENDING: u64 = 256;

/// The batches that are on their way before another is begun.
const MOST_WAITING: usize = 1;

/// How long nobody looks at a token or the clock while the device is busy.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// How long kernels may take to end when they are told to.
const LONGEST_END: Duration = Duration::from_secs(10);

/// The turn of a run.
pub(crate) struct Turn<'r> {
    current: &'r Current<'r>,
    options: &'r RunOptions,
    ticket: u64,
    /// What kernels look at, if the run may be told to end.
    word: Option<CancelWord<'r>>,
    /// Held while commands are added, and not while the device is waited for.
    lane: Option<MutexGuard<'r, Lane>>,
    cost: u64,
    moments: Vec<Event<'r>>,
    graphs: Vec<Arc<Graph>>,
    batches: VecDeque<Batch<'r>>,
    times: Timestamps<'r>,
}

/// Commands that are on their way.
struct Batch<'r> {
    end: Event<'r>,
    /// When the time was to be taken.
    moments: Vec<Event<'r>>,
    /// What must not go while they run.
    _graphs: Vec<Arc<Graph>>,
}

/// Waits for something, first without a pause, then with longer and longer ones.
struct Patience {
    start: Instant,
    pause: Duration,
}

impl Patience {
    fn new() -> Patience {
        Patience { start: Instant::now(), pause: Duration::from_micros(10) }
    }

    fn wait(&mut self) {
        if self.start.elapsed() < SPIN {
            std::hint::spin_loop();
            return;
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

/// Whether a run may be told to end.
pub(crate) fn may_end(options: &RunOptions) -> bool {
    options.cancel.is_some() || options.deadline.is_some()
}

impl<'r> Turn<'r> {
    pub(crate) fn new(
        current: &'r Current<'r>,
        listed: &Listed<'_>,
        options: &'r RunOptions,
    ) -> Result<Turn<'r>, Error> {
        let word = may_end(options).then(|| CancelWord::take(current.context)).transpose()?;
        Ok(Turn {
            current,
            options,
            ticket: listed.ticket,
            word,
            lane: None,
            cost: 0,
            moments: Vec::new(),
            graphs: Vec::new(),
            batches: VecDeque::new(),
            times: Timestamps::default(),
        })
    }

    fn context(&self) -> &'r Context {
        self.current.context
    }

    /// The address of the word that tells the kernels of this run to end.
    pub(crate) fn word(&self) -> Option<u64> {
        self.word.as_ref().map(|word| word.address)
    }

    /// Makes room for commands that cost so much. When this is done, they may be added.
    pub(crate) fn make_room(&mut self, cost: u64) -> Result<(), Error> {
        let most = if self.word.is_some() { MOST_IF_ENDING } else { MOST };
        if self.lane.is_some() && self.cost > 0 && self.cost.saturating_add(cost) > most {
            self.close()?;
        }
        if self.lane.is_none() {
            self.open()?;
        }
        self.cost = self.cost.saturating_add(cost);
        Ok(())
    }

    /// Takes the time when the device comes here.
    pub(crate) fn timestamp(&mut self) -> Result<(), Error> {
        let moment = self.current.moment(self.context().main, true)?;
        self.moments.push(moment);
        Ok(())
    }

    /// Keeps a graph until the commands of this batch are done.
    pub(crate) fn keep(&mut self, graph: &Arc<Graph>) {
        if !self.graphs.iter().any(|kept| Arc::ptr_eq(kept, graph)) {
            self.graphs.push(Arc::clone(graph));
        }
    }

    /// Waits until commands may be added. Whoever has added some before is waited for where this run may be told to end:
    /// what it adds must begin at once, so that it also ends at once.
    fn open(&mut self) -> Result<(), Error> {
        while self.batches.len() > MOST_WAITING {
            self.wait_for_batch()?;
        }
        self.options.check()?;
        let mutex = self.context().lane();
        if self.word.is_none() {
            self.lane = Some(locked(mutex));
            return Ok(());
        }
        let mut patience = Patience::new();
        let lane = loop {
            match mutex.try_lock() {
                Ok(lane) => break lane,
                Err(TryLockError::Poisoned(lane)) => break PoisonError::into_inner(lane),
                Err(TryLockError::WouldBlock) => {}
            }
            self.options.check()?;
            patience.wait();
        };
        if lane.owner != self.ticket {
            self.watch(lane.last)?;
        }
        self.options.check()?;
        self.lane = Some(lane);
        Ok(())
    }

    /// Ends a batch, so that others may add commands.
    fn close(&mut self) -> Result<(), Error> {
        let main = self.context().main;
        let Some(lane) = &mut self.lane else { return Ok(()) };
        let end = self.current.moment(main, false)?;
        lane.owner = self.ticket;
        self.current.record(lane.last, main)?;
        let (moments, graphs) = (std::mem::take(&mut self.moments), std::mem::take(&mut self.graphs));
        self.batches.push_back(Batch { end, moments, _graphs: graphs });
        self.lane = None;
        self.cost = 0;
        Ok(())
    }

    /// Waits for the oldest batch.
    fn wait_for_batch(&mut self) -> Result<(), Error> {
        let Some(batch) = self.batches.front() else { return Ok(()) };
        match self.word {
            Some(_) => self.watch(batch.end.raw)?,
            None => self.current.wait(batch.end.raw)?,
        }
        if let Some(batch) = self.batches.pop_front() {
            self.times.add(self.current, batch.moments)?;
        }
        Ok(())
    }

    /// Waits for a moment until the run is to end.
    fn watch(&self, event: EventHandle) -> Result<(), Error> {
        let mut patience = Patience::new();
        while !self.current.has_come(event)? {
            self.options.check()?;
            patience.wait();
        }
        Ok(())
    }

    /// Waits for everything, and gives the times.
    pub(crate) fn finish(&mut self) -> Result<Vec<u64>, Error> {
        self.close()?;
        while !self.batches.is_empty() {
            self.wait_for_batch()?;
        }
        Ok(self.times.take())
    }

    /// Ends a run that does not go on: kernels are told to end, nothing is added, and what has begun is waited for. Where it
    /// does not end, the context is given up.
    pub(crate) fn end(&mut self) {
        // What goes wrong here has the same cause as what the run fails with, or makes the context one that is lost.
        if self.close().is_err() {
            // Nobody could tell when the commands are done.
            let _ = self.context().give_up(|programs| format!("{programs} could not be waited for"));
            self.lane = None;
            return;
        }
        let Some(batch) = self.batches.back() else { return };
        let Some(word) = &mut self.word else {
            let _ = self.current.wait(batch.end.raw);
            return;
        };
        let _ = word.set(self.current);
        let (start, mut patience) = (Instant::now(), Patience::new());
        while matches!(self.current.has_come(batch.end.raw), Ok(false)) {
            if start.elapsed() > LONGEST_END {
                let _ = self.context().give_up(|programs| format!("{programs} did not end when told to"));
                return;
            }
            patience.wait();
        }
    }
}
