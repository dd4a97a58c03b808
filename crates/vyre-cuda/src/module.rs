//! PTX as code of the device.

use std::collections::HashMap;
use std::ffi::{CString, c_uint, c_void};
use std::sync::{Arc, Mutex, Weak};

use cudarc::driver::sys::{CUfunction_attribute, CUjit_option, CUjitInputType};
use vyre_runtime::Error;

use crate::context::{Context, Current, locked};
use crate::driver::{Failure, FunctionHandle, Handle, ModuleHandle};
use crate::hash::hash128;
use crate::ptx::Ptx;
use crate::store::Store;

/// The bytes of a log of the driver's compiler.
const LOG_BYTES: usize = 16 << 10;

/// Compiled kernels of a device, by their texts, as long as somebody has them.
pub(crate) struct Images {
    store: Option<Store>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_hash: HashMap<u128, Weak<Image>>,
    /// How many there may be before those that nobody has any more are looked for.
    most: usize,
}

/// A compiled kernel. It is kept on the host, so that it survives every context.
pub(crate) struct Image {
    source: Source,
    code: Vec<u8>,
    /// Where it was loaded last.
    loaded: Mutex<Option<Arc<Loaded>>>,
}

/// What a kernel is made from.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// The shared memory that it needs beside what the text says.
    pub(crate) shared_bytes: u32,
    /// The threads of a block.
    pub(crate) threads: u64,
}

/// A kernel in a context.
pub(crate) struct Loaded {
    home: Weak<Context>,
    module: ModuleHandle,
    pub(crate) function: FunctionHandle,
}

impl Images {
    pub(crate) fn new(store: Option<Store>) -> Images {
        Images { store, known: Mutex::default() }
    }

    /// Compiles a text, unless it is known what comes of it, and loads it. Two threads may compile the same at the same
    /// time.
    pub(crate) fn get(&self, context: &Arc<Context>, source: Source) -> Result<Arc<Image>, Error> {
        let hash = hash128(source.text.as_bytes());
        let known = locked(&self.known).by_hash.get(&hash).and_then(Weak::upgrade);
        if let Some(image) = known.filter(|image| image.source == source) {
            return Ok(image);
        }
        let image = match self.stored(context, &source) {
            Some(image) => image,
            None => {
                let code = link(&context.enter()?, &source.text)?;
                let image = Image { source, code, loaded: Mutex::default() };
                image.load(context)?;
                if let Some(store) = &self.store {
                    store.keep(&image.source.text, &image.code);
                }
                image
            }
        };
        let image = Arc::new(image);
        let mut known = locked(&self.known);
        if known.by_hash.len() >= known.most {
            known.by_hash.retain(|_, image| image.strong_count() > 0);
            known.most = (known.by_hash.len() * 2).max(64);
        }
        known.by_hash.insert(hash, Arc::downgrade(&image));
        Ok(image)
    }

    /// What the folder has, if the driver takes it.
    fn stored(&self, context: &Arc<Context>, source: &Source) -> Option<Image> {
        let code = self.store.as_ref()?.get(&source.text)?;
        let image = Image { source: source.clone(), code, loaded: Mutex::default() };
        image.load(context).ok()?;
        Some(image)
    }
}

impl Image {
    /// The kernel in a context.
    pub(crate) fn load(&self, context: &Arc<Context>) -> Result<Arc<Loaded>, Error> {
        let mut place = locked(&self.loaded);
        if let Some(loaded) = place.as_ref().filter(|loaded| std::ptr::eq(loaded.home.as_ptr(), &raw const **context)) {
            return Ok(Arc::clone(loaded));
        }
        let loaded = Loaded::new(context, &self.code)?;
        loaded.prepare(&context.enter()?, self.source.shared_bytes, self.source.threads)?;
        let loaded = Arc::new(loaded);
        *place = Some(Arc::clone(&loaded));
        Ok(loaded)
    }
}

