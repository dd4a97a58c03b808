//! Command-line arguments and their help.

pub(crate) mod conform;
mod device;
pub(crate) mod findings;
pub(crate) mod graph;
pub(crate) mod man;
pub(crate) mod rules;
pub(crate) mod scan;
mod scan_input;
pub(crate) mod score;
pub(crate) mod unpack;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use vyre::ir::Rule;
use vyre::select::AUTO;

use crate::argument::{
    Fixed, InputArg, OutputArg, parse_fixed, parse_grid, parse_input_arg, parse_output_arg, parse_sm,
};
use crate::passes;

pub(crate) use device::DeviceArgs;

/// Version with the backends of the build, in the order in which `vyre devices` lists them.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let names: Vec<&str> = vyre::backends().iter().map(|backend| backend.name()).collect();
    format!("{}\nbackends: {}", env!("CARGO_PKG_VERSION"), names.join(", "))
});

/// Checks, formats, converts and runs vyre programs, analyses graphs, opens archives and scans packages.
///
/// A program is text (`.vyre`) or binary (`.vir`). Every command detects the form by the first bytes of a file, never by its
/// name, and accepts `-` for standard input.
#[derive(Debug, Parser)]
#[command(
    name = "vyre",
    version,
    long_version = LONG_VERSION.as_str(),
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 success, 1 the programs have errors, 2 the command failed.",
    after_long_help = "\
Exit codes:
  0  success
  1  programs have errors or races, or are not formatted; a graph has findings, a cycle or no path;
     an archive is damaged or hostile; a package has findings
  2  the command failed: a file cannot be read, wrong arguments, and so on

Examples:
  vyre check src/                  validate every program below src
  vyre fmt src/                    format them
  vyre convert sum.vyre            write sum.vir
  vyre run sum.vyre --grid 1 --in input=iota:256 --in sums=zeros:256
                                   run a program and print what it wrote
  vyre lower sum.vyre              print the optimized kernel of a program
  vyre lower sum.vyre --target asm
                                   print its machine code
  vyre graph bfs calls.csv --names --nodes roles.csv
                                   find the sinks that sources reach
  vyre unpack package.tgz -o package
                                   open an archive, and the archives inside it
  vyre scan package.tgz            find untrusted inputs that reach dangerous calls
  vyre devices --probe             test devices and drivers
  vyre conform --backend wgpu      check that a GPU gives the results of the specification
  vyre ops                         list the ops that programs can call
  vyre explain V010                explain rule V010"
)]
pub(crate) struct Cli {
    /// Use of colours
    ///
    /// `auto` uses colours on terminals and respects NO_COLOR, CLICOLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Parses the arguments of the process.
    pub(crate) fn of_process() -> Result<Cli, clap::Error> {
        let matches = with_numbers(Cli::command()).try_get_matches()?;
        let mut cli = Cli::from_arg_matches(&matches)?;
        if let (Command::Scan(args), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            args.input.note_given(matches);
        }
        Ok(cli)
    }
}

/// The command with options that take negative numbers. The parser of the value says then what it wants; otherwise the number would
/// count as an option that does not exist.
fn with_numbers(command: clap::Command) -> clap::Command {
    let command =
        command.mut_args(|argument| match argument.is_positional() || !argument.get_action().takes_values() {
            true => argument,
            false => argument.allow_negative_numbers(true),
        });
    command.mut_subcommands(with_numbers)
}

/// Use of colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Fmt(FmtArgs),
    Convert(ConvertArgs),
    Lower(LowerArgs),
    Run(RunArgs),
    Graph(graph::GraphArgs),
    Unpack(unpack::UnpackArgs),
    Scan(scan::ScanArgs),
    Rules(rules::RulesArgs),
    ScanScore(score::ScoreArgs),
    Devices(DevicesArgs),
    Conform(conform::ConformArgs),
    Ops(OpsArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(man::ManArgs),
}

