//! What takes part in a race: a program, a shader, or a copy by the API.

use std::time::Duration;

use vyre_runtime::{Bindings, Command, CommandList, Device as _, Pipeline, RunOptions};

use super::bare::BareKernel;
use super::bench::Bench;
use super::data::{Difference, compare, difference};
use super::error::Error;
use super::workload::{COPY_VECTORS, LANES, Outcome, Role, Shader, Workload};

/// Who sees to it that nothing is accessed beyond the end of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// The meaning of the language, whatever the program says.
    Language,
    /// wgpu, beside what the shader does.
    Wgpu,
    /// What is written in the shader alone.
    Own,
    /// Nothing to check.
    None,
}

impl Checks {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Checks::Language => "vyre's",
            Checks::Wgpu => "wgpu's, own guard",
            Checks::Own => "own guard",
            Checks::None => "",
        }
    }
}

/// Something that does the work of a workload.
pub(super) struct Contender<'b> {
    bench: &'b Bench,
    workload: &'b Workload,
    pub(super) name: &'static str,
    pub(super) checks: Checks,
    pub(super) role: Role,
    code: Code,
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

impl<'b> Contender<'b> {
    /// The program of a workload.
    pub(super) fn program(bench: &'b Bench, workload: &'b Workload) -> Result<Contender<'b>, Error> {
        let vyre = &bench.vyre;
        let workgroups = u32::try_from(bench.words.div_ceil(LANES as usize)).unwrap_or(u32::MAX);
        let code = Code::Program {
            pipeline: vyre.pipeline(workload.name, workload.program)?,
            bindings: Bindings::new().with(0, &vyre.input).with(1, vyre.result(workload.result)),
            grid: [workgroups, 1, 1],
        };
        Ok(Contender { bench, workload, name: "vyre", checks: Checks::Language, role: Role::Program, code })
    }

    /// One of its shaders.
    pub(super) fn shader(
        bench: &'b Bench,
        workload: &'b Workload,
        shader: &Shader,
        checks: Checks,
    ) -> Result<Contender<'b>, Error> {
        let bare = &bench.bare;
        let buffers = [&bare.input, bare.result(workload.result)];
        let code = Code::Shader(BareKernel::new(&bare.device, shader, checks, buffers, bench.words)?);
        Ok(Contender { bench, workload, name: shader.name, checks, role: shader.role, code })
    }

    /// A copy of the input by the fastest shader that is known, four words at a time. The command of the API goes through the
    /// copy engine on some cards, which is slower than what their memory can do.
    pub(super) fn kernel_copy(bench: &'b Bench, workload: &'b Workload) -> Result<Contender<'b>, Error> {
        let bare = &bench.bare;
        let buffers = [&bare.input, &bare.out];
        let kernel = BareKernel::new(&bare.device, &COPY_VECTORS, Checks::Own, buffers, bench.words)?;
        let (name, checks, role) = (COPY_VECTORS.name, Checks::Own, Role::Information);
        Ok(Contender { bench, workload, name, checks, role, code: Code::Shader(kernel) })
    }

    /// A copy of the input by the API.
    pub(super) fn api_copy(bench: &'b Bench, workload: &'b Workload) -> Contender<'b> {
        let (name, checks) = ("copy_buffer_to_buffer", Checks::None);
        Contender { bench, workload, name, checks, role: Role::Information, code: Code::ApiCopy }
    }

    /// Runs so many times, and says how long a run took.
    pub(super) fn time(&self, runs: u32) -> Result<Duration, Error> {
        let bare = &self.bench.bare;
        let all = match &self.code {
            Code::Program { pipeline, bindings, grid } => {
                let mut once = CommandList::new();
                once.dispatch(pipeline, bindings, *grid);
                let mut commands = CommandList::new();
                commands.push(Command::Timestamp);
                commands.push(Command::Repeat { count: runs, commands: once });
                commands.push(Command::Timestamp);
                let report = self.bench.vyre.device.run(&commands, &RunOptions::default())?;
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

    /// Clears the result, runs so many times and compares with what the host says.
    pub(super) fn check(&self, runs: u32) -> Result<(), Error> {
        let Bench { vyre, bare, counts, .. } = self.bench;
        let outcome = self.workload.result;
        let counts: Vec<u32> = counts.iter().map(|count| count.wrapping_mul(runs)).collect();
        let compare = |first: usize, bytes: &[u8]| match outcome {
            Outcome::Words(transform) => compare(first, bytes, transform),
            Outcome::Bins => difference(first, bytes, &counts),
        };
        let mut found = None;
        if let Code::Program { .. } = self.code {
            let buffer = vyre.result(outcome).clone();
            let mut clear = CommandList::new();
            clear.push(Command::Fill { length: outcome.bytes(self.bench.words), buffer, offset: 0, byte: 0 });
            vyre.device.run(&clear, &RunOptions::default())?;
            self.time(runs)?;
            found = compare(0, &vyre.device.read(vyre.result(outcome))?);
        } else {
            let result = bare.result(outcome);
            bare.device.run(|encoder| encoder.clear_buffer(result, 0, None))?;
            self.time(runs)?;
            bare.device.read(result, |at, bytes| found = found.or_else(|| compare((at / 4) as usize, bytes)))?;
        }
        let (workload, code) = (self.workload.name, self.name);
        match found {
            None => Ok(()),
            Some(Difference { word, expected, found }) => {
                Err(Error::Different { workload, code, word, expected, found })
            }
        }
    }
}
