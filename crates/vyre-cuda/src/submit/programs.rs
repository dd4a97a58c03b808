//! Programs of a command list, loaded into a context.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use vyre_runtime::{CommandList, Error};

use crate::compile::program::{CompiledProgram, Variant, with_program};
use crate::driver::context::Context;
use crate::driver::module::LoadedKernel;

/// Program that is ready to be launched.
pub(crate) struct Program {
    pub(crate) variant: Arc<Variant>,
    pub(crate) kernel: Arc<LoadedKernel>,
    pub(crate) name: Arc<str>,
}

/// Programs of a command list, by number.
pub(crate) struct Programs {
    by_number: BTreeMap<u64, Program>,
}

impl Programs {
    /// Loads the programs of a list into a context. This may compile, so the caller must hold no locks.
    pub(crate) fn load(
        context: &Arc<Context>,
        commands: &CommandList,
        is_cancellable: bool,
    ) -> Result<Programs, Error> {
        let mut by_number = BTreeMap::new();
        commands.visit_objects(
            |_| Ok(()),
            |pipeline| {
                let compiled = pipeline.code::<CompiledProgram>(pipeline.device())?;
                if let Entry::Vacant(entry) = by_number.entry(compiled.number) {
                    let variant = compiled.variant(context, is_cancellable)?;
                    let kernel = variant.load(context).map_err(|error| with_program(&compiled.name, error))?;
                    entry.insert(Program { variant, kernel, name: Arc::clone(&compiled.name) });
                }
                Ok(())
            },
        )?;
        Ok(Programs { by_number })
    }

    pub(crate) fn get(&self, compiled: &CompiledProgram) -> Result<&Program, Error> {
        self.by_number.get(&compiled.number).ok_or(Error::ForeignObject)
    }

    /// Names of the programs.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.by_number.values().map(|program| Arc::clone(&program.name)).collect()
    }

    /// Kernels of the programs.
    pub(crate) fn kernels(&self) -> Vec<Arc<LoadedKernel>> {
        self.by_number.values().map(|program| Arc::clone(&program.kernel)).collect()
    }
}
