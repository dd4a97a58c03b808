//! `vyre run`: runs a program on a device.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use vyre::ir::{BufferAccess, BufferDecl, Program, ValidProgram};
use vyre::runtime::{Bindings, Buffer, CommandList, Device, Error, PipelineOptions, RaceReport, parse_contents};

use crate::args::RunArgs;
use crate::argument::{Contents, InputArg, OutputArg};
use crate::elements::Elements;
use crate::exit::Outcome;
use crate::fixed::specialization;
use crate::input::Input;
use crate::interrupt::end_on_interrupt;
use crate::load::{invalid, load};
use crate::nearest::nearest;
use crate::output::{STDOUT, counted, duration, print_note, quantity, styled_stdout, visible};
use crate::report::{race_report, show_findings};
use crate::select::{rejection, select_device};
use crate::termination::{Phase, enter};
use crate::time_limit::TimeLimit;
use crate::write::{is_same_file, write_file};

/// Maximum number of elements of a buffer that is printed without `--out`.
const MAX_PREVIEW_ELEMENTS: usize = 8;

/// Maximum bytes of a file for a buffer, equal to the limit of written contents. The help names this number.
const MAX_FILE_BYTES: u64 = 1 << 30;

pub(crate) fn run(args: RunArgs) -> anyhow::Result<Outcome> {
    end_on_interrupt()?;
    let limit = TimeLimit::start(args.device.timeout, too_late);
    let input = Input::new(&args.file);
    check_stdin(&input, &args.inputs)?;
    check_files(&input, &args.outputs)?;
    let name = input.name();
    let loaded = match load(&name, input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => return show_findings(&report),
    };
    let ops = vyre::ops::table();
    let result = match loaded.validate(&ops) {
        Ok(program) => dispatch(&program, &args, limit)?,
        Err(diagnostics) => return show_findings(&invalid(&name, diagnostics)),
    };
    enter(Phase::Writing);
    write_outputs(&result, &args.outputs)?;
    if args.check_races {
        print_note(&race_summary(&result.races));
        if !result.races.races.is_empty() {
            return show_findings(&race_report(&name, &loaded, &result.races.races));
        }
    }
    Ok(Outcome::Clean)
}

/// Result of a run.
struct RunResult {
    /// Bound buffers, with their contents after the run if they are printed or written.
    buffers: Vec<(BufferDecl, Option<Vec<u8>>)>,
    races: RaceReport,
}

fn dispatch(program: &ValidProgram<'_>, args: &RunArgs, limit: TimeLimit) -> anyhow::Result<RunResult> {
    let declared = bound(program.program(), &args.inputs)?;
    for output in &args.outputs {
        find(program.program(), &output.name)?;
    }
    let specialization = specialization(program.program(), &args.fixed)?;
    let mut options = PipelineOptions::default().with_specialization(specialization);
    options.deadline = limit.deadline();
    enter(Phase::Opening);
    let selected = select_device(&args.device.request().with_race_check(args.check_races))?;
    for rejected in &selected.rejected {
        print_note(&rejection(rejected));
    }
    let device = &*selected.device;
    print_note(&format!("running on backend `{}`: {}", selected.backend, visible(&device.name())));

    enter(Phase::Compiling);
    let pipeline = device.create_pipeline(program, &options);
    let pipeline = pipeline.map_err(|error| failed(error, limit)).context("cannot use the program")?;
    enter(Phase::Filling);
    let mut bindings = Bindings::new();
    let mut buffers = Vec::new();
    for (decl, input) in declared {
        let bytes = contents(decl, &input.contents);
        let buffer = bytes.and_then(|bytes| fill(device, &bytes).map_err(|error| failed(error, limit)));
        let buffer = buffer.with_context(|| format!("cannot give buffer `{}` its contents", visible(&decl.name)))?;
        bindings = bindings.with(decl.binding, &buffer);
        buffers.push((decl, buffer));
    }
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, args.grid);
    enter(Phase::Running);
    let races = execute(device, &commands, args, limit)?;
    let read = |(decl, buffer): (&BufferDecl, Buffer)| {
        let contents = is_output(decl, &args.outputs).then(|| device.read(&buffer)).transpose()?;
        Ok((decl.clone(), contents))
    };
    let buffers = buffers.into_iter().map(read).collect::<Result<_, Error>>();
    let buffers = buffers.map_err(|error| failed(error, limit)).context("cannot read the results")?;
    Ok(RunResult { buffers, races })
}

