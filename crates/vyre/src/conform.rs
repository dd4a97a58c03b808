//! Conformance of the backends of this build: the suite, certificates, and further configurations of each backend.

#[cfg(any(feature = "jit", feature = "wgpu", feature = "cuda"))]
use std::sync::Arc;

#[cfg(any(feature = "jit", feature = "wgpu", feature = "cuda"))]
use crate::runtime::Device;

pub use vyre_conform::corpus_ops;
pub use vyre_conform::differential::Subject;
pub use vyre_conform::race_free::race_free_case;
pub use vyre_conform::reduce::{CorpusFiles, ReduceLimits, corpus_file, reduce};
pub use vyre_conform::run_corpus::{RunFailure, cases, check_file};
pub use vyre_conform::{Case, certificate, corpus, suite};

/// Other configurations of a backend, whose results must be equal to those of its device: other numbers of threads, no optimizer,
/// another choice of vector code. `device` is the index of the device in its backend. A configuration that does not open is left out.
#[must_use]
pub fn variants(backend: &str, device: usize) -> Vec<Subject> {
    match backend {
        #[cfg(feature = "jit")]
        "cpu" => of_cpu(),
        #[cfg(feature = "wgpu")]
        "wgpu" => {
            let options = crate::runtime::shell::GpuOptions::default().with_optimizer(false);
            let devices = crate::gpu::WgpuDevice::all(&options).unwrap_or_default();
            as_lowered("wgpu, as lowered", devices.into_iter().nth(device))
        }
        #[cfg(feature = "cuda")]
        "cuda" => {
            let options = crate::runtime::shell::GpuOptions::default().with_optimizer(false);
            let devices = crate::cuda::CudaDevice::all(&options).unwrap_or_default();
            as_lowered("cuda, as lowered", devices.into_iter().nth(device))
        }
        _ => {
            let _ = device;
            Vec::new()
        }
    }
}

#[cfg(any(feature = "wgpu", feature = "cuda"))]
fn as_lowered(name: &str, device: Option<impl Device + 'static>) -> Vec<Subject> {
    let subject = |device| Subject { name: name.to_owned(), device: Arc::new(device) as Arc<dyn Device> };
    device.map(subject).into_iter().collect()
}

#[cfg(feature = "jit")]
fn of_cpu() -> Vec<Subject> {
    use crate::cpu::{JitDevice, JitOptions, VectorizationMode};
    let options = JitOptions::default;
    let configurations = [
        ("cpu, 1 thread", options().with_threads(1)),
        ("cpu, 2 threads, always vectorized", options().with_threads(2).with_vectorization(VectorizationMode::Always)),
        (
            "cpu, as lowered, always vectorized",
            options().with_threads(1).with_optimizer(false).with_vectorization(VectorizationMode::Always),
        ),
        (
            "cpu, as lowered, never vectorized",
            options().with_threads(2).with_optimizer(false).with_vectorization(VectorizationMode::Never),
        ),
    ];
    let open = |(name, options): (&str, JitOptions)| {
        let device = JitDevice::new(&options).ok()?;
        Some(Subject { name: name.to_owned(), device: Arc::new(device) as Arc<dyn Device> })
    };
    configurations.into_iter().filter_map(open).collect()
}
