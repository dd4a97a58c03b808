//! Modules: machine code loaded into a context.

use std::ffi::CStr;
use std::sync::{Arc, Weak};

use cudarc::driver::sys::CUfunction_attribute;
use vyre_runtime::{Error, Resource, check_limit};

use super::context::{Context, Current};
use super::library::{FunctionHandle, Handle, ModuleHandle};

/// Kernel that is loaded into a context. Dropping it unloads it.
pub(crate) struct LoadedKernel {
    context: Weak<Context>,
    module: ModuleHandle,
    pub(crate) function: FunctionHandle,
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl LoadedKernel {
    /// Loads the function `entry` of machine code, which must be whole output of the driver's linker.
    pub(crate) fn load(context: &Arc<Context>, code: &[u8], entry: &CStr) -> Result<LoadedKernel, Error> {
        let current = context.enter()?;
        let (driver, mut module, mut function) = (current.driver(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the caller guarantees the code; the pointer is valid for a write of a handle.
        let status = unsafe { (driver.cuModuleLoadData)(&raw mut module, code.as_ptr().cast()) };
        current.check("cuModuleLoadData", status)?;
        let mut loaded = LoadedKernel {
            context: Arc::downgrade(context),
            module: Handle(module),
            function: Handle(std::ptr::null_mut()),
        };
        // SAFETY: the module belongs to the context, which is current on this thread; the name is NUL-terminated, and the
        // pointer is valid for a write of a handle.
        let status = unsafe { (driver.cuModuleGetFunction)(&raw mut function, module, entry.as_ptr()) };
        current.check("cuModuleGetFunction", status)?;
        loaded.function = Handle(function);
        Ok(loaded)
    }

    /// Reports whether the kernel is loaded into this context.
    pub(crate) fn is_in(&self, context: &Context) -> bool {
        std::ptr::eq(self.context.as_ptr(), context)
    }

    /// Reserves dynamic shared memory for launches. Fails if the device cannot run blocks of this many threads.
    pub(crate) fn prepare(&self, current: &Current<'_>, shared_bytes: u32, threads: u64) -> Result<(), Error> {
        let driver = current.driver();
        if shared_bytes > 0 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
            let bytes = i32::try_from(shared_bytes).unwrap_or(i32::MAX);
            // SAFETY: the function belongs to the context, which is current on this thread.
            let status = unsafe { (driver.cuFuncSetAttribute)(self.function.0, attribute, bytes) };
            current.check("cuFuncSetAttribute", status)?;
        }
        let (attribute, mut max_threads) = (CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32, 0);
        // SAFETY: as above; the pointer is valid for a write of an integer. A driver that loads functions lazily loads this
        // one now.
        let status = unsafe { (driver.cuFuncGetAttribute)(&raw mut max_threads, attribute, self.function.0) };
        current.check("cuFuncGetAttribute", status)?;
        let max_threads = u64::try_from(max_threads).unwrap_or(0);
        check_limit(Resource::RegisterBoundInvocations, threads, max_threads)
    }
}

impl Drop for LoadedKernel {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // The modules of a destroyed context are already unloaded.
        let Some(context) = self.context.upgrade() else { return };
        if let Ok(current) = context.enter() {
            // SAFETY: the module belongs to the context, which is current on this thread. Submissions wait for their
            // commands before they release their programs, so none of its kernels is running.
            let status = unsafe { (current.driver().cuModuleUnload)(self.module.0) };
            // A drop cannot report the error, but a kernel fault may appear here first, and then marks the context as lost.
            let _ = current.check("cuModuleUnload", status);
        }
    }
}
