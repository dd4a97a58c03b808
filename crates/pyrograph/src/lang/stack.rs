//! Threads with large stacks, for parsers that recurse.

/// Bytes of a large stack. The system commits the pages that are used.
pub const LARGE_STACK: usize = 256 << 20;

/// Runs work on a thread with a stack of 256 MB. None: the thread could not start, or the work panicked.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).name("lower".into()).spawn_scoped(scope, work);
        thread.ok().and_then(|thread| thread.join().ok())
    })
}
