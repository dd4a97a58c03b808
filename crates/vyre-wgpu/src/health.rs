//! Errors of wgpu: device loss, error scopes and uncaptured errors.

use std::sync::{Arc, Mutex, PoisonError};

use vyre_runtime::{Error, LossReason, MemoryKind};
use wgpu::{Device, ErrorFilter};

/// Asynchronous errors of a device: those that no error scope captured.
#[derive(Clone, Default)]
pub(crate) struct Health {
    error: Arc<Mutex<Option<Error>>>,
}

fn is_loss(error: &Error) -> bool {
    matches!(error, Error::DeviceLost { .. })
}

impl Health {
    /// Registers the callbacks of the device.
    pub(crate) fn watch(&self, device: &Device) {
        let health = self.clone();
        device.set_device_lost_callback(move |_, message| {
            health.note(Error::DeviceLost { reason: LossReason::Reported { message }, can_reopen: true });
        });
        let health = self.clone();
        device.on_uncaptured_error(Arc::new(move |error| health.note(converted("the device", &error))));
    }

    fn note(&self, error: Error) {
        let mut noted = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        // The first error explains later ones, but device loss explains all of them.
        if noted.as_ref().is_none_or(|noted| is_loss(&error) && !is_loss(noted)) {
            *noted = Some(error);
        }
    }

    /// Returns an error that was noted. Device loss is permanent; other errors are returned once.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let mut noted = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        match noted.take() {
            Some(error) if is_loss(&error) => Err(noted.insert(error).clone()),
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Runs `work` in error scopes and returns the first error that wgpu reports.
pub(crate) fn caught<T>(
    device: &Device,
    health: &Health,
    call: &'static str,
    work: impl FnOnce() -> T,
) -> Result<T, Error> {
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
        Some(error) => Err(converted(call, &error)),
        None => health.check().map(|()| result),
    }
}

/// Converts an error of wgpu; its description becomes one line.
fn converted(call: &'static str, error: &wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { memory: MemoryKind::Device, bytes: None, free: None },
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Error::driver(call, description.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}
