//! Programs as kernels of the device.

use std::sync::{Arc, Mutex};

use vyre_ir::{BufferAccess, DataType, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized};
use vyre_runtime::{DeviceId, Error, PipelineOptions, Resource};

use crate::adapter::{Gpu, PARAMETER_BYTES};
use crate::arguments::parameter_bytes;
use crate::context::{Context, fresh_number, locked};
use crate::hash::hash64;
use crate::module::{Image, Images, Loaded, Source};
use crate::ptx::{Ptx, PtxParameter, PtxTarget, passes, translate};
use crate::stack::on_large_stack;

/// What a pipeline is here.
pub(crate) struct Compiled {
    pub(crate) device: DeviceId,
    /// What tells it apart from all other pipelines of this process.
    pub(crate) number: u64,
    /// What it is called where something goes wrong.
    pub(crate) name: Arc<str>,
    /// By the position of a buffer in the program: the type of its elements.
    pub(crate) elements: Vec<DataType>,
    kernel: Kernel,
    target: PtxTarget,
    images: Arc<Images>,
    plain: Arc<Variant>,
    /// The one that ends when it is told to, made when it is first needed.
    ending: Mutex<Option<Arc<Variant>>>,
}

/// A kernel that either ends when it is told to, or does not look.
pub(crate) struct Variant {
    /// Without its text, which the image has.
    pub(crate) ptx: Ptx,
    image: Arc<Image>,
}

impl Compiled {
    /// Compiles a program.
    pub(crate) fn new(
        device: DeviceId,
        images: &Arc<Images>,
        context: &Arc<Context>,
        program: &ValidProgram<'_>,
        options: &PipelineOptions,
        optimize: bool,
    ) -> Result<Compiled, Error> {
        let failed = |error: &dyn std::fmt::Display| Error::Backend { message: error.to_string() };
        let mut kernel = lower_specialized(program, &options.specialization).map_err(|error| failed(&error))?;
        if optimize {
            passes().run(&mut kernel).map_err(|error| failed(&error))?;
        }
        let target = context.gpu.target();
        on_large_stack(|| {
            let ptx = translate(&kernel, target)?;
            Compiled::of_ptx(device, images, context, kernel, ptx)
        })
    }

    /// The pipeline of a kernel whose PTX is known.
    pub(crate) fn of_ptx(
        device: DeviceId,
        images: &Arc<Images>,
        context: &Arc<Context>,
        kernel: Kernel,
        ptx: Ptx,
    ) -> Result<Compiled, Error> {
        let name: Arc<str> = described(&kernel, &ptx.text).into();
        let plain = Variant::new(images, context, &kernel, ptx).map_err(|error| named(&name, error))?;
        let plain = Arc::new(plain);
        let bound = kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
        Ok(Compiled {
            device,
            number: fresh_number(),
            name,
            elements: bound.map(|(_, decl)| decl.element).collect(),
            target: context.gpu.target(),
            images: Arc::clone(images),
            plain,
            ending: Mutex::default(),
            kernel,
        })
    }

    /// The same with a kernel for runs that may be told to end.
    #[cfg(test)]
    pub(crate) fn with_ending(self, context: &Arc<Context>, ptx: Ptx) -> Result<Compiled, Error> {
        let variant = Variant::new(&self.images, context, &self.kernel, ptx)?;
        Ok(Compiled { ending: Mutex::new(Some(Arc::new(variant))), ..self })
    }

    /// How many workgroups a block runs.
    pub(crate) fn groups_per_block(&self) -> u32 {
        self.plain.ptx.groups_per_block
    }

    /// The kernel that ends when it is told to, or the one that does not look.
    pub(crate) fn variant(&self, context: &Arc<Context>, may_end: bool) -> Result<Arc<Variant>, Error> {
        if !may_end {
            return Ok(Arc::clone(&self.plain));
        }
        let mut ending = locked(&self.ending);
        if let Some(variant) = &*ending {
            return Ok(Arc::clone(variant));
        }
        let variant = on_large_stack(|| {
            let ptx = translate(&self.kernel, self.target.with_cancel(true))?;
            Variant::new(&self.images, context, &self.kernel, ptx).map_err(|error| named(&self.name, error))
        })?;
        Ok(Arc::clone(ending.insert(Arc::new(variant))))
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

    /// The kernel in a context.
    pub(crate) fn load(&self, context: &Arc<Context>) -> Result<Arc<Loaded>, Error> {
        self.image.load(context)
    }
}

/// A failure of a device with the program that it is about, unless it names one.
pub(crate) fn named(program: &str, error: Error) -> Error {
    match error {
        Error::Backend { message } if !message.contains(program) => {
            Error::Backend { message: format!("{program}: {message}") }
        }
        error => error,
    }
}

/// Checks what a kernel needs against what a device has.
fn check(gpu: &Gpu, kernel: &Kernel, ptx: &Ptx) -> Result<(), Error> {
    let exceeded = |resource, wanted, limit| Err(Error::ResourceExceeded { resource, wanted, limit });
    let (shared, most_shared) = (u64::from(ptx.dynamic_shared_bytes), u64::from(gpu.shared_bytes));
    if shared > most_shared {
        return exceeded(Resource::WorkgroupBytes, shared, most_shared);
    }
    let limit = gpu.limits().accessed_buffers;
    let is_address = |parameter: &&PtxParameter| matches!(parameter, PtxParameter::Address(_));
    let accessed = ptx.parameters.iter().filter(is_address).count() as u64;
    if accessed > limit {
        return exceeded(Resource::AccessedBuffers, accessed, limit);
    }
    // Lengths of buffers that are not accessed need room, too.
    if parameter_bytes(&ptx.parameters) > PARAMETER_BYTES {
        let declared = kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup).count() as u64;
        return exceeded(Resource::AccessedBuffers, declared.max(limit + 1), limit);
    }
    Ok(())
}

/// What a program is called where something goes wrong: a hash that tells it apart, and what its author knows it by.
fn described(kernel: &Kernel, text: &str) -> String {
    const MOST_NAMES: usize = 8;
    let bound = || kernel.buffers.iter().filter(|(_, decl)| decl.access != BufferAccess::Workgroup);
    let mut names: Vec<String> = bound().take(MOST_NAMES).map(|(_, decl)| format!("`{}`", decl.name)).collect();
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
    fn programs_are_known_by_their_buffers() {
        let described = |source: &str| {
            let parsed = text::parse(source).expect("it parses");
            let ops = OpTable::default();
            let valid = parsed.validate(&ops).expect("it is valid");
            let options = PipelineOptions::default();
            described(&lower_specialized(&valid, &options.specialization).expect("it can be lowered"), "a")
        };
        assert_eq!(
            described(
                "workgroup_size 256; buffer input: read u32 @0; buffer tile: workgroup u32[4]; \
                 buffer sums: read_write u32 @1; entry { sums[0] = input[0]; }"
            ),
            "program af63dc4c8601ec8c (buffers `input`, `sums`; workgroup 256x1x1)"
        );
        let many: String = (0..11).map(|at| format!("buffer b{at}: read_write u32 @{at};")).collect();
        assert!(described(&format!("workgroup_size 1; {many} entry {{ }}")).contains("`b7`, 3 more"));
        assert!(described("workgroup_size 1, 2; entry { }").ends_with("(no buffers; workgroup 1x2x1)"));
    }
}
