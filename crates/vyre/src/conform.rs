//! Conformance of the backends of this build: the suite, certificates, and further configurations of each backend.

use std::error;
use std::fmt;
#[cfg(any(feature = "jit", feature = "wgpu", feature = "cuda"))]
use std::sync::Arc;

#[cfg(any(feature = "wgpu", feature = "cuda"))]
use crate::runtime::shell::GpuOptions;
use crate::runtime::{Device, Error};

pub use vyre_conform::corpus_ops;
pub use vyre_conform::differential::Subject;
pub use vyre_conform::race_free::race_free_case;
pub use vyre_conform::reduce::{CorpusFiles, ReduceLimits, corpus_file, reduce};
pub use vyre_conform::run_corpus::{RunFailure, cases, check_file};
pub use vyre_conform::{Case, certificate, corpus, suite};

/// A configuration of a backend that does not open, or that is another device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariantError {
    /// The configuration does not open.
    Open {
        /// Its name.
        configuration: &'static str,
        /// The cause.
        error: Error,
    },
    /// The backend no longer has the tested device at its index: it was lost since, or another one was added.
    OtherDevice {
        /// Name of the configuration.
        configuration: &'static str,
        /// Name of the tested device.
        expected: String,
        /// Name of the device at its index, if there is one.
        found: Option<String>,
    },
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VariantError::Open { configuration, error } => {
                write!(f, "the configuration `{configuration}` does not open: {error}")
            }
            VariantError::OtherDevice { configuration, expected, found } => {
                let found = found.as_deref().unwrap_or("no device");
                write!(f, "the configuration `{configuration}` is on another device: {found}, and not {expected}")
            }
        }
    }
}

impl error::Error for VariantError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            VariantError::Open { error, .. } => Some(error),
            VariantError::OtherDevice { .. } => None,
        }
    }
}

/// Other configurations of a backend, whose results must be equal to those of its device: other numbers of threads, no optimizer,
/// another choice of vector code. `index` is that of the tested device in its backend.
///
/// # Errors
///
/// A configuration does not open, or the backend has another device than the tested one at this index.
pub fn variants(backend: &str, index: usize, tested: &dyn Device) -> Result<Vec<Subject>, VariantError> {
    match backend {
        #[cfg(feature = "jit")]
        "cpu" => of_cpu(),
        #[cfg(feature = "wgpu")]
        "wgpu" => as_lowered("wgpu, as lowered", (index, tested), crate::gpu::WgpuDevice::all),
        #[cfg(feature = "cuda")]
        "cuda" => as_lowered("cuda, as lowered", (index, tested), crate::cuda::CudaDevice::all),
        _ => {
            let _ = (index, tested);
            Ok(Vec::new())
        }
    }
}

/// The configuration of a GPU without optimizer. `all` lists the GPUs anew, so its device must be the tested one.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn as_lowered<D: Device + 'static>(
    configuration: &'static str,
    (index, tested): (usize, &dyn Device),
    all: impl FnOnce(&GpuOptions) -> Result<Vec<D>, Error>,
) -> Result<Vec<Subject>, VariantError> {
    let devices = all(&GpuOptions::default().with_optimizer(false));
    let devices = devices.map_err(|error| VariantError::Open { configuration, error })?;
    let device = devices.into_iter().nth(index);
    let (expected, found) = (tested.name(), device.as_ref().map(Device::name));
    match device {
        Some(device) if found.as_ref() == Some(&expected) => {
            Ok(vec![Subject { name: configuration.to_owned(), device: Arc::new(device) }])
        }
        _ => Err(VariantError::OtherDevice { configuration, expected, found }),
    }
}

#[cfg(feature = "jit")]
fn of_cpu() -> Result<Vec<Subject>, VariantError> {
    use crate::cpu::{JitDevice, JitOptions, VectorizationMode};
    let options = JitOptions::default;
    let configurations = [
        ("cpu, 1 thread", options().with_threads(1)),
        ("cpu, 2 threads, always vectorized", options().with_threads(2).with_vectorization(VectorizationMode::Always)),
        (
            "cpu, as lowered, always vectorized",
            options().with_threads(1).with_optimizer(false).with_vectorization(VectorizationMode::Always),
        ),
        (
            "cpu, as lowered, never vectorized",
            options().with_threads(2).with_optimizer(false).with_vectorization(VectorizationMode::Never),
        ),
    ];
    let open = |(configuration, options): (&'static str, JitOptions)| {
        let device = JitDevice::new(&options).map_err(|error| VariantError::Open { configuration, error })?;
        Ok(Subject { name: configuration.to_owned(), device: Arc::new(device) })
    };
    configurations.into_iter().map(open).collect()
}

#[cfg(all(test, any(feature = "wgpu", feature = "cuda")))]
mod tests {
    use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};

    use crate::runtime::ReferenceDevice;

    use super::*;

    struct Adapter(ReferenceDevice);

    impl DeviceWrapper for Adapter {
        fn inner(&self) -> &dyn Device {
            &self.0
        }

        fn name(&self) -> String {
            "an adapter".to_owned()
        }
    }

    #[test]
    fn configurations_are_those_of_the_tested_device() {
        let tested = ReferenceDevice::new();
        let on = |index, all: Result<Vec<ReferenceDevice>, Error>| {
            as_lowered("gpu, as lowered", (index, &tested), |_| all).map(|variants| variants.len())
        };
        assert_eq!(on(1, Ok(vec![ReferenceDevice::new(), ReferenceDevice::new()])), Ok(1));
        let lost = on(1, Ok(vec![ReferenceDevice::new()])).expect_err("no device").to_string();
        let expected = "the configuration `gpu, as lowered` is on another device: no device, and not ";
        assert!(lost.starts_with(expected), "{lost}");
        let closed = on(0, Err(Error::NoGpuAdapter)).expect_err("no device").to_string();
        assert_eq!(closed, "the configuration `gpu, as lowered` does not open: no GPU was found");
        let adapter = Wrapped(Adapter(ReferenceDevice::new()));
        let other = as_lowered("gpu, as lowered", (0, &adapter), |_| Ok(vec![ReferenceDevice::new()]));
        let other = other.map(|variants| variants.len()).expect_err("another device").to_string();
        assert!(other.ends_with(" is on another device: reference interpreter, and not an adapter"), "{other}");
    }
}
