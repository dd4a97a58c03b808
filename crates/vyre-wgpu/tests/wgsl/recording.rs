//! Recording device: records the kernel of every program that the engines compile. The reference device runs the programs.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use vyre_conform::generated::Seeds;
use vyre_conform::graphs::dataflow;
use vyre_conform::graphs::generated::Sizes;
use vyre_conform::wrapped_device::{DeviceWrapper, Wrapped};
use vyre_ir::ValidProgram;
use vyre_kernel::{Kernel, lower_specialized};
use vyre_runtime::{Device, Error, Pipeline, PipelineOptions, ReferenceDevice, RunOptions};

/// Kernels in the order of their first compilation, each once.
#[derive(Default)]
struct Kernels {
    known: HashSet<String>,
    ordered: Vec<Kernel>,
}

/// The device.
struct RecordingDevice {
    reference: ReferenceDevice,
    /// The kind of device that the engines see. They choose programs by it.
    is_gpu: bool,
    kernels: Arc<Mutex<Kernels>>,
}

impl DeviceWrapper for RecordingDevice {
    fn inner(&self) -> &dyn Device {
        &self.reference
    }

    fn name(&self) -> String {
        "recording".to_owned()
    }

    fn is_throughput_oriented(&self) -> bool {
        self.is_gpu
    }

    fn packs_workgroups(&self) -> bool {
        self.is_gpu
    }

    fn create_pipeline(&self, program: &ValidProgram<'_>, options: &PipelineOptions) -> Result<Pipeline, Error> {
        let kernel = lower_specialized(program, &options.specialization).map_err(Error::lower)?;
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if kernels.known.insert(kernel.to_string()) {
            kernels.ordered.push(kernel);
        }
        drop(kernels);
        self.reference.create_pipeline(program, options)
    }
}

/// The kernels, as lowered, that the dataflow engine compiles for CPUs and GPUs, in every configuration, on two small graphs. The
/// programs of graph ops and compression ops are in the table of ops.
pub(crate) fn engine_kernels() -> Vec<Kernel> {
    let kernels = Arc::new(Mutex::new(Kernels::default()));
    for is_gpu in [false, true] {
        let recording = RecordingDevice { reference: ReferenceDevice::new(), is_gpu, kernels: Arc::clone(&kernels) };
        let device: Arc<dyn Device> = Arc::new(Wrapped(recording));
        dataflow::expect_agreement(&device, &RunOptions::default(), Seeds::new(0, 2), Sizes::TINY);
    }
    let kernels = std::mem::take(&mut kernels.lock().unwrap_or_else(PoisonError::into_inner).ordered);
    assert!(kernels.len() >= 10, "only {} kernels of the engines were compiled", kernels.len());
    kernels
}
