//! Programs in flight: the candidates for a kernel fault.

use std::sync::Arc;

use crate::driver::context::Context;

/// Registration of the programs of a run. While it exists, a loss of the context names them.
pub(crate) struct InFlight<'c> {
    context: &'c Context,
    /// Number that identifies the run.
    pub(crate) ticket: u64,
}

impl<'c> InFlight<'c> {
    /// Registers programs by their names.
    pub(crate) fn register(context: &'c Context, programs: Vec<Arc<str>>) -> InFlight<'c> {
        InFlight { context, ticket: context.liveness().register(programs) }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.context.liveness().unregister(self.ticket);
    }
}
