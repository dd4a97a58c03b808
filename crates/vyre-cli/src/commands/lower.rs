//! `vyre lower`: prints the kernel of a program before and after optimizer passes, and its code, shader or PTX.

use std::io::{self, Write};
use std::time::Instant;

use anyhow::{Context as _, anyhow, bail};
use vyre::ir::ValidProgram;
use vyre::kernel::{Kernel, PassError, PassPipeline, PassRun, lower_specialized, passes};

use super::code::{Code, CodeForm};
use super::diff::write_unified;
use super::ptx;
use super::shader::{self, Language};
use super::times::Times;
use crate::args::{LowerArgs, LowerTarget};
use crate::destination::Destination;
use crate::exit::Outcome;
use crate::fixed::specialization;
use crate::input::Input;
use crate::load::{invalid, load};
use crate::output::{STDOUT, STRONG, duration, quantity, styled_stdout};
use crate::passes::choose;
use crate::prose::{prose_width, wrap};
use crate::report::show_findings;
use crate::table::{Cell, ProseTable};

pub(crate) fn run(args: LowerArgs) -> anyhow::Result<Outcome> {
    let Some(file) = &args.file else {
        let mut out = styled_stdout();
        list_passes(&mut out, prose_width()).and_then(|()| out.flush()).context(STDOUT)?;
        return Ok(Outcome::Clean);
    };
    let form = Form::of(&args);
    check_views(&args, form)?;
    let mut pipeline = match &args.passes {
        Some(names) => choose(names)?,
        None => form.standard_passes()?,
    };
    if let Some(count) = args.stop_after {
        pipeline = pipeline.stop_after(count);
    }
    if args.verify {
        pipeline = pipeline.verify(true);
    }
    let input = Input::new(file);
    let destination = Destination::new(args.output.clone());
    destination.check(&input, form.binary())?;
    let name = input.name();
    let loaded = match load(&name, input.read()?) {
        Ok(loaded) => loaded,
        Err(report) => return show_findings(&report),
    };
    let ops = vyre::ops::table();
    let program = match loaded.validate(&ops) {
        Ok(program) => program,
        Err(diagnostics) => return show_findings(&invalid(&name, diagnostics)),
    };
    match form {
        Form::Kernel => destination.write_text(|out| to_kernel(&program, &pipeline, &args, out))?,
        Form::Code(form) => destination.write_text(|out| to_code(&program, &pipeline, &args, form, out))?,
        Form::Shader(language) => {
            let shader = translated(&program, &pipeline, &args, |kernel| shader::translate(kernel, language))?;
            destination.write(&shader)?;
        }
        Form::Ptx(target) => {
            let ptx = translated(&program, &pipeline, &args, |kernel| ptx::translate(kernel, target))?;
            destination.write(&ptx)?;
        }
    }
    Ok(Outcome::Clean)
}

/// The family of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Kernel,
    Code(CodeForm),
    Shader(Language),
    Ptx(ptx::Target),
}

impl Form {
    fn of(args: &LowerArgs) -> Form {
        match args.target {
            LowerTarget::Kernel => Form::Kernel,
            LowerTarget::Clif => Form::Code(CodeForm::Clif),
            LowerTarget::Asm => Form::Code(CodeForm::Asm),
            LowerTarget::Wgsl => Form::Shader(Language::Wgsl),
            LowerTarget::Spirv => Form::Shader(Language::SpirV),
            LowerTarget::Msl => Form::Shader(Language::Msl),
            LowerTarget::Hlsl => Form::Shader(Language::Hlsl),
            LowerTarget::Glsl => Form::Shader(Language::Glsl),
            LowerTarget::Ptx => Form::Ptx(ptx::Target { sm: args.sm, cancellable: args.cancellable }),
        }
    }

    /// Passes that the backend of this form runs.
    fn standard_passes(self) -> anyhow::Result<PassPipeline> {
        match self {
            Form::Kernel | Form::Code(_) => Ok(PassPipeline::standard()),
            Form::Shader(_) => shader::standard_passes(),
            Form::Ptx(_) => ptx::standard_passes(),
        }
    }

    /// Its name, if it is binary.
    fn binary(self) -> Option<&'static str> {
        match self {
            Form::Kernel | Form::Code(_) | Form::Ptx(_) => None,
            Form::Shader(language) => language.binary(),
        }
    }
}

