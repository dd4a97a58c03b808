//! A second evaluator, over kernels: a device that judges what lowering and the passes after it make of a program.
//!
//! It shares no arithmetic with the kernel form or the reference interpreter, and it is strict. What the kernel form
//! promises never to happen (an access out of range that no guard holds back, a division by 0, a shift by 32 or more, a
//! rendezvous that some invocations miss, a value that is used and was not computed) is a
//! [backend failure](Error::Backend) that names the place. So is a value or block that [`vyre_kernel::Uniformity`] takes for
//! uniform and that is not.

mod layout;
mod machine;
mod mask;
mod memory;
mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vyre_ir::{BufferAccess, ValidProgram};
use vyre_kernel::{Kernel, lower_specialized, verify};
use vyre_runtime::host::{self, HostDevice};
use vyre_runtime::{
    Backend, Bindings, Buffer, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions, Resource,
    RunOptions, RunReport,
};

use layout::Layout;
use memory::{Contents, Memory, Region};

/// What is done to a kernel between lowering and evaluation: the passes that are under test.
pub type Transform = Arc<dyn Fn(&mut Kernel) + Send + Sync>;

/// The most words that the values of a workgroup take; 512 MB.
const MOST_WORDS: u64 = 1 << 27;

/// The backend of the evaluator, with one device.
#[derive(Clone)]
pub struct KernelBackend {
    name: &'static str,
    transform: Option<Transform>,
}

impl KernelBackend {
    /// Kernels as they are lowered.
    #[must_use]
    pub fn new() -> KernelBackend {
        KernelBackend { name: "kernel", transform: None }
    }

    /// Kernels that something has been done to.
    #[must_use]
    pub fn with_transform(name: &'static str, transform: Transform) -> KernelBackend {
        KernelBackend { name, transform: Some(transform) }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> KernelDevice {
        let mut limits = Limits::new(1 << 32, 1 << 28, 1 << 16);
        limits.can_cancel = true;
        KernelDevice { id: DeviceId::fresh(), limits, backend: self.clone() }
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
    id: DeviceId,
    limits: Limits,
    backend: KernelBackend,
}

/// A buffer of the evaluator.
struct HostBuffer {
    device: DeviceId,
    bytes: Mutex<Vec<u8>>,
}

/// A pipeline of the evaluator.
struct Code {
    device: DeviceId,
    kernel: Kernel,
    layout: Layout,
}

fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    // A panic elsewhere leaves bytes as they are, which is all that a buffer promises.
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failure(message: String) -> Error {
    Error::Backend { message }
}

fn check_rules(when: &str, kernel: &Kernel) -> Result<(), Error> {
    verify(kernel).map_err(|error| failure(format!("{when}: {error}\n{kernel}")))
}

impl KernelDevice {
    /// A pipeline around a kernel that was made by hand, in place of that of the program, whose buffers it has.
    ///
    /// # Errors
    ///
    /// A kernel that breaks the rules of its form, that has other buffers or workgroups than the program, or that is
    /// beyond the limits.
    pub fn pipeline_of(&self, program: &ValidProgram<'_>, kernel: Kernel) -> Result<Pipeline, Error> {
        self.limits.check_program(program)?;
        check_rules("as given", &kernel)?;
        self.finish(program, &PipelineOptions::default(), kernel)
    }

    fn finish(&self, program: &ValidProgram<'_>, options: &PipelineOptions, kernel: Kernel) -> Result<Pipeline, Error> {
        let tree = program.program();
        if kernel.workgroup_size != tree.workgroup_size {
            return Err(failure(format!("the workgroups of the kernel have another size\n{kernel}")));
        }
        for (_, decl) in kernel.buffers.iter() {
            if !tree.buffers.contains(decl) {
                return Err(failure(format!("the program has no buffer `{}` as the kernel has\n{kernel}", decl.name)));
            }
        }
        let layout = Layout::new(&kernel);
        let words = ((layout.rows + layout.slot_rows) as u64).saturating_mul(tree.workgroup_invocations());
        if words > MOST_WORDS {
            let (resource, limit) = (Resource::PendingValues, MOST_WORDS);
            return Err(Error::ResourceExceeded { resource, wanted: words, limit });
        }
        Ok(Pipeline::new(program, options, Arc::new(Code { device: self.id, kernel, layout })))
    }

    fn host<'b>(&self, buffer: &'b Buffer) -> Result<&'b HostBuffer, Error> {
        buffer.contents::<HostBuffer>().filter(|host| host.device == self.id).ok_or(Error::ForeignObject)
    }

    fn code<'p>(&self, pipeline: &'p Pipeline) -> Result<&'p Code, Error> {
        pipeline.code::<Code>().filter(|code| code.device == self.id).ok_or(Error::ForeignObject)
    }
}

impl Device for KernelDevice {
    fn name(&self) -> String {
        format!("kernel evaluator ({})", self.backend.name)
    }

