//! The NVIDIA GPUs of this machine.

use std::ffi::{CStr, c_char, c_int};
use std::sync::Arc;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute};
use vyre_runtime::{Backend, Device, Error, Limits};

use crate::device::{CudaDevice, CudaOptions};
use crate::driver::{Driver, Failure};
use crate::ptx::PtxTarget;

/// The NVIDIA GPUs of this machine.
#[derive(Clone, Debug, Default)]
pub struct CudaBackend {
    options: CudaOptions,
}

impl CudaBackend {
    /// GPUs that are used in this way.
    #[must_use]
    pub fn new(options: CudaOptions) -> CudaBackend {
        CudaBackend { options }
    }
}

impl Backend for CudaBackend {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let devices = CudaDevice::all(&self.options)?;
        Ok(devices.into_iter().map(|device| Arc::new(device) as Arc<dyn Device>).collect())
    }
}

/// The shared memory of a block that programs do not get: what kernels need beside it, for collectives.
pub(crate) const SCRATCH_BYTES: u32 = 8_448;

/// The bytes that a kernel can be passed.
pub(crate) const PARAMETER_BYTES: u64 = 4_096;

/// The bytes of parameters that are no buffers: sizes and places of grids, and where kernels are told to end.
const OTHER_PARAMETER_BYTES: u64 = 64;

/// The bytes of parameters for a buffer: its address and its length.
const BUFFER_PARAMETER_BYTES: u64 = 12;

/// A GPU, as the driver describes it.
#[derive(Clone)]
pub(crate) struct Gpu {
    pub(crate) driver: &'static Driver,
    pub(crate) device: CUdevice,
    pub(crate) name: String,
    /// The version of the driver: 1000 for each major one, 10 for each minor one.
    pub(crate) version: u32,
    /// The compute capability, as in `sm_90`.
    pub(crate) sm: u32,
    /// Bytes of memory.
    pub(crate) memory: u64,
    /// The most shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// Whether memory can be had and given back in the order of a stream.
    pub(crate) has_pools: bool,
    /// The most threads of a block, and on each axis.
    threads: u32,
    axes: [u32; 3],
}

impl Gpu {
    /// The GPUs that PTX can be written for.
    pub(crate) fn all() -> Result<Vec<Gpu>, Error> {
        let driver = Driver::get().ok_or(Error::NoGpuAdapter)?;
        let count = Gpu::count(driver).map_err(|_| Error::NoGpuAdapter)?;
        // One that cannot be asked cannot be used.
        let found = (0..count).filter_map(|ordinal| Gpu::new(driver, ordinal).ok());
        let gpus: Vec<Gpu> = found.filter(|gpu| gpu.sm >= PtxTarget::KNOWN_SM[0]).collect();
        if gpus.is_empty() { Err(Error::NoGpuAdapter) } else { Ok(gpus) }
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn count(driver: &Driver) -> Result<c_int, Failure> {
        let mut count = 0;
        // SAFETY: the number is written to a number.
        Failure::check(unsafe { (driver.cuDeviceGetCount)(&raw mut count) })?;
        Ok(count)
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn new(driver: &'static Driver, ordinal: c_int) -> Result<Gpu, Failure> {
        let (mut device, mut version, mut memory, mut name) = (0, 0, 0_usize, [0 as c_char; 256]);
        // SAFETY: each is given a place for what it writes; the name has room for all but one byte of it, so that it ends
        // with a zero however long it is.
        unsafe {
            Failure::check((driver.cuDeviceGet)(&raw mut device, ordinal))?;
            Failure::check((driver.cuDriverGetVersion)(&raw mut version))?;
            Failure::check((driver.cuDeviceTotalMem_v2)(&raw mut memory, device))?;
            Failure::check((driver.cuDeviceGetName)(name.as_mut_ptr(), name.len() as c_int - 1, device))?;
        }
        // SAFETY: the last byte is a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let attribute = |which: CUdevice_attribute| {
            let mut value = 0;
            // SAFETY: the number is written to a number.
            Failure::check(unsafe { (driver.cuDeviceGetAttribute)(&raw mut value, which as u32, device) })?;
            Ok::<u32, Failure>(u32::try_from(value).unwrap_or(0))
        };
        use CUdevice_attribute as A;
        let major = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Gpu {
            driver,
            device,
            name,
            version: u32::try_from(version).unwrap_or(0),
            sm: major * 10 + minor,
            memory: memory as u64,
            shared_bytes: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            has_pools: attribute(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).unwrap_or(0) != 0,
            threads: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            axes: [
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
        })
    }

    /// The limits, as programs see them.
    pub(crate) fn limits(&self) -> Limits {
        // Buffers are padded to whole vectors.
        let workgroup_bytes = u64::from(self.shared_bytes.saturating_sub(SCRATCH_BYTES));
        let mut limits = Limits::new(self.memory / 16 * 16, workgroup_bytes, u64::from(self.threads.min(1024)));
        limits.workgroup_size = self.axes.map(u64::from);
        limits.accessed_buffers = (PARAMETER_BYTES - OTHER_PARAMETER_BYTES) / BUFFER_PARAMETER_BYTES;
        limits.can_cancel = true;
        limits
    }

    /// What the driver calls itself.
    pub(crate) fn driver_name(&self) -> String {
        driver_name(release().as_deref(), self.version)
    }

    /// What PTX is written for.
    pub(crate) fn target(&self) -> PtxTarget {
        PtxTarget::default().with_sm(known_sm(self.sm))
    }
}

/// What the driver says of its release where it says anything: several releases are of the same version of CUDA.
pub(crate) fn release() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    release_in(&text).map(str::to_owned)
}

/// A driver in words.
fn driver_name(release: Option<&str>, version: u32) -> String {
    let vendor = ["NVIDIA"].into_iter().chain(release).collect::<Vec<&str>>().join(" ");
    format!("{vendor}, CUDA {}.{}", version / 1000, version % 1000 / 10)
}

/// The first word of a text that is numbers with points, such as 580.159.04.
fn release_in(text: &str) -> Option<&str> {
    let is_release = |word: &&str| {
        let parts = || word.split('.');
        parts().count() >= 2 && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split_whitespace().find(is_release)
}

/// The newest compute capability that PTX can be written for and that this one can run.
fn known_sm(sm: u32) -> u32 {
    // Newer GPUs compile what is for the last one.
    PtxTarget::KNOWN_SM.into_iter().rev().find(|known| *known <= sm).unwrap_or(PtxTarget::KNOWN_SM[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_found() {
        let text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release Build\nGCC version: gcc 12.2.0";
        assert_eq!(release_in(text), Some("580.159.04"));
        assert_eq!(release_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15"), Some("550.54.15"));
        assert_eq!((release_in("x86_64 5.a .5 5."), release_in("")), (None, None));
        assert_eq!(driver_name(Some("580.159.04"), 13_000), "NVIDIA 580.159.04, CUDA 13.0");
        assert_eq!(driver_name(None, 12_040), "NVIDIA, CUDA 12.4");
    }

    #[test]
    fn a_machine_without_a_gpu_says_so() {
        match CudaDevice::all(&CudaOptions::default()) {
            Ok(devices) => assert!(!devices.is_empty()),
            Err(error) => assert_eq!(error, Error::NoGpuAdapter),
        }
    }

    #[test]
    fn newer_gpus_take_what_is_known() {
        let known = [(70, 70), (73, 72), (75, 75), (88, 87), (89, 89), (90, 90), (100, 90), (120, 90)];
        assert_eq!(known.map(|(sm, _)| known_sm(sm)), known.map(|(_, expected)| expected));
    }
}
