//! Parallel dispatch: dynamic self-scheduling of chunks of workgroups.
//!
//! Threads claim chunks from an atomic counter. The calling thread is the leader: it participates, and waits for helpers that
//! have started, but not for threads that are busy with other dispatches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use vyre_runtime::Error;

use crate::code::SharedCode;
use crate::context::{BoundBuffer, Context};
use crate::scratch::ScratchPool;

/// Target number of chunks per thread, which balances the load.
const CHUNKS_PER_THREAD: u64 = 16;

/// A dispatch in progress.
pub(crate) struct Job {
    code: SharedCode,
    buffers: Vec<BoundBuffer>,
    grid: [u32; 3],
    /// Number of workgroups of a chunk. A chunk has consecutive workgroups that share y and z (a scanline of the grid).
    chunk_workgroups: u64,
    chunks_per_scanline: u64,
    /// Number of chunks of the grid.
    chunks: u64,
    /// The first chunk that is not claimed.
    next: AtomicU64,
    /// Number of completed chunks.
    done: AtomicU64,
    /// Cancellation flag.
    pub(crate) stop: AtomicBool,
    scratch: Arc<ScratchPool>,
    participants: Mutex<Participants>,
    changed: Condvar,
}

/// Threads that participate in a dispatch.
#[derive(Default)]
struct Participants {
    /// True if no further helper may start.
    closed: bool,
    /// Number of active helpers.
    helpers: usize,
    failure: Option<Error>,
}

// SAFETY: only machine code dereferences the addresses, and the leader keeps the buffers alive; see `Job::new`.
#[expect(unsafe_code, reason = "the job holds addresses of buffers")]
unsafe impl Send for Job {}
// SAFETY: as above; all other state is in atomics and behind a lock.
#[expect(unsafe_code, reason = "the job holds addresses of buffers")]
unsafe impl Sync for Job {}

impl Job {
    /// Creates a dispatch of a grid. No axis may be 0.
    ///
    /// # Safety
    ///
    /// `buffers` must have the address and length of each buffer that the code binds, in order. Until
    /// [`Job::run_as_leader`] returns, that many elements must be readable, and writable if the program may write them. Only
    /// other jobs may access them at the same time.
    #[expect(unsafe_code, reason = "machine code relies on the guarantees of the caller")]
    pub(crate) unsafe fn new(
        code: SharedCode,
        buffers: Vec<BoundBuffer>,
        grid: [u32; 3],
        threads: u64,
        scratch: Arc<ScratchPool>,
    ) -> Job {
        let scanlines = u64::from(grid[1]) * u64::from(grid[2]);
        let width = u64::from(grid[0]);
        let wanted = width.saturating_mul(scanlines) / (threads * CHUNKS_PER_THREAD);
        let chunk_workgroups = wanted.clamp(1, width);
        let chunks_per_scanline = width.div_ceil(chunk_workgroups);
        Job {
            code,
            buffers,
            grid,
            chunk_workgroups,
            chunks_per_scanline,
            chunks: chunks_per_scanline.saturating_mul(scanlines),
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            scratch,
            participants: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Number of chunks, the maximum number of threads that can participate.
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// Reports whether all chunks are completed.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire) == self.chunks
    }

    fn participants(&self) -> MutexGuard<'_, Participants> {
        self.participants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims and runs chunks until none is left.
    #[expect(unsafe_code, reason = "calls machine code")]
    fn run_chunks(&self) -> Result<(), Error> {
        let scratch = self.scratch.take(self.code.scratch_bytes, self.code.workgroup_bytes)?;
        let mut context = Context {
            zeros: [0; 4],
            sink: [0; 4],
            buffers: self.buffers.as_ptr(),
            scratch: scratch.address(),
            workgroup: scratch.workgroup(),
            constants: self.code.constants.as_ptr(),
            cancel: self.stop.as_ptr().cast(),
            grid: self.grid,
            padding: 0,
        };
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.chunks || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let scanline = number / self.chunks_per_scanline;
            let first = (number % self.chunks_per_scanline) * self.chunk_workgroups;
            let end = (first + self.chunk_workgroups).min(u64::from(self.grid[0]));
            let (y, z) = (scanline % u64::from(self.grid[1]), scanline / u64::from(self.grid[1]));
            // SAFETY: the table has the address and length of every buffer. They stay valid until the leader returns, which
            // waits for all participants. Scratch and workgroup memory have the sizes that the code requires and belong to
            // this thread. The constant pool is that of the code.
            let finished = unsafe { self.code.run(&mut context, first as u32, end as u32, y as u32, z as u32) };
            if !finished {
                return Ok(());
            }
            self.done.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Participates as a helper, unless the dispatch is closed.
    pub(crate) fn run_as_helper(&self) {
        {
            let mut participants = self.participants();
            if participants.closed {
                return;
            }
            participants.helpers += 1;
        }
        let guard = HelperGuard { job: self };
        if let Err(error) = self.run_chunks() {
            self.participants().failure = Some(error);
        }
        drop(guard);
    }

    /// Completes the dispatch. The leader runs chunks too if it `participates`.
    pub(crate) fn run_as_leader(&self, participates: bool) -> Result<(), Error> {
        if participates && let Err(error) = self.run_chunks() {
            self.participants().failure = Some(error);
        }
        let mut participants = self.participants();
        // Without the leader, helpers must claim all chunks, unless one of them fails.
        while !participates && participants.failure.is_none() && self.has_unclaimed_chunks() {
            let waited = self.changed.wait_timeout(participants, Duration::from_millis(1));
            participants = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        participants.closed = true;
        while participants.helpers > 0 {
            participants = self.changed.wait(participants).unwrap_or_else(PoisonError::into_inner);
        }
        match participants.failure.take() {
            // Other participants may have completed all chunks.
            Some(error) if !self.is_done() => Err(error),
            _ => Ok(()),
        }
    }

    fn has_unclaimed_chunks(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.chunks && !self.stop.load(Ordering::Relaxed)
    }
}

/// Unregisters a helper, also on a panic.
struct HelperGuard<'j> {
    job: &'j Job,
}

impl Drop for HelperGuard<'_> {
    fn drop(&mut self) {
        self.job.participants().helpers -= 1;
        self.job.changed.notify_all();
    }
}
