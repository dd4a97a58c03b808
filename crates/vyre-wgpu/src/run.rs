//! Runs of command lists.

use std::collections::HashMap;

use vyre_runtime::{Bindings, Buffer, Command, CommandList, Error, Pipeline, RunOptions, RunReport, element_count};

use crate::buffer::Storage;
use crate::compile::CompiledProgram;
use crate::copies::{ByteRange, CopyPrograms, copy, fill};
use crate::handles::GpuHandles;
use crate::health::caught;
use crate::recorder::{PreparedDispatch, Recorder};

/// Runs a command list. The caller has checked it.
pub(crate) fn run(
    gpu: &GpuHandles,
    programs: &CopyPrograms,
    commands: &CommandList,
    options: &RunOptions,
) -> Result<RunReport, Error> {
    options.check()?;
    // Waiting below polls the device, which reports its loss.
    let (submissions, times) = caught(&gpu.device, &gpu.health, "recording commands", || {
        let recorder = Recorder::new(gpu, options);
        let mut run = Run { gpu, programs, recorder, is_repeated: false, prepared: HashMap::new() };
        run.list(commands)?;
        Ok::<_, Error>(run.recorder.finish())
    })??;
    for submission in submissions {
        submission.wait(gpu, options)?;
    }
    let mut report = RunReport::default();
    report.timestamps = times.read(gpu)?;
    Ok(report)
}

/// Run whose commands are being recorded.
struct Run<'g> {
    gpu: &'g GpuHandles,
    programs: &'g CopyPrograms,
    recorder: Recorder<'g>,
    /// True within a repetition.
    is_repeated: bool,
    /// Prepared dispatches of repeated lists, by the address of their command.
    prepared: HashMap<usize, PreparedDispatch>,
}

impl Run<'_> {
    /// Records the commands of a list. Recursion is bounded: the host nests lists, external input cannot.
    fn list(&mut self, list: &CommandList) -> Result<(), Error> {
        for command in list.commands() {
            self.command(command)?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Dispatch { pipeline, bindings, grid } => {
                let compiled: &CompiledProgram = pipeline.code(self.gpu.id)?;
                // The lists are borrowed for the run, so the address identifies the command.
                let command = std::ptr::from_ref(command).addr();
                let mut prepared = match self.prepared.remove(&command) {
                    Some(prepared) => prepared,
                    None => self.prepare(pipeline, bindings, *grid)?,
                };
                self.recorder.dispatch(compiled, &mut prepared)?;
                if self.is_repeated {
                    self.prepared.insert(command, prepared);
                }
            }
            Command::Fill { buffer, offset, length, byte } => {
                let target = self.range(buffer, *offset, *length)?;
                self.recorder.reserve_command()?;
                fill(&mut self.recorder, self.programs, target, *byte)?;
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                let source = self.range(source, *source_offset, *length)?;
                let target = self.range(target, *target_offset, *length)?;
                self.recorder.reserve_command()?;
                copy(&mut self.recorder, self.programs, source, target)?;
            }
            Command::Timestamp => {
                self.recorder.reserve_command()?;
                self.recorder.timestamp()?;
            }
            Command::Repeat { count, commands } => {
                // A large number of iterations without effect must not take time.
                let count = if commands.is_noop() { 0 } else { *count };
                let was_repeated = std::mem::replace(&mut self.is_repeated, true);
                for _ in 0..count {
                    self.list(commands)?;
                }
                self.is_repeated = was_repeated;
            }
            _ => return Err(Error::UnsupportedCommand),
        }
        Ok(())
    }

    fn range<'b>(&self, buffer: &'b Buffer, offset: u64, length: u64) -> Result<ByteRange<'b>, Error> {
        Ok(ByteRange { storage: buffer.contents(self.gpu.id)?, buffer_size: buffer.size(), offset, length })
    }

    fn prepare(&self, pipeline: &Pipeline, bindings: &Bindings, grid: [u32; 3]) -> Result<PreparedDispatch, Error> {
        let compiled: &CompiledProgram = pipeline.code(self.gpu.id)?;
        let mut lengths = Vec::with_capacity(compiled.elements.len());
        let mut storages = Vec::with_capacity(compiled.elements.len());
        for (decl, &element) in pipeline.interface().buffers.iter().zip(&compiled.elements) {
            let buffer = bindings.get(decl.binding).ok_or(Error::ForeignObject)?;
            lengths.push(element_count(buffer.size(), element));
            let storage: &Storage = buffer.contents(self.gpu.id)?;
            storages.push((storage.id, &storage.buffer));
        }
        let bound: Vec<(u64, &wgpu::Buffer)> = compiled.bound.iter().map(|bound| storages[bound.position]).collect();
        Ok(PreparedDispatch::cached(self.gpu, compiled, &bound, lengths, grid))
    }
}
