//! Properties of a GPU, as the driver reports them.

use std::ffi::{CStr, c_char, c_int};

use cudarc::driver::sys::{CUdevice, CUdevice_attribute};

use super::library::{Driver, Failure};

/// GPU of this machine.
#[derive(Clone)]
pub(crate) struct Gpu {
    pub(crate) driver: &'static Driver,
    pub(crate) device: CUdevice,
    pub(crate) name: String,
    /// CUDA version of the driver: 1000 * major + 10 * minor.
    pub(crate) version: u32,
    /// Compute capability, as in `sm_90`.
    pub(crate) sm: u32,
    /// Bytes of device memory.
    pub(crate) memory_bytes: u64,
    /// Maximum shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// True if the device supports stream-ordered memory pools.
    pub(crate) has_memory_pools: bool,
    /// Maximum threads of a block.
    pub(crate) block_threads: u32,
    /// Maximum threads of a block on each axis.
    pub(crate) block_size: [u32; 3],
}

impl Gpu {
    /// Number of GPUs.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn count(driver: &Driver) -> Result<c_int, Failure> {
        let mut count = 0;
        // SAFETY: the pointer is valid for a write of an integer.
        Failure::check(unsafe { (driver.cuDeviceGetCount)(&raw mut count) })?;
        Ok(count)
    }

    /// Queries the properties of a GPU.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(crate) fn query(driver: &'static Driver, ordinal: c_int) -> Result<Gpu, Failure> {
        let (mut device, mut version, mut memory_bytes, mut name) = (0, 0, 0_usize, [0 as c_char; 256]);
        // SAFETY: each pointer is valid for a write of its type. The driver writes at most all but the last byte of the
        // name, so the name is NUL-terminated whatever its length.
        unsafe {
            Failure::check((driver.cuDeviceGet)(&raw mut device, ordinal))?;
            Failure::check((driver.cuDriverGetVersion)(&raw mut version))?;
            Failure::check((driver.cuDeviceTotalMem_v2)(&raw mut memory_bytes, device))?;
            Failure::check((driver.cuDeviceGetName)(name.as_mut_ptr(), name.len() as c_int - 1, device))?;
        }
        // SAFETY: the last byte is a NUL.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let attribute = |attribute: CUdevice_attribute| {
            let mut value = 0;
            // SAFETY: the pointer is valid for a write of an integer.
            Failure::check(unsafe { (driver.cuDeviceGetAttribute)(&raw mut value, attribute as u32, device) })?;
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
            memory_bytes: memory_bytes as u64,
            shared_bytes: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            has_memory_pools: attribute(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).unwrap_or(0) != 0,
            block_threads: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            block_size: [
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
        })
    }

    /// Vendor, release and CUDA version of the driver, as text.
    pub(crate) fn driver_name(&self) -> String {
        driver_name(driver_release().as_deref(), self.version)
    }
}

/// Release of the kernel driver, such as `580.159.04`, where the system reports it. Several releases share one CUDA version.
pub(crate) fn driver_release() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    find_release(&text).map(str::to_owned)
}

fn driver_name(release: Option<&str>, version: u32) -> String {
    let vendor = ["NVIDIA"].into_iter().chain(release).collect::<Vec<&str>>().join(" ");
    format!("{vendor}, CUDA {}.{}", version / 1000, version % 1000 / 10)
}

/// First word of a text that consists of numbers separated by points, such as 580.159.04.
fn find_release(text: &str) -> Option<&str> {
    let is_release = |word: &&str| {
        let parts = || word.split('.');
        parts().count() >= 2 && parts().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split_whitespace().find(is_release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_found() {
        let text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Release Build\nGCC version: gcc 12.2.0";
        assert_eq!(find_release(text), Some("580.159.04"));
        assert_eq!(
            find_release("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15"),
            Some("550.54.15")
        );
        assert_eq!((find_release("x86_64 5.a .5 5."), find_release("")), (None, None));
        assert_eq!(driver_name(Some("580.159.04"), 13_000), "NVIDIA 580.159.04, CUDA 13.0");
        assert_eq!(driver_name(None, 12_040), "NVIDIA, CUDA 12.4");
    }
}
