//! Runs of the suite.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use vyre_runtime::{Backend, CancelToken, Device, Error};

use super::context::{Context, Item, Settings};
use super::level::{Amounts, Level};
use super::observer::Observer;
use super::report::{Report, SectionReport};
use super::section::{Section, sections};
use crate::differential::Subject;
use crate::embedded_corpus::Corpus;

/// The suite with its settings.
pub struct Suite {
    settings: Settings,
    /// Programs that were asked for, instead of those of the level.
    programs: Option<u64>,
    is_interpreter: Option<bool>,
    sections: Vec<Box<dyn Section>>,
    only: Option<Vec<String>>,
    variants: Vec<Subject>,
}

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
        };
        let (sections, variants) = (sections(), Vec::new());
        Suite { settings, programs: None, is_interpreter: None, sections, only: None, variants }
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

    /// Sets the number of threads that run generated programs; 0 counts as 1.
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

    /// Adds a section, before the generated programs.
    #[must_use]
    pub fn with_section(mut self, section: Box<dyn Section>) -> Suite {
        let last = self.sections.len().saturating_sub(1);
        self.sections.insert(last, section);
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
        let mut settings = self.settings.clone();
        settings.is_interpreter = self.is_interpreter.unwrap_or(device.limits().can_check_races);
        if settings.is_interpreter {
            settings.amounts = settings.amounts.for_interpreter();
        }
        if let Some(programs) = self.programs {
            settings.amounts.programs = programs;
        }
        let is_chosen = |section: &&dyn Section| {
            self.only.as_ref().is_none_or(|only| only.iter().any(|name| name == section.name()))
        };
        let all = self.sections.iter().map(|section| &**section);
        let (chosen, others): (Vec<&dyn Section>, Vec<&dyn Section>) = all.partition(is_chosen);
        let costs: Vec<u64> = chosen.iter().map(|section| section.cost(&settings).max(1)).collect();
        let total = costs.iter().sum();
        let subject = Subject { name: backend.to_owned(), device };
        let mut report = Report {
            backend: backend.to_owned(),
            device: subject.device.name(),
            driver: subject.device.driver(),
            level: settings.level,
            seed: settings.seed,
            programs: settings.amounts.programs,
            sections: Vec::new(),
            left_out: others.iter().map(|section| section.name().to_owned()).collect(),
            milliseconds: 0,
            is_interrupted: false,
        };
        let mut before = 0;
        for (section, cost) in chosen.into_iter().zip(costs) {
            if settings.cancel.is_cancelled() {
                break;
            }
            let place = (before, cost, total);
            let done = run_section(section, &settings, (&subject, &self.variants), observer, place);
            observer.finished(&done);
            report.sections.push(done);
            before += cost;
        }
        report.is_interrupted = settings.cancel.is_cancelled();
        report.milliseconds = start.elapsed().as_millis() as u64;
        report
    }
}

/// Runs a section. A panic of the backend is a failure.
fn run_section(
    section: &dyn Section,
    settings: &Settings,
    subjects: (&Subject, &[Subject]),
    observer: &mut dyn Observer,
    place: (u64, u64, u64),
) -> SectionReport {
    let start = Instant::now();
    let context = Context::new(settings, (section.name(), section.about()), subjects, observer, place);
    context.advanced(0, 1);
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| section.run(&context))) {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        context.failed(&Item::new("panic"), format!("a panic ended the section: {message}"), None);
    }
    context.advanced(1, 1);
    let mut report = context.into_report();
    report.milliseconds = start.elapsed().as_millis() as u64;
    report
}
