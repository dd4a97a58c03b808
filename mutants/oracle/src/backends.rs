//! Devices that run programs with mutants in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use vyre_conform::kernel_device::{KernelBackend, Transform};
use vyre_cuda::PtxTarget;
use vyre_ir::{OpTable, Program, validate};
use vyre_jit::{JitDevice, JitOptions, VectorizationMode};
use vyre_kernel::{Kernel, PassPipeline, lower};
use vyre_runtime::Device;
use vyre_wgpu::{GpuOptions, Shader, ShaderLanguage, WgpuDevice, translate};

use crate::device::PtxDevice;

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backend {
    /// The strict evaluator of kernels, as lowered.
    Lowered,
    /// The same after all passes.
    Optimized,
    /// Machine code of the CPU on two threads.
    Cpu,
    /// The same on one thread, without passes and with vectors wherever possible.
    CpuVectors,
    /// Interpreted PTX.
    Ptx,
    /// Interpreted PTX for older GPUs, as lowered, which can be cancelled.
    PtxOld,
    /// A GPU through wgpu.
    Gpu,
}

impl Backend {
    /// The devices that need no GPU.
    pub const WITHOUT_GPU: [Backend; 6] =
        [Backend::Lowered, Backend::Optimized, Backend::Cpu, Backend::CpuVectors, Backend::Ptx, Backend::PtxOld];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Lowered => "kernel",
            Backend::Optimized => "kernel, optimized",
            Backend::Cpu => "cpu",
            Backend::CpuVectors => "cpu, vectors",
            Backend::Ptx => "PTX",
            Backend::PtxOld => "PTX for old GPUs",
            Backend::Gpu => "GPU",
        }
    }

    fn open(self) -> Result<Arc<dyn Device>, String> {
        let cpu = |options: JitOptions, threads: usize| -> Result<Arc<dyn Device>, String> {
            Ok(Arc::new(JitDevice::new(&options.with_threads(threads)).map_err(|error| error.to_string())?))
        };
        match self {
            Backend::Lowered => Ok(Arc::new(KernelBackend::new().device())),
            Backend::Optimized => {
                let pipeline = PassPipeline::standard_with_unrolling();
                let transform: Transform = Arc::new(move |kernel: &mut Kernel| {
                    pipeline.run(kernel).unwrap_or_else(|error| panic!("{error}"));
                });
                Ok(Arc::new(KernelBackend::with_transform("optimized", transform).device()))
            }
            Backend::Cpu => cpu(JitOptions::default(), 2),
            Backend::CpuVectors => {
                cpu(JitOptions::default().with_optimizer(false).with_vectorization(VectorizationMode::Always), 1)
            }
            Backend::Ptx => Ok(Arc::new(PtxDevice::new(PtxTarget::default(), true))),
            Backend::PtxOld => Ok(Arc::new(PtxDevice::new(PtxTarget::default().with_sm(70).with_cancel(true), false))),
            Backend::Gpu => {
                let devices = WgpuDevice::all(&GpuOptions::default()).map_err(|error| error.to_string())?;
                let device = devices.into_iter().next().ok_or("there is no GPU")?;
                Ok(Arc::new(device))
            }
        }
    }
}

/// The devices of a process, opened when a test needs them.
#[derive(Default)]
pub struct Backends {
    devices: BTreeMap<Backend, Arc<dyn Device>>,
}

impl Backends {
    pub fn get(&mut self, backend: Backend) -> Result<Arc<dyn Device>, String> {
        if let Some(device) = self.devices.get(&backend) {
            return Ok(Arc::clone(device));
        }
        let device = backend.open()?;
        self.devices.insert(backend, Arc::clone(&device));
        Ok(device)
    }
}

/// Writes a program as shaders in every language. Naga validates the modules.
pub fn check_shaders(program: &Program, ops: &OpTable) -> Result<(), String> {
    for kernel in kernels(program, ops)? {
        for language in ShaderLanguage::ALL {
            translate(&kernel, language).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Writes a program in WGSL. Naga reads the text back and validates it.
pub fn check_text(program: &Program, ops: &OpTable) -> Result<(), String> {
    for kernel in kernels(program, ops)? {
        let shader = translate(&kernel, ShaderLanguage::Wgsl).map_err(|error| error.to_string())?;
        if let Shader::Text(text) = shader {
            check_wgsl(&text)?;
        }
    }
    Ok(())
}

/// The kernel of a program, as lowered and after the passes of shaders.
fn kernels(program: &Program, ops: &OpTable) -> Result<[Kernel; 2], String> {
    let valid = validate(program, ops).map_err(|errors| errors[0].to_string())?;
    let lowered = lower(&valid).map_err(|error| error.to_string())?;
    let mut optimized = lowered.clone();
    vyre_wgpu::passes().run(&mut optimized).map_err(|error| error.to_string())?;
    Ok([lowered, optimized])
}

/// Parses and validates a shader in WGSL, which has no 64-bit integers here.
fn check_wgsl(text: &str) -> Result<(), String> {
    let in_one_line = |message: String| message.split_whitespace().collect::<Vec<_>>().join(" ");
    let module = naga::front::wgsl::parse_str(text).map_err(|error| in_one_line(error.emit_to_string(text)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).map_err(|error| in_one_line(error.emit_to_string(text)))?;
    Ok(())
}
