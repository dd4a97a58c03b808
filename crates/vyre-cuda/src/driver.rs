//! The CUDA driver: the functions that are used, and what it says when something goes wrong.
//!
//! Functions are looked up once, when the driver is first asked for. Each gives a number, not the enumeration of the
//! bindings: a driver that is newer than they are may say what they do not know.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::fmt;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUctx_st, CUdevice, CUdeviceptr, CUevent, CUevent_st, CUfunc_st, CUfunction, CUgraph, CUgraphExec,
    CUgraphExec_st, CUlinkState, CUmemPoolHandle_st, CUmemPoolProps, CUmemoryPool, CUmod_st, CUmodule, CUstream,
    CUstream_st,
};

/// What a function of the driver gives: 0, or what has gone wrong.
pub(crate) type Status = u32;

/// Something of the driver. All of it may be used by any thread.
#[derive(Debug)]
pub(crate) struct Handle<T>(pub(crate) *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        *self
    }
}

impl<T> Copy for Handle<T> {}

#[expect(unsafe_code, reason = "the driver's handles are pointers")]
// SAFETY: the driver's functions may be called by any thread, and nothing else is done with a handle.
unsafe impl<T> Send for Handle<T> {}

#[expect(unsafe_code, reason = "the driver's handles are pointers")]
// SAFETY: as above; the driver locks what it shares.
unsafe impl<T> Sync for Handle<T> {}

pub(crate) type ContextHandle = Handle<CUctx_st>;
pub(crate) type StreamHandle = Handle<CUstream_st>;
pub(crate) type EventHandle = Handle<CUevent_st>;
pub(crate) type PoolHandle = Handle<CUmemPoolHandle_st>;
pub(crate) type ModuleHandle = Handle<CUmod_st>;
pub(crate) type FunctionHandle = Handle<CUfunc_st>;
pub(crate) type GraphExecHandle = Handle<CUgraphExec_st>;

macro_rules! functions {
    ($($name:ident($($argument:ty),* $(,)?);)*) => {
        /// The functions of the driver, by their names.
        #[expect(non_snake_case, reason = "these are the driver's names")]
        pub(crate) struct Driver {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> Status,)*
        }

        impl Driver {
            /// Looks the functions up; a driver that lacks one of them is too old.
            #[expect(unsafe_code, reason = "the driver is a C library")]
            fn load() -> Option<Driver> {
                // SAFETY: libraries are only opened here, and the driver may be opened at any time.
                let library = unsafe {
                    // Without this, looking for a library that is missing would panic.
                    if !sys::is_culib_present() {
                        return None;
                    }
                    sys::culib()
                };
                // SAFETY: these are the types that the driver declares its functions with, as in the bindings, but for
                // the enumerations, which are numbers of the same size.
                unsafe {
                    Some(Driver {
                        $($name: *library.get(concat!(stringify!($name), "\0").as_bytes()).ok()?,)*
                    })
                }
            }
        }
    };
}

functions! {
    cuInit(c_uint);
    cuDriverGetVersion(*mut c_int);
    cuGetErrorName(Status, *mut *const c_char);
    cuGetErrorString(Status, *mut *const c_char);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDeviceGetAttribute(*mut c_int, c_uint, CUdevice);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    cuCtxDestroy_v2(CUcontext);
    cuCtxPushCurrent_v2(CUcontext);
    cuCtxPopCurrent_v2(*mut CUcontext);
    cuStreamCreate(*mut CUstream, c_uint);
    cuStreamSynchronize(CUstream);
    cuStreamQuery(CUstream);
    cuStreamBeginCapture_v2(CUstream, c_uint);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventRecord(CUevent, CUstream);
    cuEventQuery(CUevent);
    cuEventSynchronize(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuMemGetInfo_v2(*mut usize, *mut usize);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFree_v2(CUdeviceptr);
    cuMemPoolCreate(*mut CUmemoryPool, *const CUmemPoolProps);
    cuMemPoolDestroy(CUmemoryPool);
    cuMemPoolSetAttribute(CUmemoryPool, c_uint, *mut c_void);
    cuMemPoolTrimTo(CUmemoryPool, usize);
    cuMemAllocFromPoolAsync(*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
    cuMemFreeAsync(CUdeviceptr, CUstream);
    cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    cuMemsetD8_v2(CUdeviceptr, c_uchar, usize);
    cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuLinkCreate_v2(c_uint, *mut c_uint, *mut *mut c_void, *mut CUlinkState);
    cuLinkAddData_v2(
        CUlinkState, c_uint, *mut c_void, usize, *const c_char, c_uint, *mut c_uint, *mut *mut c_void,
    );
    cuLinkComplete(CUlinkState, *mut *mut c_void, *mut usize);
    cuLinkDestroy(CUlinkState);
    cuModuleLoadData(*mut CUmodule, *const c_void);
    cuModuleUnload(CUmodule);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuFuncGetAttribute(*mut c_int, c_uint, CUfunction);
    cuFuncSetAttribute(CUfunction, c_uint, c_int);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void,
        *mut *mut c_void,
    );
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, c_ulonglong);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphDestroy(CUgraph);
    cuGraphExecDestroy(CUgraphExec);
}

