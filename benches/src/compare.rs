//! Parsing and validating one program with vyre and its equivalent with naga.

use std::hint::black_box;
use std::time::{Duration, Instant};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use vyre_ir::{OpTable, text, validate};

/// How long the stages took.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    /// Text to tree.
    pub parse: Duration,
    /// All checks.
    pub validate: Duration,
    /// Releasing what the two have made.
    pub release: Duration,
}

/// Parses and validates a text of vyre.
///
/// # Panics
///
/// Where the text is not valid.
#[must_use]
pub fn time_vyre(source: &str) -> Stages {
    let ops = OpTable::default();
    let start = Instant::now();
    let parsed = text::parse(black_box(source)).expect("the text is a program");
    let parse_end = Instant::now();
    let facts = black_box(validate(&parsed.program, &ops).expect("the program is valid"));
    let validate_end = Instant::now();
    drop(facts);
    drop(parsed);
    Stages::new(start, parse_end, validate_end)
}

/// Parses and validates a text of WGSL with every check of naga.
///
/// # Panics
///
/// Where the text is not valid.
#[must_use]
pub fn time_naga(source: &str) -> Stages {
    let start = Instant::now();
    let module = naga::front::wgsl::parse_str(black_box(source)).expect("the text is WGSL");
    let parse_end = Instant::now();
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = black_box(validator.validate(&module).expect("the module is valid"));
    let validate_end = Instant::now();
    drop((info, validator, module));
    Stages::new(start, parse_end, validate_end)
}

impl Stages {
    fn new(start: Instant, parse_end: Instant, validate_end: Instant) -> Stages {
        Stages { parse: parse_end - start, validate: validate_end - parse_end, release: validate_end.elapsed() }
    }

    /// Parsing and validating.
    #[must_use]
    pub fn checked(self) -> Duration {
        self.parse + self.validate
    }

    /// Everything.
    #[must_use]
    pub fn whole(self) -> Duration {
        self.checked() + self.release
    }
}
