//! Building pipelines, and finding them again.

use std::hint::black_box;
use std::time::{Duration, Instant};

use vyre_ir::{OpTable, Program, ValidProgram, text, validate};
use vyre_runtime::{Device, PipelineCache, PipelineOptions};

use super::error::Error;
use crate::kernel::KernelCase;

/// How long it took to build a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct CompileTimes {
    /// From the validated program to the kernel, measured apart.
    pub lower: Duration,
    /// All passes, measured apart.
    pub optimize: Duration,
    /// From the validated program to the pipeline.
    pub all: Duration,
}

impl CompileTimes {
    /// What is neither lowering nor optimizing.
    #[must_use]
    pub fn generate(&self) -> Duration {
        self.all.saturating_sub(self.lower + self.optimize)
    }
}

fn valid<'p>(program: &'p Program, ops: &'p OpTable) -> Result<ValidProgram<'p>, Error> {
    validate(program, ops).map_err(|errors| Error::Program {
        workload: "compile",
        message: errors.first().map(ToString::to_string).unwrap_or_default(),
    })
}

/// Builds the pipeline of a program once. Neither validation nor the end of the pipeline is counted.
///
/// # Errors
///
/// A program that the device does not take.
pub fn time_compile(case: &KernelCase, device: &dyn Device) -> Result<CompileTimes, Error> {
    let parts = case.time();
    let valid = valid(case.program(), case.ops())?;
    let start = Instant::now();
    let pipeline = black_box(device.create_pipeline(black_box(&valid), &PipelineOptions::default())?);
    let all = start.elapsed();
    drop(pipeline);
    Ok(CompileTimes { lower: parts.lower, optimize: parts.optimize(), all })
}

/// How long it takes to find a pipeline in a cache that has it.
#[derive(Clone, Copy, Debug)]
pub struct HitTimes {
    /// With a program that was looked for before.
    pub again: Duration,
    /// With one that was just validated, so that its key has to be made.
    pub anew: Duration,
}

/// Finds a pipeline in a cache `count` times each way and gives the means.
///
/// # Errors
///
/// A program that the device does not take, or a cache that does not keep it.
pub fn time_cache_hit(program: &Program, ops: &OpTable, device: &dyn Device, count: u32) -> Result<HitTimes, Error> {
    let options = PipelineOptions::default();
    let cache = PipelineCache::new(64);
    let unused = valid(program, ops)?;
    let used = unused.clone();
    let first = cache.pipeline(device, &used, &options)?;
    let look_for = |valid: &ValidProgram<'_>| {
        let start = Instant::now();
        let found = cache.pipeline(device, black_box(valid), &options)?;
        let time = start.elapsed();
        if found.is_same(&first) { Ok(time) } else { Err(Error::NotCached) }
    };
    let (mut again, mut anew) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..count {
        again += look_for(&used)?;
        // A copy of a program that was never looked for has no key yet.
        let fresh = unused.clone();
        anew += look_for(&fresh)?;
    }
    Ok(HitTimes { again: again / count.max(1), anew: anew / count.max(1) })
}

/// Small kernels of which no two are the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernels {
    made: u32,
}

impl Kernels {
    /// Builds and drops the pipelines of the next `count` kernels.
    ///
    /// # Errors
    ///
    /// A kernel that the device does not take.
    pub fn build_and_drop(&mut self, count: u32, device: &dyn Device) -> Result<(), Error> {
        let ops = OpTable::default();
        for _ in 0..count {
            self.made += 1;
            let source = KERNEL.replace('?', &self.made.to_string());
            let failed = |message: String| Error::Program { workload: "kernels", message };
            let program = text::parse(&source).map_err(|error| failed(error.to_string()))?.program;
            drop(device.create_pipeline(&valid(&program, &ops)?, &PipelineOptions::default())?);
        }
        Ok(())
    }
}

const KERNEL: &str = "workgroup_size 64;
buffer input: read u32 @0;
buffer out: read_write u32 @1;
buffer tile: workgroup u32[64];
entry {
    let i = invocation_id.x;
    let sum = ?;
    for k in 0..4 {
        tile[local_id.x] = input[i + k * ?];
        barrier;
        sum = sum * 31 + tile[63 - local_id.x];
        barrier;
    }
    if i < len(out) {
        out[i] = sum;
    }
}
";