impl Driver {
    /// The driver of this machine, if there is one that works.
    pub(crate) fn get() -> Option<&'static Driver> {
        static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
        DRIVER.get_or_init(|| Driver::load().filter(Driver::starts)).as_ref()
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn starts(&self) -> bool {
        // SAFETY: this is the first function that is called, with the only flags that there are.
        let status = unsafe { (self.cuInit)(0) };
        status == SUCCESS
    }

    /// What a driver says about a status.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn text(&self, of: unsafe extern "C" fn(Status, *mut *const c_char) -> Status, status: Status) -> Option<String> {
        let mut text = std::ptr::null();
        // SAFETY: the function is one of the two that give a text for a number, whatever the number.
        let found = unsafe { of(status, &raw mut text) };
        if found != SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: texts of the driver end with a zero and stay for ever.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

/// All is well.
pub(crate) const SUCCESS: Status = 0;
/// There is not enough memory.
pub(crate) const OUT_OF_MEMORY: Status = 2;
/// The device has not come to it yet.
pub(crate) const NOT_READY: Status = 600;

/// Something that the driver did not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: Status,
}

impl Failure {
    /// Fails for every status but the good one.
    pub(crate) fn check(status: Status) -> Result<(), Failure> {
        if status == SUCCESS { Ok(()) } else { Err(Failure { status }) }
    }

    pub(crate) fn is_out_of_memory(self) -> bool {
        self.status == OUT_OF_MEMORY
    }

    /// Whether a context can do nothing any more after this, so that every later call would say the same.
    pub(crate) fn is_lasting(self) -> bool {
        matches!(
            self.status,
            // The driver is shutting down, or the device has gone.
            4 | 46
            // A context that is not one, or that was destroyed.
            | 201 | 709
            // Memory or links that are broken.
            | 214 | 220 | 221 | 226
            // Faults of kernels: addresses, timeouts, assertions, stacks, instructions, alignment, address spaces,
            // program counters, everything else, and memory of tensor cores.
            | 700 | 702 | 710 | 714
                ..=719 | 721
            // What shares the device between processes has failed.
            | 806 | 810
            // Whatever the driver cannot name.
            | 999
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { status } = *self;
        let driver = Driver::get();
        let text = driver.and_then(|driver| driver.text(driver.cuGetErrorString, status));
        let name = driver.and_then(|driver| driver.text(driver.cuGetErrorName, status));
        let text = text.unwrap_or_else(|| "the driver has no words for it".to_owned());
        match name {
            Some(name) => write!(f, "{text} ({name})"),
            None => write!(f, "{text} (status {status})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_last_and_refusals_do_not() {
        for status in [214, 700, 702, 714, 716, 719, 999] {
            assert!(Failure { status }.is_lasting(), "{status}");
        }
        for status in [1, OUT_OF_MEMORY, NOT_READY, 200, 218, 301, 701, 801, 900] {
            assert!(!Failure { status }.is_lasting(), "{status}");
        }
        assert_eq!(Failure::check(SUCCESS), Ok(()));
        assert!(Failure { status: 12_345 }.to_string().contains("12345"));
    }
}
