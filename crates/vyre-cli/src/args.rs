//! The arguments and their help.

mod device;
pub(crate) mod graph;
pub(crate) mod unpack;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use vyre::ir::Rule;
use vyre::select::AUTO;

use crate::argument::{
    Fixed, InputArg, OutputArg, parse_fixed, parse_grid, parse_input_arg, parse_output_arg, parse_sm,
};
use crate::passes;

pub(crate) use device::DeviceArgs;

/// Checks, formats, converts and runs vyre programs, works on graphs, and opens archives.
///
/// A program is written as text (`.vyre`) or as bytes (`.vir`). Every command tells the two apart by what the file
/// begins with, never by its name, and takes `-` for standard input.
#[derive(Debug, Parser)]
#[command(
    name = "vyre",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 all is well, 1 the programs have mistakes, 2 the command failed.",
    after_long_help = "\
Exit codes:
  0  all is well
  1  the programs have mistakes or races, or are not formatted; a graph has a cycle or no path;
     an archive is damaged or hostile
  2  the command failed: a file cannot be read, wrong arguments, and the like

Examples:
  vyre check src/                  validate every program below src
  vyre fmt src/                    bring them into canonical form
  vyre convert sum.vyre            write sum.vir
  vyre run sum.vyre --grid 1 --in data=iota:64
                                   run a program and print what it wrote
  vyre lower sum.vyre              show what the optimizer makes of a program
  vyre lower sum.vyre --target asm
                                   show what the CPU backend makes of it
  vyre graph bfs calls.csv --nodes roles.csv
                                   search a graph: which sinks do sources reach?
  vyre unpack package.tgz -o package
                                   open an archive, and the archives inside it
  vyre devices --probe             test whether devices and drivers do what programs mean
  vyre ops                         list the ops that programs can call
  vyre explain V010                say what rule V010 wants"
)]
pub(crate) struct Cli {
    /// When to use colours
    ///
    /// `auto` uses them on terminals and heeds NO_COLOR, CLICOLOR and CLICOLOR_FORCE.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Fmt(FmtArgs),
    Convert(ConvertArgs),
    Lower(LowerArgs),
    Run(RunArgs),
    Graph(graph::GraphArgs),
    Unpack(unpack::UnpackArgs),
    Devices(DevicesArgs),
    Ops(OpsArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
}

/// Validate programs
///
/// Reads each file, text or wire, and reports everything that is wrong with it: syntax errors, malformed bytes and
/// broken rules. Reports go to standard output, a summary to standard error.
///
/// A mistake in a wire file has no line, so its path is shown instead, with the line that `vyre convert` would print.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  every program is valid
  1  some program is not
  2  something could not be read; the rest was checked all the same

The JSON form is one array, with an object for each mistake in the order of the files:
  {\"file\", \"rule\", \"message\", \"fix\", \"line\", \"column\", \"path\"}
`rule` is a code such as V005, or `syntax` or `wire`. `line` and `column` are null where there is
no line; `fix` and `path` are empty where there is none.

Files over 32 MiB are refused.

Examples:
  vyre check sum.vyre              validate one program
  vyre check programs/             validate every .vyre and .vir file below a directory
  vyre check --format json a.vyre | jq -r '.[].rule'
  generate | vyre check -          validate what another program writes")]
pub(crate) struct CheckArgs {
    /// Files to validate; `-` is standard input, a directory stands for the .vyre and .vir files below it
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// Report every mistake; without this, the human form stops at 50 for each file
    #[arg(long)]
    pub(crate) all: bool,

    /// Print no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Human,
    /// For programs: one array of objects
    Json,
}

/// Bring programs into canonical form
///
/// Rewrites text files in place, each at once or not at all, and only where something changes. Comments, single blank
/// lines and the bases of numbers are kept. A file with a syntax error is left as it is.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  every file is, or now is, in canonical form
  1  with --check, some file is not
  2  some file could not be read, parsed or written; the rest was formatted all the same

Files over 32 MiB are refused.

Examples:
  vyre fmt sum.vyre                format a file in place
  vyre fmt --check programs/       fail if a .vyre file below a directory is not formatted
  vyre fmt - < a.vyre > b.vyre     format standard input to standard output")]
pub(crate) struct FmtArgs {
    /// Files to format; `-` is standard input, a directory stands for the .vyre files below it
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// Change nothing; list what would change
    #[arg(long)]
    pub(crate) check: bool,

    /// Print no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Convert a program between text and wire form
///
/// The program need not be valid. Both directions keep all of it, but wire form has no comments. Without --to, the
/// extension of OUTPUT decides (.vyre is text, .vir is wire); without that, the other form of what INPUT is.
///
/// Text goes to standard output unless OUTPUT says otherwise, wire to INPUT with the extension .vir.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  converted
  2  INPUT is no program, or could not be read or written

Files over 32 MiB are refused, and so are programs whose text form would be over 32 MiB.

Examples:
  vyre convert sum.vyre            write sum.vir
  vyre convert sum.vir             print the program as text
  vyre convert sum.vir -o sum.vyre
  vyre convert - --to wire -o sum.vir < sum.vyre")]
pub(crate) struct ConvertArgs {
    /// The program, text or wire; `-` is standard input
    pub(crate) input: PathBuf,

    /// Where to write; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,

    /// The form to write
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
/// Validates FILE, turns it into a kernel and runs the passes of the optimizer over it. In a kernel calls are inlined,
/// variables are values or slots, and what the language promises is spelled out: `store b[v1], 7 if v2` writes only
/// where the guard v2 holds. The optimizer removes what it can prove to be needless.
///
/// Prints the kernel after the standard passes; with --passes the kernel before and after them. With `--target clif` or
/// `asm` prints the code that the CPU backend makes of the kernel after the passes, with `wgsl`, `spirv`, `msl`, `hlsl` or
/// `glsl` the shader that GPUs are given, with `ptx` what the CUDA driver is given. All of this is for reading: nothing reads
/// it back, and its form may change.
///
/// Kernels, code, shaders and PTX go to standard output or to the file of --output, times to standard error.
#[derive(Args, Debug)]
#[command(override_usage = "vyre lower [OPTIONS] <FILE>\n       vyre lower --list-passes")]
#[command(after_long_help = "\
Fixed values:
  params[0]=64         element 0 of the uniform buffer `params`; also 0x40 and, for i32, -64
  size[1]=640,480      the words of a vec2u32, vec4u32 or, low half first, u64
  flags[3]=true        a bool
The program is compiled for these values, and branches that depend on them are decided.

Code of the CPU backend:
  A thread runs a workgroup. What lies between two barriers or collectives is a region, and all
  invocations of the workgroup go through it before the next one begins. --explain prints, in
  comments before the code, how they go through each region and why.

Shaders:
  They are what adapters without optional features run, after the passes of the GPU backend. No GPU
  is needed to make them. SPIR-V is binary: name a file with --output, or redirect standard output.

PTX:
  It is for one kind of NVIDIA GPU and all newer ones; --sm says which. Runs that can be ended
  early, as by a deadline, use another kernel: --cancellable shows it. No GPU is needed.

Exit codes:
  0  the kernel, its code, the shader or the PTX was printed or written
  1  the program is not valid
  2  something failed: wrong arguments, a file, the compiler, or a pass that --verify finds at fault

Examples:
  vyre lower sum.vyre                       print the optimized kernel
  vyre lower sum.vyre --passes none         print it as it was lowered
  vyre lower sum.vyre --passes fold,cse     print it before and after two passes
  vyre lower sum.vyre --diff                show what all passes have changed
  vyre lower sum.vyre --dump --diff         show what each pass has changed
  vyre lower sum.vyre --stop-after 3 --verify
                                            look for the pass that is at fault
  vyre lower sum.vyre --fix 'params[0]=0'   compile for one value of a parameter
  vyre lower sum.vyre --target clif --explain
                                            print Cranelift's form, and how it is gone through
  vyre lower sum.vyre --target asm --passes none --time
                                            print the instructions without the optimizer, and times
  vyre lower sum.vyre --target wgsl         print the shader
  vyre lower sum.vyre --target spirv -o sum.spv
                                            write the shader as Vulkan takes it
  vyre lower sum.vyre --target ptx --sm 80  print PTX for GPUs of compute capability 8.0 and newer
  vyre lower --list-passes                  say what the passes do")]
pub(crate) struct LowerArgs {
    /// The program, text or wire; `-` is standard input
    #[arg(required_unless_present = "list_passes")]
    pub(crate) file: Option<PathBuf>,

    /// What to lower to
    #[arg(long, value_name = "TARGET", default_value = "kernel")]
    pub(crate) target: LowerTarget,

    /// Where to write; `-` is standard output
    #[arg(long, short, value_name = "OUTPUT", conflicts_with = "list_passes")]
    pub(crate) output: Option<PathBuf>,

    /// The passes to run in this order, separated by commas; `none` runs none, `standard` those of the CPU backend
    #[arg(long, value_name = "LIST", value_delimiter = ',', hide_possible_values = true)]
    #[arg(value_parser = Known(pass_names))]
    pub(crate) passes: Option<Vec<String>>,

    /// Stop after the first N passes
    #[arg(long, value_name = "N")]
    pub(crate) stop_after: Option<usize>,

    /// A value of a uniform buffer that the program is compiled for, as `params[0]=64`; once for each value
    #[arg(long = "fix", value_name = "NAME[INDEX]=VALUE", value_parser = parse_fixed)]
    pub(crate) fixed: Vec<Fixed>,

    /// The oldest GPUs that PTX is for, by their compute capability: 70, 72, 75, 80, 86, 87, 89 or 90; with --target ptx
    ///
    /// Without this, 90.
    #[arg(long, value_name = "N", value_parser = parse_sm)]
    pub(crate) sm: Option<u32>,

    /// Print the kernel that can be ended early, as runs with a deadline need it; with --target ptx
    #[arg(long)]
    pub(crate) cancellable: bool,

    /// Print how invocations go through the code, and why; with --target clif or asm
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print the kernel before and after the passes, as --passes does
    #[arg(long, conflicts_with_all = ["diff", "dump"])]
    pub(crate) compare: bool,

    /// Print what the passes have changed, as a unified diff
    #[arg(long)]
    pub(crate) diff: bool,

    /// Print the kernel after each pass that changed it; with --diff, what it changed
    #[arg(long)]
    pub(crate) dump: bool,

    /// Print how long each pass took and how many statements it left, and how long it took to make code
    #[arg(long)]
    pub(crate) time: bool,

    /// Check the rules of the kernel form after each pass; debug builds always do
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print the passes with what they do, and their standard order
    #[arg(long, conflicts_with = "file")]
    pub(crate) list_passes: bool,
}

/// A form that programs are lowered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LowerTarget {
    /// The flat form that compiled backends share
    Kernel,
    /// Cranelift's form, as the CPU backend emits it
    Clif,
    /// The instructions of this machine, as the CPU backend runs them
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
    /// Instructions of NVIDIA GPUs, as the CUDA driver is given them
    Ptx,
}

/// Run a program
///
/// Validates FILE, gives its buffers contents, runs it over a grid of workgroups and prints what it wrote. Every buffer
/// that is bound needs contents; `--in` gives them, and their size is the size of the buffer. Workgroup buffers are part
/// of the program and are given none.
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
  2  something failed: wrong arguments, a file, the device, the deadline

Examples:
  vyre run sum.vyre --grid 1 --in input=iota:256 --in sums=zeros:256
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

    /// The number of workgroups on each axis; an axis that is left out has 1, and 0 runs nothing
    #[arg(long, value_name = "X[,Y,Z]", value_parser = parse_grid)]
    pub(crate) grid: [u32; 3],

    /// The contents of a buffer before the run, as `u32:1,2,3` or `@FILE`; once for each buffer
    #[arg(long = "in", value_name = "NAME=CONTENTS", value_parser = parse_input_arg)]
    pub(crate) given: Vec<InputArg>,

    /// A value of a uniform buffer that takes the place of what --in gives, as `params[0]=64`; once for each value
    ///
    /// The program is compiled for these values; `vyre lower --help` says how they are written. The buffer needs contents
    /// all the same, with at least the elements that are fixed.
    #[arg(long = "fix", value_name = "NAME[INDEX]=VALUE", value_parser = parse_fixed)]
    pub(crate) fixed: Vec<Fixed>,

    /// A buffer to print after the run, or to write to a file; without this, the start of all read_write buffers
    #[arg(long = "out", value_name = "NAME[=@FILE]", value_parser = parse_output_arg)]
    pub(crate) wanted: Vec<OutputArg>,

    /// Print how long the run took
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
/// Lists the backends of this build with the devices that each finds on this machine, their drivers and limits. Devices of
/// a backend are numbered from 0. A backend that fails is listed with its error.
///
/// With --probe, tests each device: small programs with known results show whether the driver keeps what the language
/// promises, such as loops of any length and harmless accesses beyond the end of a buffer. That takes a moment.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The JSON form is one array, with an object for each backend:
  {\"backend\", \"error\", \"devices\"}
`error` is null where there is none. A device is
  {\"name\", \"buffer_bytes\", \"uniform_bytes\", \"workgroup_bytes\", \"workgroup_invocations\",
   \"can_cancel\", \"can_check_races\", \"index\", \"driver\", \"workgroup_size\", \"accessed_buffers\",
   \"probe\"}
`driver` is null where there is none, `accessed_buffers` where there is no limit, and `probe`
without --probe; otherwise it is an array of
  {\"check\", \"about\", \"outcome\", \"explanation\"}
`outcome` is `right`, `wrong`, `failed` (no answer) or `skipped` (the limits are too small);
`explanation` is null where it is `right`.

Exit codes:
  0  listed, and all right with --probe
  1  with --probe, a device gives wrong answers or none
  2  something failed: wrong arguments, or the backend that was named has no device

Examples:
  vyre devices                     list all
  vyre devices --probe             test all
  vyre devices --probe --backend wgpu --device 0
                                   test the first GPU
  vyre devices --probe --backend cuda
                                   test the NVIDIA GPUs through CUDA
  vyre devices --format json | jq -r '.[].devices[].name'")]
pub(crate) struct DevicesArgs {
    /// The form of the list
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,

    /// List only the devices of this backend
    #[arg(long, value_name = "NAME", hide_possible_values = true, value_parser = Known(backend_names))]
    pub(crate) backend: Option<String>,

    /// List only this device of the backend: its number, or a part of its name that no other has
    #[arg(long, value_name = "WHICH", requires = "backend", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) device: Option<String>,

    /// Test whether the devices do what programs mean
    #[arg(long)]
    pub(crate) probe: bool,
}

/// List the ops that programs can call, or show one
///
/// A program calls an op by its id, as in `primitive.math.add(a, b)`. With an id, shows what the op computes, the laws
/// that hold for all its arguments, and its programs.
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
    #[arg(hide_possible_values = true, value_parser = Known(op_ids))]
    pub(crate) id: Option<String>,

    /// The form of the list
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
}

/// Explain a rule of validation
///
/// Says what the rule checks and why, what its messages look like, and shows a program that breaks it and one that
/// does not. Without a code, lists all rules.
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
    #[arg(hide_possible_values = true, value_parser = Known(rule_codes))]
    pub(crate) code: Option<String>,
}

/// Print a completion script for a shell
///
/// The script goes to standard output. Each shell reads it from a place of its own.
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

/// Takes any text, and names what is known to completion scripts.
#[derive(Clone)]
struct Known(fn() -> Vec<PossibleValue>);

impl TypedValueParser for Known {
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

/// The value of `--color` before the arguments are parsed; `auto` where there is none that makes sense.
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
    fn the_color_is_found_before_parsing() {
        let find = |args: &[&str]| early_color(args.iter().map(OsString::from));
        assert_eq!(find(&["vyre", "--color", "always", "check"]), ColorChoice::Always);
        assert_eq!(find(&["vyre", "check", "--color=never"]), ColorChoice::Never);
        assert_eq!(find(&["vyre", "check", "--", "--color=never"]), ColorChoice::Auto);
        assert_eq!(find(&["vyre", "check"]), ColorChoice::Auto);
    }
}
