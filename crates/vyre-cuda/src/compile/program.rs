//! Compiled programs: the code of a pipeline.
//!
//! A program has up to two variants. The plain one runs to its end. The cancellable one polls a cancel word; it is compiled
//! when a run with a token or a deadline first needs it.

use std::sync::{Arc, Mutex};

use vyre_ir::{BufferAccess, DataType, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized};
use vyre_runtime::shell::artifact::hash64;
use vyre_runtime::shell::on_large_stack;
use vyre_runtime::{Cause, Error, PipelineOptions, Resource, check_limit};

use super::arguments::parameter_bytes;
use super::image::{Image, Images, Source};
use super::limits::{MAX_ACCESSED_BUFFERS, MAX_PARAMETER_BYTES, target_of};
use crate::driver::context::Context;
use crate::driver::gpu::Gpu;
use crate::driver::module::LoadedKernel;
use crate::ptx::{Ptx, PtxParameter, PtxTarget};
use crate::sync::{lock, unique_id};
use crate::translate::{passes, translate};

/// Code of a pipeline of this backend.
pub(crate) struct CompiledProgram {
    /// Number that identifies the program within this process.
    pub(crate) number: u64,
    /// Name in error messages.
    pub(crate) name: Arc<str>,
    /// Element type of each bound buffer, in the order of the program.
    pub(crate) elements: Vec<DataType>,
    kernel: Kernel,
    target: PtxTarget,
    images: Arc<Images>,
    plain: Arc<Variant>,
    cancellable: Mutex<Option<Arc<Variant>>>,
}

/// Plain or cancellable kernel of a program.
pub(crate) struct Variant {
    /// PTX without its text, which the image owns.
    pub(crate) ptx: Ptx,
    image: Arc<Image>,
}

impl CompiledProgram {
    /// Compiles a program.
    pub(crate) fn new(
        images: &Arc<Images>,
        context: &Arc<Context>,
        program: &ValidProgram<'_>,
        options: &PipelineOptions,
        optimize: bool,
    ) -> Result<CompiledProgram, Error> {
        let mut kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
        if optimize {
            passes().run(&mut kernel).map_err(Error::lower)?;
        }
        let target = target_of(&context.gpu);
        on_large_stack("cuda-compiler", || {
            let ptx = translate(&kernel, target)?;
            CompiledProgram::from_ptx(images, context, kernel, ptx)
        })
    }

    /// Compiles a kernel from its PTX.
    pub(crate) fn from_ptx(
        images: &Arc<Images>,
        context: &Arc<Context>,
        kernel: Kernel,
        ptx: Ptx,
    ) -> Result<CompiledProgram, Error> {
        let name: Arc<str> = describe(&kernel, &ptx.text).into();
        let plain = Variant::new(images, context, &kernel, ptx).map_err(|error| with_program(&name, error))?;
        let plain = Arc::new(plain);
        let bound = kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
        Ok(CompiledProgram {
            number: unique_id(),
            name,
            elements: bound.map(|(_, decl)| decl.element).collect(),
            target: target_of(&context.gpu),
            images: Arc::clone(images),
            plain,
            cancellable: Mutex::default(),
            kernel,
        })
    }

    /// Replaces the cancellable variant.
    #[cfg(test)]
    pub(crate) fn with_cancellable(self, context: &Arc<Context>, ptx: Ptx) -> Result<CompiledProgram, Error> {
        let variant = Variant::new(&self.images, context, &self.kernel, ptx)?;
        Ok(CompiledProgram { cancellable: Mutex::new(Some(Arc::new(variant))), ..self })
    }

    /// Workgroups that a block runs.
    pub(crate) fn groups_per_block(&self) -> u32 {
        self.plain.ptx.groups_per_block
    }

    /// Returns the plain or the cancellable variant, and compiles the latter on first use.
    pub(crate) fn variant(&self, context: &Arc<Context>, is_cancellable: bool) -> Result<Arc<Variant>, Error> {
        if !is_cancellable {
            return Ok(Arc::clone(&self.plain));
        }
        let mut cancellable = lock(&self.cancellable);
        if let Some(variant) = &*cancellable {
            return Ok(Arc::clone(variant));
        }
        let variant = on_large_stack("cuda-compiler", || {
            let ptx = translate(&self.kernel, self.target.with_cancel(true))?;
            Variant::new(&self.images, context, &self.kernel, ptx).map_err(|error| with_program(&self.name, error))
        })?;
        Ok(Arc::clone(cancellable.insert(Arc::new(variant))))
    }
}

