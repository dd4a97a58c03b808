//! Device that interprets PTX. Its buffers are those of the reference device.

use std::collections::HashMap;
use std::sync::Arc;

use vyre_cuda::{Ptx, PtxParameter, PtxTarget, passes, translate};
use vyre_ir::{DataType, ValidProgram};
use vyre_kernel::lower_specialized;
use vyre_runtime::{
    Bindings, Buffer, Command, CommandList, Device, DeviceId, Error, Limits, Pipeline, PipelineOptions,
    ReferenceDevice, RunOptions, RunReport,
};

use crate::machine::{Launch, Memory};
use crate::program::Program;

pub(crate) struct PtxDevice {
    reference: ReferenceDevice,
    limits: Limits,
    target: PtxTarget,
    optimize: bool,
}

struct Code {
    ptx: Ptx,
    program: Program,
}

fn failure(message: String) -> Error {
    Error::compile("the interpreter of PTX", message)
}

impl PtxDevice {
    pub(crate) fn new(target: PtxTarget, optimize: bool) -> PtxDevice {
        let mut limits = Limits::new(1 << 32, 224_000, 1024);
        limits.workgroup_size = [1024, 1024, 64];
        limits.can_cancel = true;
        PtxDevice { reference: ReferenceDevice::new(), limits, target, optimize }
    }

    fn dispatch(&self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<(), Error> {
        let Code { ptx, program } = pipeline.code::<Code>(self.id())?;
        let declared = &pipeline.interface().buffers;
        let bound: Vec<&Buffer> = declared
            .iter()
            .map(|decl| bindings.get(decl.binding).ok_or(Error::ForeignObject))
            .collect::<Result<_, _>>()?;
        let mut contents = bound.iter().map(|buffer| self.reference.read(buffer)).collect::<Result<Vec<_>, _>>()?;
        // The cancel word.
        contents.push(vec![0; 4]);
        let parameters = parameters(ptx, grid, declared.iter().map(|decl| decl.element), &bound);
        let mut memory = Memory::new(contents);
        let launch = Launch {
            program,
            parameters: &parameters,
            threads: ptx.block,
            shared_bytes: ptx.dynamic_shared_bytes as usize,
        };
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..grid[0].div_ceil(ptx.groups_per_block) {
                    let outcome = launch.block(&mut memory, [x, y, z], (x + y + z) % 2 == 1);
                    outcome.map_err(|error| failure(format!("{error}\n{}", ptx.text)))?;
                }
            }
        }
        for (buffer, bytes) in bound.iter().zip(memory.finish().map_err(failure)?) {
            self.reference.write(buffer, 0, &bytes)?;
        }
        Ok(())
    }
}

/// Arguments of a launch, by parameter name.
fn parameters(
    ptx: &Ptx,
    grid: [u32; 3],
    elements: impl Iterator<Item = DataType>,
    bound: &[&Buffer],
) -> HashMap<String, u64> {
    let lengths: Vec<u64> =
        elements.zip(bound).map(|(element, buffer)| buffer.size() / element.element_bytes() as u64).collect();
    let axes = ["x", "y", "z"];
    let named = |parameter: &PtxParameter| match *parameter {
        PtxParameter::Address(at) => (format!("buffer_{at}"), Memory::address(at)),
        PtxParameter::Length(at) => (format!("length_{at}"), lengths[at]),
        PtxParameter::Workgroups(axis) => (format!("workgroups_{}", axes[axis]), u64::from(grid[axis])),
        PtxParameter::FirstWorkgroup(axis) => (format!("first_workgroup_{}", axes[axis]), 0),
        PtxParameter::Cancel => ("cancel".to_owned(), Memory::address(bound.len())),
        other => panic!("{other:?} is not known"),
    };
    ptx.parameters.iter().map(named).collect()
}

impl Device for PtxDevice {
    fn name(&self) -> String {
        format!("PTX for sm_{}, interpreted", self.target.sm)
    }

    fn id(&self) -> DeviceId {
        self.reference.id()
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn create_buffer(&self, bytes: u64) -> Result<Buffer, Error> {
        self.reference.create_buffer(bytes)
    }

    fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.reference.write(buffer, offset, bytes)
    }

    fn read_at(&self, buffer: &Buffer, offset: u64, target: &mut [u8]) -> Result<(), Error> {
        self.reference.read_at(buffer, offset, target)
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        options.check_program(program)?;
        self.limits.check_program(program)?;
        let lowered = lower_specialized(program, &options.specialization);
        let mut kernel = lowered.map_err(|error| failure(error.to_string()))?;
        if self.optimize {
            passes().run(&mut kernel).map_err(|error| failure(error.to_string()))?;
        }
        let ptx = translate(&kernel, self.target)?;
        let parsed = Program::parse(&ptx.text).map_err(|error| failure(format!("{error}\n{}", ptx.text)))?;
        Ok(Pipeline::new(self.id(), program, options, Arc::new(Code { ptx, program: parsed })))
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        commands.check(&self.limits)?;
        for command in commands.commands() {
            options.check()?;
            match command {
                Command::Dispatch { pipeline, bindings, grid } => self.dispatch(pipeline, bindings, *grid)?,
                Command::Repeat { count, commands } => {
                    for _ in 0..*count {
                        self.run(commands, options)?;
                    }
                }
                other => {
                    let mut one = CommandList::new();
                    one.push(other.clone());
                    self.reference.run(&one, options)?;
                }
            }
        }
        Ok(RunReport::default())
    }
}
