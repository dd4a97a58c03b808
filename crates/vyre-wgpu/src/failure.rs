//! What wgpu says when something goes wrong.

use std::sync::{Arc, Mutex, PoisonError};

use vyre_runtime::Error;
use wgpu::{Device, ErrorFilter};

/// What has gone wrong outside of every call that could have told it.
#[derive(Clone, Default)]
pub(crate) struct Health {
    failure: Arc<Mutex<Option<Failure>>>,
}

#[derive(Clone, Debug)]
struct Failure {
    message: String,
    /// Whether nothing can be done with the device any more.
    is_lost: bool,
}

impl Health {
    /// Has the device tell what goes wrong.
    pub(crate) fn watch(&self, device: &Device) {
        let health = self.clone();
        device.set_device_lost_callback(move |_, message| {
            let message = if message.is_empty() { "without a reason".to_owned() } else { message };
            health.note(Failure { message: format!("the device is lost: {message}"), is_lost: true });
        });
        let health = self.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            health.note(Failure { message: described(&error), is_lost: false });
        }));
    }

    fn note(&self, failure: Failure) {
        let mut noted = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        // The first failure explains those that follow, but a lost device explains everything.
        if noted.as_ref().is_none_or(|noted| failure.is_lost && !noted.is_lost) {
            *noted = Some(failure);
        }
    }

    /// Fails if something has gone wrong; what does not last is told once.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut noted = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(failure) = noted.clone() else { return Ok(()) };
        if !failure.is_lost {
            *noted = None;
        }
        Err(Error::Backend { message: failure.message })
    }
}

/// Does something, and fails with what wgpu says against it.
pub(crate) fn caught<T>(device: &Device, health: &Health, work: impl FnOnce() -> T) -> Result<T, Error> {
    health.check()?;
    let filters = [ErrorFilter::OutOfMemory, ErrorFilter::Validation, ErrorFilter::Internal];
    let scopes = filters.map(|filter| device.push_error_scope(filter));
    let result = work();
    let mut first = None;
    for scope in scopes.into_iter().rev() {
        let error = pollster::block_on(scope.pop());
        first = first.or(error);
    }
    match first {
        Some(error) => Err(Error::Backend { message: described(&error) }),
        None => health.check().map(|()| result),
    }
}

/// An error with its causes, in one line.
fn described(error: &wgpu::Error) -> String {
    let text = match error {
        wgpu::Error::OutOfMemory { .. } => "the memory of the device is used up".to_owned(),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => description.clone(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
