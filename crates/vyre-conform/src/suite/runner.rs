//! Runs of the suite.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_runtime::{Backend, CancelToken, Device, Error};

use super::context::{Part, Settings};
use super::ending::EarlyEnd;
use super::level::{Amounts, Level};
use super::observer::Observer;
use super::report::Report;
use super::section::{Section, sections};
use super::section_run::SectionRun;
use crate::differential::Subject;
use crate::embedded_corpus::Corpus;

/// The suite with its settings.
pub struct Suite {
    settings: Settings,
    /// Programs that were asked for, instead of those of the level.
    programs: Option<u64>,
    is_interpreter: Option<bool>,
    /// Maximum duration of a section, if it is not that of the level. The inner option is `None` for no limit.
    section_limit: Option<Option<Duration>>,
    grace: Duration,
    sections: Vec<Arc<dyn Section>>,
    only: Option<Vec<String>>,
    variants: Vec<Subject>,
}

/// Number of failures of a section after which it ends.
const MAX_FAILURES: u64 = 100;

/// Time for a section to return after it had to end. Compilers of drivers cannot be stopped.
const GRACE: Duration = Duration::from_secs(60);

/// Error of a run that could not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuiteError {
    /// There is no section of this name.
    UnknownSection {
        /// The name.
        name: String,
        /// Names of all sections.
        known: Vec<&'static str>,
    },
    /// The backend has no device.
    NoDevice,
    /// The backend cannot list its devices.
    Backend(Error),
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SuiteError::UnknownSection { name, known } => {
                write!(f, "there is no section `{name}`; there are {}", known.join(", "))
            }
            SuiteError::NoDevice => f.write_str("the backend has no device"),
            SuiteError::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SuiteError {}

impl Suite {
    /// The suite with the amounts of a level, seed 0, one thread and the embedded corpus.
    #[must_use]
    pub fn new(level: Level) -> Suite {
        let settings = Settings {
            level,
            amounts: level.amounts(),
            seed: 0,
            threads: 1,
            is_interpreter: false,
            corpus: Corpus::embedded(),
            cancel: CancelToken::default(),
            max_failures: MAX_FAILURES,
            section_limit: None,
            running: None,
            part: Part::ALL,
        };
        Suite {
            settings,
            programs: None,
            is_interpreter: None,
            section_limit: None,
            grace: GRACE,
            sections: sections().into_iter().map(Arc::from).collect(),
            only: None,
            variants: Vec::new(),
        }
    }

