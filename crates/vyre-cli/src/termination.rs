//! Process termination without destructors and exit handlers.
//!
//! A driver can block for as long as a kernel runs: in its calls, its destructors and its exit handlers. A command that has to
//! end earlier terminates the process directly. One thread claims the termination; every other thread that tries to end the
//! command, or to begin its next phase, waits for that. Temporary files and folders are removed and children are killed first.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use anyhow::anyhow;
use tempfile::{NamedTempFile, TempDir};

use crate::exit::Outcome;
use crate::output::print_error;

/// Time for the last message to be printed.
const MESSAGE_TIME: Duration = Duration::from_secs(1);

/// Maximum number of attempts to remove a temporary folder.
const REMOVALS: u32 = 10;

/// Phase of a command, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Reads and checks the input.
    Reading,
    /// Opens the device.
    Opening,
    /// Compiles the program.
    Compiling,
    /// Fills the buffers.
    Filling,
    /// Runs on the device and reads the results.
    Running,
    /// Measures the machine.
    Measuring,
    /// Prints and writes the results.
    Writing,
}

impl Phase {
    /// Subject of a sentence about the phase.
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Phase::Reading => "reading and checking the input",
            Phase::Opening => "opening the device",
            Phase::Compiling => "compiling the program",
            Phase::Filling => "filling the buffers",
            Phase::Running => "the run",
            Phase::Measuring => "the measurement",
            Phase::Writing => "writing the results",
        }
    }
}

/// State of the process.
struct State {
    phase: Phase,
    /// True if a thread terminates the process.
    is_claimed: bool,
    /// Files that are removed at termination.
    temporary_files: Vec<PathBuf>,
    /// Folders that are removed at termination.
    temporary_folders: Vec<PathBuf>,
    /// Programs that are killed at termination.
    children: Vec<Child>,
}

static STATE: Mutex<State> = Mutex::new(State {
    phase: Phase::Reading,
    is_claimed: false,
    temporary_files: Vec::new(),
    temporary_folders: Vec::new(),
    children: Vec::new(),
});

/// The state. Waits forever if another thread terminates the process.
fn state() -> MutexGuard<'static, State> {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.is_claimed {
        drop(state);
        loop {
            std::thread::park();
        }
    }
    state
}

/// Begins a phase.
pub(crate) fn enter(phase: Phase) {
    state().phase = phase;
}

/// The current phase.
pub(crate) fn phase() -> Phase {
    state().phase
}

/// Claims the termination for a thread that ends the process by itself: the return from `main`.
pub(crate) fn claim() {
    state().is_claimed = true;
}

/// Prints an error and terminates the process.
pub(crate) fn fail(error: &anyhow::Error, outcome: Outcome) -> ! {
    terminate(state(), Some(error), outcome)
}

/// Terminates the process with the error of its phase, unless it writes its results.
pub(crate) fn fail_unless_writing(error: impl FnOnce(Phase) -> anyhow::Error, outcome: Outcome) {
    let state = state();
    if state.phase != Phase::Writing {
        let error = error(state.phase);
        terminate(state, Some(&error), outcome);
    }
}

/// Terminates the process. All messages are printed, and all output is flushed.
pub(crate) fn leave(outcome: Outcome) -> ! {
    terminate(state(), None, outcome)
}

/// Runs a program to its end, unless this process terminates before. Returns its status and its standard error.
pub(crate) fn run_child(command: &mut Command) -> io::Result<(ExitStatus, Vec<u8>)> {
    let (id, stderr) = start_child(command)?;
    end_of_child(id, stderr)
}

/// Runs a program as [`run_child`] does, and kills it after this time. It then has no status.
pub(crate) fn run_child_within(limit: Duration, command: &mut Command) -> io::Result<Option<ExitStatus>> {
    let (id, stderr) = start_child(command)?;
    std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        let watch = scope.spawn(move || {
            let is_late = end.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
            if is_late {
                kill_children(|child| child == id);
            }
            is_late
        });
        let result = end_of_child(id, stderr);
        drop(ended);
        let is_late = watch.join().unwrap_or(false);
        result.map(|(status, _)| (!is_late).then_some(status))
    })
}

/// Asks all programs that [`run_child`] runs to end. Only [`kill_all_children`] ends them on systems without signals.
#[cfg_attr(unix, expect(unsafe_code, reason = "the standard library sends no signal but SIGKILL"))]
pub(crate) fn end_all_children() {
    #[cfg(unix)]
    for child in &state().children {
        if let Ok(id) = libc::pid_t::try_from(child.id()) {
            // SAFETY: the function has no preconditions. Nobody has waited for the child, so no other process has its id.
            unsafe { libc::kill(id, libc::SIGTERM) };
        }
    }
}

/// Kills all programs that [`run_child`] runs.
pub(crate) fn kill_all_children() {
    kill_children(|_| true);
}

