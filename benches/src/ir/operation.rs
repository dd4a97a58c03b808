//! Operations on whole programs.

use std::hint::black_box;
use std::time::Duration;

use vyre_ir::{OpTable, Program, text, validate, wire};

use super::workload::{Workload, node_count, parse};
use crate::harness::time;

/// Operation on a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// From text to a program.
    Parse,
    /// From a program to text.
    Print,
    /// Checks of all rules, with all facts.
    Validate,
    /// From a program to the wire format.
    Encode,
    /// From the wire format to a program.
    Decode,
    /// Deep copy of a program.
    Clone,
    /// Release of a program.
    Drop,
}

impl Operation {
    /// All operations, in the order of the report.
    pub const ALL: [Operation; 7] = [
        Operation::Parse,
        Operation::Print,
        Operation::Validate,
        Operation::Encode,
        Operation::Decode,
        Operation::Clone,
        Operation::Drop,
    ];

    /// Name in reports.
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

/// Workload of one size, in every form that an operation starts from.
#[derive(Debug)]
pub struct Case {
    /// Family of the program.
    pub workload: Workload,
    /// Number of statements and expressions of the program.
    pub nodes: usize,
    text: String,
    program: Program,
    bytes: Vec<u8>,
    ops: OpTable,
}

impl Case {
    /// Creates a workload of about `nodes` statements and expressions.
    #[must_use]
    pub fn new(workload: Workload, nodes: usize) -> Case {
        let text = workload.text(nodes);
        let program = parse(&text);
        let bytes = wire::to_wire(&program);
        Case { workload, nodes: node_count(&program), text, program, bytes, ops: OpTable::default() }
    }

    /// Time of one operation. The release of its result is not counted.
    ///
    /// # Panics
    ///
    /// The operation fails.
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