/// Validate programs
///
/// Reads each file, text or binary, and reports every error: syntax errors, malformed bytes and broken rules. Reports go to
/// standard output, a summary to standard error.
///
/// An error in a binary file has no line. Its report shows the path of the node, with the line that `vyre convert` would
/// print.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  every program is valid
  1  some program is not valid
  2  some file could not be read; the others were checked

The JSON form is one array, with an object for each error in the order of the files:
  {\"file\", \"rule\", \"message\", \"fix\", \"line\", \"column\", \"path\"}
`rule` is a code such as V005, or `syntax` or `wire`. `line` and `column` are null if there
is no line; `fix` and `path` are empty if there is none.

Files over 32 MiB are refused.

Examples:
  vyre check sum.vyre              validate one program
  vyre check programs/             validate every .vyre and .vir file below a directory
  vyre check --format json a.vyre | jq -r '.[].rule'
  generate | vyre check -          validate the output of another program")]
pub(crate) struct CheckArgs {
    /// Files to validate; `-` is standard input, a directory stands for the .vyre and .vir files below it
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// Report every error; by default the human format stops at 50 for each file
    #[arg(long)]
    pub(crate) all: bool,

    /// Print no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Output format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs: one array of objects
    Json,
}

/// Format programs
///
/// Rewrites text files in place, atomically, and only if something changes. Comments, single blank lines and the bases of
/// numbers are kept. A file with a syntax error is left unchanged.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  every file is in canonical form
  1  with --check, some file is not
  2  some file could not be read, parsed or written; the others were formatted

Files over 32 MiB are refused.

Examples:
  vyre fmt sum.vyre                format a file in place
  vyre fmt --check programs/       fail if a .vyre file below a directory is not formatted
  vyre fmt - < a.vyre > b.vyre     format standard input to standard output")]
pub(crate) struct FmtArgs {
    /// Files to format; `-` is standard input, a directory stands for the .vyre files below it
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// Change nothing; list the files that would change
    #[arg(long)]
    pub(crate) check: bool,

    /// Print no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Convert a program between text and binary (wire) form
///
/// The program need not be valid. Both directions keep the whole program; the wire form has no comments. Without --to, the
/// extension of OUTPUT selects the form (.vyre is text, .vir is wire). Without OUTPUT, text becomes wire and wire text.
///
/// By default text goes to standard output, and wire to INPUT with the extension .vir.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  converted
  2  INPUT is not a program, or could not be read or written

Files over 32 MiB are refused, and so are programs whose text form would be over 32 MiB.

Examples:
  vyre convert sum.vyre            write sum.vir
  vyre convert sum.vir             print the program as text
  vyre convert sum.vir -o sum.vyre
  vyre convert - --to wire -o sum.vir < sum.vyre")]
pub(crate) struct ConvertArgs {
    /// The program, text or wire; `-` is standard input
    pub(crate) input: PathBuf,

    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// Form to write
    #[arg(long, value_name = "FORM")]
    pub(crate) to: Option<Target>,
}

/// A form of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// The text format, .vyre
    Text,
    /// The binary format, .vir
    Wire,
}

/// Show a program as backends compile it
///
/// Validates FILE, lowers it to a kernel and runs the optimizer. In a kernel calls are inlined, variables are values or
/// slots, and bounds checks are explicit: `store b[v1], 7 if v2` writes only if the guard v2 holds. The optimizer removes the
/// checks that it proves redundant.
///
/// Prints the kernel after the standard passes; with --passes the kernel before and after them. `--target clif` and `asm`
/// print the code of the CPU backend, `wgsl`, `spirv`, `msl`, `hlsl` and `glsl` the shader of the wgpu backend, `ptx` the PTX
/// of the CUDA backend. The output is for reading: no command reads it back, and its form may change.
///
/// Kernels, code, shaders and PTX go to standard output or to the file of --output, times to standard error.
#[derive(Args, Debug)]
#[command(override_usage = "vyre lower [OPTIONS] <FILE>\n       vyre lower --list-passes")]
#[command(after_long_help = "\
Fixed values:
  params[0]=64         element 0 of the uniform buffer `params`; also 0x40 and, for i32, -64
  size[1]=640,480      the words of a vec2u32, vec4u32 or, low half first, u64
  flags[3]=true        a bool
The program is specialized for these values, and branches that depend on them are resolved.

Code of the CPU backend:
  A thread runs a workgroup. The code between two barriers or collectives is a region; all
  invocations of the workgroup execute it before the next region begins. --explain prints the
  vectorization plan of each region, with reasons, as comments before the code.

Shaders:
  Shaders are for adapters without optional features, after the passes of the wgpu backend. No GPU
  is needed. SPIR-V is binary: name a file with --output, or redirect standard output.

PTX:
  PTX is for one compute capability, which --sm selects, and all newer ones. Runs with a deadline or
  a cancellation token use another kernel, which --cancellable prints. No GPU is needed.

Exit codes:
  0  the kernel, its code, the shader or the PTX was printed or written
  1  the program is not valid
  2  failure: arguments, a file, the compiler, or a pass that fails --verify

Examples:
  vyre lower sum.vyre                       print the optimized kernel
  vyre lower sum.vyre --passes none         print it before the optimizer
  vyre lower sum.vyre --passes fold,cse     print it before and after two passes
  vyre lower sum.vyre --diff                show the changes of all passes
  vyre lower sum.vyre --dump --diff         show the changes of each pass
  vyre lower sum.vyre --stop-after 3 --verify
                                            find a faulty pass
  vyre lower count.vyre --fix 'params[0]=0'
                                            compile for one value of a parameter
  vyre lower sum.vyre --target clif --explain
                                            print Cranelift IR and the vectorization plan
  vyre lower sum.vyre --target asm --passes none --time
                                            print the instructions without the optimizer, and times
  vyre lower sum.vyre --target wgsl         print the shader
  vyre lower sum.vyre --target spirv -o sum.spv
                                            write the shader for Vulkan
  vyre lower sum.vyre --target ptx --sm 80  print PTX for GPUs of compute capability 8.0 and newer
  vyre lower --list-passes                  list the passes")]
pub(crate) struct LowerArgs {
    /// The program, text or wire; `-` is standard input
    #[arg(required_unless_present = "list_passes")]
    pub(crate) file: Option<PathBuf>,

    /// Target form
    #[arg(long, value_name = "TARGET", default_value = "kernel")]
    pub(crate) target: LowerTarget,

    /// Output file; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT", conflicts_with = "list_passes")]
    pub(crate) output: Option<PathBuf>,

    /// Passes to run in this order, separated by commas; `none` runs none, `standard` those of the CPU backend
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = SuggestedValues(pass_names))]
    pub(crate) passes: Option<Vec<String>>,

    /// Stop after the first N passes
    #[arg(long, value_name = "N")]
    pub(crate) stop_after: Option<usize>,

    /// Specialize the program for a value of a uniform buffer, as `params[0]=64`; repeatable
    #[arg(long = "fix", value_name = "NAME[INDEX]=VALUE", value_parser = parse_fixed)]
    pub(crate) fixed: Vec<Fixed>,

    /// Minimum compute capability of PTX: 70, 72, 75, 80, 86, 87, 89 or 90; with --target ptx
    ///
    /// The default is 90.
    #[arg(long, value_name = "N", value_parser = parse_sm)]
    pub(crate) sm: Option<u32>,

    /// Print the kernel that can be cancelled, which runs with a deadline use; with --target ptx
    #[arg(long)]
    pub(crate) cancellable: bool,

    /// Print the vectorization plan of each region, with reasons; with --target clif or asm
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print the kernel before and after the passes, as --passes does
    #[arg(long, conflicts_with_all = ["diff", "dump"])]
    pub(crate) compare: bool,

    /// Print the changes of the passes as a unified diff
    #[arg(long)]
    pub(crate) diff: bool,

    /// Print the kernel after each pass that changed it; with --diff, the changes
    #[arg(long)]
    pub(crate) dump: bool,

    /// Print the time and the remaining statements of each pass, and the time of code generation
    #[arg(long)]
    pub(crate) time: bool,

    /// Verify the kernel after each pass; debug builds always do
    #[arg(long)]
    pub(crate) verify: bool,

    /// List the passes and their standard order
    #[arg(long, conflicts_with = "file")]
    pub(crate) list_passes: bool,
}

