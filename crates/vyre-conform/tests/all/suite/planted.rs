//! A planted bug is found in the section of its subject, and shown by a small program where a program shows it. The tests of `passes` run
//! most sections on the backend without a bug.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use vyre_conform::kernel_device::{KernelBackend, KernelDevice};
use vyre_conform::suite::{Amounts, Level, Report, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_ir::{AtomicOp, ValidProgram};
use vyre_kernel::{Binary, Collective, Id, Kernel, Op, Statement, Unary};
use vyre_runtime::{Backend, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions, RunReport};

fn run(backend: &dyn Backend, sections: &[&str]) -> Report {
    let suite = Suite::new(Level::Quick).with_interpreter(true).with_amounts(Amounts::tiny());
    suite.with_only(sections.iter().copied()).expect("sections").run(backend, &mut Silent).expect("a device")
}

/// A backend whose compiler changes every value.
fn miscompiling(change: impl Fn(&mut Op) + Send + Sync + 'static) -> KernelBackend {
    let change = move |kernel: &mut Kernel| {
        for value in kernel.values.keys() {
            change(&mut kernel.values[value].op);
        }
    };
    KernelBackend::with_transform("miscompiling", Arc::new(change))
}

/// All of these sections fail, in this item at least, with a reduced program of at most this many lines.
#[track_caller]
fn expect_found(backend: &dyn Backend, items: &[(&str, &str)], max_lines: usize) -> Report {
    let sections: Vec<&str> = items.iter().map(|(section, _)| *section).collect();
    let report = run(backend, &sections);
    for (section, item) in items {
        let section = report.section(section).expect("a section");
        assert!(section.item(item).is_some_and(|item| item.failed > 0), "{} {item}: {report}", section.name);
        let examples = section.failures.iter().filter_map(|failure| failure.example.as_ref());
        let shortest =
            examples.filter(|example| example.is_reduced).map(|example| example.program.lines().count()).min();
        assert!(shortest.is_some_and(|lines| lines <= max_lines), "{}: {shortest:?} lines: {report}", section.name);
    }
    report
}

/// The backend without a bug passes these sections.
#[track_caller]
fn expect_healthy(sections: &[&str]) {
    let report = run(&KernelBackend::new(), sections);
    assert!(report.sections.iter().all(|section| section.has_passed()), "{report}");
}

#[test]
fn a_swapped_axis() {
    // Of a copied line.
    let z_for_y = miscompiling(|op| {
        if let Op::Id(Id::Workgroup, axis @ 1) = op {
            *axis = 2;
        }
    });
    expect_found(&z_for_y, &[("run-corpus", "ids")], 20);
    expect_healthy(&["run-corpus"]);
}

#[test]
fn a_broken_law() {
    // A difference without its sign.
    let sub_for_abs_diff = miscompiling(|op| {
        if let Op::Binary(binary @ Binary::AbsDiff, ..) = op {
            *binary = Binary::Sub;
        }
    });
    let report = expect_found(&sub_for_abs_diff, &[("laws", "primitive.math.abs_diff")], 20);
    let item = |name: &str| report.section("laws").and_then(|section| section.item(name)).map(|item| item.failed);
    assert_eq!(item("primitive.math.abs_diff Commutative"), Some(1), "{report}");
    assert_eq!(item("primitive.math.sub Diagonal(0)"), Some(0), "{report}");
}

#[test]
fn a_wrong_instruction() {
    let clz_for_popcount = miscompiling(|op| {
        if let Op::Unary(unary @ Unary::Popcount, _) = op {
            *unary = Unary::Clz;
        }
    });
    expect_found(&clz_for_popcount, &[("composition", "primitive.bitwise.popcount")], 30);
}

#[test]
fn a_wrong_cast() {
    // A sign extension by zeros.
    let no_sign = miscompiling(|op| {
        if let Op::Binary(Binary::Sub, left, _) | Op::Binary(Binary::Mul, left, _) = *op {
            *op = Op::Binary(Binary::And, left, left);
        }
        if let Op::Unary(Unary::Negate, operand) = *op {
            *op = Op::Binary(Binary::Xor, operand, operand);
        }
    });
    expect_found(&no_sign, &[("casts", "i32 to u64")], 20);
}

#[test]
fn lost_guards() {
    let change = |kernel: &mut Kernel| {
        for block in kernel.blocks.keys() {
            for statement in &mut kernel.blocks[block].statements {
                if let Statement::Store { guard, .. } = statement {
                    *guard = None;
                }
            }
        }
    };
    let unguarded = KernelBackend::with_transform("unguarded", Arc::new(change));
    expect_found(&unguarded, &[("out-of-bounds", "stores"), ("out-of-bounds", "workgroup memory")], 20);
}

#[test]
fn wrong_atomics() {
    let max_for_min = miscompiling(|op| {
        if let Op::Atomic { op: operator @ AtomicOp::Min, .. } = op {
            *operator = AtomicOp::Max;
        }
    });
    expect_found(&max_for_min, &[("atomics", "atomic_min"), ("atomics", "workgroup_atomic_min")], 20);
    let weak = miscompiling(|op| {
        if let Op::Atomic { op: operator @ AtomicOp::CompareExchange, expected, .. } = op {
            *operator = AtomicOp::Exchange;
            *expected = None;
        }
    });
    expect_found(&weak, &[("atomics", "atomic_compare_exchange"), ("atomics", "retries")], 20);
}

/// What is stored before a barrier is lost.
#[test]
fn lost_stores_before_barriers() {
    let change = |kernel: &mut Kernel| {
        for block in kernel.blocks.keys() {
            let statements = &mut kernel.blocks[block].statements;
            let is_lost = |pair: &[Statement]| matches!(pair, [Statement::Store { .. }, Statement::Barrier]);
            while let Some(position) = statements.windows(2).position(is_lost) {
                statements.remove(position);
            }
        }
    };
    let forgetful = KernelBackend::with_transform("forgetful", Arc::new(change));
    expect_found(&forgetful, &[("barriers", "reversal"), ("barriers", "neighbours in storage")], 20);
}

#[test]
fn wrong_collectives() {
    let exclusive = miscompiling(|op| {
        if let Op::Collective(Collective::ScanInclusive(operator, value)) = *op {
            *op = Op::Collective(Collective::ScanExclusive(operator, value));
        }
    });
    expect_found(&exclusive, &[("collectives", "workgroups of 1 to 32"), ("determinism", "grid shapes")], 20);
}

/// Bugs beside the compiler.
struct Damaged {
    inner: KernelDevice,
    damage: Damage,
    runs: AtomicU64,
}

#[derive(Clone, Copy)]
enum Damage {
    /// Every fifth run does nothing.
    LostRuns,
    /// A panic when a program is compiled.
    Panic,
}

struct DamagedBackend(Damage);

impl Backend for DamagedBackend {
    fn name(&self) -> &'static str {
        "damaged"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let inner = KernelBackend::new().device();
        Ok(vec![Arc::new(Wrapped(Damaged { inner, damage: self.0, runs: AtomicU64::new(0) }))])
    }
}

impl DeviceWrapper for Damaged {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn name(&self) -> String {
        "damaged".to_owned()
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        assert!(!matches!(self.damage, Damage::Panic), "no register is left");
        self.inner.create_pipeline(program, options)
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        if matches!(self.damage, Damage::LostRuns) && number % 5 == 4 {
            return Ok(RunReport::default());
        }
        self.inner.run(commands, options)
    }
}

/// A result that is usually right.
#[test]
fn runs_that_differ() {
    let report = run(&DamagedBackend(Damage::LostRuns), &["determinism"]);
    let section = report.section("determinism").expect("the section");
    assert!(section.item("runs").is_some_and(|runs| runs.failed > 0 && runs.failed < runs.checked), "{report}");
}

/// A panic is a failure of its section, and the other sections run.
#[test]
fn a_backend_that_panics() {
    let report = run(&DamagedBackend(Damage::Panic), &["casts", "round-trips"]);
    let casts = report.section("casts").expect("the section");
    assert!(casts.failures.iter().any(|failure| failure.message.contains("no register is left")), "{report}");
    assert!(report.section("round-trips").is_some_and(|section| section.has_passed()));
}
