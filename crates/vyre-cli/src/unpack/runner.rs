//! The decoder: the host, or a device beside it.

use std::sync::Arc;

use vyre::engine::decompress::Route;
use vyre::runtime::Device;
use vyre::select::{CPU, Selected};

/// The host, or a device beside it.
pub(crate) struct Runner {
    /// The name of the backend.
    pub(crate) backend: &'static str,
    /// The name of the device.
    pub(crate) device: String,
    /// The device, if it is not the host alone.
    pub(crate) chosen: Option<Arc<dyn Device>>,
    /// Its route.
    pub(crate) route: Route,
}

impl Runner {
    /// The host alone.
    pub(crate) fn host() -> Runner {
        Runner { backend: CPU, device: "host".to_owned(), chosen: None, route: Route::Host }
    }

    /// A device.
    pub(crate) fn new(selected: Selected, route: Route) -> Runner {
        let Selected { backend, device, .. } = selected;
        Runner { backend, device: device.name(), chosen: Some(device), route }
    }
}
