//! Threads with large stacks, for compilers that recurse as deep as programs nest.

use crate::error::Error;

/// Stack that suffices for the compilers in use at the deepest nesting that validation accepts. The system commits its
/// pages on first use.
const STACK_BYTES: usize = 1 << 28;

/// Runs `work` on a thread with a large stack and waits for it.
///
/// # Errors
///
/// The error of `work`; [`Error::Compile`] with the compiler's name if it panics; [`Error::Driver`] if the thread cannot be
/// created.
pub fn on_large_stack<T: Send>(
    compiler: &'static str,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name(format!("vyre-{compiler}")).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).map_err(|error| Error::driver("creating a thread", error))?;
        thread.join().unwrap_or_else(|_| Err(Error::compile(compiler, "the compiler panicked")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(on_large_stack("test", || Ok(7)), Ok(7));
        let outcome: Result<(), Error> = on_large_stack("test", || std::panic::resume_unwind(Box::new(())));
        assert_eq!(outcome, Err(Error::compile("test", "the compiler panicked")));
    }
}
