//! Child processes: forks of this process, which write one message and end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vyre_runtime::Error;

use crate::backends::Backends;
use crate::tests_of_mutants::Test;

/// Memory of a child, in bytes of address space. Software drivers of GPUs reserve much of it.
const MAX_CHILD_BYTES: u64 = 6 << 30;
const MAX_GPU_CHILD_BYTES: u64 = 40 << 30;

/// Begin of the message about a failed test.
pub const FAILED: &str = "failed: ";

/// Begin of the message about a test whose program ran past its deadline.
pub const PAST_DEADLINE: &str = "past the deadline: ";

/// Begin of the message about tests that did not fail.
pub const SURVIVED: &str = "survived";

/// What the standard libraries of Rust and C++ print before they abort for want of memory.
const OUT_OF_MEMORY: [&str; 2] = ["memory allocation of ", "std::bad_alloc"];

/// A running child.
pub struct Child {
    pid: libc::pid_t,
    start: Instant,
    message: PathBuf,
    /// What the child prints to standard error.
    errors: PathBuf,
}

/// End of a child.
#[derive(Clone, Debug)]
pub enum Ending {
    /// It wrote a message.
    Message(String),
    /// A signal ended it.
    Signal(i32),
    /// It aborted because an allocation failed.
    OutOfMemory,
    /// It ran too long and was stopped.
    TimedOut,
}

impl Child {
    /// Forks. The child does the work, writes its result to a file and ends.
    pub fn start(
        message: &Path,
        gpu: bool,
        work: &(dyn Fn() -> String + Sync),
    ) -> Result<Child, Box<dyn std::error::Error>> {
        let errors = message.with_extension("errors");
        // SAFETY: this process has one thread, so the child is a whole copy of it.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        if pid == 0 {
            silence(&errors, if gpu { MAX_GPU_CHILD_BYTES } else { MAX_CHILD_BYTES });
            // Programs nest, and the stack of the process may be small.
            let text = std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work);
                thread.map(|thread| thread.join().unwrap_or_else(|_| "a panic outside of tests".to_owned()))
            });
            let written = std::fs::write(message, text.unwrap_or_else(|error| error.to_string()));
            // SAFETY: nothing of the child needs to be dropped.
            unsafe { libc::_exit(i32::from(written.is_err())) };
        }
        Ok(Child { pid, start: Instant::now(), message: message.to_owned(), errors })
    }

    /// Time since the start.
    pub fn age(&self) -> Duration {
        self.start.elapsed()
    }

    /// How the child ended, or `None` if it runs. A child that is too old is stopped.
    pub fn poll(&mut self, limit: Duration) -> Result<Option<Ending>, Box<dyn std::error::Error>> {
        let mut status = 0;
        let is_late = self.age() > limit;
        if is_late {
            // SAFETY: the child was not waited for, so the number is still its own.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
        }
        // SAFETY: `status` is valid for writes.
        let ended = unsafe { libc::waitpid(self.pid, &mut status, if is_late { 0 } else { libc::WNOHANG }) };
        if ended == 0 {
            return Ok(None);
        }
        if ended < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        let ending = if is_late {
            Ending::TimedOut
        } else if libc::WIFSIGNALED(status) {
            let errors = std::fs::read(&self.errors).unwrap_or_default();
            ending_of_signal(libc::WTERMSIG(status), &String::from_utf8_lossy(&errors))
        } else {
            Ending::Message(std::fs::read_to_string(&self.message).unwrap_or_else(|_| "it ended early".to_owned()))
        };
        let _ = std::fs::remove_file(&self.message);
        let _ = std::fs::remove_file(&self.errors);
        Ok(Some(ending))
    }
}

/// An abort for want of memory is told from others by what the child printed.
fn ending_of_signal(signal: i32, errors: &str) -> Ending {
    let is_out_of_memory = signal == libc::SIGABRT && OUT_OF_MEMORY.iter().any(|text| errors.contains(text));
    if is_out_of_memory { Ending::OutOfMemory } else { Ending::Signal(signal) }
}

/// Discards what the child prints, but for errors, and limits its memory.
fn silence(errors: &Path, max_bytes: u64) {
    std::panic::set_hook(Box::new(|_| {}));
    let errors = std::fs::File::create(errors).map_or(-1, std::os::fd::IntoRawFd::into_raw_fd);
    // SAFETY: the path is a C string, a closed descriptor is only refused, and the limits are valid for reads.
    unsafe {
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(null, 1);
        libc::dup2(if errors < 0 { null } else { errors }, 2);
        let limit = libc::rlimit { rlim_cur: max_bytes, rlim_max: max_bytes };
        libc::setrlimit(libc::RLIMIT_AS, &limit);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
    }
}

/// Runs a test and catches its panic.
pub fn outcome(test: &Test, backends: &mut Backends) -> Result<(), String> {
    let run = std::panic::AssertUnwindSafe(|| (test.run)(backends));
    std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// True for the failure of a program that ran past its deadline, which is that error or its name in an assertion, or past the
/// maximum number of steps of interpreted PTX.
fn is_past_deadline(failure: &str) -> bool {
    let error = Error::DeadlineExceeded.to_string();
    [error.as_str(), "DeadlineExceeded", "a thread does not end"].iter().any(|text| failure.contains(text))
}

/// Runs tests until one fails or the time is over. Returns the message of the child: [`FAILED`] or [`PAST_DEADLINE`] and the test, or
/// [`SURVIVED`] and how many tests.
pub fn first_failure(tests: &[Test], order: &[u32], limit: Duration) -> String {
    let start = Instant::now();
    let mut backends = Backends::default();
    for (done, &test) in order.iter().enumerate() {
        if start.elapsed() > limit {
            return format!("{SURVIVED} {done} of {} tests", order.len());
        }
        let test = &tests[test as usize];
        if let Err(message) = outcome(test, &mut backends) {
            let line: String = message.lines().next().unwrap_or_default().chars().take(200).collect();
            let kind = if is_past_deadline(&message) { PAST_DEADLINE } else { FAILED };
            return format!("{kind}{}: {line}", test.name);
        }
    }
    format!("{SURVIVED} all {} tests", order.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aborts_for_want_of_memory_are_told_from_others() {
        let ending = |errors| ending_of_signal(libc::SIGABRT, errors);
        assert!(matches!(ending("memory allocation of 8589934592 bytes failed\n"), Ending::OutOfMemory));
        assert!(matches!(ending("thread 'x' has overflowed its stack\n"), Ending::Signal(libc::SIGABRT)));
        let killed = ending_of_signal(libc::SIGSEGV, "memory allocation of 8 bytes failed");
        assert!(matches!(killed, Ending::Signal(libc::SIGSEGV)));
    }

    #[test]
    fn deadlines_are_found_in_errors_and_assertions() {
        assert!(is_past_deadline("the op failed: the run took longer than its deadline"));
        assert!(is_past_deadline("panic: it runs: DeadlineExceeded"));
        assert!(is_past_deadline("case `a`: a thread does not end"));
        assert!(!is_past_deadline("buffer `out` differs"));
    }
}
