//! A GPU with both sides: the backend, and the driver without it.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use vyre_cuda::{CudaDevice, GpuOptions};
use vyre_runtime::Device;

use super::bare::{BareCuda, BareModule};
use super::error::Error;

/// A GPU that both sides use, and where the compiled kernels are.
pub struct Machine {
    pub(super) device: Box<dyn Device>,
    pub(super) bare: BareCuda,
    kernels: PathBuf,
}

impl Machine {
    /// Opens the GPU at this position on both sides; `kernels` is the folder with what nvcc made.
    ///
    /// # Errors
    ///
    /// [`Error::NoCuda`] where there is no such GPU, or what one of the sides says.
    pub fn open(position: usize, kernels: &Path) -> Result<Machine, Error> {
        let bare = BareCuda::open(position)?;
        let mut devices = CudaDevice::all(&GpuOptions::default())?;
        if position >= devices.len() {
            let message = format!("the backend has {} devices, the driver has more", devices.len());
            return Err(Error::NoCuda { message });
        }
        Ok(Machine { device: Box::new(devices.swap_remove(position)), bare, kernels: kernels.to_owned() })
    }

    /// The backend's side.
    #[must_use]
    pub fn device(&self) -> &dyn Device {
        &*self.device
    }

    /// The GPU in words.
    #[must_use]
    pub fn description(&self) -> String {
        let driver = self.device.driver().unwrap_or_default();
        format!(
            "{}, CUDA {} of the driver; vyre: {}, {driver}",
            self.bare.name(),
            self.bare.cuda_version(),
            self.device.name()
        )
    }

    /// Loads the kernels of a file, whose name is given without its extension.
    pub(super) fn load(&self, file: &str) -> Result<Rc<BareModule<'_>>, Error> {
        BareModule::load(&self.bare, &self.kernels.join(file).with_extension("cubin"))
    }
}
