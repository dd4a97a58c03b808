//! Machine code and how it is made.

use std::sync::Arc;

use cranelift_codegen::Context as CompilerContext;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{Function, Signature};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use vyre_kernel::{BlockId, Kernel};
use vyre_runtime::{Error, Resource};

use crate::context::Context;
use crate::emit::{Emitter, WorkgroupLayout, signature};
use crate::plan::Plan;
use crate::vector::VectorUse;

/// The function that runs a row of workgroups: context, first x, end of x, y, z. Not 0 where it was stopped.
type Entry = unsafe extern "C" fn(*mut Context, u32, u32, u32, u32) -> u32;

/// The machine code of a kernel.
pub(crate) struct Code {
    entry: Entry,
    /// The memory of the code, until the last use of it is over.
    module: Option<JITModule>,
    /// The bytes of arrays that a thread needs.
    pub(crate) array_bytes: u64,
    /// The bytes of workgroup memory.
    pub(crate) workgroup_bytes: u64,
    /// Words that the code loads rather than keeps in registers.
    pub(crate) constants: Vec<u32>,
    /// The bytes of stack that it needs.
    pub(crate) stack_bytes: u64,
}

// SAFETY: finished code is only read and executed, and the module is touched again only when the code is dropped.
#[expect(unsafe_code, reason = "the module holds pointers to its own memory")]
unsafe impl Send for Code {}
// SAFETY: as above; nothing is changed through a shared reference.
#[expect(unsafe_code, reason = "the module holds pointers to its own memory")]
unsafe impl Sync for Code {}

impl Drop for Code {
    #[expect(unsafe_code, reason = "memory of code is released by hand")]
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entry is private and only called through a reference to this value, so nothing runs any more.
            unsafe { module.free_memory() };
        }
    }
}

/// How much care is taken: time grows faster than kernels do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// Optimized, with the best allocation of registers.
    Full,
    /// Optimized, but registers are allocated in one pass.
    Some,
    /// Neither.
    Little,
}

impl Care {
    fn for_function(function: &Function, kernel: &Kernel) -> Care {
        // The best allocation takes long for loops that nest deeply, as nobody's do by hand.
        const MOST_DEPTH: u32 = 16;
        match function.dfg.num_insts() {
            0..=9_000 if depth(kernel, kernel.entry) <= MOST_DEPTH => Care::Full,
            0..=50_000 => Care::Some,
            _ => Care::Little,
        }
    }
}

/// How deep blocks nest; no deeper than the language allows.
fn depth(kernel: &Kernel, block: BlockId) -> u32 {
    let inner = kernel.blocks[block].statements.iter().flat_map(|statement| statement.blocks());
    inner.map(|inner| 1 + depth(kernel, inner)).max().unwrap_or(0)
}

fn failure(cause: impl std::fmt::Display) -> Error {
    Error::compile("Cranelift", cause.to_string())
}

/// The instruction set of this machine.
fn target(care: Care) -> Result<OwnedTargetIsa, Error> {
    let mut flags = settings::builder();
    let mut set = |name: &str, value: &str| flags.set(name, value).map_err(failure);
    set("opt_level", if care == Care::Little { "none" } else { "speed" })?;
    set("regalloc_algorithm", if care == Care::Full { "backtracking" } else { "single_pass" })?;
    set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
    // A frame that is larger than the page that guards a stack must not jump over it.
    set("enable_probestack", "true")?;
    set("probestack_strategy", "inline")?;
    set("is_pic", "false")?;
    set("use_colocated_libcalls", "false")?;
    let isa = cranelift_native::builder().map_err(failure)?;
    isa.finish(settings::Flags::new(flags)).map_err(failure)
}

/// What a kernel is compiled to, as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// Cranelift's form, as it was emitted.
    pub clif: String,
    /// The instructions of this machine.
    pub assembly: String,
    /// How lanes go through the kernel: a line for each region, and why it is as it is.
    pub explanation: String,
}

impl Listing {
    /// Compiles a kernel and keeps the text of it.
    ///
    /// # Errors
    ///
    /// Failures of the compiler.
    pub fn of(kernel: &Kernel, vectors: VectorUse) -> Result<Listing, Error> {
        check_lanes(kernel)?;
        let plan = Plan::new(kernel, available(vectors));
        let layout = WorkgroupLayout::of(kernel);
        let mut context = CompilerContext::new();
        emit(&mut context, kernel, &plan, &layout)?;
        let isa = target(Care::for_function(&context.func, kernel))?;
        let clif = context.func.display().to_string();
        context.set_disasm(true);
        let code = context.compile(&*isa, &mut ControlPlane::default()).map_err(|error| failure(error.inner))?;
        let assembly = code.vcode.clone().unwrap_or_default();
        Ok(Listing { clif, assembly, explanation: plan.explain(kernel) })
    }
}

