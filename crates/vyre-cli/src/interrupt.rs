//! Handler of Ctrl-C.

use anyhow::Context as _;
use vyre::runtime::CancelToken;

use crate::exit::Outcome;
use crate::output::print_note;

/// Installs the handler and returns a token that Ctrl-C cancels, so that work ends without partial files. A second Ctrl-C
/// ends the process immediately. Must be called only once.
pub(crate) fn cancelled_by_interrupt() -> anyhow::Result<CancelToken> {
    let token = CancelToken::default();
    let cancelled = token.clone();
    let interrupt = move || {
        if cancelled.is_cancelled() {
            std::process::exit(Outcome::Interrupted.code().into());
        }
        cancelled.cancel();
        print_note("interrupted; press Ctrl-C again to end at once");
    };
    ctrlc::set_handler(interrupt).context("cannot install a handler for Ctrl-C")?;
    Ok(token)
}
