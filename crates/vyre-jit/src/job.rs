//! A dispatch that several threads work on.
//!
//! The thread that asks for it leads: it does what it can itself, and waits for those that have begun to help, but not for
//! those that have other things to do.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use vyre_runtime::Error;

use crate::code::SharedCode;
use crate::context::{BoundBuffer, Context};
use crate::scratch::ScratchPool;

/// How many pieces a thread has at least, so that all threads end at about the same time.
const PIECES_PER_THREAD: u64 = 16;

/// A dispatch.
pub(crate) struct Job {
    code: SharedCode,
    buffers: Vec<BoundBuffer>,
    grid: [u32; 3],
    /// Workgroups of a piece, which lie in one row; pieces of a row; and pieces of all rows.
    piece: u64,
    pieces_per_row: u64,
    pieces: u64,
    /// The first piece that nobody has taken.
    next: AtomicU64,
    /// How many pieces are done.
    done: AtomicU64,
    /// Set when the run is to end.
    pub(crate) stop: AtomicBool,
    scratch: Arc<ScratchPool>,
    crew: Mutex<Crew>,
    changed: Condvar,
}

/// Who works.
#[derive(Default)]
struct Crew {
    /// Nobody may begin any more.
    closed: bool,
    /// How many help.
    helping: usize,
    failure: Option<Error>,
}

// SAFETY: addresses are used by machine code alone, while the leader keeps what they point to; see `Job::new`.
#[expect(unsafe_code, reason = "the job holds addresses of buffers")]
unsafe impl Send for Job {}
// SAFETY: as above; everything else is shared through atomics and a lock.
#[expect(unsafe_code, reason = "the job holds addresses of buffers")]
unsafe impl Sync for Job {}

impl Job {
    /// A dispatch of a grid, no axis of which is 0.
    ///
    /// # Safety
    ///
    /// `buffers` must have the address and length of each buffer that the code binds, in order. Until [`Job::lead`] has
    /// returned, that many elements must be there to be read, and written where the program may, and nobody else may touch
    /// them but other jobs.
    #[expect(unsafe_code, reason = "machine code relies on what the caller promises")]
    pub(crate) unsafe fn new(
        code: SharedCode,
        buffers: Vec<BoundBuffer>,
        grid: [u32; 3],
        threads: u64,
        scratch: Arc<ScratchPool>,
    ) -> Job {
        let rows = u64::from(grid[1]) * u64::from(grid[2]);
        let width = u64::from(grid[0]);
        let wanted = width.saturating_mul(rows) / (threads * PIECES_PER_THREAD);
        let piece = wanted.clamp(1, width);
        let pieces_per_row = width.div_ceil(piece);
        Job {
            code,
            buffers,
            grid,
            piece,
            pieces_per_row,
            pieces: pieces_per_row.saturating_mul(rows),
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            scratch,
            crew: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// How many threads can work on it.
    pub(crate) fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Whether all of it was done.
    pub(crate) fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire) == self.pieces
    }

    fn crew(&self) -> MutexGuard<'_, Crew> {
        self.crew.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes pieces until there are none.
    #[expect(unsafe_code, reason = "machine code is called")]
    fn work(&self) -> Result<(), Error> {
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
            if number >= self.pieces || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let row = number / self.pieces_per_row;
            let first = (number % self.pieces_per_row) * self.piece;
            let end = (first + self.piece).min(u64::from(self.grid[0]));
            let (y, z) = (row % u64::from(self.grid[1]), row / u64::from(self.grid[1]));
            // SAFETY: the table has the address and length of every buffer, which stay until the leader returns, and that
            // waits for all who work; arrays and workgroup memory have the sizes that the code asks for and belong to
            // this thread; the constants are those of the code.
            let finished = unsafe { self.code.run(&mut context, first as u32, end as u32, y as u32, z as u32) };
            if !finished {
                return Ok(());
            }
            self.done.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Helps, unless the job is over.
    pub(crate) fn help(&self) {
        {
            let mut crew = self.crew();
            if crew.closed {
                return;
            }
            crew.helping += 1;
        }
        let leave = Leave { job: self };
        if let Err(error) = self.work() {
            self.crew().failure = Some(error);
        }
        drop(leave);
    }

    /// Has the job done, and takes part in it if it `works` itself.
    pub(crate) fn lead(&self, works: bool) -> Result<(), Error> {
        if works && let Err(error) = self.work() {
            self.crew().failure = Some(error);
        }
        let mut crew = self.crew();
        // Somebody has to take the pieces; what has failed for all of them ends the job too.
        while !works && crew.failure.is_none() && self.is_waiting() {
            let waited = self.changed.wait_timeout(crew, Duration::from_millis(1));
            crew = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        crew.closed = true;
        while crew.helping > 0 {
            crew = self.changed.wait(crew).unwrap_or_else(PoisonError::into_inner);
        }
        match crew.failure.take() {
            // The others may have done everything.
            Some(error) if !self.is_done() => Err(error),
            _ => Ok(()),
        }
    }

    fn is_waiting(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.pieces && !self.stop.load(Ordering::Relaxed)
    }
}

/// Leaves the crew, whatever happens.
struct Leave<'j> {
    job: &'j Job,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.job.crew().helping -= 1;
        self.job.changed.notify_all();
    }
}
