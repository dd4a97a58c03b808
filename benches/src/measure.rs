//! What is measured on one program.

use std::hint::black_box;
use std::time::{Duration, Instant};

use vyre_ir::{OpTable, Program, text, validate, wire};

use crate::workload::{Workload, node_count, parse};

/// Something that is done with a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Text to program.
    Parse,
    /// Program to text.
    Print,
    /// All rules and all facts.
    Validate,
    /// Program to bytes.
    Encode,
    /// Bytes to program.
    Decode,
    /// A deep copy.
    Clone,
    /// The end of a program.
    Drop,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 7] = [
        Operation::Parse,
        Operation::Print,
        Operation::Validate,
        Operation::Encode,
        Operation::Decode,
        Operation::Clone,
        Operation::Drop,
    ];

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Parse => "parse",
            Operation::Print => "print",
            Operation::Validate => "validate",
            Operation::Encode => "wire encode",
            Operation::Decode => "wire decode",
            Operation::Clone => "clone",
            Operation::Drop => "drop",
        }
    }
}

/// A workload of one size, in every form that an operation starts from.
#[derive(Debug)]
pub struct Case {
    /// The family.
    pub workload: Workload,
    /// How many statements and expressions the program has.
    pub nodes: usize,
    text: String,
    program: Program,
    bytes: Vec<u8>,
    ops: OpTable,
}

impl Case {
    /// A workload of about `nodes` statements and expressions.
    #[must_use]
    pub fn new(workload: Workload, nodes: usize) -> Case {
        let text = workload.text(nodes);
        let program = parse(&text);
        let bytes = wire::to_wire(&program);
        Case { workload, nodes: node_count(&program), text, program, bytes, ops: OpTable::default() }
    }

    /// How long an operation takes, once. Releasing its result is not counted.
    ///
    /// # Panics
    ///
    /// Where the operation fails.
    #[must_use]
    pub fn time(&self, operation: Operation) -> Duration {
        match operation {
            Operation::Parse => time(|| text::parse(black_box(&self.text)).expect("the text is a program")),
            Operation::Print => time(|| text::print(black_box(&self.program))),
            Operation::Validate => {
                time(|| validate(black_box(&self.program), &self.ops).expect("the program is valid"))
            }
            Operation::Encode => time(|| wire::to_wire(black_box(&self.program))),
            Operation::Decode => time(|| wire::from_wire(black_box(&self.bytes)).expect("the bytes are a program")),
            Operation::Clone => time(|| black_box(&self.program).clone()),
            Operation::Drop => {
                let copy = self.program.clone();
                time(|| drop(black_box(copy)))
            }
        }
    }
}

/// How long `work` takes. Its result is released after the clock has stopped.
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(work());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}
