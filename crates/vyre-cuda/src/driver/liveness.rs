//! Liveness of a context: whether it is lost, and for which reason.
//!
//! A context is lost after a sticky error, such as a kernel fault, or when a kernel does not end in time. The first loss
//! reason stays. It names the work that was in flight at that moment, since the driver does not report which kernel failed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use vyre_runtime::{Error, LossReason};

use crate::sync::{lock, unique_id};

/// Liveness of a context. It outlives the context.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    loss_reason: OnceLock<LossReason>,
    in_flight: Mutex<InFlightLabels>,
}

/// Labels of the work in flight, by ticket.
type InFlightLabels = BTreeMap<u64, Vec<Arc<str>>>;

impl Liveness {
    pub(crate) fn is_lost(&self) -> bool {
        self.loss_reason.get().is_some()
    }

    /// Reason of the loss.
    pub(crate) fn loss_reason(&self) -> Option<&LossReason> {
        self.loss_reason.get()
    }

    /// Error of every call on a lost context.
    pub(crate) fn loss(&self) -> Option<Error> {
        self.loss_reason().map(|reason| Error::DeviceLost { reason: reason.clone(), can_reopen: true })
    }

    /// Error of every use of a buffer whose context is lost or destroyed.
    pub(crate) fn lost_contents(&self) -> Error {
        Error::BufferLost { reason: self.loss_reason().cloned().unwrap_or(LossReason::Closed) }
    }

    /// Marks the context as lost, unless it already is. `reason` receives the labels of the work in flight.
    pub(crate) fn mark_lost(&self, reason: impl FnOnce(Vec<Arc<str>>) -> LossReason) -> Error {
        let labels = || lock(&self.in_flight).values().flatten().cloned().collect();
        let reason = self.loss_reason.get_or_init(|| reason(labels())).clone();
        Error::DeviceLost { reason, can_reopen: true }
    }

    /// Registers work in flight by its labels and returns its ticket.
    pub(crate) fn register(&self, labels: Vec<Arc<str>>) -> u64 {
        let ticket = unique_id();
        lock(&self.in_flight).insert(ticket, labels);
        ticket
    }

    /// Removes work that is no longer in flight.
    pub(crate) fn unregister(&self, ticket: u64) {
        lock(&self.in_flight).remove(&ticket);
    }
}
