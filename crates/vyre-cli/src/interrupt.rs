//! Handlers of Ctrl-C.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use vyre::runtime::CancelToken;

use crate::exit::Outcome;
use crate::output::print_note;
use crate::termination;

/// Time for a command to end by itself after the first Ctrl-C.
const INTERRUPT_GRACE: Duration = Duration::from_secs(10);

/// Time after the first Ctrl-C in which further signals count as the same one. `timeout` sends two: one to the command, and one to its
/// process group.
const SAME_INTERRUPT: Duration = Duration::from_secs(1);

/// Pause between two attempts to end a command that writes results.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Installs the handler and returns a token that Ctrl-C cancels, so that work ends without partial files. A second Ctrl-C,
/// a second later or more, ends the process immediately, and so does a device that keeps the command waiting. Must be called only once.
pub(crate) fn cancelled_by_interrupt() -> anyhow::Result<CancelToken> {
    let token = CancelToken::default();
    let cancelled = token.clone();
    let mut first = None;
    let interrupt = move || {
        let is_again = first.is_some();
        if first.get_or_insert_with(Instant::now).elapsed() < SAME_INTERRUPT && is_again {
            return;
        }
        if cancelled.is_cancelled() {
            termination::leave(Outcome::Interrupted);
        }
        cancelled.cancel();
        // On a thread: standard error can block, and the handler must see the second Ctrl-C.
        let note = || print_note("interrupted; press Ctrl-C again to end at once");
        let _ = std::thread::Builder::new().name("vyre-message".to_owned()).spawn(note);
        // Without a thread, a second Ctrl-C is needed.
        let _ = std::thread::Builder::new().name("vyre-interrupt".to_owned()).spawn(|| {
            std::thread::sleep(INTERRUPT_GRACE);
            let error = |_| anyhow!("interrupted: the device did not stop, and the output is not complete");
            loop {
                termination::fail_unless_writing(error, Outcome::Interrupted);
                std::thread::sleep(RETRY_PAUSE);
            }
        });
    };
    ctrlc::set_handler(interrupt).context("cannot install a handler for Ctrl-C")?;
    Ok(token)
}

/// Installs a handler that ends the process immediately and removes temporary files. Must be called only once.
pub(crate) fn end_on_interrupt() -> anyhow::Result<()> {
    let interrupt = || {
        let error = anyhow!("ended by a signal: {} was not finished", termination::phase().subject());
        termination::fail(&error, Outcome::Interrupted);
    };
    ctrlc::set_handler(interrupt).context("cannot install a handler for Ctrl-C")
}
