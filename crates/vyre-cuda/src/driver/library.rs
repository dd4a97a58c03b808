//! Dynamically loaded CUDA driver: its function table, its handles and its status codes.
//!
//! The library is loaded and its functions are resolved on first use. Every function returns its status as a plain number
//! instead of the bindings' enumeration, because a driver newer than the bindings may return a status that the enumeration
//! lacks.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::fmt;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    self, CUcontext, CUctx_st, CUdevice, CUdeviceptr, CUevent, CUevent_st, CUfunc_st, CUfunction, CUgraph, CUgraphExec,
    CUgraphExec_st, CUlinkState, CUmemPoolHandle_st, CUmemPoolProps, CUmemoryPool, CUmod_st, CUmodule, CUstream,
    CUstream_st,
};

/// Status code of a driver function: 0 for success, an error code otherwise.
pub(crate) type Status = u32;

/// Driver object. Any thread may use it.
#[derive(Debug)]
pub(crate) struct Handle<T>(pub(crate) *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        *self
    }
}

impl<T> Copy for Handle<T> {}

#[expect(unsafe_code, reason = "the driver's handles are pointers")]
// SAFETY: a handle is only passed to driver functions, and any thread may call those.
unsafe impl<T> Send for Handle<T> {}

#[expect(unsafe_code, reason = "the driver's handles are pointers")]
// SAFETY: as above; the driver synchronizes access to its own objects.
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
        /// Function table of the driver, by function name.
        #[expect(non_snake_case, reason = "these are the driver's names")]
        pub(crate) struct Driver {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> Status,)*
        }

        impl Driver {
            /// Resolves the functions. `None` if there is no driver, or if it is too old to export all of them.
            #[expect(unsafe_code, reason = "the driver is a C library")]
            fn load() -> Option<Driver> {
                // SAFETY: this only opens the driver's library, which may be opened at any time.
                let library = unsafe {
                    // `culib` panics if the library is missing.
                    if !sys::is_culib_present() {
                        return None;
                    }
                    sys::culib()
                };
                // SAFETY: the types are those of the driver's declarations, as in the bindings, except that enumerations
                // are integers of the same size.
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
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
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
    cuMemHostRegister_v2(*mut c_void, usize, c_uint);
    cuMemHostUnregister(*mut c_void);
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
    /// Driver of this machine, if there is one and it initializes.
    pub(crate) fn get() -> Option<&'static Driver> {
        static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
        DRIVER.get_or_init(|| Driver::load().filter(Driver::initializes)).as_ref()
    }

    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn initializes(&self) -> bool {
        // SAFETY: `cuInit` may be called first and at any time; 0 is its only valid flag word.
        let status = unsafe { (self.cuInit)(0) };
        status == SUCCESS
    }

    /// Text of the driver about a status: its name or its description.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn text(&self, of: unsafe extern "C" fn(Status, *mut *const c_char) -> Status, status: Status) -> Option<String> {
        let mut text = std::ptr::null();
        // SAFETY: the function is `cuGetErrorName` or `cuGetErrorString`, which accept any number as the status.
        let found = unsafe { of(status, &raw mut text) };
        if found != SUCCESS || text.is_null() {
            return None;
        }
        // SAFETY: the text is a static NUL-terminated string of the driver.
        Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

/// `CUDA_SUCCESS`.
pub(crate) const SUCCESS: Status = 0;
/// `CUDA_ERROR_OUT_OF_MEMORY`.
pub(crate) const OUT_OF_MEMORY: Status = 2;
/// `CUDA_ERROR_NOT_READY`: the device has not reached the event or the end of the stream yet.
pub(crate) const NOT_READY: Status = 600;

/// Error status of a driver call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: Status,
}

impl Failure {
    /// Fails for every status other than [`SUCCESS`].
    pub(crate) fn check(status: Status) -> Result<(), Failure> {
        if status == SUCCESS { Ok(()) } else { Err(Failure { status }) }
    }

    pub(crate) fn is_out_of_memory(self) -> bool {
        self.status == OUT_OF_MEMORY
    }

    /// Reports whether the error is sticky: the context is unusable, and every later call on it returns the same error.
    ///
    /// | Status | Meaning |
    /// |---|---|
    /// | 4, 46 | the driver is shutting down; the device is gone |
    /// | 201, 709 | the context is invalid or was destroyed |
    /// | 214, 220, 221, 226 | memory (ECC) or NVLink errors |
    /// | 700, 702, 710, 714-719, 721 | kernel faults: address, timeout, assertion, stack, instruction, alignment, address space, program counter, launch failure, tensor memory |
    /// | 806, 810 | the multi-process service failed |
    /// | 999 | unknown error |
    pub(crate) fn is_sticky(self) -> bool {
        matches!(
            self.status,
            4 | 46 | 201 | 709 | 214 | 220 | 221 | 226 | 700 | 702 | 710 | 714..=719 | 721 | 806 | 810 | 999
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { status } = *self;
        let driver = Driver::get();
        let text = driver.and_then(|driver| driver.text(driver.cuGetErrorString, status));
        let name = driver.and_then(|driver| driver.text(driver.cuGetErrorName, status));
        let text = text.unwrap_or_else(|| "unknown to the driver".to_owned());
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
    fn kernel_faults_are_sticky_and_refusals_are_not() {
        for status in [214, 700, 702, 714, 716, 719, 999] {
            assert!(Failure { status }.is_sticky(), "{status}");
        }
        for status in [1, OUT_OF_MEMORY, NOT_READY, 200, 218, 301, 701, 801, 900] {
            assert!(!Failure { status }.is_sticky(), "{status}");
        }
        assert_eq!(Failure::check(SUCCESS), Ok(()));
        assert!(Failure { status: 12_345 }.to_string().contains("12345"));
    }
}
