//! Work that goes as deep as programs nest.

use vyre_runtime::Error;

/// The stack that is enough for compilers of drivers at the deepest nesting that validation lets through.
const STACK_BYTES: usize = 1 << 28;

/// Does something on a thread with a large stack. That it panics is an error.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    let failed = |message: String| Error::Backend { message };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("vyre-cuda-compiler".to_owned()).stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).map_err(|error| failed(error.to_string()))?;
        thread.join().unwrap_or_else(|_| Err(failed("the compiler of kernels has failed".to_owned())))
    })
}