#[expect(unsafe_code, reason = "the driver is a C library")]
impl Loaded {
    fn new(context: &Arc<Context>, code: &[u8]) -> Result<Loaded, Error> {
        let current = context.enter()?;
        let (driver, mut module, mut function) = (current.driver(), std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the code is what the driver has written, whole, as its checksum has shown if it comes from a file, which
        // only those can have changed who may write to the folder of the store; the module is written to a handle.
        let status = unsafe { (driver.cuModuleLoadData)(&raw mut module, code.as_ptr().cast()) };
        current.check("loading a program", status)?;
        let mut loaded =
            Loaded { home: Arc::downgrade(context), module: Handle(module), function: Handle(std::ptr::null_mut()) };
        let entry = CString::new(Ptx::ENTRY).unwrap_or_default();
        // SAFETY: the module belongs to the context, which is that of this thread; the name ends with a zero, and the
        // function is written to a handle.
        let status = unsafe { (driver.cuModuleGetFunction)(&raw mut function, module, entry.as_ptr()) };
        current.check("looking for the entry of a program", status)?;
        loaded.function = Handle(function);
        Ok(loaded)
    }

    /// Has the kernel use this much shared memory beside what its text says, and fails if the device cannot run blocks of
    /// this many threads of it.
    fn prepare(&self, current: &Current<'_>, shared_bytes: u32, threads: u64) -> Result<(), Error> {
        let driver = current.driver();
        if shared_bytes > 0 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
            let bytes = i32::try_from(shared_bytes).unwrap_or(i32::MAX);
            // SAFETY: the function belongs to the context, which is that of this thread.
            let status = unsafe { (driver.cuFuncSetAttribute)(self.function.0, attribute, bytes) };
            current.check(&format!("asking for {shared_bytes} bytes of shared memory"), status)?;
        }
        let (attribute, mut most) = (CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32, 0);
        // SAFETY: as above; the value is written to a number. This also has the driver load the function now, if it has put
        // that off.
        let status = unsafe { (driver.cuFuncGetAttribute)(&raw mut most, attribute, self.function.0) };
        current.check("asking for the limits of a program", status)?;
        let most = u64::try_from(most).unwrap_or(0);
        if threads > most {
            let message = format!("the program needs so many registers that only {most} of {threads} threads fit");
            return Err(Error::Backend { message });
        }
        Ok(())
    }
}

impl Drop for Loaded {
    #[expect(unsafe_code, reason = "the driver is a C library")]
    fn drop(&mut self) {
        // Modules of a context go with it.
        let Some(context) = self.home.upgrade() else { return };
        if let Ok(current) = context.enter() {
            // SAFETY: the module belongs to the context, which is that of this thread. Runs wait for what they have begun
            // before they let go of their programs, so none of its kernels is running.
            let status = unsafe { (current.driver().cuModuleUnload)(self.module.0) };
            // Nobody can be told, but a fault of a kernel may show here first.
            let _ = current.check("unloading a program", status);
        }
    }
}

/// Compiles PTX for the device.
#[expect(unsafe_code, reason = "the driver is a C library")]
fn link(current: &Current<'_>, text: &str) -> Result<Vec<u8>, Error> {
    let (driver, context) = (current.driver(), current.context);
    let text = CString::new(text).map_err(|_| Error::Backend { message: "a program with a zero in it".to_owned() })?;
    let (mut said, mut failed) = (vec![0_u8; LOG_BYTES], vec![0_u8; LOG_BYTES]);
    // The sizes, and the target that is that of the context, are numbers in the place of pointers.
    let size = std::ptr::without_provenance_mut::<c_void>(LOG_BYTES);
    let mut options: [c_uint; 5] = [
        CUjit_option::CU_JIT_INFO_LOG_BUFFER as c_uint,
        CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES as c_uint,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER as c_uint,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_uint,
        CUjit_option::CU_JIT_TARGET_FROM_CUCONTEXT as c_uint,
    ];
    let mut values: [*mut c_void; 5] =
        [said.as_mut_ptr().cast(), size, failed.as_mut_ptr().cast(), size, std::ptr::null_mut()];
    let mut state = std::ptr::null_mut();
    let (mut code, mut length) = (std::ptr::null_mut(), 0_usize);
    let (ptx, name) = (CUjitInputType::CU_JIT_INPUT_PTX as c_uint, c"program.ptx");
    let bytes = text.as_bytes_with_nul();
    // SAFETY: the context is that of this thread. Options and logs stay where they are until the state is destroyed, and
    // logs have the sizes that are given. The text is read and ends with a zero. The code belongs to the state and is copied
    // before the state is destroyed.
    let outcome = unsafe {
        let count = options.len() as c_uint;
        let created = (driver.cuLinkCreate_v2)(count, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut state);
        Failure::check(created).and_then(|()| {
            let data = bytes.as_ptr().cast_mut().cast();
            let (none, nothing) = (std::ptr::null_mut(), std::ptr::null_mut());
            let added = (driver.cuLinkAddData_v2)(state, ptx, data, bytes.len(), name.as_ptr(), 0, none, nothing);
            let linked = Failure::check(added)
                .and_then(|()| Failure::check((driver.cuLinkComplete)(state, &raw mut code, &raw mut length)))
                .map(|()| std::slice::from_raw_parts(code.cast::<u8>(), length).to_vec());
            (driver.cuLinkDestroy)(state);
            linked
        })
    };
    outcome.map_err(|failure| {
        if failure.is_lasting() {
            return context.broken(failure);
        }
        let log = |bytes: &[u8]| {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let logs = [log(&failed), log(&said)];
        let logs: Vec<&str> = logs.iter().map(String::as_str).filter(|log| !log.is_empty()).collect();
        let message = format!("compiling a program failed: {failure}: {}", logs.join("; "));
        Error::Backend { message }
    })
}
