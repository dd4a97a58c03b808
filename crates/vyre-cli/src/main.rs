//! The `vyre` command: checks, formats, converts and runs programs, works on graphs, opens archives, and explains rules and ops.
//!
//! Libraries of the workspace neither print nor exit; this binary does both, and nothing else of its own. Its exit
//! codes are those of [`Outcome`](exit::Outcome).

mod advice;
mod args;
mod argument;

mod commands;
mod destination;
mod elements;
mod exit;
mod fixed;
mod graph;
mod input;
mod interrupt;
mod load;
mod nearest;
mod output;
mod passes;
mod report;
mod select;
mod text_size;
mod unpack;
mod write;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::exit::Outcome;

fn main() -> ExitCode {
    // Help and usage errors are printed before the arguments are known, so `--color` is looked for first.
    args::early_color(std::env::args_os()).write_global();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing can be done about a terminal that does not take the message.
            let _ = error.print();
            return if error.use_stderr() { Outcome::Failure } else { Outcome::Clean }.into();
        }
    };
    run(cli)
        .unwrap_or_else(|error| {
            output::complain(&error);
            Outcome::Failure
        })
        .into()
}

fn run(cli: Cli) -> anyhow::Result<Outcome> {
    match cli.command {
        Command::Check(args) => commands::check::run(args),
        Command::Fmt(args) => commands::fmt::run(args),
        Command::Convert(args) => commands::convert::run(args),
        Command::Lower(args) => commands::lower::run(args),
        Command::Run(args) => commands::run::run(args),
        Command::Graph(args) => commands::graph::run(args),
        Command::Unpack(args) => commands::unpack::run(&args),
        Command::Devices(args) => commands::devices::run(args),
        Command::Ops(args) => commands::ops::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Completions(args) => commands::completions::run(args),
    }
}
