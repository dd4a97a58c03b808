//! What takes part in a race: a program or a kernel, with buffers.

use std::rc::Rc;
use std::time::Duration;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline, RunOptions};

use super::bare::{BareBuffer, BareCuda, BareLaunch};
use super::error::Error;
use super::machine::Machine;
use super::problem::Problem;
use super::workload::{Kernel, Program, Role};

/// Something that does the work of a workload.
pub(super) struct Contender<'m> {
    pub(super) name: &'static str,
    pub(super) role: Role,
    code: Code<'m>,
}

enum Code<'m> {
    Program { device: &'m dyn Device, pipeline: Pipeline, bindings: Bindings, grid: u32, output: Buffer },
    Kernel { bare: &'m BareCuda, launch: BareLaunch<'m>, output: Rc<BareBuffer<'m>>, output_bytes: u64 },
}

/// The buffers of a problem on a device: the inputs, then the result.
pub(super) fn device_buffers(device: &dyn Device, problem: &Problem) -> Result<Vec<Buffer>, Error> {
    let mut buffers = Vec::new();
    for contents in &problem.inputs {
        let buffer = device.create_buffer(contents.bytes())?;
        contents.for_each_part(|offset, bytes| Ok(device.write(&buffer, offset, bytes)?))?;
        buffers.push(buffer);
    }
    buffers.push(device.create_buffer(problem.output_bytes())?);
    Ok(buffers)
}

/// The same without the backend.
pub(super) fn bare_buffers<'m>(bare: &'m BareCuda, problem: &Problem) -> Result<Vec<Rc<BareBuffer<'m>>>, Error> {
    let mut buffers = Vec::new();
    for contents in &problem.inputs {
        let buffer = BareBuffer::new(bare, contents.bytes())?;
        contents.for_each_part(|offset, bytes| buffer.write(offset, bytes))?;
        buffers.push(Rc::new(buffer));
    }
    buffers.push(Rc::new(BareBuffer::new(bare, problem.output_bytes())?));
    Ok(buffers)
}

impl<'m> Contender<'m> {
    /// A program on a device.
    pub(super) fn program(
        device: &'m dyn Device,
        program: &Program,
        problem: &Problem,
        buffers: &[Buffer],
    ) -> Result<Contender<'m>, Error> {
        let bindings = (0..).zip(buffers).fold(Bindings::new(), |bindings, (slot, buffer)| bindings.with(slot, buffer));
        let code = Code::Program {
            device,
            pipeline: program.pipeline(device)?,
            bindings,
            grid: problem.groups(program.items),
            output: buffers[problem.inputs.len()].clone(),
        };
        Ok(Contender { name: program.name, role: Role::Program, code })
    }

    /// A kernel without the backend.
    pub(super) fn kernel(
        machine: &'m Machine,
        kernel: &Kernel,
        problem: &Problem,
        buffers: &[Rc<BareBuffer<'m>>],
    ) -> Result<Contender<'m>, Error> {
        let module = machine.load(kernel.file)?;
        let items = u32::try_from(problem.items).unwrap_or(u32::MAX);
        let grid = [problem.groups(kernel.items), kernel.block];
        let code = Code::Kernel {
            bare: &machine.bare,
            launch: BareLaunch::new(&module, &kernel.entry, buffers, items, grid)?,
            output: buffers[problem.inputs.len()].clone(),
            output_bytes: problem.output_bytes(),
        };
        Ok(Contender { name: kernel.name, role: kernel.role, code })
    }

    /// The name with the side.
    pub(super) fn full_name(&self) -> String {
        let side = if self.role == Role::Program { "vyre" } else { "nvcc" };
        format!("{side}, {}", self.name)
    }

    /// Runs so many times, and says how long a run took on the device.
    pub(super) fn time(&self, runs: u32) -> Result<Duration, Error> {
        let runs = runs.max(1);
        let all = match &self.code {
            Code::Program { device, pipeline, bindings, grid, .. } => {
                let mut commands = CommandList::new();
                commands.push(Command::Timestamp);
                (0..runs).for_each(|_| commands.dispatch(pipeline, bindings, [*grid, 1, 1]));
                commands.push(Command::Timestamp);
                let report = device.run(&commands, &RunOptions::default())?;
                Duration::from_nanos(report.timestamps.last().copied().unwrap_or_default())
            }
            Code::Kernel { bare, launch, .. } => bare.time(|| (0..runs).try_for_each(|_| launch.enqueue()))?,
        };
        Ok(all / runs)
    }

    /// Clears the result, runs once and reads it.
    pub(super) fn result(&self) -> Result<Vec<u8>, Error> {
        match &self.code {
            Code::Program { device, output, .. } => {
                let mut clear = CommandList::new();
                clear.push(Command::Fill { buffer: output.clone(), offset: 0, length: output.size(), byte: 0 });
                device.run(&clear, &RunOptions::default())?;
                self.time(1)?;
                Ok(device.read(output)?)
            }
            Code::Kernel { bare, output, output_bytes, .. } => {
                bare.run(|| output.enqueue_clear())?;
                self.time(1)?;
                let mut bytes = vec![0; usize::try_from(*output_bytes).unwrap_or_default()];
                output.read(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}
