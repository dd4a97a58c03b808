//! The `vyre` command: checks, formats, converts and runs programs, works on graphs, opens archives,
//! scans packages, and explains rules and ops.
//!
//! The libraries of the workspace neither print nor exit; this binary does both and has no other logic. Its exit codes are
//! those of [`Outcome`](exit::Outcome).

mod advice;
mod args;
mod argument;
mod cache_path;
mod calibration;
mod commands;
mod destination;
mod elements;
mod exit;
mod fetch;
mod fixed;
mod graph;
mod input;
mod interrupt;
mod kernel_cache;
mod load;
mod lockfile;
mod nearest;
mod output;
mod passes;
mod prose;
mod report;
mod scan;
mod select;
mod table;
mod termination;
mod time_limit;
mod unpack;
mod write;

use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::exit::Outcome;

/// Leaves out reports of panics that become errors of damaged tables.
#[cfg(feature = "tables")]
fn quiet_guarded_panics() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !vyre::tables::is_guarded() {
            report(panic);
        }
    }));
}

fn main() -> ExitCode {
    #[cfg(feature = "tables")]
    quiet_guarded_panics();
    // The parser prints help and usage errors itself, so `--color` must be known before it runs.
    args::early_color(std::env::args_os()).write_global();
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(error) => {
            // A failure to print the message cannot be reported.
            let _ = error.print();
            return if error.use_stderr() { Outcome::Failure } else { Outcome::Clean }.into();
        }
    };
    let result = run(cli);
    termination::claim();
    let outcome = result.unwrap_or_else(|error| {
        output::print_error(&error);
        Outcome::Failure
    });
    outcome.into()
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
        Command::Scan(mut args) => {
            scan::apply_configuration(&mut args)?;
            commands::scan::run(&args)
        }
        Command::Rules(args) => commands::rules::run(&args),
        Command::ScanScore(args) => commands::score::run(&args),
        Command::Devices(args) => commands::devices::run(args),
        Command::Conform(args) => commands::conform::run(args),
        Command::Ops(args) => commands::ops::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(&args),
    }
}
