//! Submissions: batches of commands, their order among threads, and their completion or abort.
//!
//! A run submits its commands in batches. That bounds the memory of pending commands, and the run checks its token and its
//! deadline between batches. Batches of several threads do not interleave: a thread holds the submission lock while it adds
//! a batch, and releases it while it waits for the device.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use vyre_runtime::shell::Backoff;
use vyre_runtime::{Error, LossReason, RunOptions};

use super::cancel::CancelWord;
use super::events::Event;
use super::in_flight::InFlight;
use super::queue::{LastBatch, SubmissionQueue};
use super::timestamps::Timestamps;
use crate::driver::context::{Context, Current};
use crate::driver::event::SPIN_TIME;
use crate::driver::graph::Graph;
use crate::driver::library::EventHandle;
use crate::sync::lock;

/// Maximum cost of a batch.
const MAX_BATCH_COST: u64 = 1 << 14;

/// Maximum cost of a batch of a cancellable run.
const MAX_CANCELLABLE_BATCH_COST: u64 = 256;

/// Maximum pending batches of a run when it begins another one.
const MAX_PENDING_BATCHES: usize = 1;

/// Time that kernels have to end after their cancel word is set.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);

/// Submission of a run's commands.
pub(crate) struct Submission<'r> {
    queue: &'r SubmissionQueue,
    current: &'r Current<'r>,
    options: &'r RunOptions,
    /// Ticket of the run.
    ticket: u64,
    /// Cancel word of a cancellable run.
    cancel_word: Option<CancelWord<'r>>,
    /// Submission lock, held while commands are added.
    lock: Option<MutexGuard<'r, LastBatch>>,
    /// Cost of the open batch.
    cost: u64,
    /// Timestamps of the open batch.
    timestamps: Vec<Event<'r>>,
    /// Graphs of the open batch.
    graphs: Vec<Arc<Graph>>,
    /// Submitted batches, the oldest first.
    pending: VecDeque<Batch<'r>>,
    times: Timestamps<'r>,
}

/// Batch that the device executes.
struct Batch<'r> {
    /// Completes when all commands of the batch are complete.
    end: Event<'r>,
    timestamps: Vec<Event<'r>>,
    /// Graphs that must not be destroyed while they run.
    _graphs: Vec<Arc<Graph>>,
}