fn emit(
    context: &mut CompilerContext,
    kernel: &Kernel,
    plan: &Plan,
    layout: &WorkgroupLayout,
) -> Result<Vec<u32>, Error> {
    // How much care is taken is decided by what is emitted, which does not depend on it.
    let isa = target(Care::Little)?;
    context.func.signature = signature(Signature::new(isa.default_call_conv()));
    let mut shared = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut shared);
    let constants = Emitter::function(&mut builder, kernel, plan, layout);
    builder.finalize(isa.frontend_config());
    Ok(constants)
}

/// The most lanes of a workgroup.
pub(crate) const MOST_LANES: u64 = 1 << 16;

/// Lanes are counted in 32 bits from here on.
fn check_lanes(kernel: &Kernel) -> Result<(), Error> {
    let lanes = kernel.workgroup_size.iter().fold(1_u64, |lanes, &size| lanes.saturating_mul(u64::from(size)));
    let limit = MOST_LANES;
    if lanes > limit {
        return Err(Error::ResourceExceeded { resource: Resource::WorkgroupInvocations, wanted: lanes, limit });
    }
    Ok(())
}

/// What of the use of vectors that is asked for this machine can do.
fn available(vectors: VectorUse) -> VectorUse {
    if has_vectors() { vectors } else { VectorUse::Never }
}

/// Whether this machine has all instructions on vectors of 128 bits that groups of lanes need.
fn has_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("ssse3") && std::arch::is_x86_feature_detected!("sse4.1");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

impl Code {
    /// Compiles a kernel.
    pub(crate) fn new(kernel: &Kernel, vectors: VectorUse) -> Result<Code, Error> {
        check_lanes(kernel)?;
        let plan = Plan::new(kernel, available(vectors));
        let layout = WorkgroupLayout::of(kernel);
        let mut context = CompilerContext::new();
        let constants = emit(&mut context, kernel, &plan, &layout)?;
        let isa = target(Care::for_function(&context.func, kernel))?;
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let entry = Code::finish(&mut module, &mut context);
        let layout_of_stack = context.compiled_code().and_then(|code| code.buffer.frame_layout());
        let stack_bytes = layout_of_stack.map_or(0, |layout| u64::from(layout.frame_to_fp_offset));
        match entry {
            Ok(entry) => Ok(Code {
                entry,
                module: Some(module),
                array_bytes: plan.bytes(),
                workgroup_bytes: u64::from(layout.bytes),
                constants,
                stack_bytes,
            }),
            Err(error) => {
                release(module);
                Err(error)
            }
        }
    }

    #[expect(unsafe_code, reason = "a function is made of the address of machine code")]
    fn finish(module: &mut JITModule, context: &mut CompilerContext) -> Result<Entry, Error> {
        let function =
            module.declare_function("workgroups", Linkage::Local, &context.func.signature).map_err(failure)?;
        module.define_function(function, context).map_err(failure)?;
        module.finalize_definitions().map_err(failure)?;
        let address = module.get_finalized_function(function);
        // SAFETY: the function was compiled with the signature of `Entry` and the calling convention of C.
        Ok(unsafe { std::mem::transmute::<*const u8, Entry>(address) })
    }

    /// Runs the workgroups from `first` to `end` of a row; tells whether all of them were run.
    ///
    /// # Safety
    ///
    /// The context must hold the constants of this code; an address and length for every buffer of the kernel, at which that many elements can be
    /// read, and written where the program may, for as long as this runs; arrays and workgroup memory of the sizes above,
    /// aligned to 16 bytes, that no other thread uses; and a byte for cancelling.
    #[expect(unsafe_code, reason = "machine code is called")]
    pub(crate) unsafe fn run(&self, context: &mut Context, first: u32, end: u32, y: u32, z: u32) -> bool {
        // SAFETY: the caller has promised what the code relies on; guards keep accesses within the lengths.
        let stopped = unsafe { (self.entry)(std::ptr::from_mut(context), first, end, y, z) };
        stopped == 0
    }
}

#[expect(unsafe_code, reason = "memory of code is released by hand")]
fn release(module: JITModule) {
    // SAFETY: no address of the code has left this module.
    unsafe { module.free_memory() };
}

/// Code that pipelines share.
pub(crate) type SharedCode = Arc<Code>;
