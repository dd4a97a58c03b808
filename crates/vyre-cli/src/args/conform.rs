//! Arguments of `vyre conform`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand, ValueEnum};
use vyre::conform::suite::{Level, Part};
use vyre::select::AUTO;

use super::{SuggestedValues, backend_or_auto_names};
use crate::argument::{parse_part, parse_seed, parse_threads};

/// Check that a backend gives the results that the specification defines
///
/// Runs the conformance suite on a device: the corpus, laws of all primitives, casts, accesses out of bounds, atomics, barriers,
/// collectives, round trips, determinism, composition, graph and compression archetypes, the dataflow engine, shaders by independent
/// tools, and generated programs against the reference interpreter. Prints what was checked, section by section and op by op.
///
/// What was not checked is counted as skipped, with the reason, and never as passed. A failing program is reduced to a small one, with
/// expected and observed bytes; `vyre conform repeat` runs it again.
///
/// --out writes a certificate: the results with versions, seeds, and hashes of the op table and of the suite. It is not signed.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_long_help = "\
Levels:
  quick      under a minute on two cores, for every change
  standard   under a quarter of an hour on two cores, for every release
  deep       minutes on the CPU, hours with slow drivers: 50,000 generated programs
All levels run all sections. They differ in the number of graphs, blocks, witnesses and programs,
which are fixed; --programs changes the number of generated programs alone.

Exit codes:
  0  no check failed
  1  a check failed, a section made no check (`shader-text`, which needs tools, may make none),
     or a section ended before all its checks were made
  2  failure: arguments, a file, the device
  130  ended by Ctrl-C; the results so far are printed

Examples:
  vyre conform --backend cpu                       the quick suite on the CPU
  vyre conform --backend wgpu --device 1 --level standard --out gpu.json
                                                   a certificate of the second GPU
  vyre conform --backend cuda --level deep --programs 50000 --threads 16 --out cuda.json
  vyre conform --backend cpu --only generated --programs 1000000 --threads 16
                                                   a million generated programs
  vyre conform --only collectives --only atomics   two sections
  vyre conform --backend wgpu --failures failures  write failing programs to a folder
  vyre conform --backend wgpu --section-seconds 600
                                                   end each section after ten minutes
  vyre conform repeat failures/atomics-1.vyre --backend wgpu
  vyre conform verify cpu.json --replay 1000       check a certificate, and repeat some programs
  vyre conform show cpu.json cuda.json             compare certificates")]
pub(crate) struct ConformArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConformCommand>,

    #[command(flatten)]
    pub(crate) device: ConformDevice,

    /// Number of checks
    #[arg(long, value_name = "LEVEL", default_value = "quick")]
    pub(crate) level: ConformLevel,

    /// Run only this section; repeatable, or several separated by commas
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Seed of everything random, such as 42 or 0x5EED
    #[arg(long, value_name = "SEED", default_value = "0", value_parser = parse_seed)]
    pub(crate) seed: u64,

    /// Number of generated programs, instead of that of the level
    #[arg(long, value_name = "N")]
    pub(crate) programs: Option<u64>,

    /// Number of threads that make independent checks, or processes of --isolate; 0, the default, means one for each core
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<usize>,

    /// End each section after this number of seconds; 0 means no limit
    ///
    /// By default an hour at level quick, four hours at standard and a day at deep, and no limit with --programs. A section that reaches
    /// it is `interrupted`, or `failed`, and never passed. A run on the device ends with its section. If another call of the device does not
    /// return within a minute after that, the section is abandoned, and the run ends with the results so far.
    #[arg(long, value_name = "N")]
    pub(crate) section_seconds: Option<u64>,

    /// End a section after this number of failed checks; 0 means no limit
    ///
    /// With --isolate, the processes of a section that run side by side count alone, and the section has no further ones once all
    /// together have reached the number.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) max_failures: u64,

    /// Write the certificate to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write a report in the XML form of JUnit to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write failing programs to this folder, which is created
    ///
    /// Files of earlier failures of the same sections are deleted.
    #[arg(long, value_name = "DIR")]
    pub(crate) failures: Option<PathBuf>,

    /// Run each section in a process of its own, for drivers that crash
    ///
    /// As many processes as --threads run side by side. A driver that ends a process fails the check that it ended, and the run goes on. The program
    /// that did it is reduced and reported as any failure. Generated programs run in many processes, and those of a process that ends run
    /// again in halves.
    #[arg(long, conflicts_with = "running")]
    pub(crate) isolate: bool,

    /// Keep each program in this folder while it runs, for drivers that crash
    ///
    /// A driver that ends the process leaves the programs that ran at the time, each with its inputs and expected results. `vyre conform
    /// repeat` runs such a file alone. The folder is created.
    #[arg(long, value_name = "DIR")]
    pub(crate) running: Option<PathBuf>,

    /// Make a part of the checks: its number, from 0 on, and the number of parts. The certificate is never conformant
    #[arg(long, value_name = "NUMBER/PARTS", value_parser = parse_part, hide = true)]
    pub(crate) part: Option<Part>,

    /// Folder of the corpus, instead of the one in the command
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: ConformFormat,

    /// List the sections and what they check
    #[arg(long)]
    pub(crate) list: bool,

    /// Print no progress and no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A device under test.
