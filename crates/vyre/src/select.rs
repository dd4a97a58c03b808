//! Device selection: the one policy by which commands and applications choose a device.
//!
//! [`select`] accepts a [`DeviceRequest`] and returns a device of the backends of this build. A request that names a backend
//! gets a device of that backend or an error; nothing falls back. The name [`AUTO`] means the CPU: it starts immediately, needs no
//! transfer, and every machine has it. A build without the CPU backend tries its GPU backends and then the reference
//! interpreter, in the order of [`backends`](crate::backends).
//!
//! ```
//! use vyre::select::{DeviceRequest, select};
//!
//! let selected = select(&DeviceRequest::default())?;
//! println!("running on backend {}: {}", selected.backend, selected.device.name());
//!
//! // The race checker is part of the reference interpreter.
//! let selected = select(&DeviceRequest::default().with_race_check(true))?;
//! assert_eq!(selected.backend, "reference");
//! # Ok::<(), vyre::select::SelectError>(())
//! ```

use std::error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::runtime::shell::GpuOptions;
use crate::runtime::{Backend, Device, Error};

/// The backend name that leaves the choice to [`select`].
pub const AUTO: &str = "auto";

/// The name of the CPU backend.
pub const CPU: &str = "cpu";

/// The names of the GPU backends.
const GPUS: [&str; 2] = ["cuda", "wgpu"];

/// Requirements on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceRequest<'n> {
    /// Name of a backend, or [`AUTO`].
    pub backend: &'n str,
    /// Index of a device of the backend, or a part of its name that no other device has. `None` is the first device.
    pub device: Option<&'n str>,
    /// True if the device must be able to check for races.
    pub check_races: bool,
    /// Number of threads of the CPU backend; 0 means one for each core. Only the CPU backend accepts a number.
    pub threads: Option<usize>,
    /// Folder in which backends keep compiled programs. `None` keeps them in memory only.
    pub cache_folder: Option<&'n Path>,
}

impl Default for DeviceRequest<'_> {
    fn default() -> Self {
        DeviceRequest { backend: AUTO, device: None, check_races: false, threads: None, cache_folder: None }
    }
}

impl<'n> DeviceRequest<'n> {
    /// Requests a device of this backend.
    #[must_use]
    pub fn on(backend: &'n str) -> DeviceRequest<'n> {
        DeviceRequest { backend, ..DeviceRequest::default() }
    }

    /// Requests a device by its index or a part of its name.
    #[must_use]
    pub fn with_device(self, device: Option<&'n str>) -> DeviceRequest<'n> {
        DeviceRequest { device, ..self }
    }

    /// Requires a device that can check for races.
    #[must_use]
    pub fn with_race_check(self, check_races: bool) -> DeviceRequest<'n> {
        DeviceRequest { check_races, ..self }
    }

    /// Sets the folder of compiled programs. Files that another user could have changed are not used.
    #[must_use]
    pub fn with_cache_folder(self, cache_folder: Option<&'n Path>) -> DeviceRequest<'n> {
        DeviceRequest { cache_folder, ..self }
    }

    /// Sets the number of threads of the CPU backend.
    #[must_use]
    pub fn with_threads(self, threads: Option<usize>) -> DeviceRequest<'n> {
        DeviceRequest { threads, ..self }
    }
}

/// A device that meets a request.
pub struct Selected {
    /// The name of its backend.
    pub backend: &'static str,
    /// The device.
    pub device: Arc<dyn Device>,
    /// The backends that were tried before, with the reasons why they were rejected.
    pub rejected: Vec<Rejected>,
}

impl fmt::Debug for Selected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Selected { backend, device, rejected } = self;
        f.debug_struct("Selected")
            .field("backend", backend)
            .field("device", &device.name())
            .field("rejected", rejected)
            .finish()
    }
}

/// A backend that does not meet a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The name of the backend.
    pub backend: &'static str,
    /// The requirement that it does not meet.
    pub reason: RejectReason,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "backend `{}`: {}", self.backend, self.reason)
    }
}

/// The requirement that a backend does not meet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RejectReason {
    /// The request has a number of threads, and this is not the CPU backend.
    Threads,
    /// The backend cannot check for races.
    Races,
    /// The backend has no device.
    NoDevice,
    /// The backend failed to list its devices.
    Backend(Error),
}

