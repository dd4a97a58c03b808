//! Liveness of a context: whether it is lost, and for which reason.
//!
//! A context is lost after a sticky error, such as a kernel fault, or when a kernel does not end in time. The first loss
//! reason stays. It names the work that was in flight at that moment, since the driver does not report which kernel failed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use vyre_runtime::Error;

use crate::sync::{lock, unique_id};

/// Maximum number of labels in a loss reason.
const MAX_LABELS: usize = 4;

/// Liveness of a context. It outlives the context.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    loss_reason: OnceLock<String>,
    in_flight: Mutex<InFlightLabels>,
}

/// Labels of the work in flight, by ticket.
type InFlightLabels = BTreeMap<u64, Vec<Arc<str>>>;

impl Liveness {
    pub(crate) fn is_lost(&self) -> bool {
        self.loss_reason.get().is_some()
    }

    /// Cause of the loss, as in "program 12 failed".
    pub(crate) fn loss_reason(&self) -> Option<&str> {
        self.loss_reason.get().map(String::as_str)
    }

    /// Error of every call on a lost context.
    pub(crate) fn loss(&self) -> Option<Error> {
        self.loss_reason().map(|reason| Error::Backend { message: reason.to_owned() })
    }

    /// Error of every use of a buffer whose context is lost or destroyed.
    pub(crate) fn lost_contents(&self) -> Error {
        let message = match self.loss_reason() {
            Some(reason) => format!("the contents of a buffer were lost when {reason}"),
            None => "a buffer is used after its device has gone".to_owned(),
        };
        Error::Backend { message }
    }

    /// Marks the context as lost, unless it already is. `reason` receives a description of the work in flight.
    pub(crate) fn mark_lost(&self, reason: impl FnOnce(&str) -> String) -> Error {
        let message = self.loss_reason.get_or_init(|| reason(&describe(&lock(&self.in_flight)))).clone();
        Error::Backend { message }
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

/// Description of the work in flight: each label once, at most [`MAX_LABELS`] of them.
fn describe(in_flight: &InFlightLabels) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for label in in_flight.values().flatten() {
        if !labels.contains(&&**label) {
            labels.push(label);
        }
    }
    let more = labels.len().saturating_sub(MAX_LABELS);
    labels.truncate(MAX_LABELS);
    match (labels.as_slice(), more) {
        ([], _) => "a transfer or the driver itself".to_owned(),
        ([only], _) => (*only).to_owned(),
        (several, 0) => format!("one of {}", several.join(", ")),
        (several, more) => format!("one of {} and {more} more", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_in_flight_is_named_once() {
        let labels = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<Arc<str>>>();
        let mut in_flight = BTreeMap::new();
        assert!(describe(&in_flight).contains("driver"));
        in_flight.insert(1, labels(&["program a"]));
        in_flight.insert(2, labels(&["program a"]));
        assert_eq!(describe(&in_flight), "program a");
        in_flight.insert(3, labels(&["program b"]));
        assert_eq!(describe(&in_flight), "one of program a, program b");
        in_flight.insert(4, labels(&["program c", "program d", "program e"]));
        assert!(describe(&in_flight).ends_with("program d and 1 more"));
    }
}
