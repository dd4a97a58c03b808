//! The engine on a device of its own.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use vyre_cuda::{CudaDevice, GpuOptions};
use vyre_dataflow::{Dataflow, DataflowError, Finding, Options, Strategy, Summary};
use vyre_graph::CsrView;
use vyre_graph::generate::{rmat, roles};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::Device;
use vyre_wgpu::WgpuDevice;

use super::answer::Truth;
use super::workload::sources_of;

/// What kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Backend {
    /// The CPU.
    Cpu,
    /// NVIDIA's GPUs.
    Cuda,
    /// GPUs through Vulkan, Metal or Direct3D.
    Wgpu,
}

/// Where the engine runs.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// What kind of device.
    pub backend: Backend,
    /// Which GPU.
    pub gpu: usize,
    /// How many threads prepare graphs, and run programs where the device is the CPU; 0 for one for each core.
    pub threads: usize,
}

impl Machine {
    /// A new device, which has compiled nothing yet.
    ///
    /// # Errors
    ///
    /// There is no such device.
    pub fn open(self) -> Result<Arc<dyn Device>, String> {
        fn nth<D: Device + 'static>(mut devices: Vec<D>, position: usize) -> Result<Arc<dyn Device>, String> {
            match devices.len() {
                count if position >= count => Err(format!("there is no GPU {position}; there are {count}")),
                _ => Ok(Arc::new(devices.swap_remove(position))),
            }
        }
        match self.backend {
            Backend::Cpu => {
                let options = JitOptions::default().with_threads(self.threads);
                Ok(Arc::new(JitDevice::new(&options).map_err(|error| error.to_string())?))
            }
            Backend::Cuda => nth(CudaDevice::all(&GpuOptions::default()).map_err(|e| e.to_string())?, self.gpu),
            Backend::Wgpu => nth(WgpuDevice::all(&GpuOptions::default()).map_err(|e| e.to_string())?, self.gpu),
        }
    }
}

/// An engine, and the threads that prepare graphs for it.
pub struct Engine {
    dataflow: Dataflow,
    pool: ThreadPool,
    options: Options,
    /// What compiling has taken, where [`warm_up`](Engine::warm_up) was done.
    pub first_use: Option<Duration>,
}

/// What a run took, and what the engine says of it.
#[derive(Clone, Debug)]
pub struct Run {
    /// From the graph as it is to the last finding.
    pub time: Duration,
    /// While the device ran commands.
    pub device_time: Option<Duration>,
    /// The same question asked again of the graph that is loaded, where there are few sources.
    pub again: Option<Duration>,
    /// What the engine says.
    pub summary: Summary,
}

/// With fewer sources it matters most whether the graph is loaded.
const FEW: usize = 8;

impl Engine {
    /// An engine on a new device.
    ///
    /// # Errors
    ///
    /// No such device.
    pub fn new(machine: Machine, options: &Options) -> Result<Engine, String> {
        let pool = ThreadPoolBuilder::new().num_threads(machine.threads).build().map_err(|error| error.to_string())?;
        let dataflow = Dataflow::new(machine.open()?).with_device_time();
        Ok(Engine { dataflow, pool, options: options.clone(), first_use: None })
    }

    /// The device in words.
    #[must_use]
    pub fn description(&self) -> String {
        let device = self.dataflow.device();
        match device.driver() {
            Some(driver) => format!("{}, {driver}", device.name()),
            None => device.name().to_owned(),
        }
    }

    /// How many threads prepare graphs.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Has the programs of a path for so many sources compiled, on a graph so small that it hardly counts.
    ///
    /// # Errors
    ///
    /// A failure of the device.
    pub fn warm_up(&mut self, path: Option<Strategy>, sources: usize) -> Result<(), String> {
        let mut tiny = rmat(12, 16, 0x5EED_0001).map_err(|error| error.to_string())?;
        roles(&mut tiny, 0x5EED_0010);
        let sources = sources_of(tiny.view(), sources.min(1024))?;
        let mut options = self.options.clone();
        options.strategy = options.strategy.or(path);
        let time = || self.run(tiny.view(), &sources, &options, |_| {}).map(|run| run.time);
        let first = time()?;
        let mut later = time()?;
        for _ in 0..4 {
            later = later.min(time()?);
        }
        self.first_use = Some(first.saturating_sub(later));
        Ok(())
    }

    fn run(
        &self,
        graph: CsrView<'_>,
        sources: &[u32],
        options: &Options,
        mut receive: impl FnMut(&[Finding]) + Send,
    ) -> Result<Run, String> {
        let run = self.pool.install(|| {
            let start = Instant::now();
            let loaded = self.dataflow.load(graph)?;
            let summary = loaded.stream(sources, options, |findings| {
                receive(findings);
                ControlFlow::Continue(())
            })?;
            let time = start.elapsed();
            let mut again = None;
            if sources.len() < FEW {
                let start = Instant::now();
                loaded.stream(sources, options, |_| ControlFlow::Continue(()))?;
                again = Some(start.elapsed());
            }
            Ok(Run { time, device_time: summary.device_time, again, summary })
        });
        run.map_err(|error: DataflowError| error.to_string())
    }

    /// Runs once. Findings are counted and forgotten.
    ///
    /// # Errors
    ///
    /// A failure of the device, or an option that does not fit.
    pub fn count(&self, graph: CsrView<'_>, sources: &[u32]) -> Result<Run, String> {
        let mut counted = 0;
        let run = self.run(graph, sources, &self.options, |findings| counted += findings.len() as u64)?;
        match run.summary.findings == counted {
            true => Ok(run),
            false => Err(format!("{} findings were handed on, but the engine says {}", counted, run.summary.findings)),
        }
    }

    /// Runs once, and takes down what was found.
    ///
    /// # Errors
    ///
    /// As [`count`](Engine::count), and findings that are not in order.
    pub fn find(&self, graph: CsrView<'_>, sources: &[u32]) -> Result<(Truth, Run), String> {
        let mut truth = Truth::new(sources.len());
        let mut last = None;
        let mut is_ordered = true;
        let run = self.run(graph, sources, &self.options, |findings| {
            for finding in findings {
                let found = (finding.source, finding.sink, finding.depth);
                is_ordered &= last < Some(found);
                last = Some(found);
                truth.add(finding.source_index as usize, found);
            }
        })?;
        if is_ordered { Ok((truth, run)) } else { Err("findings are not in order".to_owned()) }
    }
}
