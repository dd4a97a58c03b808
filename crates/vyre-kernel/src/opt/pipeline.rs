//! Pass manager: runs passes in order, measures them, and verifies the kernel after each.

use std::fmt;
use std::time::{Duration, Instant};

use super::pass::{Pass, pass_table};
use crate::kernel::Kernel;
use crate::verify::{VerifyError, verify};

/// Declares the list of the passes.
macro_rules! declare_passes {
    ($($module:ident,)+) => {
        /// Every pass, in the order of the table.
        static PASSES: &[Pass] = &[$(super::$module::PASS),+];
    };
}

pass_table!(declare_passes);

/// First passes of the standard pipeline. Promotion exposes constants and folding removes branches, so they alternate.
const START: [&str; 4] = ["promote", "fold", "promote", "fold"];

/// Passes between the first and the last ones if loops are unrolled: constant bounds are known by then, and code motion
/// has not run yet.
const UNROLLING: [&str; 3] = ["unroll", "fold", "promote"];

/// Last passes of the standard pipeline.
const REST: [&str; 11] =
    ["cse", "licm", "bounds", "strength", "fold", "promote", "cse", "fold", "promote", "fold", "dead-code"];

/// Every pass, in the order of the documentation.
#[must_use]
pub fn passes() -> &'static [Pass] {
    PASSES
}

/// A list of passes that run in order.
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
/// # Ok::<(), text::ParseErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct PassPipeline {
    passes: Vec<&'static Pass>,
    verify: bool,
}

/// Result of one run of a pass.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PassRun {
    /// Position in the pipeline, from 1.
    pub position: usize,
    /// The pass.
    pub name: &'static str,
    /// True if the kernel has changed.
    pub changed: bool,
    /// Duration.
    pub time: Duration,
}

/// Error of a name that no pass has.
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

/// Error of a pass that produced an invalid kernel. This is a bug of the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    /// Position in the pipeline, from 1; 0 for the input kernel.
    pub position: usize,
    /// The pass.
    pub name: &'static str,
    /// The violated rule.
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

    /// The standard pipeline with loop unrolling, for backends whose compilers do not unroll.
    #[must_use]
    pub fn standard_with_unrolling() -> PassPipeline {
        PassPipeline::of_parts(&[&START, &UNROLLING, &REST])
    }

    fn of_parts(parts: &[&[&str]]) -> PassPipeline {
        let passes = parts.iter().copied().flatten().filter_map(|name| find(name)).collect();
        PassPipeline { passes, verify: cfg!(debug_assertions) }
    }

    /// Creates a pipeline of these passes, in this order.
    ///
    /// # Errors
    ///
    /// The first name that no pass has.
    pub fn of<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<PassPipeline, UnknownPass> {
        let pass = |name: N| find(name.as_ref()).ok_or_else(|| UnknownPass { name: name.as_ref().to_owned() });
        let passes = names.into_iter().map(pass).collect::<Result<_, _>>()?;
        Ok(PassPipeline { passes, verify: cfg!(debug_assertions) })
    }

    /// Truncates the pipeline to the first `count` passes, for bisection.
    #[must_use]
    pub fn stop_after(mut self, count: usize) -> PassPipeline {
        self.passes.truncate(count);
        self
    }

    /// Sets if the kernel is verified before the first pass and after each pass. Debug builds verify by default.
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
    /// The first pass after which verification fails.
    pub fn run(&self, kernel: &mut Kernel) -> Result<Vec<PassRun>, PassError> {
        self.run_watched(kernel, |_, _| {})
    }

    /// Runs the passes while `proceed` holds, which is called before each. The kernel is valid after any number of passes.
    ///
    /// # Errors
    ///
    /// As [`run`](PassPipeline::run).
    pub fn run_while(&self, kernel: &mut Kernel, proceed: impl FnMut() -> bool) -> Result<Vec<PassRun>, PassError> {
        self.run_passes(kernel, proceed, |_, _| {})
    }

    /// Runs the passes and calls `observe` with the kernel after each.
    ///
    /// # Errors
    ///
    /// As [`run`](PassPipeline::run).
    pub fn run_watched(
        &self,
        kernel: &mut Kernel,
        observe: impl FnMut(&PassRun, &Kernel),
    ) -> Result<Vec<PassRun>, PassError> {
        self.run_passes(kernel, || true, observe)
    }

    fn run_passes(
        &self,
        kernel: &mut Kernel,
        mut proceed: impl FnMut() -> bool,
        mut observe: impl FnMut(&PassRun, &Kernel),
    ) -> Result<Vec<PassRun>, PassError> {
        let check = |kernel: &Kernel, position: usize, name: &'static str| {
            if self.verify { verify(kernel).map_err(|error| PassError { position, name, error }) } else { Ok(()) }
        };
        check(kernel, 0, "lower")?;
        let mut runs = Vec::with_capacity(self.passes.len());
        for (at, pass) in self.passes.iter().enumerate() {
            if !proceed() {
                break;
            }
            let start = Instant::now();
            let changed = (pass.run)(kernel);
            let run = PassRun { position: at + 1, name: pass.name, changed, time: start.elapsed() };
            check(kernel, run.position, run.name)?;
            observe(&run, kernel);
            runs.push(run);
        }
        Ok(runs)
    }
}

fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