/// Rejects flags that do not apply to the target.
fn check_views(args: &LowerArgs, form: Form) -> anyhow::Result<()> {
    if args.explain && !matches!(form, Form::Code(_)) {
        bail!("`--explain` is about code of the CPU; use `--target clif` or `--target asm`");
    }
    for (option, is_set) in [("--sm", args.sm.is_some()), ("--cancellable", args.cancellable)] {
        if is_set && !matches!(form, Form::Ptx(_)) {
            bail!("`{option}` is about PTX; use `--target ptx`");
        }
    }
    if form == Form::Kernel {
        return Ok(());
    }
    for (view, is_set) in [("--compare", args.compare), ("--diff", args.diff), ("--dump", args.dump)] {
        if is_set {
            bail!("`{view}` shows kernels; leave it out or use `--target kernel`");
        }
    }
    Ok(())
}

fn list_passes(out: &mut impl Write, width: usize) -> io::Result<()> {
    let mut table = ProseTable::new();
    for pass in passes() {
        table.push(vec![Cell::styled(pass.name, STRONG), Cell::plain(pass.summary)]);
    }
    table.write(out, Some(width))?;
    let standard: Vec<&str> = PassPipeline::standard().names().collect();
    writeln!(out, "\n{}", wrap(&format!("The standard order is {}.", standard.join(", ")), width, ""))
}

fn to_kernel(
    program: &ValidProgram<'_>,
    pipeline: &PassPipeline,
    args: &LowerArgs,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut times = Times::new();
    let mut kernel = lowered(program, args, &mut times)?;
    let view = View::new(args, pipeline);
    let mut printer = Printer { out, view, with_times: args.time, before: (String::new(), String::new()) };
    printer.before_passes(&kernel).context(STDOUT)?;
    let mut written = Ok(());
    let result = pipeline.run_watched(&mut kernel, |run, kernel| {
        times.pass(run, kernel);
        if written.is_ok() {
            written = printer.after_pass(run, kernel);
        }
    });
    written.and_then(|()| printer.out.flush()).context(STDOUT)?;
    result.map_err(|error| pass_failure(&error))?;
    printer.after_passes(&kernel, pipeline).and_then(|()| printer.out.flush()).context(STDOUT)?;
    if args.time {
        times.print();
    }
    Ok(())
}

fn to_code(
    program: &ValidProgram<'_>,
    pipeline: &PassPipeline,
    args: &LowerArgs,
    form: CodeForm,
    mut out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut times = Times::new();
    let kernel = optimized(program, pipeline, args, &mut times)?;
    let start = Instant::now();
    let code = Code::of(program, &kernel, form)?;
    times.code(start.elapsed());
    code.write(&mut out, args.explain).and_then(|()| out.flush()).context(STDOUT)?;
    if args.time {
        times.print();
    }
    Ok(())
}

/// Translation of the kernel after the passes.
fn translated(
    program: &ValidProgram<'_>,
    pipeline: &PassPipeline,
    args: &LowerArgs,
    translate: impl FnOnce(&Kernel) -> anyhow::Result<Vec<u8>>,
) -> anyhow::Result<Vec<u8>> {
    let mut times = Times::new();
    let kernel = optimized(program, pipeline, args, &mut times)?;
    let start = Instant::now();
    let translation = translate(&kernel)?;
    times.code(start.elapsed());
    if args.time {
        times.print();
    }
    Ok(translation)
}

/// The kernel after the passes.
fn optimized(
    program: &ValidProgram<'_>,
    pipeline: &PassPipeline,
    args: &LowerArgs,
    times: &mut Times,
) -> anyhow::Result<Kernel> {
    let mut kernel = lowered(program, args, times)?;
    let result = pipeline.run_watched(&mut kernel, |run, kernel| times.pass(run, kernel));
    result.map_err(|error| pass_failure(&error))?;
    Ok(kernel)
}

fn lowered(program: &ValidProgram<'_>, args: &LowerArgs, times: &mut Times) -> anyhow::Result<Kernel> {
    let fixed = specialization(program.program(), &args.fixed)?;
    let start = Instant::now();
    let kernel = lower_specialized(program, &fixed).context("cannot lower the program")?;
    times.lowering(&kernel, start.elapsed());
    Ok(kernel)
}

/// Selection of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// The kernel after the passes.
    After,
    /// The kernel before and after the passes.
    Both,
    /// The changes of all passes together.
    Changes,
    /// The kernel before the passes and after each of them.
    Steps,
    /// The kernel before the passes and the changes of each of them.
    ChangesOfSteps,
}