#[derive(Args, Debug)]
pub(crate) struct ConformDevice {
    /// Backend under test: one that `vyre devices` lists, or `auto`, the CPU
    #[arg(long, value_name = "NAME", default_value = AUTO, hide_possible_values = true)]
    #[arg(value_parser = SuggestedValues(backend_or_auto_names))]
    pub(crate) backend: String,

    /// Device of the backend: its index in `vyre devices`, or a part of its name that no other device has
    #[arg(long, value_name = "WHICH", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,
}

/// Output format of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConformFormat {
    /// For people
    Human,
    /// For programs: one object, the certificate
    Json,
}

/// Level of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConformLevel {
    /// Under a minute on two cores
    Quick,
    /// Under a quarter of an hour on two cores
    Standard,
    /// Minutes on two cores with the CPU backend, hours with slow drivers: 50,000 generated programs, and the most of all other checks
    Deep,
}

impl ConformLevel {
    pub(crate) fn level(self) -> Level {
        match self {
            ConformLevel::Quick => Level::Quick,
            ConformLevel::Standard => Level::Standard,
            ConformLevel::Deep => Level::Deep,
        }
    }
}

/// A command about certificates and failures.
#[derive(Debug, Subcommand)]
pub(crate) enum ConformCommand {
    Verify(VerifyArgs),
    Show(ShowArgs),
    Repeat(RepeatArgs),
}

/// Verify a certificate
///
/// Computes the digest of the certificate again, so that an accidental change of any field is detected, and compares its hashes with the
/// suite and the ops of this build. Says what has changed since. The certificate is not signed: whoever changes it on purpose can compute
/// the digest too, so --replay repeats a sample of its generated programs.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  intact and current, and the replayed programs agree
  1  damaged, or something has changed since, or a replayed program differs,
     or the replay ended before all its programs ran
  2  failure: no certificate, the device
  130  the replay was ended by Ctrl-C; its results so far are printed

Examples:
  vyre conform verify cpu.json
  vyre conform verify cuda.json --replay 1000      repeat 1,000 programs on its backend
  vyre conform verify cpu.json --replay 100 --backend wgpu
                                                   repeat them on another backend")]
pub(crate) struct VerifyArgs {
    /// The certificate
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Repeat this number of its generated programs, from a place that differs each time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) replay: Option<u64>,

    /// Backend of the replay, by default that of the certificate
    #[arg(long, value_name = "NAME", hide_possible_values = true, requires = "replay")]
    #[arg(value_parser = SuggestedValues(backend_or_auto_names))]
    pub(crate) backend: Option<String>,

    /// Device of the replay, by default that of the certificate
    #[arg(long, value_name = "WHICH", value_parser = NonEmptyStringValueParser::new(), requires = "replay")]
    pub(crate) device: Option<String>,
}

/// Show certificates, one as text and several side by side
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  shown
  1  shown, and a certificate is damaged
  2  failure: no certificate

Examples:
  vyre conform show cpu.json                       one certificate
  vyre conform show cpu.json wgpu.json cuda.json   a table of several
  vyre conform show *.json --html certificates.html
                                                   a page")]
pub(crate) struct ShowArgs {
    /// The certificates
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Write a page to this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// Run failing programs again
///
/// Runs programs with inputs and expected results in their first lines, as --failures writes them and as the files of the run corpus are.
/// They may call the ops of the library, and those of NAME.ops.vyre beside NAME.vyre, if that file exists. Arguments of that form are left
/// out, so that all files of a folder can be given.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  all results are the expected ones
  1  some differ
  2  failure: a file, the device

Examples:
  vyre conform repeat failures/*.vyre --backend wgpu
  vyre conform repeat failures/atomics-1.vyre --backend reference")]
pub(crate) struct RepeatArgs {
    /// The programs
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) device: ConformDevice,
}
