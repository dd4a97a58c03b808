//! Runs of command lists.

use std::sync::Arc;

use vyre_runtime::{CommandList, Error, RunOptions, RunReport};

use crate::context::Context;
use crate::encode::Encoder;
use crate::programs::Programs;
use crate::turn::{Turn, may_end};

/// Runs a list that has been checked.
pub(crate) fn run(context: &Arc<Context>, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
    let programs = Programs::ready(context, commands, may_end(options))?;
    // That may have taken a while.
    options.check()?;
    let current = context.enter()?;
    let listed = context.listed(programs.names());
    let turn = Turn::new(&current, &listed, options)?;
    let mut encoder = Encoder::new(context, &current, &programs, turn);
    let outcome = encoder.list(commands).and_then(|()| encoder.turn.finish());
    let mut report = RunReport::default();
    match outcome {
        Ok(timestamps) => report.timestamps = timestamps,
        Err(error) => {
            encoder.turn.end();
            return Err(error);
        }
    }
    Ok(report)
}
