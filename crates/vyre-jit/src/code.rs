//! Compilation of kernels to machine code with Cranelift.

use std::sync::Arc;

use cranelift_codegen::Context as CompilerContext;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module as _, default_libcall_names};
use vyre_kernel::Kernel;
use vyre_runtime::{Error, Resource};

use crate::code_store::CodeStore;
use crate::context::Context;
use crate::emit::{Emitter, WorkgroupMemory, signature};
use crate::machine_code::MachineCode;
use crate::plan::{Plan, PlanOptions};
use crate::target::{OptimizationLevel, failure, target};
use crate::vectorize::VectorizationMode;

/// The generated function: runs the workgroups from first x to end of x. Parameters: context, first x, end of x, y, z. Returns
/// 0, or 1 if the run was cancelled.
type Entry = unsafe extern "C" fn(*mut Context, u32, u32, u32, u32) -> u32;

/// The machine code of a kernel.
pub(crate) struct Code {
    entry: Entry,
    /// Owner of the memory of the code.
    module: Option<JITModule>,
    /// Bytes of scratch memory for each thread.
    pub(crate) scratch_bytes: u64,
    /// Bytes of workgroup memory.
    pub(crate) workgroup_bytes: u64,
    /// Constant pool: words that the code loads rather than keeps in registers.
    pub(crate) constants: Vec<u32>,
    /// Bytes of stack.
    pub(crate) stack_bytes: u64,
}

// SAFETY: finished code is only read and executed, and the module is touched again only when the code is dropped.
#[expect(unsafe_code, reason = "the module holds pointers to its own memory")]
unsafe impl Send for Code {}
// SAFETY: as above; nothing is changed through a shared reference.
#[expect(unsafe_code, reason = "the module holds pointers to its own memory")]
unsafe impl Sync for Code {}

impl Drop for Code {
    #[expect(unsafe_code, reason = "a module does not free its memory on drop")]
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entry is private and only called through a reference to this value, so no call is in progress.
            unsafe { module.free_memory() };
        }
    }
}

/// The code of a kernel, as text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// Cranelift IR, before optimization.
    pub clif: String,
    /// Assembly of this machine.
    pub assembly: String,
    /// Vectorization report: a line for each region, with the reason for its plan.
    pub explanation: String,
}

impl Listing {
    /// Compiles a kernel to text.
    ///
    /// # Errors
    ///
    /// Fails if the workgroup is too large or the compiler fails.
    pub fn of(kernel: &Kernel, mode: VectorizationMode) -> Result<Listing, Error> {
        check_workgroup_size(kernel)?;
        let options = PlanOptions { mode, ..PlanOptions::default() };
        let plan = Plan::new(kernel, supported(options));
        let workgroup_memory = WorkgroupMemory::of(kernel);
        let mut context = CompilerContext::new();
        emit(&mut context, kernel, &plan, &workgroup_memory)?;
        let isa = target(OptimizationLevel::for_function(&context.func, kernel))?;
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
    workgroup_memory: &WorkgroupMemory,
) -> Result<Vec<u32>, Error> {
    // The level depends on the emitted function. Emission does not depend on the level.
    let isa = target(OptimizationLevel::None)?;
    context.func.signature = signature(Signature::new(isa.default_call_conv()));
    let mut shared = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut shared);
    let constants = Emitter::function(&mut builder, kernel, plan, workgroup_memory);
    builder.finalize(isa.frontend_config());
    Ok(constants)
}

/// Maximum number of invocations of a workgroup.
pub(crate) const MAX_WORKGROUP_INVOCATIONS: u64 = 1 << 16;

/// Checks the size of a workgroup. Later stages count invocations in 32 bits.
fn check_workgroup_size(kernel: &Kernel) -> Result<(), Error> {
    let wanted = kernel.workgroup_size.iter().fold(1_u64, |count, &size| count.saturating_mul(u64::from(size)));
    let limit = MAX_WORKGROUP_INVOCATIONS;
    if wanted > limit {
        return Err(Error::ResourceExceeded { resource: Resource::WorkgroupInvocations, wanted, limit });
    }
    Ok(())
}

/// The requested options, without vectorization if the machine cannot run SIMD groups.
fn supported(options: PlanOptions) -> PlanOptions {
    if has_simd() { options } else { PlanOptions { mode: VectorizationMode::Never, ..options } }
}

/// Reports whether this machine has all 128-bit vector instructions that SIMD groups need.
fn has_simd() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("ssse3") && std::arch::is_x86_feature_detected!("sse4.1");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

impl Code {
    /// Compiles a kernel, or loads its code from the store. Calls `check` between the stages, which ends the compilation by its
    /// error.
    pub(crate) fn new(
        kernel: &Kernel,
        options: PlanOptions,
        store: &CodeStore,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Code, Error> {
        check_workgroup_size(kernel)?;
        check()?;
        let plan = Plan::new(kernel, supported(options));
        check()?;
        let workgroup_memory = WorkgroupMemory::of(kernel);
        let mut context = CompilerContext::new();
        let constants = emit(&mut context, kernel, &plan, &workgroup_memory)?;
        check()?;
        let isa = target(OptimizationLevel::for_function(&context.func, kernel))?;
        let machine_code = store.machine_code(&mut context, &*isa)?;
        let (module, entry) = load(isa, &machine_code)?;
        Ok(Code {
            entry,
            module: Some(module),
            scratch_bytes: plan.bytes(),
            workgroup_bytes: u64::from(workgroup_memory.bytes),
            constants,
            stack_bytes: machine_code.stack_bytes,
        })
    }

    /// Runs the workgroups from `first` to `end` at the given y and z. Returns false if the run was cancelled.
    ///
    /// # Safety
    ///
    /// The context must hold, for the duration of the call:
    ///
    /// - the constant pool of this code,
    /// - for every buffer of the kernel an address and a length, with that many elements readable, and writable if the
    ///   program may write them,
    /// - scratch and workgroup memory of the sizes above, aligned to 16 bytes and used by no other thread,
    /// - the address of a byte for cancellation.
    #[expect(unsafe_code, reason = "calls machine code")]
    pub(crate) unsafe fn run(&self, context: &mut Context, first: u32, end: u32, y: u32, z: u32) -> bool {
        // SAFETY: the caller guarantees the contents of the context; guards keep accesses within the lengths.
        let cancelled = unsafe { (self.entry)(std::ptr::from_mut(context), first, end, y, z) };
        cancelled == 0
    }
}

/// Copies machine code to memory, applies its relocations and makes the memory executable. It is never writable and executable
/// at the same time.
#[expect(unsafe_code, reason = "casts the address of machine code to a function pointer")]
fn load(isa: OwnedTargetIsa, code: &MachineCode) -> Result<(JITModule, Entry), Error> {
    let signature = signature(Signature::new(isa.default_call_conv()));
    let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
    let mut define = || {
        let function = module.declare_function("workgroups", Linkage::Local, &signature).map_err(failure)?;
        let MachineCode { bytes, alignment, relocations, .. } = code;
        module.define_function_bytes(function, *alignment, bytes, relocations).map_err(failure)?;
        module.finalize_definitions().map_err(failure)?;
        Ok(module.get_finalized_function(function))
    };
    match define() {
        // SAFETY: the function was compiled with the signature of `Entry` and the C calling convention.
        Ok(address) => Ok((module, unsafe { std::mem::transmute::<*const u8, Entry>(address) })),
        Err(error) => {
            // SAFETY: no address of the code has left this function.
            unsafe { module.free_memory() };
            Err(error)
        }
    }
}

/// Code that several pipelines share.
pub(crate) type SharedCode = Arc<Code>;
