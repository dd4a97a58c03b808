//! GPU with both sides of a comparison: the backend, and the driver without it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use vyre_cuda::{CudaDevice, GpuOptions};
use vyre_runtime::Device;

use super::bare::{BareCuda, BareModule};
use crate::device::description;
use crate::error::Error;

/// GPU that both sides use, with the folder of the compiled kernels.
pub struct Session {
    pub(super) device: Box<dyn Device>,
    pub(super) bare: BareCuda,
    kernels: PathBuf,
}

impl Session {
    /// Opens the GPU at this position on both sides; `kernels` is the folder of the files that nvcc compiled.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] if there is no such GPU, or a failure of one of the sides.
    pub fn open(position: usize, kernels: &Path) -> Result<Session, Error> {
        let bare = BareCuda::open(position)?;
        let mut devices = CudaDevice::all(&GpuOptions::default())?;
        if position >= devices.len() {
            let message = format!("the backend has {} devices, and the driver has more", devices.len());
            return Err(Error::NoCuda { message });
        }
        Ok(Session { device: Box::new(devices.swap_remove(position)), bare, kernels: kernels.to_owned() })
    }

    /// Device of the backend.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// Name of the GPU, with the versions of both sides.
    #[must_use]
    pub fn description(&self) -> String {
        let (name, version) = (self.bare.name(), self.bare.cuda_version());
        format!("{name}, driver for CUDA {version}; vyre: {}", description(self.device()))
    }

    /// Loads the kernels of a file; `file` is its name without extension.
    pub(super) fn load(&self, file: &str) -> Result<Rc<BareModule<'_>>, Error> {
        BareModule::load(&self.bare, &self.kernels.join(file).with_extension("cubin"))
    }
}
