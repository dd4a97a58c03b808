//! Concurrent opening of a device and a graph file, and the choice of a device by its cost.

use std::panic::resume_unwind;
use std::path::Path;
use std::thread::JoinHandle;

use anyhow::Context;
use vyre::engine::dataflow::cost::{DeviceSpeed, Machine};
use vyre::select::{AUTO, CPU, DeviceRequest, Selected};

use super::load::LoadedGraph;
use super::progress::Bar;
use super::weights::WeightUse;
use crate::args::DeviceArgs;
use crate::args::graph::ReadArgs;
use crate::calibration::machine;
use crate::kernel_cache::kernel_cache;
use crate::select::select_device;

/// Reads the graph while another thread opens the device, unless the cost model may choose a GPU: that needs the graph. With
/// `--threads`, the host uses no more threads than the device.
///
/// An error of the device ends the command at once, although the graph is still read.
pub(crate) fn open(
    file: &Path,
    read: &ReadArgs,
    weights: WeightUse,
    device: &DeviceArgs,
    bar: &Bar,
) -> anyhow::Result<(DeviceChoice, LoadedGraph)> {
    let reading = start_reading(file, read, weights, device, bar)?;
    let machine = machine(device.threads, |note| bar.note(note));
    // Only the CPU takes a number of threads.
    let is_open =
        device.backend == AUTO && device.device.is_none() && device.threads.is_none() && machine.devices.len() > 1;
    let selected = if is_open { None } else { Some(open_device(&device.request())?) };
    Ok((DeviceChoice { machine, selected }, finish_reading(reading)?))
}

/// The device of a command, or the speed of the machine by which it is chosen.
pub(crate) struct DeviceChoice {
    pub(crate) machine: Machine,
    selected: Option<Selected>,
}

impl DeviceChoice {
    /// The first of these backends that can be opened; the others are reported. Without any it is the CPU.
    pub(crate) fn select(
        &mut self,
        device: &DeviceArgs,
        backends: impl IntoIterator<Item = String>,
        bar: &Bar,
    ) -> anyhow::Result<Selected> {
        if let Some(selected) = self.selected.take() {
            return Ok(selected);
        }
        for backend in backends {
            let backend = &*backend;
            match open_device(&DeviceRequest::on(backend).with_threads(device.threads)) {
                Ok(selected) => {
                    let Selected { device, .. } = &selected;
                    let is_measured =
                        |speed: &DeviceSpeed| speed.name == device.name() && speed.driver == device.driver();
                    if backend == CPU || self.machine.device(backend).is_some_and(is_measured) {
                        return Ok(selected);
                    }
                    bar.note(&format!(
                        "the calibration is of another device or driver of backend `{backend}`, which is not used; \
                         `vyre devices --calibrate` measures this one"
                    ));
                }
                Err(error) => bar.note(&format!("backend `{backend}` is not used, although it is faster: {error:#}")),
            }
            // A device that does not open is no candidate, and its estimates would be misleading.
            self.machine.devices.retain(|device| device.backend == CPU || device.backend != backend);
        }
        open_device(&device.request())
    }

    /// True if the device is not chosen yet.
    pub(crate) fn is_open(&self) -> bool {
        self.selected.is_none()
    }
}

fn open_device(request: &DeviceRequest<'_>) -> anyhow::Result<Selected> {
    let cache = kernel_cache();
    select_device(&request.with_cache_folder(cache.as_deref()))
}

type Reading = JoinHandle<anyhow::Result<LoadedGraph>>;

fn start_reading(
    file: &Path,
    read: &ReadArgs,
    weights: WeightUse,
    device: &DeviceArgs,
    bar: &Bar,
) -> anyhow::Result<Reading> {
    if let Some(threads) = device.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start threads")?;
    }
    let (file, read, bar) = (file.to_owned(), read.clone(), bar.clone());
    let reader = std::thread::Builder::new().name("vyre-reader".to_owned());
    reader.spawn(move || LoadedGraph::read(&file, &read, weights, &bar)).context("cannot start a thread")
}

fn finish_reading(reading: Reading) -> anyhow::Result<LoadedGraph> {
    reading.join().unwrap_or_else(|panic| resume_unwind(panic))
}