    /// Sets the first seed of everything random.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Suite {
        self.settings.seed = seed;
        self
    }

    /// Sets the number of generated programs.
    #[must_use]
    pub fn with_programs(mut self, programs: u64) -> Suite {
        self.programs = Some(programs);
        self
    }

    /// Sets all amounts, for tests of the suite.
    #[must_use]
    pub fn with_amounts(mut self, amounts: Amounts) -> Suite {
        self.settings.amounts = amounts;
        self
    }

    /// Sets the number of threads that make independent checks of a section; 0 counts as 1.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Suite {
        self.settings.threads = threads.max(1);
        self
    }

    /// Sets another corpus.
    #[must_use]
    pub fn with_corpus(mut self, corpus: Corpus) -> Suite {
        self.settings.corpus = corpus;
        self
    }

    /// Sets the token that ends the run between two checks.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancelToken) -> Suite {
        self.settings.cancel = cancel;
        self
    }

    /// States whether the device interprets programs, so that graphs and blocks are small. By default a device does that checks for
    /// races.
    #[must_use]
    pub fn with_interpreter(mut self, is_interpreter: bool) -> Suite {
        self.is_interpreter = Some(is_interpreter);
        self
    }

    /// Sets the number of failed checks of a section after which it ends, so that a device with many defects has its report soon. 0 means
    /// that no number ends it. By default a section ends after 100 failures.
    #[must_use]
    pub fn with_max_failures(mut self, max_failures: u64) -> Suite {
        self.settings.max_failures = max_failures;
        self
    }

    /// Sets the maximum duration of each section; `None` is no limit. A section that reaches it has no other verdict than *interrupted*, or
    /// *failed*. By default it is [`Level::section_limit`], and there is none if the number of programs was set.
    #[must_use]
    pub fn with_section_limit(mut self, limit: Option<Duration>) -> Suite {
        self.section_limit = Some(limit);
        self
    }

    /// Sets the time that a section has to return after it had to end: the time limit was reached, or the run was cancelled. If a call of the
    /// device does not return by then, the section is abandoned with its thread, and the run ends. By default it is a minute. After a
    /// cancellation it is five seconds at most.
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Suite {
        self.grace = grace;
        self
    }

    /// Keeps each program with its inputs and expected results in this folder while it runs. A driver that ends the process leaves the files
    /// of the programs that ran at the time.
    #[must_use]
    pub fn with_running_programs(mut self, folder: PathBuf) -> Suite {
        self.settings.running = Some(folder);
        self
    }

    /// Makes only a part of the checks of sections that can be divided, and none of the others unless it is the first part. Applications that
    /// divide a section add the reports of all its parts. The report of one part is never conformant.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Suite {
        self.settings.part = part;
        self
    }

    /// Adds a section, before the generated programs.
    #[must_use]
    pub fn with_section(mut self, section: Box<dyn Section>) -> Suite {
        let last = self.sections.len().saturating_sub(1);
        self.sections.insert(last, Arc::from(section));
        self
    }

    /// Replaces all sections by one.
    #[cfg(test)]
    pub(super) fn replacing(mut self, section: impl Section + 'static) -> Suite {
        self.sections = vec![Arc::new(section)];
        self
    }

    /// Adds a configuration of the backend whose results must be equal: another number of threads, no optimizer, and so on.
    #[must_use]
    pub fn with_variant(mut self, variant: Subject) -> Suite {
        self.variants.push(variant);
        self
    }

    /// Runs only these sections.
    ///
    /// # Errors
    ///
    /// A name of no section. Sections of the application are added first.
    pub fn with_only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Result<Suite, SuiteError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let known: Vec<&'static str> = self.sections.iter().map(|section| section.name()).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(SuiteError::UnknownSection { name: name.clone(), known });
        }
        self.only = Some(names);
        Ok(self)
    }

    /// Names and subjects of all sections.
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.sections.iter().map(|section| (section.name(), section.about()))
    }

    /// Reports whether the section of a name can be divided.
    #[must_use]
    pub fn can_be_divided(&self, name: &str) -> bool {
        self.sections.iter().any(|section| section.name() == name && section.can_be_divided())
    }

    /// The settings of a run on a device.
    fn settings_on(&self, device: &dyn Device) -> Settings {
        let mut settings = self.settings.clone();
        settings.is_interpreter = self.is_interpreter.unwrap_or(device.limits().can_check_races);
        if settings.is_interpreter {
            settings.amounts = settings.amounts.for_interpreter();
        }
        if let Some(programs) = self.programs {
            settings.amounts.programs = programs;
        }
        settings
    }

    /// Report of a run on a device that has run no section, for applications that run sections by themselves.
    #[must_use]
    pub fn empty_report(&self, backend: &str, device: &dyn Device) -> Report {
        let settings = self.settings_on(device);
        let corpus = settings.corpus.hash();
        Report {
            backend: backend.to_owned(),
            device: device.name(),
            driver: device.driver(),
            level: settings.level,
            seed: settings.seed,
            programs: settings.amounts.programs,
            amounts: settings.amounts,
            corpus: (corpus != Corpus::embedded().hash()).then_some(corpus),
            sections: Vec::new(),
            left_out: Vec::new(),
            milliseconds: 0,
            is_interrupted: false,
        }
    }

    /// Runs the suite on the first device of a backend.
    ///
    /// # Errors
    ///
    /// The backend has no device. Failures of checks are in the report.
    pub fn run(&self, backend: &dyn Backend, observer: &mut dyn Observer) -> Result<Report, SuiteError> {
        let devices = backend.devices().map_err(SuiteError::Backend)?;
        let device = devices.into_iter().next().ok_or(SuiteError::NoDevice)?;
        Ok(self.run_on(backend.name(), device, observer))
    }

    /// Runs the suite on a device of the backend of this name.
    pub fn run_on(&self, backend: &str, device: Arc<dyn Device>, observer: &mut dyn Observer) -> Report {
        let start = Instant::now();
        let mut settings = self.settings_on(&*device);
        let of_level = if self.programs.is_some() { None } else { Some(settings.level.section_limit()) };
        settings.section_limit = self.section_limit.unwrap_or(of_level);
        let is_chosen = |section: &&Arc<dyn Section>| {
            self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == section.name()))
        };
        let (chosen, others): (Vec<_>, Vec<_>) = self.sections.iter().partition(is_chosen);
        let costs: Vec<u64> = chosen.iter().map(|section| section.cost(&settings).max(1)).collect();
        let total = costs.iter().sum();
        let subject = Subject { name: backend.to_owned(), device };
        let mut report = self.empty_report(backend, &*subject.device);
        report.left_out = others.iter().map(|section| section.name().to_owned()).collect();
        let settings = Arc::new(settings);
        let mut before = 0;
        for (section, cost) in chosen.into_iter().zip(costs) {
            let last = report.sections.last();
            let is_over = last.is_some_and(|section| section.ended_early == Some(EarlyEnd::NoReturn));
            let is_of_others = !settings.part.is_first() && !section.can_be_divided();
            if is_over || is_of_others || settings.cancel.is_cancelled() {
                report.left_out.push(section.name().to_owned());
                continue;
            }
            let run = SectionRun::start(section, &settings, (&subject, &self.variants), (before, cost, total));
            let done = run.watch(self.grace, observer);
            observer.finished(&done);
            report.sections.push(done);
            before += cost;
        }
        let has_early_end = report.sections.iter().any(|section| section.ended_early.is_some());
        let is_part = settings.part != Part::ALL;
        report.is_interrupted = has_early_end || is_part || settings.cancel.is_cancelled();
        report.milliseconds = start.elapsed().as_millis() as u64;
        report
    }
}