fn kill_children(is_chosen: impl Fn(u32) -> bool) {
    for child in state().children.iter_mut().filter(|child| is_chosen(child.id())) {
        // It may have ended already.
        let _ = child.kill();
    }
}

/// Starts a program, so that termination sees all or nothing of this.
fn start_child(command: &mut Command) -> io::Result<(u32, Option<ChildStderr>)> {
    let mut state = state();
    #[cfg(target_os = "linux")]
    end_with_this_thread(command);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let (id, stderr) = (child.id(), child.stderr.take());
    state.children.push(child);
    Ok((id, stderr))
}

/// Lets the system kill the program when this thread ends, so that it does not outlive a process that is killed. The thread that starts
/// a program waits for it.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library has no function for it")]
fn end_with_this_thread(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    let this_process = std::process::id();
    let bind = move || {
        // SAFETY: this request reads no memory.
        if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // This process may have ended before the request.
        // SAFETY: the function has no preconditions.
        let parent = unsafe { libc::getppid() };
        if u32::try_from(parent) == Ok(this_process) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: the closure only makes system calls and allocates nothing, as a process between `fork` and `exec` must.
    unsafe { command.pre_exec(bind) };
}

fn end_of_child(id: u32, stderr: Option<ChildStderr>) -> io::Result<(ExitStatus, Vec<u8>)> {
    // The pipe ends when the child does. A wait for the child would keep termination waiting.
    let mut text = Vec::new();
    let read = stderr.map_or(Ok(0), |mut stderr| stderr.read_to_end(&mut text));
    let mut child = {
        let children = &mut state().children;
        let at = children.iter().position(|child| child.id() == id).ok_or(io::ErrorKind::NotFound)?;
        children.swap_remove(at)
    };
    let status = child.wait()?;
    read?;
    Ok((status, text))
}

/// Claims the termination, kills the children, removes temporary files, prints the error and ends the process.
fn terminate(mut state: MutexGuard<'_, State>, error: Option<&anyhow::Error>, outcome: Outcome) -> ! {
    state.is_claimed = true;
    for mut child in state.children.drain(..) {
        // It may have ended already.
        let _ = child.kill();
    }
    for file in state.temporary_files.drain(..) {
        // A failure cannot be reported; the file may be renamed already.
        let _ = std::fs::remove_file(file);
    }
    for folder in state.temporary_folders.drain(..) {
        // A child that was killed may have written a file in the meantime.
        let has_removed = |_: &u32| std::fs::remove_dir_all(&folder).is_ok() || !folder.exists();
        let _ = (0..REMOVALS).find(has_removed);
    }
    drop(state);
    if let Some(error) = error {
        print_error_briefly(error);
    }
    exit_directly(outcome)
}

/// Prints an error. Gives up after a moment if standard error accepts no text: the main thread can hold its lock.
fn print_error_briefly(error: &anyhow::Error) {
    let error = anyhow!("{error:#}");
    let (printed, receiver) = mpsc::channel();
    let print = move || {
        print_error(&error);
        // The receiver may have given up.
        let _ = printed.send(());
    };
    // Without a thread there is no message, and the process ends all the same.
    if std::thread::Builder::new().name("vyre-message".to_owned()).spawn(print).is_ok() {
        let _ = receiver.recv_timeout(MESSAGE_TIME);
    }
}

#[expect(unsafe_code, reason = "the standard library runs exit handlers, in which drivers can block")]
fn exit_directly(outcome: Outcome) -> ! {
    // SAFETY: the function has no preconditions.
    unsafe { libc::_exit(outcome.code().into()) }
}

/// Entry of a temporary file in the list of files that termination removes. Dropping it removes the entry.
pub(crate) struct Registration {
    path: PathBuf,
}

impl Registration {
    /// Creates a temporary file and registers it, so that termination sees all or nothing of this. The file must be dropped
    /// before its entry.
    pub(crate) fn create(
        create: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<(Registration, NamedTempFile)> {
        let mut state = state();
        let file = create()?;
        let path = absolute(file.path());
        state.temporary_files.push(path.clone());
        Ok((Registration { path }, file))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        state().temporary_files.retain(|path| *path != self.path);
    }
}

/// A temporary folder, which is removed when it is dropped, and at termination.
pub(crate) struct TemporaryFolder {
    /// `None` if it was removed.
    folder: Option<TempDir>,
    /// Its entry in the list of folders that termination removes.
    entry: PathBuf,
}

impl TemporaryFolder {
    /// Creates a folder whose name begins with a prefix.
    pub(crate) fn create(prefix: &str) -> io::Result<TemporaryFolder> {
        let mut state = state();
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let entry = absolute(folder.path());
        state.temporary_folders.push(entry.clone());
        Ok(TemporaryFolder { folder: Some(folder), entry })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.entry
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // The entry goes last: a termination in between removes the rest of the folder.
        drop(self.folder.take());
        state().temporary_folders.retain(|path| *path != self.entry);
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
