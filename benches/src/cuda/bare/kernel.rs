//! Compiled kernels and their launches.

use std::ffi::{CString, c_void};
use std::fs;
use std::path::Path;
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::context::{BareCuda, check};
use super::memory::BareBuffer;
use crate::error::Error;

/// Loaded file of compiled kernels.
pub(in crate::cuda) struct BareModule<'c> {
    cuda: &'c BareCuda,
    module: sys::CUmodule,
}

impl<'c> BareModule<'c> {
    /// Loads a file that nvcc compiled.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn load(cuda: &'c BareCuda, path: &Path) -> Result<Rc<BareModule<'c>>, Error> {
        let failed = |message: String| Error::Kernels { path: path.to_owned(), message };
        let image = fs::read(path).map_err(|error| failed(error.to_string()))?;
        cuda.enter()?;
        let mut module = ptr::null_mut();
        // SAFETY: the image is a whole file that nvcc compiled, and alive until the call returns.
        let result = unsafe { sys::cuModuleLoadData(&mut module, image.as_ptr().cast()) };
        check("cuModuleLoadData", result).map_err(|error| failed(error.to_string()))?;
        Ok(Rc::new(BareModule { cuda, module }))
    }
}

impl Drop for BareModule<'_> {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // A failure cannot be reported from here.
        let _ = self.cuda.enter();
        let _ = self.cuda.wait();
        // SAFETY: the stream has finished, and every launch keeps its module alive.
        let _ = unsafe { sys::cuModuleUnload(self.module) };
    }
}

/// Kernel with its arguments and its grid.
pub(in crate::cuda) struct BareLaunch<'c> {
    module: Rc<BareModule<'c>>,
    function: sys::CUfunction,
    buffers: Vec<Rc<BareBuffer<'c>>>,
    items: u32,
    blocks: u32,
    threads: u32,
}

/// Maximum number of arguments of a kernel.
const MAX_ARGUMENTS: usize = 8;

impl<'c> BareLaunch<'c> {
    /// Prepares a kernel over `blocks` blocks of `threads` threads. Its arguments are the addresses of the buffers and the number of
    /// items.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn new(
        module: &Rc<BareModule<'c>>,
        entry: &str,
        buffers: &[Rc<BareBuffer<'c>>],
        items: u32,
        [blocks, threads]: [u32; 2],
    ) -> Result<BareLaunch<'c>, Error> {
        let failed =
            |message: &str| Error::Driver { call: "cuModuleGetFunction", message: format!("{entry}: {message}") };
        if buffers.len() >= MAX_ARGUMENTS {
            return Err(failed("too many buffers"));
        }
        let name = CString::new(entry).map_err(|_| failed("not a name of a kernel"))?;
        module.cuda.enter()?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, and the name ends with a zero.
        let result = unsafe { sys::cuModuleGetFunction(&mut function, module.module, name.as_ptr()) };
        check("cuModuleGetFunction", result).map_err(|error| failed(&error.to_string()))?;
        Ok(BareLaunch { module: module.clone(), function, buffers: buffers.to_vec(), items, blocks, threads })
    }

    pub(super) fn cuda(&self) -> &'c BareCuda {
        self.module.cuda
    }

    /// Enqueues the launch.
    #[expect(unsafe_code, reason = "the driver is a C library")]
    pub(in crate::cuda) fn enqueue(&self) -> Result<(), Error> {
        let mut arguments = [ptr::null_mut::<c_void>(); MAX_ARGUMENTS];
        for (argument, buffer) in arguments.iter_mut().zip(&self.buffers) {
            *argument = ptr::from_ref(&buffer.address).cast_mut().cast();
        }
        arguments[self.buffers.len()] = ptr::from_ref(&self.items).cast_mut().cast();
        let stream = self.module.cuda.stream;
        // SAFETY: the function belongs to a loaded module. Kernels of this crate have the arguments of `new`, which the driver
        // copies before it returns; they compare each index with the number of items, or mask it. Buffers wait for the stream
        // before they are freed.
        let result = unsafe {
            sys::cuLaunchKernel(
                self.function,
                self.blocks,
                1,
                1,
                self.threads,
                1,
                1,
                0,
                stream,
                arguments.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", result)
    }
}