/// Error of a device.
fn failed(error: Error, limit: TimeLimit) -> anyhow::Error {
    limit.device_error(&error);
    error.into()
}

/// Message for a time limit that has passed in a phase.
fn too_late(phase: Phase, timeout: Duration) -> String {
    let advice = match phase {
        Phase::Compiling => "allow more time with --timeout, or try `--backend reference`, which compiles nothing",
        Phase::Running => "allow more time with --timeout, or give the program less work",
        Phase::Reading | Phase::Opening | Phase::Filling | Phase::Measuring | Phase::Writing => {
            "allow more time with --timeout"
        }
    };
    format!("deadline exceeded: {} was not finished after {}; {advice}", phase.subject(), duration(timeout))
}

/// Runs the commands, and prints the time with `--time`.
fn execute(
    device: &dyn Device,
    commands: &CommandList,
    args: &RunArgs,
    limit: TimeLimit,
) -> anyhow::Result<RaceReport> {
    let start = Instant::now();
    let options = limit.run_options(device, false).with_race_check(args.check_races);
    let result = device.run(commands, &options);
    if args.time {
        print_note(&format!("the run took {}", duration(start.elapsed())));
    }
    Ok(result.map_err(|error| failed(error, limit)).context("the run failed")?.races)
}

/// Contents of a buffer before the run.
fn contents(decl: &BufferDecl, contents: &Contents) -> anyhow::Result<Vec<u8>> {
    let bytes = match contents {
        Contents::File(path) => Input::new(path).read_within(MAX_FILE_BYTES)?,
        Contents::Literal(text) => {
            parse_contents(text, decl.element).map_err(|error| anyhow::anyhow!("{}", visible(&error.to_string())))?
        }
    };
    let rest = bytes.len() % decl.element.element_bytes();
    if rest > 0 {
        let name = visible(&decl.name);
        print_note(&format!("buffer `{name}` ends with {} that no {} reaches", counted(rest, "byte"), decl.element));
    }
    Ok(bytes)
}

/// Creates a buffer with its contents.
fn fill(device: &dyn Device, bytes: &[u8]) -> Result<Buffer, Error> {
    let buffer = device.create_buffer(bytes.len() as u64)?;
    device.write(&buffer, 0, bytes)?;
    Ok(buffer)
}

/// Pairs each bound buffer with its contents.
fn bound<'p>(program: &'p Program, inputs: &'p [InputArg]) -> anyhow::Result<Vec<(&'p BufferDecl, &'p InputArg)>> {
    for (position, input) in inputs.iter().enumerate() {
        find(program, &input.name)?;
        if inputs.iter().take(position).any(|earlier| earlier.name == input.name) {
            bail!("buffer `{}` is given twice", visible(&input.name));
        }
    }
    let mut bound = Vec::new();
    let mut missing = Vec::new();
    for decl in host_buffers(program) {
        match inputs.iter().find(|input| input.name == *decl.name) {
            Some(input) => bound.push((decl, input)),
            None => missing.push(decl),
        }
    }
    if missing.is_empty() { Ok(bound) } else { Err(anyhow::anyhow!(missing_message(&missing))) }
}

/// Buffers that the host binds, in the order of the program.
fn host_buffers(program: &Program) -> impl Iterator<Item = &BufferDecl> {
    program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup)
}

/// Finds the bound buffer with this name.
fn find<'p>(program: &'p Program, name: &str) -> anyhow::Result<&'p BufferDecl> {
    let shown = visible(name);
    match program.buffers.iter().find(|decl| *decl.name == *name) {
        Some(decl) if decl.access == BufferAccess::Workgroup => {
            bail!("buffer `{shown}` is workgroup memory, which can be neither given nor read")
        }
        Some(decl) => Ok(decl),
        None => {
            let near = nearest(name, host_buffers(program).map(|decl| decl.name.as_str()));
            let hint = if near.is_empty() { "none can be given".to_owned() } else { format!("the nearest are {near}") };
            bail!("the program has no buffer `{shown}`; {hint}")
        }
    }
}

