//! Kernel evaluator: a strict interpreter of kernels, as a device. It is the oracle for lowering and for optimizer passes.
//!
//! It shares no arithmetic with the kernel form or the reference interpreter. A violation of a guarantee of the kernel form (an
//! out-of-range access without a guard, a division by 0, a shift by 32 or more, a rendezvous that some invocations miss, a use
//! of a value that was not computed) is a [lowering error](Error::Lower) with the path of the statement. So is a value or block
//! that [`vyre_kernel::Uniformity`] calls uniform and that is not.

mod machine;
mod mask;
mod memory;
mod registers;
mod words;

use std::sync::Arc;

use vyre_ir::{BufferAccess, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized, verify};
use vyre_runtime::host::{self, HostBuffer, HostDevice, LockedBuffers};
use vyre_runtime::shell::DeviceShell;
use vyre_runtime::{
    Backend, Bindings, Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource,
    RunOptions, RunReport, check_limit,
};

use memory::{Contents, Memory, Region};
use registers::RegisterLayout;

/// Transformation of a kernel between lowering and evaluation: the passes under test.
pub type Transform = Arc<dyn Fn(&mut Kernel) + Send + Sync>;

/// Maximum number of words of the values of a workgroup: 512 MiB.
const MAX_WORDS: u64 = 1 << 27;

/// The backend of the evaluator, with one device.
#[derive(Clone)]
pub struct KernelBackend {
    name: &'static str,
    transform: Option<Transform>,
}

impl KernelBackend {
    /// Evaluates kernels as lowered.
    #[must_use]
    pub fn new() -> KernelBackend {
        KernelBackend { name: "kernel", transform: None }
    }

    /// Evaluates transformed kernels.
    #[must_use]
    pub fn with_transform(name: &'static str, transform: Transform) -> KernelBackend {
        KernelBackend { name, transform: Some(transform) }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> KernelDevice {
        let mut limits = Limits::new(1 << 32, 1 << 28, 1 << 16);
        limits.can_cancel = true;
        KernelDevice { shell: DeviceShell::new(limits), backend: self.clone() }
    }
}

impl Default for KernelBackend {
    fn default() -> KernelBackend {
        KernelBackend::new()
    }
}

impl Backend for KernelBackend {
    fn name(&self) -> &'static str {
        self.name
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        Ok(vec![Arc::new(self.device())])
    }
}

/// The evaluator as a device.
pub struct KernelDevice {
    shell: DeviceShell,
    backend: KernelBackend,
}

/// Representation of a pipeline.
struct Code {
    kernel: Kernel,
    layout: RegisterLayout,
}

fn check_rules(when: &str, kernel: &Kernel) -> Result<(), Error> {
    verify(kernel).map_err(|error| Error::lower(format!("{when}: {error}\n{kernel}")))
}

impl KernelDevice {
    /// Creates a pipeline of a handwritten kernel, which must have the buffers of the program.
    ///
    /// # Errors
    ///
    /// Fails on an invalid kernel, on other buffers or workgroup sizes than those of the program, and beyond the limits.
    pub fn pipeline_of(&self, program: &ValidProgram<'_>, kernel: Kernel) -> Result<Pipeline, Error> {
        let options = PipelineOptions::default();
        self.shell.create_pipeline(program, &options, || {
            check_rules("as given", &kernel)?;
            Code::new(program, kernel)
        })
    }
}

impl Code {
    fn new(program: &ValidProgram<'_>, kernel: Kernel) -> Result<Code, Error> {
        let tree = program.program();
        if kernel.workgroup_size != tree.workgroup_size {
            return Err(Error::lower(format!("the workgroups of the kernel have another size\n{kernel}")));
        }
        for (_, decl) in kernel.buffers.iter() {
            if !tree.buffers.contains(decl) {
                return Err(Error::lower(format!(
                    "the program has no buffer `{}` as the kernel has\n{kernel}",
                    decl.name
                )));
            }
        }
        let layout = RegisterLayout::new(&kernel);
        let words = ((layout.registers + layout.slot_registers) as u64).saturating_mul(tree.workgroup_invocations());
        check_limit(Resource::PendingValues, words, MAX_WORDS)?;
        Ok(Code { kernel, layout })
    }
}

impl Device for KernelDevice {
    fn name(&self) -> String {
        format!("kernel evaluator ({})", self.backend.name)
    }

    fn id(&self) -> DeviceId {
        self.shell.id()
    }