impl fmt::Display for RejectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RejectReason::Threads => f.write_str("it does not accept a number of threads"),
            RejectReason::Races => f.write_str("it cannot check for races"),
            RejectReason::NoDevice => f.write_str("it has no device"),
            RejectReason::Backend(error) => error.fmt(f),
        }
    }
}

/// A device by its index in its backend and its name.
pub type IndexedName = (usize, String);

/// The reason why no device meets a request. The caller can correct all but [`Unusable`](SelectError::Unusable) and
/// [`NoneSuitable`](SelectError::NoneSuitable), which are about the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectError {
    /// A device is requested, but no backend: indices and names belong to one backend.
    DeviceWithoutBackend {
        /// The names of all backends.
        backends: Vec<&'static str>,
    },
    /// This build has no backend of this name.
    UnknownBackend {
        /// The requested name.
        name: String,
        /// The names of all backends.
        backends: Vec<&'static str>,
    },
    /// The named backend does not meet a requirement.
    Unusable {
        /// The backend and the requirement.
        rejected: Rejected,
        /// The names of all backends.
        backends: Vec<&'static str>,
    },
    /// The backend has no such device.
    NoSuchDevice {
        /// The name of the backend.
        backend: &'static str,
        /// The requested device.
        device: String,
        /// The devices of the backend.
        devices: Vec<IndexedName>,
    },
    /// Several devices of the backend match.
    AmbiguousDevice {
        /// The name of the backend.
        backend: &'static str,
        /// The requested device.
        device: String,
        /// The devices that match.
        matches: Vec<IndexedName>,
    },
    /// The request leaves the choice open, and no backend meets it.
    NoneSuitable {
        /// All backends with their reasons.
        rejected: Vec<Rejected>,
    },
}

impl error::Error for SelectError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            SelectError::Unusable { rejected: Rejected { reason: RejectReason::Backend(error), .. }, .. } => {
                Some(error)
            }
            _ => None,
        }
    }
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |devices: &[IndexedName]| {
            devices.iter().map(|(index, name)| format!("{index} ({name})")).collect::<Vec<_>>().join(", ")
        };
        match self {
            SelectError::DeviceWithoutBackend { .. } => f.write_str("a device is requested without its backend"),
            SelectError::UnknownBackend { name, backends } => {
                write!(f, "there is no backend `{name}`; there are {}", backends.join(", "))
            }
            SelectError::Unusable { rejected, .. } => rejected.fmt(f),
            SelectError::NoSuchDevice { backend, device, devices } => {
                write!(f, "backend `{backend}` has no device `{device}`; it has {}", listed(devices))
            }
            SelectError::AmbiguousDevice { backend, device, matches } => {
                write!(f, "`{device}` matches several devices of backend `{backend}`: {}", listed(matches))
            }
            SelectError::NoneSuitable { rejected } => {
                f.write_str("no backend meets the request")?;
                rejected
                    .iter()
                    .enumerate()
                    .try_for_each(|(index, rejected)| write!(f, "{}{rejected}", if index == 0 { ": " } else { "; " }))
            }
        }
    }
}

/// Selects a device among the backends of this build, and starts to open it on another thread
/// ([`Device::prepare`]).
///
/// # Errors
///
/// No device meets the request.
pub fn select(request: &DeviceRequest<'_>) -> Result<Selected, SelectError> {
    let mut options = GpuOptions::default();
    options.cache_folder = request.cache_folder.map(Path::to_owned);
    let mut backends = crate::backends_with(&options);
    if let Some(threads) = request.threads {
        backends = backends.into_iter().map(|backend| with_threads(backend, threads, request.cache_folder)).collect();
    }
    let selected = select_from(&backends, request)?;
    selected.device.prepare();
    Ok(selected)
}