/// A form that programs are lowered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LowerTarget {
    /// The flat form that compiled backends share
    Kernel,
    /// Cranelift IR of the CPU backend
    Clif,
    /// Machine code of the CPU backend
    Asm,
    /// A shader in the language of WebGPU
    Wgsl,
    /// A shader for Vulkan, as a binary module
    Spirv,
    /// A shader in the language of Metal
    Msl,
    /// A shader in the language of DirectX
    Hlsl,
    /// A shader in the language of OpenGL
    Glsl,
    /// PTX for NVIDIA GPUs
    Ptx,
}

/// Run a program
///
/// Validates FILE, fills its buffers, runs it over a grid of workgroups and prints the buffers that it wrote. Every bound
/// buffer needs contents from `--in`, whose size is the size of the buffer. Workgroup buffers are part of the program and take
/// none.
///
/// Buffers go to standard output, notes to standard error.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Contents:
  u32:1,0xff,7*3   these words; 7*3 is three times 7
  i32:-1,2         these words
  bytes:1,0xff     these bytes
  zeros:N          N elements of the type of the buffer, all zero
  iota:N           the words 0, 1, ... N-1
  random:SEED:N    N random words, the same for the same seed
  empty            nothing
  @FILE            the bytes of a file as they are, at most 1024 MiB; @- is standard input

