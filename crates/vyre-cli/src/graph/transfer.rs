//! Reading transfer functions.

use std::io::Write as _;
use std::path::Path;

use anyhow::{anyhow, bail};
use vyre::engine::dataflow::Transfer;
use vyre::ir::validate;

use crate::input::Input;
use crate::load::{invalid, load};
use crate::output::{counted, styled_stderr, visible};
use crate::report::{Report, write_human};

/// The transfer function of a file, text or wire. What is wrong with the program is shown on standard error.
pub(crate) fn read_transfer(file: &Path) -> anyhow::Result<Transfer> {
    let input = Input::new(file);
    let name = input.name();
    let loaded = match load(&name, input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => return refuse(&report),
    };
    if let Err(diagnostics) = validate(loaded.program(), &vyre::ops::table()) {
        return refuse(&invalid(&name, loaded, diagnostics));
    }
    Transfer::from_program(loaded.program().clone()).map_err(|error| anyhow!("{}: {error}", visible(&name)))
}

fn refuse(report: &Report) -> anyhow::Result<Transfer> {
    let mut out = styled_stderr();
    // There is nowhere to report that standard error takes nothing.
    let _ = write_human(&mut out, report, usize::MAX).and_then(|()| out.flush());
    bail!("{} is no transfer function: {}", visible(&report.name), counted(report.findings.len(), "error"))
}
