//! Test cases: a program with all inputs of a run, and its outcome on a device.

use std::collections::BTreeMap;

use vyre_ir::{BufferAccess, Name, OpTable, Program, validate};
use vyre_runtime::{Bindings, CommandList, Device, Error, PipelineOptions, RunOptions, RunReport};

/// A run of a program, to be repeated on several devices.
#[derive(Clone, Debug)]
pub struct Case {
    /// A valid program.
    pub program: Program,
    /// Ops that it calls.
    pub ops: OpTable,
    /// Number of workgroups on each axis.
    pub grid: [u32; 3],
    /// Bytes of every bound buffer before the run.
    pub contents: BTreeMap<Name, Vec<u8>>,
}

/// Outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Bytes of every bound buffer after the run.
    pub contents: BTreeMap<Name, Vec<u8>>,
    /// Report of the device: timestamps and races.
    pub report: RunReport,
}

/// Failure of a case.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaseError {
    /// The program breaks a rule. The message has one line.
    Invalid(String),
    /// The device returned an error.
    Device(Error),
}

impl std::fmt::Display for CaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CaseError::Invalid(message) => f.write_str(message),
            CaseError::Device(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CaseError {}

impl From<Error> for CaseError {
    fn from(error: Error) -> CaseError {
        CaseError::Device(error)
    }
}

impl Case {
    /// Runs the case. Buffers without contents are empty.
    ///
    /// # Errors
    ///
    /// Fails if the program is invalid, or with the error of the device.
    pub fn run(
        &self,
        device: &dyn Device,
        pipeline_options: &PipelineOptions,
        options: &RunOptions,
    ) -> Result<Outcome, CaseError> {
        let valid = validate(&self.program, &self.ops).map_err(|diagnostics| {
            let first = diagnostics.first().map(|first| format!("{} at {}: {first}", first.rule, first.path));
            CaseError::Invalid(first.unwrap_or_default())
        })?;
        let pipeline = device.create_pipeline(&valid, pipeline_options)?;
        let mut bindings = Bindings::new();
        let mut buffers = Vec::new();
        for decl in self.program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup) {
            let contents = self.contents.get(&decl.name).map(Vec::as_slice).unwrap_or_default();
            let buffer = device.create_buffer(contents.len() as u64)?;
            device.write(&buffer, 0, contents)?;
            bindings = bindings.with(decl.binding, &buffer);
            buffers.push((decl.name.clone(), buffer));
        }
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &bindings, self.grid);
        let report = device.run(&commands, options)?;
        let read = |(name, buffer): (Name, _)| Ok((name, device.read(&buffer)?));
        Ok(Outcome { contents: buffers.into_iter().map(read).collect::<Result<_, Error>>()?, report })
    }
}
