//! Pipelines of the programs of ops, compiled once for many checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use vyre_ir::{OpTable, validate};
use vyre_ops::{Op, ProgramVariant};
use vyre_runtime::{Device, Error, Pipeline, PipelineOptions};

/// Pipelines of a device. They are created on first use.
pub(crate) struct OpPipelines<'d> {
    pub(crate) device: &'d Arc<dyn Device>,
    pipelines: BTreeMap<(&'static str, &'static str), Pipeline>,
}

impl<'d> OpPipelines<'d> {
    pub(crate) fn new(device: &'d Arc<dyn Device>) -> OpPipelines<'d> {
        OpPipelines { device, pipelines: BTreeMap::new() }
    }

    /// The pipeline of a program of an op.
    ///
    /// # Errors
    ///
    /// The device does not compile the program.
    pub(crate) fn get(&mut self, op: &Op, program: &ProgramVariant) -> Result<Pipeline, Error> {
        let key = (op.id, program.name);
        if let Some(pipeline) = self.pipelines.get(&key) {
            return Ok(pipeline.clone());
        }
        let built = program.program();
        let table = OpTable::default();
        let valid = validate(&built, &table).unwrap_or_else(|errors| panic!("{}: {errors:?}", program.name));
        let pipeline = self.device.create_pipeline(&valid, &PipelineOptions::default())?;
        self.pipelines.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}
