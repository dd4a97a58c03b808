//! Decoder of blocks: the host alone, or the host with a device.

use std::sync::Arc;

use vyre::engine::decompress::Route;
use vyre::runtime::Device;
use vyre::select::{CPU, Selected};

/// The host alone, or the host with a device.
pub(crate) struct Runner {
    /// The name of the backend.
    pub(crate) backend: &'static str,
    /// The name of the device.
    pub(crate) device: String,
    /// The device; `None` for the host alone.
    pub(crate) decoder: Option<Arc<dyn Device>>,
    /// Route of the blocks.
    pub(crate) route: Route,
}

impl Runner {
    /// The host alone.
    pub(crate) fn host() -> Runner {
        Runner { backend: CPU, device: "host".to_owned(), decoder: None, route: Route::Host }
    }

    /// A device.
    pub(crate) fn new(selected: Selected, route: Route) -> Runner {
        let Selected { backend, device, .. } = selected;
        Runner { backend, device: device.name(), decoder: Some(device), route }
    }
}
