//! Loader of transfer functions.

use std::io::Write as _;
use std::path::Path;

use anyhow::{anyhow, bail};
use vyre::engine::dataflow::Transfer;

use crate::input::Input;
use crate::load::{invalid, load};
use crate::output::{counted, styled_stderr, visible};
use crate::report::{Report, write_human};

/// Reads the transfer function of a file, text or wire. Reports errors of the program on standard error.
pub(crate) fn read_transfer(file: &Path) -> anyhow::Result<Transfer> {
    let input = Input::new(file);
    let name = input.name();
    let loaded = match load(&name, input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => return reject(&report),
    };
    if let Err(diagnostics) = loaded.validate(&vyre::ops::table()) {
        return reject(&invalid(&name, diagnostics));
    }
    Transfer::from_program(loaded.program().clone()).map_err(|error| anyhow!("{}: {error}", visible(&name)))
}

fn reject(report: &Report) -> anyhow::Result<Transfer> {
    let mut out = styled_stderr();
    // A failure to write to standard error cannot be reported.
    let _ = write_human(&mut out, report, usize::MAX).and_then(|()| out.flush());
    bail!("{} is no transfer function: {}", visible(&report.name), counted(report.findings.len(), "error"))
}
