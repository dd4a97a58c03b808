//! A toy backend with three deliberate bugs goes through the conformance suite until it is certified.
//!
//! ```sh
//! cargo run --release -p vyre-conform --example toy_backend
//! ```
//!
//! The backend lowers programs and evaluates the kernels. The bugs are typical ones: loads without a check of their index, a copied line in a
//! table of instructions, and a limit of the hardware that nobody looks up. `docs/conformance.md` follows this program step by step.

use std::fmt::Write as _;
use std::sync::Arc;

use vyre_conform::certificate::Certificate;
use vyre_conform::kernel_device::{KernelBackend, KernelDevice};
use vyre_conform::suite::{Amounts, Level, Report, Silent, Suite};
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_ir::AtomicOp;
use vyre_kernel::{Kernel, Op};
use vyre_runtime::{Backend, Command, CommandList, Device, Error, RunOptions, RunReport};

/// Maximum number of workgroups that the processor launches on an axis: its counters have 12 bits. GPUs launch 65,535.
const MAX_GROUPS: u32 = 4_095;

/// Bugs that the backend still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bugs {
    /// Loads do not check their index: programs hardly load out of bounds.
    pub unchecked_loads: bool,
    /// The table of atomics has a copied line: a maximum becomes a minimum.
    pub copied_line: bool,
    /// A launch has at most [`MAX_GROUPS`] workgroups on an axis; the others never run.
    pub clamped_grid: bool,
}

/// The backend, with one device.
pub struct ToyBackend {
    /// Its bugs.
    pub bugs: Bugs,
}

struct ToyDevice {
    inner: KernelDevice,
    bugs: Bugs,
}

impl Backend for ToyBackend {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn devices(&self) -> Result<Vec<Arc<dyn Device>>, Error> {
        let bugs = self.bugs;
        let emit = move |kernel: &mut Kernel| {
            for value in kernel.values.keys() {
                match &mut kernel.values[value].op {
                    Op::Load { guard, .. } if bugs.unchecked_loads => *guard = None,
                    Op::Atomic { op: op @ AtomicOp::Max, .. } if bugs.copied_line => *op = AtomicOp::Min,
                    _ => {}
                }
            }
        };
        let inner = KernelBackend::with_transform("toy", Arc::new(emit)).device();
        Ok(vec![Arc::new(Wrapped(ToyDevice { inner, bugs }))])
    }
}

impl DeviceWrapper for ToyDevice {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn name(&self) -> String {
        "toy processor".to_owned()
    }

    fn run(&self, commands: &CommandList, options: &RunOptions) -> Result<RunReport, Error> {
        let mut launched = CommandList::new();
        for command in commands.commands() {
            match command {
                Command::Dispatch { pipeline, bindings, grid } if self.bugs.clamped_grid => {
                    launched.dispatch(pipeline, bindings, grid.map(|groups| groups.min(MAX_GROUPS)));
                }
                other => launched.push(other.clone()),
            }
        }
        self.inner.run(&launched, options)
    }
}

/// Runs the suite on the backend. Three lines, as any backend author writes them.
fn check(backend: &ToyBackend, suite: &Suite) -> Result<Report, Box<dyn std::error::Error>> {
    let report = suite.run(backend, &mut Silent)?;
    Ok(report)
}

/// Takes the backend through a suite: a run, a repair of what it found, and again, until no check fails. The whole suite then certifies it.
/// Returns what it tells on the way, and the certificate.
///
/// # Errors
///
/// The backend has no device.
pub fn certify(suite: &Suite, whole: &Suite) -> Result<(String, Certificate), Box<dyn std::error::Error>> {
    let mut story = String::new();
    let mut backend = ToyBackend { bugs: Bugs { unchecked_loads: true, copied_line: true, clamped_grid: true } };
    loop {
        let report = check(&backend, suite)?;
        let certificate = Certificate::of(&report);
        writeln!(story, "{}: {:?}", certificate.verdict, backend.bugs)?;
        for section in report.sections.iter().filter(|section| section.failed > 0) {
            writeln!(story, "  {}: {} of {} checks failed", section.name, section.failed, section.checked)?;
        }
        let Some(repair) = next_repair(&report, &mut story)? else { break };
        repair(&mut backend.bugs);
    }
    Ok((story, Certificate::of(&check(&backend, whole)?)))
}

/// What an author does after a look at the first failure.
type Repair = fn(&mut Bugs);

/// Reads the failures as an author does: the first item that fails says where the bug is.
fn next_repair(report: &Report, story: &mut String) -> Result<Option<Repair>, std::fmt::Error> {
    let repairs: [(&str, &str, Repair); 3] = [
        ("out-of-bounds", "loads from read buffers", |bugs| bugs.unchecked_loads = false),
        ("atomics", "atomic_max", |bugs| bugs.copied_line = false),
        ("determinism", "split grids", |bugs| bugs.clamped_grid = false),
    ];
    for (section, item, repair) in repairs {
        let mut failures = report.failures().filter(|(name, failure)| *name == section && failure.item == item);
        let Some((_, failure)) = failures.next() else { continue };
        writeln!(story, "  {section}, {item}: {}", failure.message.lines().next().unwrap_or_default())?;
        if let Some(example) = &failure.example {
            writeln!(story, "    expected {}", example.expected)?;
            writeln!(story, "    observed {}", example.observed)?;
            for line in example.program.lines().take(20) {
                writeln!(story, "    | {line}")?;
            }
        }
        return Ok(Some(repair));
    }
    Ok(None)
}

#[allow(dead_code, reason = "the tests include this file for the function above")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Few checks find typical bugs in seconds. Only the amounts of a level make a certificate conformant.
    let whole = || Suite::new(Level::Quick).with_interpreter(true).with_threads(2);
    let (story, certificate) = certify(&whole().with_amounts(Amounts::tiny()), &whole())?;
    println!("{story}\n{}", vyre_conform::certificate::text(&certificate));
    Ok(())
}
