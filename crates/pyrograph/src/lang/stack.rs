//! Threads with large stacks, for parsers that recurse.

use std::sync::{Mutex, PoisonError};

/// Bytes of the stacks of the threads that lower files. The system commits the pages that are used.
pub const LARGE_STACK: usize = 256 << 20;

/// Bytes of the largest stack of one file.
pub const MAX_STACK: u64 = 8 << 30;

/// Bytes of stacks of which there is one at a time.
const HUGE_STACK: usize = 2 << 30;

static HUGE: Mutex<()> = Mutex::new(());

/// Runs work on a thread of its own, whose stack has at least the given bytes and at least [`LARGE_STACK`]. None: the system does not
/// grant the stack, or the work panicked.
pub fn with_stack<T: Send>(bytes: u64, work: impl FnOnce() -> T + Send) -> Option<T> {
    let bytes = usize::try_from(bytes).ok()?.max(LARGE_STACK);
    // Several hostile files at once must not take the memory of all their stacks.
    let _turn = (bytes > HUGE_STACK).then(|| HUGE.lock().unwrap_or_else(PoisonError::into_inner));
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).name("lower".into()).spawn_scoped(scope, work);
        thread.ok().and_then(|thread| thread.join().ok())
    })
}