    fn limits(&self) -> &Limits {
        self.shell.limits()
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        HostBuffer::create(&self.shell, bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        host::write(self, buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        host::read_at(self, buffer, offset, target)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        host::read(self, buffer)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        self.shell.create_pipeline(program, options, || {
            let mut kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
            check_rules("as lowered", &kernel)?;
            if let Some(transform) = &self.backend.transform {
                transform(&mut kernel);
                check_rules(self.backend.name, &kernel)?;
            }
            Code::new(program, kernel)
        })
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        host::run(self, commands, options)
    }
}

impl HostDevice for KernelDevice {
    fn shell(&self) -> &DeviceShell {
        &self.shell
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        access(&mut self.shell.contents::<HostBuffer>(buffer)?.lock());
        Ok(())
    }

    fn dispatch(
        &self,
        pipeline: &Pipeline,
        bindings: &Bindings,
        grid: [u32; 3],
        options: &RunOptions,
        _report: &mut RunReport,
    ) -> Result<(), Error> {
        let Code { kernel, layout } = self.shell.code(pipeline)?;
        let LockedBuffers { storage, slots } = LockedBuffers::new(&self.shell, bindings)?;
        let mut memory = Memory { storage, workgroup: Vec::new(), regions: Vec::new() };
        for (_, decl) in kernel.buffers.iter() {
            let element_bytes = decl.element.element_bytes();
            let contents = if decl.access == BufferAccess::Workgroup {
                memory.workgroup.push(vec![0; decl.count as usize * element_bytes]);
                Contents::Workgroup(memory.workgroup.len() - 1)
            } else {
                // The bindings were checked before the dispatch.
                Contents::Storage(slots.get(&decl.binding).copied().ok_or(Error::ForeignObject)?)
            };
            memory.regions.push(Region { contents, element_bytes });
        }
        machine::dispatch(kernel, layout, memory, grid, options)
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::{BlockId, BufferId, Compare, Id, Key, Op, Statement, Unary, ValueId};

    use super::*;

    /// Evaluates an unverified kernel of 4 invocations.
    fn evaluate_unchecked(build: impl FnOnce(&mut Kernel)) -> Result<(), Error> {
        let parsed = text::parse("workgroup_size 4; buffer out: read_write u32 @0; entry { }").expect("a program");
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).expect("a valid program");
        let mut kernel = Kernel::new([4, 1, 1], parsed.program.buffers.iter().cloned());
        build(&mut kernel);
        let device = KernelBackend::new().device();
        let options = PipelineOptions::default();
        let pipeline = device.shell.create_pipeline(&valid, &options, || Code::new(&valid, kernel))?;
        let bindings = Bindings::new().with(0, &device.create_buffer(16)?);
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &bindings, [2, 1, 1]);
        device.run(&commands, &RunOptions::default()).map(|_| ())
    }

    fn compute(kernel: &mut Kernel, block: BlockId, op: Op) -> ValueId {
        let value = kernel.new_value(op);
        kernel.blocks[block].statements.push(Statement::Let(value));
        value
    }

    fn is_invocation(kernel: &mut Kernel, block: BlockId, index: u32) -> ValueId {
        let (this, index) = (kernel.leaf(Op::Id(Id::Local, 0)), kernel.word(index));
        compute(kernel, block, Op::Compare(Compare::Eq, this, index))
    }

    #[track_caller]
    fn assert_not_computed(path: &str, invocation: u32, build: impl FnOnce(&mut Kernel)) {
        let expected = format!(
            "statement {path} of the kernel, workgroup [0, 0, 0]: invocation [{invocation}, 0, 0] has not computed "
        );
        match evaluate_unchecked(build) {
            Err(Error::Lower { cause }) => assert!(cause.to_string().starts_with(&expected), "{cause}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_of_another_branch_are_not_computed() {
        assert_not_computed("[2]", 0, |kernel| {
            let (entry, then, otherwise) = (kernel.entry, kernel.new_block(), kernel.new_block());
            let cond = is_invocation(kernel, entry, 3);
            let seven = kernel.word(7);
            let value = compute(kernel, then, Op::Unary(Unary::BitNot, seven));
            kernel.blocks[entry].statements.push(Statement::If { cond, then, otherwise });
            compute(kernel, entry, Op::Unary(Unary::BitNot, value));
        });
    }

    #[test]
    fn values_of_an_earlier_iteration_are_not_computed() {
        assert_not_computed("[0, 1, 0]", 0, |kernel| {
            let (entry, body) = (kernel.entry, kernel.new_block());
            let (then, otherwise) = (kernel.new_block(), kernel.new_block());
            let variable = kernel.leaf(Op::LoopVariable);
            let (from, to) = (kernel.word(0), kernel.word(2));
            let cond = compute(kernel, body, Op::Compare(Compare::Ne, variable, from));
            let value = kernel.new_value(Op::Unary(Unary::Negate, variable));
            kernel.blocks[body].statements.push(Statement::If { cond, then, otherwise });
            let buffer = BufferId::from_position(0);
            let store = Statement::Store { buffer, index: from, value, guard: None };
            kernel.blocks[then].statements.push(store);
            kernel.blocks[body].statements.push(Statement::Let(value));
            kernel.blocks[entry].statements.push(Statement::Loop { variable, from, to, body });
        });
    }

    #[test]
    fn values_that_come_later_or_never_are_not_computed() {
        assert_not_computed("[0]", 0, |kernel| {
            let entry = kernel.entry;
            let one = kernel.word(1);
            let value = kernel.new_value(Op::Unary(Unary::Negate, one));
            compute(kernel, entry, Op::Unary(Unary::Negate, value));
            kernel.blocks[entry].statements.push(Statement::Let(value));
        });
        let nowhere = evaluate_unchecked(|kernel| {
            let entry = kernel.entry;
            let one = kernel.word(1);
            let value = kernel.new_value(Op::Unary(Unary::Negate, one));
            compute(kernel, entry, Op::Unary(Unary::Negate, value));
        });
        assert!(matches!(nowhere, Err(Error::Lower { cause }) if cause.to_string().contains("is computed nowhere")));
    }
}