/// Message for buffers without contents, with examples of `--in`.
fn missing_message(missing: &[&BufferDecl]) -> String {
    /// Bound on the length of the message.
    const MAX_LISTED_NAMES: usize = 32;
    let names: Vec<String> = missing
        .iter()
        .take(MAX_LISTED_NAMES)
        .map(|decl| format!("`{}` ({} {})", visible(&decl.name), decl.access, decl.element))
        .collect();
    let more = if missing.len() > MAX_LISTED_NAMES {
        format!(" and {} more", missing.len() - MAX_LISTED_NAMES)
    } else {
        String::new()
    };
    let example = |decl: &&BufferDecl| {
        let contents = match decl.access {
            BufferAccess::ReadOnly => "iota:64",
            BufferAccess::Uniform => "u32:64",
            BufferAccess::ReadWrite | BufferAccess::Workgroup => "zeros:64",
        };
        format!("--in {}={contents}", visible(&decl.name))
    };
    let examples: Vec<String> = missing.iter().take(MAX_LISTED_NAMES).map(example).collect();
    format!("no contents for {}{more}; give them, for example with `{}`", names.join(", "), examples.join(" "))
}

/// Rejects arguments that read standard input more than once.
fn check_stdin(program: &Input, inputs: &[InputArg]) -> anyhow::Result<()> {
    let files = inputs.iter().filter_map(|input| match &input.contents {
        Contents::File(path) => Some(Input::new(path)),
        Contents::Literal(_) => None,
    });
    if std::iter::once(program.clone()).chain(files).filter(|input| *input == Input::Stdin).count() > 1 {
        bail!("standard input can be read only once");
    }
    Ok(())
}

/// Rejects output files that are the program or equal to each other.
fn check_files(program: &Input, outputs: &[OutputArg]) -> anyhow::Result<()> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in outputs.iter().filter_map(|output| output.file.as_deref()) {
        let shown = visible(&path.to_string_lossy()).into_owned();
        if matches!(program, Input::File(source) if path.is_file() && is_same_file(source, path)) {
            bail!("{shown} is the program itself; name another file with `--out`");
        }
        let normalized = normalized(path);
        if seen.iter().any(|earlier| *earlier == normalized || path.is_file() && is_same_file(earlier, path)) {
            bail!("two buffers cannot go to {shown}; name another file with `--out`");
        }
        seen.push(normalized);
    }
    Ok(())
}

/// Normalizes a path whose file need not exist: canonicalizes its directory.
fn normalized(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (parent.canonicalize(), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

/// Reports whether the contents of a buffer are printed or written.
fn is_output(decl: &BufferDecl, outputs: &[OutputArg]) -> bool {
    if outputs.is_empty() {
        decl.access == BufferAccess::ReadWrite
    } else {
        outputs.iter().any(|output| output.name == *decl.name)
    }
}

/// Writes the buffers of `--out` in order; without `--out`, prints the start of all read_write buffers.
fn write_outputs(result: &RunResult, outputs: &[OutputArg]) -> anyhow::Result<()> {
    let mut out = styled_stdout();
    let with_contents = || result.buffers.iter().filter_map(|(decl, bytes)| Some((decl, bytes.as_deref()?)));
    if outputs.is_empty() {
        for (decl, bytes) in with_contents() {
            print(&mut out, decl, bytes, MAX_PREVIEW_ELEMENTS).context(STDOUT)?;
        }
    }
    for output in outputs {
        for (decl, bytes) in with_contents().filter(|(decl, _)| output.name == *decl.name) {
            match &output.file {
                Some(path) => write_file(path, bytes)?,
                None => print(&mut out, decl, bytes, usize::MAX).context(STDOUT)?,
            }
        }
    }
    out.flush().context(STDOUT)
}

/// Prints at most `limit` elements of a buffer. If some are omitted, suggests the flag that prints all.
fn print(out: &mut impl Write, decl: &BufferDecl, bytes: &[u8], limit: usize) -> io::Result<()> {
    let elements = Elements { name: &decl.name, element: decl.element, bytes };
    elements.write(out, limit, &format!("--out {}", visible(&decl.name)))
}

fn race_summary(races: &RaceReport) -> String {
    let RaceReport { races, total } = races;
    if races.is_empty() {
        return "no races".to_owned();
    }
    format!("{}; {} raced with an earlier one", quantity(races.len(), "race"), quantity(total, "access"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_name_the_phase_and_the_option() {
        for phase in [Phase::Reading, Phase::Opening, Phase::Compiling, Phase::Filling, Phase::Running, Phase::Writing]
        {
            let message = too_late(phase, Duration::from_millis(1500));
            let start = format!("deadline exceeded: {} was not finished after 1.5 s; ", phase.subject());
            assert!(message.starts_with(&start) && message.contains("--timeout"), "{message}");
        }
    }
}
