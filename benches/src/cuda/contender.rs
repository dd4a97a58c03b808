//! Contenders on a GPU: a program on a device of this project, or a kernel through the driver.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Device, Pipeline, RunOptions};

use super::bare::{BareBuffer, BareCuda, BareLaunch};
use super::problem::Problem;
use super::session::Session;
use super::workload::{Kernel, Program};
use crate::data::difference;
use crate::error::Error;
use crate::harness::Measure;

/// Result of the first contender that was verified, with its name.
pub(super) type SharedResult = Rc<RefCell<Option<(String, Vec<u8>)>>>;

/// Code that does the work of a workload.
pub(super) struct CudaContender<'s> {
    name: String,
    problem: &'s Problem,
    shared: SharedResult,
    code: Code<'s>,
}

enum Code<'s> {
    Program { device: &'s dyn Device, pipeline: Pipeline, bindings: Bindings, grid: u32, output: Buffer },
    Kernel { bare: &'s BareCuda, launch: BareLaunch<'s>, output: Rc<BareBuffer<'s>> },
}

/// Creates the buffers of a problem on a device: the inputs, then the result.
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

/// Creates the buffers of a problem through the driver: the inputs, then the result.
pub(super) fn bare_buffers<'s>(bare: &'s BareCuda, problem: &Problem) -> Result<Vec<Rc<BareBuffer<'s>>>, Error> {
    let mut buffers = Vec::new();
    for contents in &problem.inputs {
        let buffer = BareBuffer::new(bare, contents.bytes())?;
        contents.for_each_part(|offset, bytes| buffer.write(offset, bytes))?;
        buffers.push(Rc::new(buffer));
    }
    buffers.push(Rc::new(BareBuffer::new(bare, problem.output_bytes())?));
    Ok(buffers)
}

impl<'s> CudaContender<'s> {
    /// Program on a device.
    pub(super) fn program(
        device: &'s dyn Device,
        program: &Program,
        problem: &'s Problem,
        buffers: &[Buffer],
        shared: &SharedResult,
    ) -> Result<CudaContender<'s>, Error> {
        let bindings = (0..).zip(buffers).fold(Bindings::new(), |bindings, (slot, buffer)| bindings.with(slot, buffer));
        let code = Code::Program {
            device,
            pipeline: program.pipeline(device)?,
            bindings,
            grid: problem.groups(program.items),
            output: buffers[problem.inputs.len()].clone(),
        };
        Ok(CudaContender { name: format!("vyre, {}", program.name), problem, shared: shared.clone(), code })
    }

    /// Kernel through the driver.
    pub(super) fn kernel(
        session: &'s Session,
        kernel: &Kernel,
        problem: &'s Problem,
        buffers: &[Rc<BareBuffer<'s>>],
        shared: &SharedResult,
    ) -> Result<CudaContender<'s>, Error> {
        let module = session.load(kernel.file)?;
        let items = u32::try_from(problem.items).unwrap_or(u32::MAX);
        let grid = [problem.groups(kernel.items), kernel.block];
        let code = Code::Kernel {
            bare: &session.bare,
            launch: BareLaunch::new(&module, &kernel.entry, buffers, items, grid)?,
            output: buffers[problem.inputs.len()].clone(),
        };
        Ok(CudaContender { name: format!("nvcc, {}", kernel.name), problem, shared: shared.clone(), code })
    }

    /// Name with the side.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Sets the result to zero, runs once and reads the result.
    fn result(&mut self) -> Result<Vec<u8>, Error> {
        match &self.code {
            Code::Program { device, output, .. } => {
                let mut clear = CommandList::new();
                clear.push(Command::Fill { buffer: output.clone(), offset: 0, length: output.size(), byte: 0 });
                device.run(&clear, &RunOptions::default())?;
            }
            Code::Kernel { bare, output, .. } => bare.run(|| output.enqueue_clear())?,
        }
        self.measure(1)?;
        match &self.code {
            Code::Program { device, output, .. } => Ok(device.read(output)?),
            Code::Kernel { output, .. } => {
                let mut bytes = vec![0; usize::try_from(self.problem.output_bytes()).unwrap_or_default()];
                output.read(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}

impl Measure<Duration, Error> for CudaContender<'_> {
    fn measure(&mut self, runs: u32) -> Result<Duration, Error> {
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

    /// Compares parts of the result with a plain computation, and all bytes with the result of the first contender.
    fn verify(&mut self, _runs: u32) -> Result<(), Error> {
        let result = self.result()?;
        self.problem.check_parts(&self.name, &result)?;
        match &mut *self.shared.borrow_mut() {
            Some((against, expected)) if *expected != result => {
                let words: Vec<u32> = vyre_runtime::words(expected);
                let difference = difference(0, &result, &words).unwrap_or_default();
                Err(Error::Mismatch { contender: self.name.clone(), against: against.clone(), difference })
            }
            Some(_) => Ok(()),
            shared => {
                *shared = Some((self.name.clone(), result));
                Ok(())
            }
        }
    }
}