impl Variant {
    fn new(images: &Images, context: &Arc<Context>, kernel: &Kernel, mut ptx: Ptx) -> Result<Variant, Error> {
        check(&context.gpu, kernel, &ptx)?;
        let source = Source {
            text: std::mem::take(&mut ptx.text),
            shared_bytes: ptx.dynamic_shared_bytes,
            threads: ptx.block.iter().map(|&threads| u64::from(threads)).product(),
        };
        let image = images.get(context, source)?;
        Ok(Variant { ptx, image })
    }

    /// Loads the kernel into a context.
    pub(crate) fn load(&self, context: &Arc<Context>) -> Result<Arc<LoadedKernel>, Error> {
        self.image.load(context)
    }
}

/// Adds the program's name to a device error that lacks it.
pub(crate) fn with_program(program: &Arc<str>, error: Error) -> Error {
    match error {
        Error::Compile { compiler, program: None, cause } => {
            Error::Compile { compiler, program: Some(Arc::clone(program)), cause }
        }
        Error::Driver { call, code, cause } => {
            Error::Driver { call, code, cause: Cause::new(format!("{program}: {cause}")) }
        }
        error => error,
    }
}

/// Checks the requirements of a kernel against the limits of a GPU.
fn check(gpu: &Gpu, kernel: &Kernel, ptx: &Ptx) -> Result<(), Error> {
    check_limit(Resource::WorkgroupBytes, u64::from(ptx.dynamic_shared_bytes), u64::from(gpu.shared_bytes))?;
    let limit = MAX_ACCESSED_BUFFERS;
    let is_address = |parameter: &&PtxParameter| matches!(parameter, PtxParameter::Address(_));
    let accessed = ptx.parameters.iter().filter(is_address).count() as u64;
    check_limit(Resource::AccessedBuffers, accessed, limit)?;
    // A buffer that is not accessed still has a length parameter if the program uses its length.
    if parameter_bytes(&ptx.parameters) > MAX_PARAMETER_BYTES {
        let declared = kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup).count() as u64;
        return check_limit(Resource::AccessedBuffers, declared.max(limit + 1), limit);
    }
    Ok(())
}

/// Name of a program in error messages: a hash of its PTX, its buffers and its workgroup size.
fn describe(kernel: &Kernel, text: &str) -> String {
    const MAX_NAMES: usize = 8;
    let bound = || kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
    let mut names: Vec<String> = bound().take(MAX_NAMES).map(|(_, decl)| format!("`{}`", decl.name)).collect();
    let more = bound().count() - names.len();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let buffers = match names.as_slice() {
        [] => "no buffers".to_owned(),
        [only] => format!("buffer {only}"),
        several => format!("buffers {}", several.join(", ")),
    };
    let [x, y, z] = kernel.workgroup_size;
    format!("program {:016x} ({buffers}; workgroup {x}x{y}x{z})", hash64(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};

    use super::*;

    #[test]
    fn program_names_list_their_buffers() {
        let name_of = |source: &str| {
            let parsed = text::parse(source).expect("it parses");
            let ops = OpTable::default();
            let valid = parsed.validate(&ops).expect("it is valid");
            let options = PipelineOptions::default();
            describe(&lower_specialized(&valid, &options.specialization).expect("it can be lowered"), "a")
        };
        assert_eq!(
            name_of(
                "workgroup_size 256; buffer input: read u32 @0; buffer tile: workgroup u32[4]; \
                 buffer sums: read_write u32 @1; entry { sums[0] = input[0]; }"
            ),
            "program af63dc4c8601ec8c (buffers `input`, `sums`; workgroup 256x1x1)"
        );
        let many: String = (0..11).map(|at| format!("buffer b{at}: read_write u32 @{at};")).collect();
        assert!(name_of(&format!("workgroup_size 1; {many} entry {{ }}")).contains("`b7`, 3 more"));
        assert!(name_of("workgroup_size 1, 2; entry { }").ends_with("(no buffers; workgroup 1x2x1)"));
    }
}