/// Selects a device among these backends. [`DeviceRequest::threads`] only rejects other backends than the CPU.
///
/// # Errors
///
/// No device meets the request.
pub fn select_from(backends: &[Box<dyn Backend>], request: &DeviceRequest<'_>) -> Result<Selected, SelectError> {
    let names = || backends.iter().map(|backend| backend.name()).collect();
    if request.backend != AUTO {
        let Some(backend) = backends.iter().find(|backend| backend.name() == request.backend) else {
            return Err(SelectError::UnknownBackend { name: request.backend.to_owned(), backends: names() });
        };
        return named(&**backend, request, names);
    }
    if request.device.is_some() {
        return Err(SelectError::DeviceWithoutBackend { backends: names() });
    }
    // Listing the devices of a GPU backend loads drivers, so GPU backends are skipped if the CPU backend exists.
    let has_cpu = backends.iter().any(|backend| backend.name() == CPU);
    let mut rejected = Vec::new();
    for backend in backends.iter().filter(|backend| !has_cpu || !GPUS.contains(&backend.name())) {
        match suitable_devices(&**backend, request).and_then(|devices| accept(&devices[0], request)) {
            Ok(device) => return Ok(Selected { backend: backend.name(), device, rejected }),
            Err(reason) => rejected.push(Rejected { backend: backend.name(), reason }),
        }
    }
    Err(SelectError::NoneSuitable { rejected })
}

/// Finds a device of a backend: by its index, or by a part of its name that no other device has, ignoring case.
///
/// A number that is not an index is matched against the names, since the names of many GPUs contain numbers.
///
/// # Errors
///
/// No device matches, or several do.
pub fn find_device(backend: &'static str, devices: &[Arc<dyn Device>], which: &str) -> Result<usize, SelectError> {
    if let Some(index) = which.parse().ok().filter(|&index| index < devices.len()) {
        return Ok(index);
    }
    let all: Vec<IndexedName> = devices.iter().map(|device| device.name()).enumerate().collect();
    let part = which.to_lowercase();
    let matches: Vec<IndexedName> =
        all.iter().filter(|(_, name)| name.to_lowercase().contains(&part)).cloned().collect();
    let device = which.to_owned();
    match &matches[..] {
        [(index, _)] => Ok(*index),
        [] => Err(SelectError::NoSuchDevice { backend, device, devices: all }),
        _ => Err(SelectError::AmbiguousDevice { backend, device, matches }),
    }
}

fn named(
    backend: &dyn Backend,
    request: &DeviceRequest<'_>,
    names: impl Fn() -> Vec<&'static str>,
) -> Result<Selected, SelectError> {
    let unusable =
        |reason| SelectError::Unusable { rejected: Rejected { backend: backend.name(), reason }, backends: names() };
    let devices = suitable_devices(backend, request).map_err(unusable)?;
    let index = request.device.map_or(Ok(0), |which| find_device(backend.name(), &devices, which))?;
    let device = accept(&devices[index], request).map_err(unusable)?;
    Ok(Selected { backend: backend.name(), device, rejected: Vec::new() })
}

/// The devices of a backend, at least one, if the backend accepts the number of threads.
fn suitable_devices(backend: &dyn Backend, request: &DeviceRequest<'_>) -> Result<Vec<Arc<dyn Device>>, RejectReason> {
    if request.threads.is_some() && backend.name() != CPU {
        return Err(RejectReason::Threads);
    }
    let devices = backend.devices().map_err(RejectReason::Backend)?;
    if devices.is_empty() { Err(RejectReason::NoDevice) } else { Ok(devices) }
}

fn accept(device: &Arc<dyn Device>, request: &DeviceRequest<'_>) -> Result<Arc<dyn Device>, RejectReason> {
    if request.check_races && !device.limits().can_check_races {
        return Err(RejectReason::Races);
    }
    Ok(Arc::clone(device))
}

#[cfg(feature = "jit")]
fn with_threads(backend: Box<dyn Backend>, threads: usize, cache_folder: Option<&Path>) -> Box<dyn Backend> {
    if backend.name() == CPU { Box::new(cpu_backend(cache_folder, Some(threads))) } else { backend }
}

#[cfg(not(feature = "jit"))]
fn with_threads(backend: Box<dyn Backend>, _threads: usize, _cache_folder: Option<&Path>) -> Box<dyn Backend> {
    backend
}

/// The CPU backend with a folder of machine code and a number of threads.
#[cfg(feature = "jit")]
pub(crate) fn cpu_backend(cache_folder: Option<&Path>, threads: Option<usize>) -> crate::cpu::JitBackend {
    use crate::cpu::{JitBackend, JitOptions};
    let options = JitOptions::default().with_threads(threads.unwrap_or(0));
    JitBackend::new(match cache_folder {
        Some(folder) => options.with_cache_folder(folder),
        None => options,
    })
}

#[cfg(test)]
mod tests;