impl<'r> Submission<'r> {
    pub(crate) fn new(
        queue: &'r SubmissionQueue,
        current: &'r Current<'r>,
        in_flight: &InFlight<'_>,
        options: &'r RunOptions,
    ) -> Result<Submission<'r>, Error> {
        let take_word = || CancelWord::take(current.context, &queue.cancel_words);
        let cancel_word = options.can_stop().then(take_word).transpose()?;
        Ok(Submission {
            queue,
            current,
            options,
            ticket: in_flight.ticket,
            cancel_word,
            lock: None,
            cost: 0,
            timestamps: Vec::new(),
            graphs: Vec::new(),
            pending: VecDeque::new(),
            times: Timestamps::default(),
        })
    }

    fn context(&self) -> &'r Context {
        self.current.context
    }

    /// Address of the run's cancel word.
    pub(crate) fn cancel_word(&self) -> Option<u64> {
        self.cancel_word.as_ref().map(|word| word.address)
    }

    /// Makes room for commands of a cost. The caller may add them when this returns.
    pub(crate) fn reserve(&mut self, cost: u64) -> Result<(), Error> {
        let max_cost = if self.cancel_word.is_some() { MAX_CANCELLABLE_BATCH_COST } else { MAX_BATCH_COST };
        if self.lock.is_some() && self.cost > 0 && self.cost.saturating_add(cost) > max_cost {
            self.end_batch()?;
        }
        if self.lock.is_none() {
            self.begin_batch()?;
        }
        self.cost = self.cost.saturating_add(cost);
        Ok(())
    }

    /// Adds a timestamp.
    pub(crate) fn timestamp(&mut self) -> Result<(), Error> {
        let event = self.queue.events.record(self.current, self.context().streams.main, true)?;
        self.timestamps.push(event);
        Ok(())
    }

    /// Keeps a graph alive until the open batch is complete.
    pub(crate) fn keep_alive(&mut self, graph: &Arc<Graph>) {
        if !self.graphs.iter().any(|kept| Arc::ptr_eq(kept, graph)) {
            self.graphs.push(Arc::clone(graph));
        }
    }

    /// Acquires the submission lock. A cancellable run also waits for the last batch of another run: its own commands must
    /// start at once, so that they also end at once when they are cancelled.
    fn begin_batch(&mut self) -> Result<(), Error> {
        while self.pending.len() > MAX_PENDING_BATCHES {
            self.wait_for_batch()?;
        }
        self.options.check()?;
        let mutex = &self.queue.last_batch;
        if self.cancel_word.is_none() {
            self.lock = Some(lock(mutex));
            return self.current.wait_for_uploads(self.context().streams.main);
        }
        let mut backoff = Backoff::spinning(SPIN_TIME);
        let last_batch = loop {
            match mutex.try_lock() {
                Ok(last_batch) => break last_batch,
                Err(TryLockError::Poisoned(last_batch)) => break PoisonError::into_inner(last_batch),
                Err(TryLockError::WouldBlock) => {}
            }
            self.options.check()?;
            backoff.wait();
        };
        if last_batch.ticket != self.ticket {
            self.wait_cancellable(last_batch.end)?;
        }
        self.options.check()?;
        self.lock = Some(last_batch);
        self.current.wait_for_uploads(self.context().streams.main)
    }

    /// Ends the open batch and releases the submission lock.
    fn end_batch(&mut self) -> Result<(), Error> {
        let main = self.context().streams.main;
        let Some(last_batch) = &mut self.lock else { return Ok(()) };
        let end = self.queue.events.record(self.current, main, false)?;
        last_batch.ticket = self.ticket;
        self.current.record(last_batch.end, main)?;
        let (timestamps, graphs) = (std::mem::take(&mut self.timestamps), std::mem::take(&mut self.graphs));
        self.pending.push_back(Batch { end, timestamps, _graphs: graphs });
        self.lock = None;
        self.cost = 0;
        Ok(())
    }

    /// Waits for the oldest pending batch.
    fn wait_for_batch(&mut self) -> Result<(), Error> {
        let Some(batch) = self.pending.front() else { return Ok(()) };
        match self.cancel_word {
            Some(_) => self.wait_cancellable(batch.end.raw)?,
            None => self.current.wait(batch.end.raw)?,
        }
        if let Some(batch) = self.pending.pop_front() {
            self.times.add(self.current, batch.timestamps)?;
        }
        Ok(())
    }

    /// Waits for an event. Fails when the run is cancelled or its deadline passes.
    fn wait_cancellable(&self, event: EventHandle) -> Result<(), Error> {
        let mut backoff = Backoff::spinning(SPIN_TIME);
        while !self.current.is_complete(event)? {
            self.options.check()?;
            backoff.wait();
        }
        Ok(())
    }

    /// Waits for all commands and returns the timestamps.
    pub(crate) fn finish(&mut self) -> Result<Vec<u64>, Error> {
        self.end_batch()?;
        while !self.pending.is_empty() {
            self.wait_for_batch()?;
        }
        Ok(self.times.take())
    }

    /// Aborts a failed run: sets the cancel word, adds no more commands, and waits for the submitted ones. If they do not
    /// complete in time, the context is lost.
    pub(crate) fn abort(&mut self) {
        // Errors here have the cause that the run already reports, or mark the context as lost.
        if self.end_batch().is_err() {
            // The completion of the commands cannot be observed.
            let liveness = self.context().liveness();
            let _ = liveness.mark_lost(|programs| LossReason::NotObserved { programs });
            self.lock = None;
            return;
        }
        let Some(batch) = self.pending.back() else { return };
        let Some(word) = &mut self.cancel_word else {
            let _ = self.current.wait(batch.end.raw);
            return;
        };
        let _ = word.set(self.current);
        let (start, mut backoff) = (Instant::now(), Backoff::spinning(SPIN_TIME));
        while matches!(self.current.is_complete(batch.end.raw), Ok(false)) {
            if start.elapsed() > CANCEL_TIMEOUT {
                let liveness = self.context().liveness();
                let _ = liveness.mark_lost(|programs| LossReason::NotStopped { programs });
                return;
            }
            backoff.wait();
        }
    }
}
