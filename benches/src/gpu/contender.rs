//! Contenders on an adapter: a program, a hand-written shader, or a copy by the API.

use std::time::Duration;

use vyre_runtime::{Bindings, Command, CommandList, Device as _, Pipeline, RunOptions};

use super::bare::BareKernel;
use super::checks::Checks;
use super::session::Session;
use super::workload::{COPY_VECTORS, Output, Shader, WORKGROUP_SIZE, Workload};
use crate::data::{difference, difference_to_input};
use crate::error::Error;
use crate::harness::Measure;

/// Code that does the work of a workload.
pub(super) struct GpuContender<'s> {
    session: &'s Session,
    workload: &'s Workload,
    name: &'static str,
    code: Code,
    /// True if the contender writes the result of the workload.
    has_result: bool,
}

enum Code {
    Program {
        pipeline: Pipeline,
        bindings: Bindings,
        grid: [u32; 3],
    },
    Shader(BareKernel),
    /// `copy_buffer_to_buffer`.
    ApiCopy,
}

impl<'s> GpuContender<'s> {
    /// Program of a workload.
    pub(super) fn program(session: &'s Session, workload: &'s Workload) -> Result<GpuContender<'s>, Error> {
        let vyre = &session.vyre;
        let workgroups = u32::try_from(session.words.div_ceil(WORKGROUP_SIZE as usize)).unwrap_or(u32::MAX);
        let code = Code::Program {
            pipeline: vyre.pipeline(workload.name, workload.program)?,
            bindings: Bindings::new().with(0, &vyre.input).with(1, vyre.result(workload.result)),
            grid: [workgroups, 1, 1],
        };
        Ok(GpuContender { session, workload, name: "vyre", code, has_result: true })
    }

    /// Shader of a workload.
    pub(super) fn shader(
        session: &'s Session,
        workload: &'s Workload,
        shader: &Shader,
        checks: Checks,
    ) -> Result<GpuContender<'s>, Error> {
        let bare = &session.bare;
        let buffers = [&bare.input, bare.result(workload.result)];
        let code = Code::Shader(BareKernel::new(&bare.device, shader, checks, buffers, session.words)?);
        Ok(GpuContender { session, workload, name: shader.name, code, has_result: true })
    }

    /// Copy of the input by a shader, four words per invocation: the bandwidth of the adapter. The copy command of the API uses
    /// the copy engine on some adapters, which is slower than their memory.
    pub(super) fn shader_copy(session: &'s Session, workload: &'s Workload) -> Result<GpuContender<'s>, Error> {
        let bare = &session.bare;
        let buffers = [&bare.input, &bare.out];
        let kernel = BareKernel::new(&bare.device, &COPY_VECTORS, Checks::Own, buffers, session.words)?;
        let code = Code::Shader(kernel);
        Ok(GpuContender { session, workload, name: COPY_VECTORS.name, code, has_result: false })
    }

    /// Copy of the input by the API.
    pub(super) fn api_copy(session: &'s Session, workload: &'s Workload) -> GpuContender<'s> {
        GpuContender { session, workload, name: "copy_buffer_to_buffer", code: Code::ApiCopy, has_result: false }
    }

    /// Sets the result to zero.
    fn clear_result(&self) -> Result<(), Error> {
        let Session { vyre, bare, words, .. } = self.session;
        let output = self.workload.result;
        if let Code::Program { .. } = self.code {
            let buffer = vyre.result(output).clone();
            let mut clear = CommandList::new();
            clear.push(Command::Fill { length: output.bytes(*words), buffer, offset: 0, byte: 0 });
            vyre.device.run(&clear, &RunOptions::default())?;
            return Ok(());
        }
        let result = bare.result(output);
        bare.device.run(|encoder| encoder.clear_buffer(result, 0, None))
    }
}

impl Measure<Duration, Error> for GpuContender<'_> {
    fn measure(&mut self, runs: u32) -> Result<Duration, Error> {
        let bare = &self.session.bare;
        let all = match &self.code {
            Code::Program { pipeline, bindings, grid } => {
                let mut single = CommandList::new();
                single.dispatch(pipeline, bindings, *grid);
                let mut commands = CommandList::new();
                commands.push(Command::Timestamp);
                commands.push(Command::Repeat { count: runs, commands: single });
                commands.push(Command::Timestamp);
                let report = self.session.vyre.device.run(&commands, &RunOptions::default())?;
                Duration::from_nanos(report.timestamps.last().copied().unwrap_or_default())
            }
            Code::Shader(kernel) => bare.device.time(|encoder| kernel.encode(encoder, runs))?,
            Code::ApiCopy => bare.device.time(|encoder| {
                for _ in 0..runs {
                    encoder.copy_buffer_to_buffer(&bare.input, 0, &bare.out, 0, None);
                }
            })?,
        };
        Ok(all / runs.max(1))
    }

    fn verify(&mut self, runs: u32) -> Result<(), Error> {
        if !self.has_result {
            return Ok(());
        }
        self.clear_result()?;
        self.measure(runs)?;
        let Session { vyre, bare, counts, .. } = self.session;
        let output = self.workload.result;
        let counts: Vec<u32> = counts.iter().map(|count| count.wrapping_mul(runs)).collect();
        let compare = |first: usize, bytes: &[u8]| match output {
            Output::Words(transform) => difference_to_input(first, bytes, transform),
            Output::Bins => difference(first, bytes, &counts),
        };
        let mut found = None;
        if let Code::Program { .. } = self.code {
            found = compare(0, &vyre.device.read(vyre.result(output))?);
        } else {
            let visit = |at, bytes: &[u8]| found = found.or_else(|| compare((at / 4) as usize, bytes));
            bare.device.read(bare.result(output), visit)?;
        }
        found.map_or(Ok(()), |difference| {
            let contender = format!("`{}`, {}", self.workload.name, self.name);
            Err(Error::Mismatch { contender, against: "the host".to_owned(), difference })
        })
    }
}
