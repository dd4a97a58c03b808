//! `vyre completions`: completion scripts for shells.

use std::io::Write as _;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::exit::Outcome;
use crate::output::{STDOUT, plain_stdout};

pub(crate) fn run(args: CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "vyre", &mut script);
    let mut out = plain_stdout();
    out.write_all(&script).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}
