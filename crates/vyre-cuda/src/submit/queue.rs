//! Submission queue: the state of a context that all its submissions share.

use std::sync::{Arc, Mutex};

use super::cancel::CancelWords;
use super::events::EventPool;
use super::graph_cache::GraphCache;
use crate::driver::context::Context;
use crate::driver::gpu::Gpu;
use crate::driver::library::{EventHandle, Failure};
use crate::driver::streams::create_event;

/// Submission queue of a context.
pub(crate) struct SubmissionQueue {
    pub(crate) events: EventPool,
    pub(crate) cancel_words: CancelWords,
    pub(crate) graphs: Mutex<GraphCache>,
    /// Submission lock: a thread holds it while it adds the commands of a batch.
    pub(crate) last_batch: Mutex<LastBatch>,
    /// Must be dropped after the graphs, which are destroyed through it.
    pub(crate) context: Arc<Context>,
}

/// Batch that was submitted last.
pub(crate) struct LastBatch {
    /// Completes when the commands of the batch are complete.
    pub(crate) end: EventHandle,
    /// Ticket of the run that submitted it.
    pub(crate) ticket: u64,
}

impl SubmissionQueue {
    /// Opens a context on a GPU, with an empty queue.
    pub(crate) fn open(gpu: &Gpu) -> Result<SubmissionQueue, Failure> {
        let context = Context::open(gpu)?;
        let (end, cancel_words) =
            context.with_current(|driver| Ok((create_event(driver, false)?, CancelWords::create(driver)?)))?;
        Ok(SubmissionQueue {
            events: EventPool::default(),
            cancel_words,
            graphs: Mutex::default(),
            last_batch: Mutex::new(LastBatch { end, ticket: 0 }),
            context,
        })
    }
}