Exit codes:
  0  the program ran
  1  the program is not valid, or --check-races found races
  2  failure: arguments, a file, the device, the deadline
  130  ended by Ctrl-C

Examples:
  vyre run sum.vyre --grid 1 --in input=iota:256 --in sums=zeros:256
  vyre run sum.vyre --grid 1 --in input=iota:256 --in sums=zeros:256 --out sums
                                   print all elements of a buffer
  vyre run count.vyre --grid 16 --in text=@book.txt --in params=u32:4000 --in counts=zeros:256 \\
      --out counts=@counts.bin     write the raw bytes of a buffer to a file
  vyre run sum.vyre --grid 4 --check-races --in input=random:1:1024 --in sums=zeros:1024
  vyre run sum.vyre --grid 4 --backend cpu --threads 2 --in input=iota:1024 --in sums=zeros:1024
  vyre run sum.vyre --grid 4 --backend wgpu --device 1 --in input=iota:1024 --in sums=zeros:1024
                                   run on the second GPU that `vyre devices` lists
  vyre run sum.vyre --grid 4 --backend cuda --time --in input=iota:1024 --in sums=zeros:1024
                                   run on an NVIDIA GPU through CUDA
  generate | vyre run - --grid 1 --in data=u32:1,2,3 --out data --timeout 10")]
pub(crate) struct RunArgs {
    /// The program, text or wire; `-` is standard input
    pub(crate) file: PathBuf,

    /// Number of workgroups on each axis; an omitted axis has 1
    #[arg(long, value_name = "X[,Y,Z]", value_parser = parse_grid)]
    pub(crate) grid: [u32; 3],

    /// Contents of a buffer before the run, as `u32:1,2,3` or `@FILE`; one for each buffer
    #[arg(long = "in", value_name = "NAME=CONTENTS", value_parser = parse_input_arg)]
    pub(crate) inputs: Vec<InputArg>,

