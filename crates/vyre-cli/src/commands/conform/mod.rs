//! `vyre conform`: runs the conformance suite, and verifies and shows its certificates.

mod failures;
mod isolated;
mod outputs;
mod repeat;
mod replay;
mod shader_text;
mod show;
mod tools;
mod verify;

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use vyre::conform::certificate::{Certificate, Verdict};
use vyre::conform::suite::{Corpus, EarlyEnd, Failure, Observer, Progress, Report, SectionReport, Suite};
use vyre::conform::{Subject, variants};
use vyre::runtime::{CancelToken, Device};
use vyre::select::DeviceRequest;

use crate::args::conform::{ConformArgs, ConformCommand, ConformDevice};
use crate::exit::Outcome;
use crate::graph::Bar;
use crate::interrupt::cancelled_by_interrupt;
use crate::output::{ERROR, STDOUT, columns, print_error, print_note, styled_stdout, visible};
use crate::select::{find_device, rejection, select_device};
use crate::table::{Cell, ProseTable};
use crate::termination::{self, Phase, enter};

pub(crate) fn run(args: ConformArgs) -> anyhow::Result<Outcome> {
    match &args.command {
        Some(ConformCommand::Verify(args)) => verify::run(args),
        Some(ConformCommand::Show(args)) => show::run(args),
        Some(ConformCommand::Repeat(args)) => repeat::run(args),
        None if args.list => list(&args),
        None => conform(&args),
    }
}

/// A device under test.
struct Tested {
    backend: &'static str,
    /// Index in its backend.
    index: usize,
    device: Arc<dyn Device>,
}

impl Tested {
    fn open(which: &ConformDevice) -> anyhow::Result<Tested> {
        let request = DeviceRequest::on(&which.backend).with_device(which.device.as_deref());
        let selected = select_device(&request)?;
        for rejected in &selected.rejected {
            print_note(&rejection(rejected));
        }
        let backend = selected.backend;
        let index = match &which.device {
            None => 0,
            Some(which) => {
                let backends = vyre::backends();
                let found = backends.iter().find(|one| one.name() == backend);
                let devices = found.and_then(|backend| backend.devices().ok()).unwrap_or_default();
                find_device(backend, &devices, which)?
            }
        };
        Ok(Tested { backend, index, device: selected.device })
    }

    /// The other configurations of its backend.
    fn variants(&self) -> anyhow::Result<Vec<Subject>> {
        let found = variants(self.backend, self.index, &*self.device);
        found
            .map_err(|error| anyhow!("{}", visible(&error.to_string())))
            .with_context(|| format!("cannot use backend `{}`", self.backend))
    }
}

/// The suite with the section of this command.
fn suite_of(level: vyre::conform::suite::Level) -> Suite {
    Suite::new(level).with_section(Box::new(shader_text::ShaderText::OF_BUILD))
}

/// Number of threads of a flag; 0 means one for each core.
fn threads(flag: Option<usize>) -> usize {
    match flag {
        Some(threads @ 1..) => threads,
        _ => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

fn list(args: &ConformArgs) -> anyhow::Result<Outcome> {
    let mut table = ProseTable::new();
    for (name, about) in suite_of(args.level.level()).sections() {
        table.push(vec![Cell::plain(name), Cell::plain(about)]);
    }
    let mut out = styled_stdout();
    table.write(&mut out, columns()).and_then(|()| out.flush()).context(STDOUT)?;
    Ok(Outcome::Clean)
}

/// The suite that the arguments describe, without what depends on the device.
fn suite_of_args(args: &ConformArgs) -> anyhow::Result<Suite> {
    let mut suite = suite_of(args.level.level()).with_seed(args.seed).with_threads(threads(args.threads));
    suite = suite.with_max_failures(args.max_failures);
    if let Some(programs) = args.programs {
        suite = suite.with_programs(programs);
    }
    if let Some(seconds) = args.section_seconds {
        suite = suite.with_section_limit((seconds > 0).then(|| Duration::from_secs(seconds)));
    }
    if let Some(folder) = &args.corpus {
        let name = visible(&folder.to_string_lossy()).into_owned();
        suite = suite.with_corpus(read_corpus(folder).with_context(|| format!("cannot read {name}"))?);
    }
    if let Some(folder) = &args.running {
        suite = suite.with_running_programs(folder.clone());
    }
    if let Some(part) = args.part {
        suite = suite.with_part(part);
    }
    if !args.only.is_empty() {
        suite =
            suite.with_only(args.only.iter().cloned()).map_err(|error| anyhow!("{}", visible(&error.to_string())))?;
    }
    Ok(suite)
}

fn read_corpus(folder: &Path) -> anyhow::Result<Corpus> {
    for name in ["run", "ops"] {
        if !folder.join(name).is_dir() {
            bail!("it is no corpus: it has no folder `{name}`");
        }
    }
    Ok(Corpus::read(folder)?)
}

/// A run of some sections is clean if those are: its certificate is partial.
fn outcome_of(report: &Report, verdict: Verdict, cancel: &CancelToken) -> Outcome {
    match verdict {
        Verdict::Interrupted if cancel.is_cancelled() => Outcome::Interrupted,
        _ if report.is_conformant() => Outcome::Clean,
        _ => Outcome::Findings,
    }
}

fn conform(args: &ConformArgs) -> anyhow::Result<Outcome> {
    let mut suite = suite_of_args(args)?;
    outputs::check(args)?;
    enter(Phase::Opening);
    let tested = Tested::open(&args.device)?;
    for variant in tested.variants()? {
        suite = suite.with_variant(variant);
    }
    let cancel = cancelled_by_interrupt()?;
    // Last of what can fail before the checks: `--isolate` takes a folder for the begin of the checks.
    if let Some(folder) = &args.running {
        failures::create(folder)?;
    }
    suite = suite.with_cancel(cancel.clone());
    enter(Phase::Running);
    let bar = Bar::new(args.quiet);
    let report = if args.isolate {
        isolated::run(args, &suite, &tested, &cancel, &bar)?
    } else {
        suite.run_on(tested.backend, Arc::clone(&tested.device), &mut Shown { bar: bar.clone() })
    };
    bar.clear();
    // A signal must not end this command before a result of hours is written.
    enter(Phase::Writing);
    let certificate = Certificate::of(&report);
    let mut outcome = outcome_of(&report, certificate.verdict, &cancel);
    for error in outputs::write(args, &certificate) {
        print_error(&error);
        outcome.worsen(Outcome::Failure);
    }
    let hangs = |section: &&SectionReport| section.ended_early == Some(EarlyEnd::NoReturn);
    if let Some(section) = report.sections.iter().find(hangs) {
        print_note(&format!("{}: a call of the device did not return, so the run ended here", section.name));
        // The exit handlers of its driver may wait for the call.
        termination::leave(outcome);
    }
    Ok(outcome)
}

/// Shows the progress on the bar, and failures above it.
struct Shown {
    bar: Bar,
}

impl Observer for Shown {
    fn advanced(&mut self, progress: Progress) {
        self.bar.part(progress.section, progress.done, progress.total);
    }

    fn failing(&mut self, section: &'static str, item: &str, message: &str) {
        let first = message.lines().next().unwrap_or_default();
        self.bar.above(&format!("{ERROR}failed{ERROR:#}: {section}, {}: {}", visible(item), visible(first)));
    }

    fn failed(&mut self, section: &'static str, failure: &Failure) {
        if failure.example.is_none() {
            self.failing(section, &failure.item, &failure.message);
        }
    }

    fn finished(&mut self, _: &SectionReport) {}
}
