//! The programs of a command list, ready to be launched.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use vyre_runtime::{CommandList, Error};

use crate::context::Context;
use crate::module::Loaded;
use crate::pipeline::{Compiled, Variant, named};

/// A program that is ready to be launched.
pub(crate) struct Program {
    pub(crate) variant: Arc<Variant>,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) name: Arc<str>,
}

/// The programs of a list, by their numbers.
pub(crate) struct Programs {
    by_number: BTreeMap<u64, Program>,
}

impl Programs {
    /// Makes the programs of a list ready in a context. This may compile, so nothing is held meanwhile.
    pub(crate) fn ready(context: &Arc<Context>, commands: &CommandList, may_end: bool) -> Result<Programs, Error> {
        let mut by_number = BTreeMap::new();
        commands.check_owners(
            |_| Ok(()),
            |pipeline| {
                let compiled = pipeline.code::<Compiled>().ok_or(Error::ForeignObject)?;
                if let Entry::Vacant(place) = by_number.entry(compiled.number) {
                    let variant = compiled.variant(context, may_end)?;
                    let loaded = variant.load(context).map_err(|error| named(&compiled.name, error))?;
                    place.insert(Program { variant, loaded, name: Arc::clone(&compiled.name) });
                }
                Ok(())
            },
        )?;
        Ok(Programs { by_number })
    }

    pub(crate) fn get(&self, compiled: &Compiled) -> Result<&Program, Error> {
        self.by_number.get(&compiled.number).ok_or(Error::ForeignObject)
    }

    /// What they are called.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.by_number.values().map(|program| Arc::clone(&program.name)).collect()
    }

    /// The programs, so that they stay.
    pub(crate) fn loaded(&self) -> Vec<Arc<Loaded>> {
        self.by_number.values().map(|program| Arc::clone(&program.loaded)).collect()
    }
}