    /// Specialize the program for a value of a uniform buffer, as `params[0]=64`; repeatable
    ///
    /// The value replaces that of --in. `vyre lower --help` describes the notation. The buffer still needs contents, with at
    /// least the elements that are fixed.
    #[arg(long = "fix", value_name = "NAME[INDEX]=VALUE", value_parser = parse_fixed)]
    pub(crate) fixed: Vec<Fixed>,

    /// Buffer to print after the run, or to write to a file; repeatable
    ///
    /// NAME prints all elements, NAME=@FILE writes the bytes. Without --out, the first 8 elements of each read_write buffer are
    /// printed.
    #[arg(long = "out", value_name = "NAME[=@FILE]", value_parser = parse_output_arg)]
    pub(crate) outputs: Vec<OutputArg>,

    /// Print the time of the run
    #[arg(long)]
    pub(crate) time: bool,

    /// Check for data races: unordered accesses to one word by different invocations
    #[arg(long)]
    pub(crate) check_races: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,
}

/// List the devices that programs can run on
///
/// Lists the backends of this build, with the devices that each finds on this machine, their drivers and limits. The devices
/// of a backend have indices from 0. A backend that fails is listed with its error.
///
/// --probe tests each device: small programs with known results show whether the driver implements the language correctly,
/// such as loops of any length and accesses beyond the end of a buffer. It takes a few seconds.
///
/// --calibrate measures how fast this machine and one device of each backend analyse graphs: the start of a command, preparation,
/// transfers, searches and the other graph algorithms. The graph commands with `--backend auto` then take the way with the
/// smallest estimate. It takes up to a minute, or minutes on a slow machine, and writes a file into the cache of the user; the
/// variable VYRE_CALIBRATION names another file. Software GPUs are left out. Without a calibration, `auto` means the CPU.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The JSON form is one array, with an object for each backend:
  {\"backend\", \"error\", \"devices\"}
`error` is null if there is none. A device is
  {\"name\", \"buffer_bytes\", \"uniform_bytes\", \"workgroup_bytes\", \"workgroup_invocations\",
   \"can_cancel\", \"can_check_races\", \"index\", \"driver\", \"workgroup_size\", \"accessed_buffers\",
   \"probe\"}
`driver` is null if there is none, `accessed_buffers` if there is no limit, and `probe` without
--probe; otherwise it is an array of
  {\"check\", \"about\", \"outcome\", \"explanation\"}
`outcome` is `right`, `wrong`, `failed` (no answer) or `skipped` (the limits are too small);
`explanation` is null for `right`.

Exit codes:
  0  listed, and with --probe all devices are correct
  1  with --probe, a device gives wrong results or none
  2  failure: arguments, or the named backend has no device

Examples:
  vyre devices                     list all
  vyre devices --probe             test all
  vyre devices --probe --backend wgpu --device 0
                                   test the first GPU
  vyre devices --probe --backend cuda
                                   test the NVIDIA GPUs through CUDA
  vyre devices --calibrate         measure this machine once, for the graph commands
  vyre devices --format json | jq -r '.[].devices[].name'")]
pub(crate) struct DevicesArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// List only the devices of this backend
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = SuggestedValues(backend_names))]
    pub(crate) backend: Option<String>,

    /// List only this device of the backend: its index, or a part of its name that no other device has
    #[arg(long, value_name = "WHICH", requires = "backend", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,

    /// Test whether the devices and their drivers are correct
    #[arg(long)]
    pub(crate) probe: bool,

    /// Measure the speed of the host and of one device of each backend, for `--backend auto`
    #[arg(long, conflicts_with_all = ["probe", "backend", "device", "format"])]
    pub(crate) calibrate: bool,
}

