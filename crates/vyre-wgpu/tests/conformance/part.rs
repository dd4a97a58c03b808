//! The part of the work for drivers that compute on the CPU, which take seconds to compile a program: if `VYRE_CASES_PERCENT` is below
//! 100 and `VYRE_CASES` is not set.

use std::path::Path;
use std::sync::Mutex;

use vyre_conform::run_corpus::{self, Summary};
use vyre_conform::settings;
use vyre_conform::wrapped_device::DeviceWrapper;
use vyre_ir::{OpTable, Program, ValidProgram, validate};
use vyre_ops::find;
use vyre_runtime::{Device, Error, Pipeline, PipelineOptions, RunOptions};
use vyre_wgpu::WgpuDevice;

/// Of so many files of the run corpus, one is run as lowered.
const FILES: usize = 4;

/// Reports whether a device runs a part of the work.
fn is_part(device: &dyn Device) -> bool {
    device.is_software() && settings::cases(100) == 100 && settings::seeds(100) < 100
}

/// Runs every fourth file of the run corpus as lowered if the device runs a part, otherwise all files. Every topic has some.
#[track_caller]
pub(crate) fn expect_all_right_as_lowered(device: &WgpuDevice) {
    let options = RunOptions::default();
    if !is_part(device) {
        return run_corpus::expect_all_right(device, &options);
    }
    let corpus = settings::corpus("run");
    let ops = run_corpus::ops(&corpus).unwrap_or_else(|error| panic!("{error}"));
    let files = run_corpus::files(&corpus).unwrap_or_else(|error| panic!("{error}"));
    let mut summary = Summary::default();
    for path in files.iter().step_by(FILES) {
        summary.files += 1;
        match check_file(path, &ops, device, &options) {
            Ok(runs) => summary.runs += runs,
            Err(failure) => summary.wrong.push(format!("{}: {failure}", path.display())),
        }
    }
    println!("{summary}; {} files left out, VYRE_CASES_PERCENT is below 100", files.len() - summary.files);
    summary.expect_all_right();
}

fn check_file(path: &Path, ops: &OpTable, device: &WgpuDevice, options: &RunOptions) -> Result<usize, String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    run_corpus::check_file(&source, ops, device, options).map_err(|failure| failure.to_string())
}

/// A device whose decoders of Deflate and Zstandard have at most 8 invocations for a block, if it runs a part of the work. The driver
/// takes 20 to 65 seconds to compile one with 16 or 32, which has the same code; the decoder with 8 runs again in its place.
pub(crate) struct FewDecoders {
    device: WgpuDevice,
    decoders: Vec<Decoder>,
}

/// A decoder with 8 invocations.
struct Decoder {
    program: Program,
    /// The larger ones of the op.
    left_out: [Program; 2],
    pipeline: Mutex<Option<Pipeline>>,
}

impl FewDecoders {
    pub(crate) fn new(device: WgpuDevice) -> FewDecoders {
        let ids: &[&str] = if is_part(&device) { &["compression.deflate", "compression.zstd_full"] } else { &[] };
        let decoder = |id: &&str| {
            let op = find(id).expect("is in the library");
            let named = |name| op.programs().find(|program| program.name == name).expect("is of the op").program();
            let left_out = ["cooperative_16", "cooperative_32"];
            println!("{id}: {} left out, VYRE_CASES_PERCENT is below 100", left_out.join(" and "));
            Decoder { program: named("cooperative_8"), left_out: left_out.map(named), pipeline: Mutex::new(None) }
        };
        FewDecoders { device, decoders: ids.iter().map(decoder).collect() }
    }
}

impl DeviceWrapper for FewDecoders {
    fn inner(&self) -> &dyn Device {
        &self.device
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let wanted = program.program();
        let is_of = |decoder: &&Decoder| decoder.program == *wanted || decoder.left_out.contains(wanted);
        let Some(decoder) = self.decoders.iter().find(is_of) else {
            return self.device.create_pipeline(program, options);
        };
        // The driver compiles each pipeline, so there is one.
        let mut pipeline = decoder.pipeline.lock().expect("no thread has panicked");
        if let Some(pipeline) = &*pipeline {
            return Ok(pipeline.clone());
        }
        let ops = OpTable::default();
        let valid = validate(&decoder.program, &ops).expect("is in the library");
        Ok(pipeline.insert(self.device.create_pipeline(&valid, options)?).clone())
    }
}