impl View {
    fn new(args: &LowerArgs, pipeline: &PassPipeline) -> View {
        match (args.dump, args.diff) {
            (true, true) => View::ChangesOfSteps,
            (true, false) => View::Steps,
            (false, true) => View::Changes,
            (false, false) if args.compare || args.passes.is_some() && pipeline.names().len() > 0 => View::Both,
            (false, false) => View::After,
        }
    }
}

/// Printer of kernels between passes.
struct Printer<W> {
    out: W,
    view: View,
    /// True if headings show the time of a pass.
    with_times: bool,
    /// Heading and text of the previous kernel, for diffs.
    before: (String, String),
}

impl<W: Write> Printer<W> {
    fn before_passes(&mut self, kernel: &Kernel) -> io::Result<()> {
        let heading = format!("as lowered: {}", quantity(kernel.statement_count(), "statement"));
        match self.view {
            View::After => {}
            View::Both | View::Steps => self.section(&heading, kernel)?,
            View::Changes => self.before = (heading, kernel.to_string()),
            View::ChangesOfSteps => {
                self.section(&heading, kernel)?;
                self.before = (heading, kernel.to_string());
            }
        }
        Ok(())
    }

    fn after_pass(&mut self, run: &PassRun, kernel: &Kernel) -> io::Result<()> {
        let time = if self.with_times { format!(", {}", duration(run.time)) } else { String::new() };
        let pass = format!("pass {}, {}", run.position, run.name);
        if !run.changed {
            return match self.view {
                View::After | View::Both | View::Changes => Ok(()),
                View::Steps | View::ChangesOfSteps => self.heading(&format!("{pass}: no change{time}")),
            };
        }
        let heading = format!("{pass}: {}{time}", quantity(kernel.statement_count(), "statement"));
        match self.view {
            View::After | View::Both | View::Changes => Ok(()),
            View::Steps => {
                writeln!(self.out)?;
                self.section(&heading, kernel)
            }
            View::ChangesOfSteps => {
                writeln!(self.out)?;
                self.changes(heading, kernel)
            }
        }
    }

    fn after_passes(&mut self, kernel: &Kernel, pipeline: &PassPipeline) -> io::Result<()> {
        let after = || format!("after {}: {}", title(pipeline), quantity(kernel.statement_count(), "statement"));
        match self.view {
            View::After => write!(self.out, "{kernel}"),
            View::Both => {
                writeln!(self.out)?;
                self.section(&after(), kernel)
            }
            View::Changes => self.changes(after(), kernel),
            View::Steps | View::ChangesOfSteps => Ok(()),
        }
    }

    fn heading(&mut self, heading: &str) -> io::Result<()> {
        writeln!(self.out, "{STRONG}// {heading}{STRONG:#}")
    }

    fn section(&mut self, heading: &str, kernel: &Kernel) -> io::Result<()> {
        self.heading(heading)?;
        write!(self.out, "{kernel}")
    }

    /// Prints the changes since the previous kernel.
    fn changes(&mut self, heading: String, kernel: &Kernel) -> io::Result<()> {
        let text = kernel.to_string();
        let (old_heading, old) = &self.before;
        if *old == text {
            return self.heading(&format!("{heading}, no change"));
        }
        write_unified(&mut self.out, (old_heading, old), (&heading, &text))?;
        self.before = (heading, text);
        Ok(())
    }
}

/// Name of a pipeline in headings.
fn title(pipeline: &PassPipeline) -> String {
    let names: Vec<&str> = pipeline.names().collect();
    if names.is_empty() {
        "no passes".to_owned()
    } else if PassPipeline::standard().names().eq(pipeline.names()) {
        "the standard passes".to_owned()
    } else {
        names.join(", ")
    }
}

/// Message for a pass, or for lowering, that produced a kernel that fails verification.
fn pass_failure(error: &PassError) -> anyhow::Error {
    let PassError { position, name, error } = error;
    let culprit = if *position == 0 { "lowering".to_owned() } else { format!("pass {position} ({name})") };
    anyhow!("internal error: {culprit} has left a broken kernel: {error}; please report this with the program")
}

#[cfg(test)]
mod tests {
    use vyre::kernel::{Fault, VerifyError};

    use super::*;

    #[test]
    fn a_faulty_pass_is_named() {
        let error = |position, name| {
            let error = VerifyError { path: vec![3, 1], fault: Fault::AfterExit };
            pass_failure(&PassError { position, name, error }).to_string()
        };
        assert_eq!(
            error(2, "fold"),
            "internal error: pass 2 (fold) has left a broken kernel: statement [3, 1] of the kernel: AfterExit; please \
             report this with the program"
        );
        assert!(error(0, "lower").starts_with("internal error: lowering has left "));
    }
}
