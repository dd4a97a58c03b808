//! Front ends: parsing and validating one program with vyre, and its equivalent in WGSL with naga.

use std::hint::black_box;
use std::time::{Duration, Instant};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use vyre_ir::{OpTable, text, validate};

use crate::harness::{Measure, Timed};

/// Times of the stages of a front end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    /// From text to a tree.
    pub parse: Duration,
    /// All checks.
    pub validate: Duration,
    /// Release of the results of both.
    pub release: Duration,
}

impl Stages {
    fn new(start: Instant, parse_end: Instant, validate_end: Instant) -> Stages {
        Stages { parse: parse_end - start, validate: validate_end - parse_end, release: validate_end.elapsed() }
    }

    /// Time of parsing and validating.
    #[must_use]
    pub fn checked(self) -> Duration {
        self.parse + self.validate
    }

    /// Time of all stages.
    #[must_use]
    pub fn whole(self) -> Duration {
        self.checked() + self.release
    }
}

impl Timed for Stages {
    fn time(&self) -> Duration {
        self.checked()
    }
}

/// Front end with a program to check.
#[derive(Clone, Debug)]
pub enum FrontEnd {
    /// vyre, with a program in its text form.
    Vyre(String),
    /// naga with all flags and capabilities, with a program in WGSL.
    Naga(String),
}

impl FrontEnd {
    fn run(&self) -> Result<Stages, String> {
        match self {
            FrontEnd::Vyre(source) => run_vyre(source),
            FrontEnd::Naga(source) => run_naga(source),
        }
    }
}

impl Measure<Stages, String> for FrontEnd {
    fn measure(&mut self, runs: u32) -> Result<Stages, String> {
        let mut sum = Stages::default();
        for _ in 0..runs {
            let stages = self.run()?;
            sum.parse += stages.parse;
            sum.validate += stages.validate;
            sum.release += stages.release;
        }
        Ok(Stages { parse: sum.parse / runs, validate: sum.validate / runs, release: sum.release / runs })
    }
}

fn run_vyre(source: &str) -> Result<Stages, String> {
    let ops = OpTable::default();
    let start = Instant::now();
    let parsed = text::parse(black_box(source)).map_err(|error| error.to_string())?;
    let parse_end = Instant::now();
    let facts = black_box(validate(&parsed.program, &ops).map_err(|errors| format!("{} errors", errors.len()))?);
    let validate_end = Instant::now();
    drop(facts);
    drop(parsed);
    Ok(Stages::new(start, parse_end, validate_end))
}

fn run_naga(source: &str) -> Result<Stages, String> {
    let start = Instant::now();
    let module = naga::front::wgsl::parse_str(black_box(source)).map_err(|error| error.to_string())?;
    let parse_end = Instant::now();
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = black_box(validator.validate(&module).map_err(|error| error.to_string())?);
    let validate_end = Instant::now();
    drop((info, validator, module));
    Ok(Stages::new(start, parse_end, validate_end))
}