    fn id(&self) -> DeviceId {
        self.id
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        let limit = self.limits.buffer_bytes;
        if bytes > limit {
            return Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: bytes, limit });
        }
        let failed = |_| failure(format!("no memory for a buffer of {bytes} bytes"));
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mut contents = Vec::new();
        contents.try_reserve_exact(size).map_err(failed)?;
        contents.resize(size, 0);
        Ok(Buffer::new(bytes, Arc::new(HostBuffer { device: self.id, bytes: Mutex::new(contents) })))
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        host::write(self, buffer, offset, bytes)
    }

    fn read(&self, buffer: &Buffer) -> Result<Vec<u8>, Error> {
        host::read(self, buffer)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let lowered = lower_specialized(program, &options.specialization);
        let mut kernel = lowered.map_err(|error| failure(error.to_string()))?;
        check_rules("as lowered", &kernel)?;
        if let Some(transform) = &self.backend.transform {
            transform(&mut kernel);
            check_rules(self.backend.name, &kernel)?;
        }
        self.finish(program, options, kernel)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        host::run(self, commands, options)
    }
}

impl HostDevice for KernelDevice {
    fn check_buffer(&self, buffer: &Buffer) -> Result<(), Error> {
        self.host(buffer).map(|_| ())
    }

    fn check_pipeline(&self, pipeline: &Pipeline) -> Result<(), Error> {
        self.code(pipeline).map(|_| ())
    }

    fn with_bytes(&self, buffer: &Buffer, access: &mut dyn FnMut(&mut [u8])) -> Result<(), Error> {
        access(&mut lock(&self.host(buffer)?.bytes));
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
        let Code { device: _, kernel, layout } = self.code(pipeline)?;
        // Each buffer is locked once, in a fixed order, though it may be bound in several slots.
        let mut hosts: BTreeMap<usize, &HostBuffer> = BTreeMap::new();
        for buffer in bindings.buffers() {
            let host = self.host(buffer)?;
            hosts.insert(std::ptr::from_ref(host).addr(), host);
        }
        let mut memory = Memory { storage: Vec::new(), workgroup: Vec::new(), regions: Vec::new() };
        for (_, decl) in kernel.buffers.iter() {
            let element_bytes = decl.element.element_bytes();
            let contents = if decl.access == BufferAccess::Workgroup {
                memory.workgroup.push(vec![0; decl.count as usize * element_bytes]);
                Contents::Workgroup(memory.workgroup.len() - 1)
            } else {
                let bound = bindings.get(decl.binding);
                let bound = bound.ok_or_else(|| failure(format!("slot {} is not bound", decl.binding)))?;
                let address = std::ptr::from_ref(self.host(bound)?).addr();
                Contents::Storage(hosts.keys().position(|&key| key == address).unwrap_or_default())
            };
            memory.regions.push(Region { contents, element_bytes });
        }
        memory.storage.extend(hosts.values().map(|host| lock(&host.bytes)));
        machine::dispatch(kernel, layout, memory, grid, options)
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::{BlockId, BufferId, Compare, Id, Key, Op, Statement, Unary, ValueId};

    use super::*;

    /// Evaluates a kernel of 4 lanes whose rules nobody has checked.
    fn evaluate_unchecked(build: impl FnOnce(&mut Kernel)) -> Result<(), Error> {
        let parsed = text::parse("workgroup_size 4; buffer out: read_write u32 @0; entry { }").expect("a program");
        let ops = OpTable::default();
        let valid = parsed.validate(&ops).expect("a valid program");
        let mut kernel = Kernel::new([4, 1, 1], parsed.program.buffers.iter().cloned());
        build(&mut kernel);
        let device = KernelBackend::new().device();
        let pipeline = device.finish(&valid, &PipelineOptions::default(), kernel)?;
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

    fn lane_is(kernel: &mut Kernel, block: BlockId, lane: u32) -> ValueId {
        let (this, lane) = (kernel.leaf(Op::Id(Id::Local, 0)), kernel.word(lane));
        compute(kernel, block, Op::Compare(Compare::Eq, this, lane))
    }

    #[track_caller]
    fn assert_not_computed(place: &str, invocation: u32, build: impl FnOnce(&mut Kernel)) {
        let expected = format!(
            "statement {place} of the kernel, workgroup [0, 0, 0]: invocation [{invocation}, 0, 0] has not computed "
        );
        match evaluate_unchecked(build) {
            Err(Error::Backend { message }) => assert!(message.starts_with(&expected), "{message}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn values_of_another_branch_are_not_computed() {
        assert_not_computed("[2]", 0, |kernel| {
            let (entry, then, otherwise) = (kernel.entry, kernel.new_block(), kernel.new_block());
            let cond = lane_is(kernel, entry, 3);
            let seven = kernel.word(7);
            let value = compute(kernel, then, Op::Unary(Unary::BitNot, seven));
            kernel.blocks[entry].statements.push(Statement::If { cond, then, otherwise });
            compute(kernel, entry, Op::Unary(Unary::BitNot, value));
        });
    }

    #[test]
    fn values_of_an_earlier_round_are_not_computed() {
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
        assert!(matches!(nowhere, Err(Error::Backend { message }) if message.contains("is computed nowhere")));
    }
}
