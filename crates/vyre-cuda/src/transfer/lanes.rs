//! Staging lanes: pinned chunks for the threads of large transfers.
//!
//! A thread takes a lane, moves pieces through its chunks in turn, and returns it. A lane is created when all others are in
//! use, up to a maximum, and kept for the life of the context: pinning memory takes longer than a transfer through it.

use std::sync::{Condvar, Mutex, PoisonError};

use vyre_runtime::Error;

use super::pieces::MAX_PIECE_BYTES;
use super::pinned::Pinned;
use crate::driver::context::Current;
use crate::driver::library::{EventHandle, Failure};
use crate::driver::streams::create_event;
use crate::sync::lock;

/// Number of chunks of a lane. While the device copies one, the host copies another.
pub(super) const LANE_CHUNKS: usize = 2;

const LANE_BYTES: usize = LANE_CHUNKS * MAX_PIECE_BYTES;

/// Pinned chunk of [`MAX_PIECE_BYTES`], and the event that completes when the device has finished with it.
#[derive(Clone, Copy)]
pub(super) struct Chunk {
    pub(super) start: *mut u8,
    pub(super) free: EventHandle,
}

/// Chunks of one thread.
pub(super) struct Lane {
    memory: Pinned,
    free: [EventHandle; LANE_CHUNKS],
}

impl Lane {
    fn new(current: &Current<'_>) -> Result<Lane, Failure> {
        let memory = Pinned::large(current, LANE_BYTES)?;
        let event = || create_event(current.driver(), false);
        Ok(Lane { memory, free: [event()?, event()?] })
    }

    /// Chunk of the `number`-th piece of a thread.
    pub(super) fn chunk(&self, number: usize) -> Chunk {
        let at = number % LANE_CHUNKS;
        Chunk { start: self.memory.address().wrapping_add(at * MAX_PIECE_BYTES), free: self.free[at] }
    }
}

/// Lanes of a context.
pub(super) struct Lanes {
    state: Mutex<State>,
    returned: Condvar,
    max_count: usize,
}

#[derive(Default)]
struct State {
    free: Vec<Lane>,
    /// Number of lanes, in use and free.
    count: usize,
}

impl Lanes {
    pub(super) fn new(max_count: usize) -> Lanes {
        Lanes { state: Mutex::default(), returned: Condvar::new(), max_count: max_count.max(1) }
    }

    /// Calls `work` with a lane. Waits if all are in use and no other can be created.
    pub(super) fn with(
        &self,
        current: &Current<'_>,
        work: impl FnOnce(&Lane) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let lane = self.take(current)?;
        let outcome = work(&lane);
        let mut state = lock(&self.state);
        match outcome {
            // The events of the chunks tell when the device has finished with them.
            Ok(()) => state.free.push(lane),
            // The device may still access the chunks, so they are not used again. Their memory is freed with the context.
            Err(_) => state.count -= 1,
        }
        drop(state);
        self.returned.notify_all();
        outcome
    }

    fn take(&self, current: &Current<'_>) -> Result<Lane, Error> {
        let mut state = lock(&self.state);
        let mut may_create = true;
        loop {
            if let Some(lane) = state.free.pop() {
                return Ok(lane);
            }
            // If no lane is left, nobody would return one.
            if (may_create && state.count < self.max_count) || state.count == 0 {
                state.count += 1;
                drop(state);
                let failure = match Lane::new(current) {
                    Ok(lane) => return Ok(lane),
                    Err(failure) => failure,
                };
                state = lock(&self.state);
                state.count -= 1;
                if failure.is_sticky() || state.count == 0 {
                    drop(state);
                    self.returned.notify_all();
                    return Err(creation_error(current, failure));
                }
                may_create = false;
                continue;
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn creation_error(current: &Current<'_>, failure: Failure) -> Error {
    match failure.is_out_of_memory() {
        true => Error::out_of_host_memory(LANE_BYTES as u64),
        false => current.context.failed("cuMemHostAlloc", failure),
    }
}
