//! Lowering and optimizing: generated programs that are expensive for passes.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use vyre_ir::{BufferDecl, DataType, OpSignature, OpSpec, OpTable, Program, text, validate};
use vyre_kernel::{Kernel, PassPipeline, lower};

use crate::harness::Timed;
use crate::ir::{Workload, parse};

/// Family of programs that are expensive for passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelWorkload {
    /// Workload of the language.
    Language(Workload),
    /// Loops of the maximum nesting depth, each with stores, loads and assignments before and after the inner one.
    NestedStores,
    /// Guards of every kind before accesses, in sequence, so that all facts stay known to the end.
    Guards,
    /// Branches that assign to variables which are read afterwards.
    Joins,
    /// Calls of an op that calls another op in a loop and returns early.
    Calls,
    /// Thousands of buffers and slots, all used in one long loop.
    ManyNames,
}

impl KernelWorkload {
    /// All workloads, in the order of the report.
    pub const ALL: [KernelWorkload; 9] = [
        KernelWorkload::Language(Workload::Flat),
        KernelWorkload::Language(Workload::DeepLeft),
        KernelWorkload::Language(Workload::DeepRight),
        KernelWorkload::Language(Workload::Loops),
        KernelWorkload::NestedStores,
        KernelWorkload::Guards,
        KernelWorkload::Joins,
        KernelWorkload::Calls,
        KernelWorkload::ManyNames,
    ];

    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            KernelWorkload::Language(workload) => workload.name(),
            KernelWorkload::NestedStores => "nested_stores",
            KernelWorkload::Guards => "guards",
            KernelWorkload::Joins => "joins",
            KernelWorkload::Calls => "calls",
            KernelWorkload::ManyNames => "many_names",
        }
    }

    fn text_of(self, units: usize) -> String {
        match self {
            KernelWorkload::Language(_) => String::new(),
            KernelWorkload::NestedStores => nested_stores(units),
            KernelWorkload::Guards => flat(GUARDS_HEAD, GUARDS_UNIT, units),
            KernelWorkload::Joins => flat(JOINS_HEAD, JOINS_UNIT, units),
            KernelWorkload::Calls => flat(CALLS_HEAD, CALLS_UNIT, units),
            KernelWorkload::ManyNames => many_names(units),
        }
    }

    /// Largest program with at most `nodes` statements and expressions, calls expanded.
    fn program(self, nodes: usize, ops: &OpTable) -> Program {
        if let KernelWorkload::Language(workload) = self {
            return parse(&workload.text(nodes));
        }
        // The size grows with the number of units: binary search.
        let fits = |units: usize| expanded(&parse(&self.text_of(units)), ops).is_some_and(|size| size <= nodes);
        let (mut fitting, mut too_many) = (0, nodes);
        while too_many - fitting > 1 {
            let middle = fitting.midpoint(too_many);
            if fits(middle) {
                fitting = middle;
            } else {
                too_many = middle;
            }
        }
        parse(&self.text_of(fitting))
    }
}

/// Number of statements and expressions of a program, calls expanded; `None` if it is not valid.
fn expanded(program: &Program, ops: &OpTable) -> Option<usize> {
    validate(program, ops).ok().map(|valid| valid.expanded_node_count() as usize)
}

fn flat(head: &str, unit: &str, units: usize) -> String {
    let body: String = (0..units).map(|number| unit.replace('@', &number.to_string())).collect();
    format!("{head}{body}}}\n")
}

