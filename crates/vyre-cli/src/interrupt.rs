//! Ctrl-C.

use anyhow::Context as _;
use vyre::runtime::CancelToken;

use crate::exit::Outcome;
use crate::output::say;

/// A token that Ctrl-C cancels, so that work ends in order and leaves nothing half done. A second Ctrl-C ends the process at
/// once. Called once.
pub(crate) fn cancelled_by_interrupt() -> anyhow::Result<CancelToken> {
    let token = CancelToken::default();
    let cancelled = token.clone();
    let interrupt = move || {
        if cancelled.is_cancelled() {
            std::process::exit(Outcome::Interrupted.code().into());
        }
        cancelled.cancel();
        say("interrupted; press Ctrl-C again to end at once");
    };
    ctrlc::set_handler(interrupt).context("cannot watch for Ctrl-C")?;
    Ok(token)
}