/// List the ops that programs can call, or show one
///
/// A program calls an op by its id, as in `primitive.math.add(a, b)`. With an id, prints the summary of the op, the algebraic
/// laws that hold for all its arguments, and its programs.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The JSON form is one array, with an object for each op:
  {\"id\", \"version\", \"inputs\", \"output\", \"inlinable\", \"laws\", \"summary\"}

Exit codes:
  0  shown
  2  there is no such op

Examples:
  vyre ops                         list all ops
  vyre ops primitive.math.add      show one
  vyre ops --format json | jq -r '.[].id'")]
pub(crate) struct OpsArgs {
    /// The id of the op
    #[arg(hide_possible_values = true, value_parser = SuggestedValues(op_ids))]
    pub(crate) id: Option<String>,

    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

/// Explain a validation rule
///
/// Prints what the rule checks and why, its messages, a program that breaks it and one that does not. Without a code, lists
/// all rules.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  explained
  2  there is no such rule

Examples:
  vyre explain                     list all rules
  vyre explain V010                explain one")]
pub(crate) struct ExplainArgs {
    /// The code of the rule, in upper or lower case
    #[arg(hide_possible_values = true, value_parser = SuggestedValues(rule_codes))]
    pub(crate) code: Option<String>,
}

/// Print a completion script for a shell
///
/// The script goes to standard output. Each shell reads it from its own directory.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  vyre completions bash > ~/.local/share/bash-completion/completions/vyre
  vyre completions fish > ~/.config/fish/completions/vyre.fish
  vyre completions zsh > ~/.zfunc/_vyre      (with ~/.zfunc in $fpath)")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Parser that accepts any text and lists the known values for completion scripts.
#[derive(Clone)]
struct SuggestedValues(fn() -> Vec<PossibleValue>);

impl TypedValueParser for SuggestedValues {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}

fn rule_codes() -> Vec<PossibleValue> {
    Rule::ALL.iter().map(|rule| PossibleValue::new(rule.code()).help(rule.info().title)).collect()
}

fn op_ids() -> Vec<PossibleValue> {
    vyre::ops::ops().iter().map(|op| PossibleValue::new(op.id).help(op.summary)).collect()
}

fn pass_names() -> Vec<PossibleValue> {
    let passes = vyre::kernel::passes().iter().map(|pass| PossibleValue::new(pass.name).help(pass.summary));
    passes.chain([passes::NONE, passes::STANDARD].map(PossibleValue::new)).collect()
}

fn backend_names() -> Vec<PossibleValue> {
    vyre::backends().into_iter().map(|backend| PossibleValue::new(backend.name())).collect()
}

fn backend_or_auto_names() -> Vec<PossibleValue> {
    backend_names().into_iter().chain([PossibleValue::new(AUTO)]).collect()
}

/// Value of `--color` before the arguments are parsed; `auto` if it is missing or invalid.
pub(crate) fn early_color(args: impl Iterator<Item = OsString>) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut is_value = false;
    for arg in args.skip(1) {
        let arg = arg.to_string_lossy();
        let value = if is_value { Some(&*arg) } else { arg.strip_prefix("--color=") };
        choice = match value {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            Some("auto") => ColorChoice::Auto,
            _ => choice,
        };
        if arg == "--" {
            break;
        }
        is_value = arg == "--color";
    }
    choice
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn negative_numbers_are_values() {
        for (option, message) in [("--jobs", "write a number from 1 to 1024"), ("--time-limit", "a number of seconds")]
        {
            let arguments = ["vyre", "scan", ".", option, "-1"];
            let error =
                with_numbers(Cli::command()).try_get_matches_from(arguments).expect_err("a mistake").to_string();
            assert!(error.contains(message) && !error.contains("tip:"), "{error}");
        }
    }

    #[test]
    fn the_color_is_found_before_parsing() {
        let find = |args: &[&str]| early_color(args.iter().map(OsString::from));
        assert_eq!(find(&["vyre", "--color", "always", "check"]), ColorChoice::Always);
        assert_eq!(find(&["vyre", "check", "--color=never"]), ColorChoice::Never);
        assert_eq!(find(&["vyre", "check", "--", "--color=never"]), ColorChoice::Auto);
        assert_eq!(find(&["vyre", "check"]), ColorChoice::Auto);
    }
}
