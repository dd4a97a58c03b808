//! Compile times and hits of the pipeline cache.

use std::hint::black_box;
use std::time::{Duration, Instant};

use vyre_ir::{OpTable, Program, ValidProgram, validate};
use vyre_runtime::{Device, PipelineCache, PipelineOptions};

use crate::device::{build_pipeline, parse_program};
use crate::error::Error;
use crate::harness::Timed;
use crate::kernel::KernelCase;

/// Times of the stages of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct CompileTimes {
    /// From the validated program to the kernel, measured separately.
    pub lower: Duration,
    /// All passes, measured separately.
    pub optimize: Duration,
    /// From the validated program to the pipeline.
    pub all: Duration,
}

impl CompileTimes {
    /// Time that is neither lowering nor optimizing.
    #[must_use]
    pub fn generate(&self) -> Duration {
        self.all.saturating_sub(self.lower + self.optimize)
    }
}

impl Timed for CompileTimes {
    fn time(&self) -> Duration {
        self.all
    }
}

fn validated<'p>(program: &'p Program, ops: &'p OpTable) -> Result<ValidProgram<'p>, Error> {
    validate(program, ops).map_err(|errors| Error::InvalidProgram {
        program: "compile".to_owned(),
        message: errors.first().map(ToString::to_string).unwrap_or_default(),
    })
}

/// Builds the pipeline of a program. Neither validation nor the release of the pipeline is counted.
///
/// # Errors
///
/// The device rejects the program.
pub fn time_compile(case: &KernelCase, device: &dyn Device) -> Result<CompileTimes, Error> {
    let stages = case.time();
    let valid = validated(case.program(), case.ops())?;
    let start = Instant::now();
    let pipeline = black_box(device.create_pipeline(black_box(&valid), &PipelineOptions::default())?);
    let all = start.elapsed();
    drop(pipeline);
    Ok(CompileTimes { lower: stages.lower, optimize: stages.optimize(), all })
}

/// Times of a lookup in a cache that has the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct HitTimes {
    /// Lookup of a validated program whose key is known from an earlier lookup.
    pub known_key: Duration,
    /// Lookup of a program that was just validated, whose key must be computed.
    pub new_key: Duration,
}

impl Timed for HitTimes {
    fn time(&self) -> Duration {
        self.known_key
    }
}

/// Looks a pipeline up `count` times with a known and with a new key, and returns the means.
///
/// # Errors
///
/// The device rejects the program, or the cache does not keep it.
pub fn time_cache_hit(program: &Program, ops: &OpTable, device: &dyn Device, count: u32) -> Result<HitTimes, Error> {
    let options = PipelineOptions::default();
    let cache = PipelineCache::new(64);
    let unused = validated(program, ops)?;
    let used = unused.clone();
    let first = cache.pipeline(device, &used, &options)?;
    let look_up = |valid: &ValidProgram<'_>| {
        let start = Instant::now();
        let found = cache.pipeline(device, black_box(valid), &options)?;
        let time = start.elapsed();
        if found.is_same(&first) { Ok(time) } else { Err(Error::NotCached) }
    };
    let (mut known_key, mut new_key) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..count {
        known_key += look_up(&used)?;
        // A copy of a program that was never looked up has no key yet.
        let fresh = unused.clone();
        new_key += look_up(&fresh)?;
    }
    Ok(HitTimes { known_key: known_key / count.max(1), new_key: new_key / count.max(1) })
}

/// Sequence of small kernels, all different.
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelSequence {
    built: u32,
}

impl KernelSequence {
    /// Builds and drops the pipelines of the next `count` kernels.
    ///
    /// # Errors
    ///
    /// The device rejects a kernel.
    pub fn build_and_drop(&mut self, count: u32, device: &dyn Device) -> Result<(), Error> {
        for _ in 0..count {
            self.built += 1;
            let source = KERNEL.replace('?', &self.built.to_string());
            drop(build_pipeline(device, "kernels", &parse_program("kernels", &source)?)?);
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
