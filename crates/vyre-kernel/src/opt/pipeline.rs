//! The passes, and the pipeline that runs them.

use std::fmt;
use std::time::{Duration, Instant};

use crate::kernel::Kernel;
use crate::verify::{VerifyError, verify};

/// A pass of the optimizer.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name that users choose it by.
    pub name: &'static str,
    /// What it does, as one sentence.
    pub summary: &'static str,
    /// Changes a kernel and tells whether it did.
    run: fn(&mut Kernel) -> bool,
}

/// Every pass.
const PASSES: [Pass; 8] = [
    Pass {
        name: "promote",
        summary: "Reads of a slot become the value that was put into it, where that is known.",
        run: super::promote::run,
    },
    Pass {
        name: "fold",
        summary: "Constants are computed, algebra is simplified, and branches that are decided go away.",
        run: super::fold::run,
    },
    Pass {
        name: "unroll",
        summary: "Small loops with constant bounds become their rounds in a row.",
        run: super::unroll::run,
    },
    Pass {
        name: "cse",
        summary: "What has been computed or loaded before is not computed or loaded again.",
        run: super::cse::run,
    },
    Pass {
        name: "licm",
        summary: "What is the same in every round of a loop is computed once before it.",
        run: super::licm::run,
    },
    Pass {
        name: "bounds",
        summary: "Guards of accesses go away where conditions and ranges prove the index to be in range.",
        run: super::bounds::run,
    },
    Pass {
        name: "strength",
        summary: "Multiplications and divisions by constants become shifts, masks and multiplications.",
        run: super::strength::run,
    },
    Pass { name: "dead-code", summary: "What nothing depends on goes away.", run: super::dead_code::run },
];

/// The start of the standard pipeline. What has been promoted is folded, and folding decides branches, after which more can
/// be promoted, so that these two come by turns.
const START: [&str; 4] = ["promote", "fold", "promote", "fold"];

/// What comes between the start and the rest where loops are to be unrolled: by then bounds that can be known are, and
/// nothing has been moved out of loops that are about to go.
const UNROLLING: [&str; 3] = ["unroll", "fold", "promote"];

/// The rest of the standard pipeline.
const REST: [&str; 11] =
    ["cse", "licm", "bounds", "strength", "fold", "promote", "cse", "fold", "promote", "fold", "dead-code"];

/// Every pass, in the order of the documentation.
#[must_use]
pub fn passes() -> &'static [Pass] {
    &PASSES
}

/// A list of passes to run on kernels.
///
/// ```
/// use vyre_ir::{OpTable, text};
/// use vyre_kernel::{PassPipeline, lower};
///
/// let parsed = text::parse("workgroup_size 1; buffer b: read_write u32 @0 output; entry { b[0] = 6 * 7; }")?;
/// let ops = OpTable::default();
/// let mut kernel = lower(&parsed.validate(&ops).expect("is valid")).expect("lowers");
/// PassPipeline::standard().run(&mut kernel).expect("keeps the rules");
/// assert!(kernel.to_string().contains("store b[0], 42"));
/// # Ok::<(), text::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PassPipeline {
    passes: Vec<&'static Pass>,
    verify: bool,
}

/// What a pass has done.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PassRun {
    /// The position in the pipeline, from 1.
    pub position: usize,
    /// The pass.
    pub name: &'static str,
    /// Whether the kernel has changed.
    pub changed: bool,
    /// How long it took.
    pub time: Duration,
}

/// A name that no pass has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPass {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        write!(f, "there is no pass `{}`; the passes are {}", self.name, known.join(", "))
    }
}

impl std::error::Error for UnknownPass {}

/// A pass that has left a kernel that breaks a rule. This is a bug of the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    /// The position in the pipeline, from 1; 0 for the kernel that it was given.
    pub position: usize,
    /// The pass.
    pub name: &'static str,
    /// The rule.
    pub error: VerifyError,
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after pass {} ({}): {}", self.position, self.name, self.error)
    }
}

impl std::error::Error for PassError {}

impl Default for PassPipeline {
    fn default() -> PassPipeline {
        PassPipeline::standard()
    }
}

impl PassPipeline {
    /// The pipeline that backends use.
    #[must_use]
    pub fn standard() -> PassPipeline {
        PassPipeline::of_parts(&[&START, &REST])
    }

    /// The standard pipeline with small loops unrolled, for backends whose compilers do not do so by themselves.
    #[must_use]
    pub fn standard_with_unrolling() -> PassPipeline {
        PassPipeline::of_parts(&[&START, &UNROLLING, &REST])
    }

    fn of_parts(parts: &[&[&str]]) -> PassPipeline {
        let passes = parts.iter().copied().flatten().filter_map(|name| find(name)).collect();
        PassPipeline { passes, verify: cfg!(debug_assertions) }
    }

    /// A pipeline of these passes, in this order.
    ///
    /// # Errors
    ///
    /// The first name that no pass has.
    pub fn of<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<PassPipeline, UnknownPass> {
        let pass = |name: N| find(name.as_ref()).ok_or_else(|| UnknownPass { name: name.as_ref().to_owned() });
        let passes = names.into_iter().map(pass).collect::<Result<_, _>>()?;
        Ok(PassPipeline { passes, verify: cfg!(debug_assertions) })
    }

    /// The same, ended after the first `count` passes, to find the one that is at fault.
    #[must_use]
    pub fn stop_after(mut self, count: usize) -> PassPipeline {
        self.passes.truncate(count);
        self
    }

    /// The same, with the rules checked before the first pass and after each, or not. Debug builds check.
    #[must_use]
    pub fn verify(mut self, verify: bool) -> PassPipeline {
        self.verify = verify;
        self
    }

    /// The passes, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.passes.iter().map(|pass| pass.name)
    }

    /// Runs the passes.
    ///
    /// # Errors
    ///
    /// The first pass after which the kernel breaks a rule, where that is checked.
    pub fn run(&self, kernel: &mut Kernel) -> Result<Vec<PassRun>, PassError> {
        self.run_watched(kernel, |_, _| {})
    }

    /// Runs the passes and shows the kernel after each.
    ///
    /// # Errors
    ///
    /// As [`run`](PassPipeline::run).
    pub fn run_watched(
        &self,
        kernel: &mut Kernel,
        mut watch: impl FnMut(&PassRun, &Kernel),
    ) -> Result<Vec<PassRun>, PassError> {
        let check = |kernel: &Kernel, position: usize, name: &'static str| {
            if self.verify { verify(kernel).map_err(|error| PassError { position, name, error }) } else { Ok(()) }
        };
        check(kernel, 0, "lower")?;
        let mut runs = Vec::with_capacity(self.passes.len());
        for (at, pass) in self.passes.iter().enumerate() {
            let start = Instant::now();
            let changed = (pass.run)(kernel);
            let run = PassRun { position: at + 1, name: pass.name, changed, time: start.elapsed() };
            check(kernel, run.position, run.name)?;
            watch(&run, kernel);
            runs.push(run);
        }
        Ok(runs)
    }
}

fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