const GUARDS_HEAD: &str = "workgroup_size 64;
buffer src: read u32 @0;
buffer dst: read_write u32 @1;
buffer tile: workgroup u32[64];
entry {
    let i = invocation_id.x;
    let l = local_id.x;
";

const GUARDS_UNIT: &str = "
    if i + @ >= len(dst) { return; }
    dst[i + @] = src[min(i, len(src) - 1)] + tile[l & 63];
    if @ < len(src) && i < len(src) { dst[i] = src[i] + src[@] % 7; }
    for k@ in 0..min(len(src), len(dst)) { dst[k@] = src[k@] / 3; }
";

const JOINS_HEAD: &str = "workgroup_size 64;
buffer src: read u32 @0;
buffer dst: read_write u32 @1;
entry {
    let i = invocation_id.x;
    let total = 0;
";

const JOINS_UNIT: &str = "
    let x@ = src[i];
    if x@ > @ { x@ = x@ * 8; total = total + 1; } else { x@ = 1; if i > 3 { x@ = 2; } }
    total = total + x@;
    dst[@] = total;
";

const CALLS_HEAD: &str = "workgroup_size 64;
buffer src: read u32 @0;
buffer dst: read_write u32 @1;
entry {
    let i = invocation_id.x;
";

const CALLS_UNIT: &str = "
    dst[i] = bench.find(src[i], @) + bench.find(@, 3);
";

const FIND_OP: &str = "workgroup_size 1;
buffer text: read u32 @0;
buffer wanted: read u32 @1;
buffer out: read_write u32 @2 output;
entry {
    if wanted[0] == 0 { out[0] = 99; return; }
    for k in 0..4 {
        if bench.byte(text[0], k) == wanted[0] { out[0] = k; return; }
    }
    out[0] = 4;
}";

const BYTE_OP: &str = "workgroup_size 1;
buffer word: read u32 @0;
buffer at: read u32 @1;
buffer out: read_write u32 @2 output;
entry { out[0] = (word[0] >> (at[0] * 8)) & 255; }";

fn ops() -> OpTable {
    let op = |id: &str, text: &str| OpSpec {
        id: id.into(),
        version: 1,
        signature: OpSignature { inputs: vec![DataType::U32; 2], output: DataType::U32 },
        inlinable: true,
        program: text::parse(text).expect("ops are written in the text format").program,
    };
    OpTable::new([op("bench.find", FIND_OP), op("bench.byte", BYTE_OP)]).expect("two ids")
}

/// Each unit is some statements of one of 60 nested loops.
fn nested_stores(units: usize) -> String {
    const LEVELS: usize = 60;
    let mut out = "workgroup_size 64;\nbuffer src: read u32 @0;\n".to_owned();
    for buffer in 0..40 {
        let _ = writeln!(out, "buffer dst{buffer}: read_write u32 @{};", buffer + 1);
    }
    out.push_str("entry {\nlet i = invocation_id.x;\nlet n = src[0];\n");
    for variable in 0..40 {
        let _ = writeln!(out, "let x{variable} = src[{variable}];");
    }
    let statements = |out: &mut String, level: usize| {
        for unit in (level..units).step_by(2 * LEVELS) {
            let which = unit % 40;
            let _ = writeln!(out, "dst{which}[n + k{level}] = src[n] + x{which} * dst{}[i];", (which + 1) % 40);
            let _ = writeln!(out, "x{which} = x{which} + n * 3;");
        }
    };
    for level in 0..LEVELS {
        let _ = writeln!(out, "for k{level} in 0..2 {{");
        statements(&mut out, level);
    }
    for level in (0..LEVELS).rev() {
        statements(&mut out, level);
        out.push_str("}\n");
    }
    out.push_str("dst0[0] = x0 + x39;\n}\n");
    out
}

/// Each unit is a buffer and a variable.
fn many_names(units: usize) -> String {
    let buffers: Vec<BufferDecl> =
        (0..units as u32).map(|at| BufferDecl::read_write(format!("b{at}").as_str(), at, DataType::U32)).collect();
    let mut out = "workgroup_size 64;\n".to_owned();
    for buffer in &buffers {
        let _ = writeln!(out, "buffer {}: read_write u32 @{};", buffer.name, buffer.binding);
    }
    out.push_str("entry {\n");
    for unit in 0..units {
        let _ = writeln!(out, "let x{unit} = b{unit}[{unit}];");
    }
    out.push_str("for k in 0..9 {\n");
    for unit in 0..units {
        let _ =
            writeln!(out, "x{unit} = x{unit} + b{unit}[k]; if x{unit} < k {{ b{unit}[x{unit}] = k; x{unit} = 1; }}");
    }
    out.push_str("}\n}\n");
    out
}

/// Workload of one size.
#[derive(Debug)]
pub struct KernelCase {
    /// Family of the program.
    pub workload: KernelWorkload,
    /// Number of statements and expressions of the program, calls expanded.
    pub nodes: usize,
    program: Program,
    ops: OpTable,
}

/// Times of lowering and of every pass, and sizes of the kernel.
#[derive(Clone, Debug)]
pub struct KernelTimes {
    /// Time from the validated program to the kernel.
    pub lower: Duration,
    /// Name and time of each pass of the standard pass pipeline.
    pub passes: Vec<(&'static str, Duration)>,
    /// Number of statements of the kernel as lowered.
    pub lowered_statements: usize,
    /// Number of statements of the kernel after all passes.
    pub optimized_statements: usize,
}

impl KernelTimes {
    /// Time of all passes.
    #[must_use]
    pub fn optimize(&self) -> Duration {
        self.passes.iter().map(|&(_, time)| time).sum()
    }
}

impl Timed for KernelTimes {
    fn time(&self) -> Duration {
        self.lower + self.optimize()
    }
}

impl KernelCase {
    /// Creates a workload of about `nodes` statements and expressions.
    #[must_use]
    pub fn new(workload: KernelWorkload, nodes: usize) -> KernelCase {
        let ops = ops();
        let program = workload.program(nodes, &ops);
        KernelCase { workload, nodes: expanded(&program, &ops).unwrap_or_default(), program, ops }
    }

    /// The program of the workload.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Ops that the program may call.
    #[must_use]
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// Lowers and optimizes the program. Neither validation nor the verifier is counted.
    ///
    /// # Panics
    ///
    /// The program is not valid or does not lower.
    #[must_use]
    pub fn time(&self) -> KernelTimes {
        let valid = validate(&self.program, &self.ops).expect("workloads are valid");
        let start = Instant::now();
        let mut kernel: Kernel = black_box(lower(black_box(&valid)).expect("workloads lower"));
        let lower = start.elapsed();
        let lowered_statements = kernel.statement_count();
        let runs = PassPipeline::standard().verify(false).run(&mut kernel).expect("nothing is verified");
        let passes = runs.iter().map(|run| (run.name, run.time)).collect();
        KernelTimes { lower, passes, lowered_statements, optimized_statements: kernel.statement_count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_valid_and_of_the_requested_size() {
        for workload in KernelWorkload::ALL {
            for nodes in crate::ir::SIZES {
                let case = KernelCase::new(workload, nodes);
                assert!(validate(&case.program, &case.ops).is_ok(), "{workload:?} {nodes}");
                assert!(case.nodes <= nodes && case.nodes * 100 >= nodes * 75, "{workload:?} {nodes}: {}", case.nodes);
            }
        }
    }
}
