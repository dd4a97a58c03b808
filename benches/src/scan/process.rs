//! Processor time and peak memory of a process with its descendants.

use std::io;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a process used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Time of processors in user and kernel mode, with that of descendants that were waited for.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Peak resident memory in KiB of the process, or of the largest one of its descendants.
    pub peak_kib: u64,
    /// Exit status. None: a signal ended it.
    pub status: Option<i32>,
}

/// Runs a command to its end.
///
/// # Errors
///
/// The command cannot be started or waited for.
#[cfg(unix)]
#[expect(unsafe_code, reason = "wait4 is a C function; the standard library has no counterpart with resource usage")]
pub fn measure(command: &mut Command) -> io::Result<Usage> {
    let start = Instant::now();
    let child = command.spawn()?;
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    loop {
        // SAFETY: an all-zero rusage is valid; it has only integers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to live variables of the types that wait4 writes. The process is a child that nothing else
        // waits for: `child` is dropped without a wait.
        let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
        if waited == pid {
            return Ok(Usage {
                cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
                wall: start.elapsed(),
                peak_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
                status: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
            });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(unix)]
fn duration(time: libc::timeval) -> Duration {
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0));
    seconds + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// Fails: other systems have no such figures.
///
/// # Errors
///
/// Always.
#[cfg(not(unix))]
pub fn measure(_command: &mut Command) -> io::Result<Usage> {
    let _ = (Instant::now(), Duration::ZERO);
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn time_and_memory_are_those_of_the_process() {
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3";
        let usage = measure(Command::new("sh").args(["-c", script])).expect("there is a shell");
        assert_eq!(usage.status, Some(3));
        assert!(usage.cpu > Duration::ZERO && usage.peak_kib > 0, "{usage:?}");
    }
}
