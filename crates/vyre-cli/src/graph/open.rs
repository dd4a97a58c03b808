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
use crate::output::quantity;
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
    /// The first of these backends that can be opened and whose buffers can have `largest_array` bytes; the others are reported, and
    /// the machine has them no more. Without any it is the CPU.
    pub(crate) fn select(
        &mut self,
        device: &DeviceArgs,
        backends: impl IntoIterator<Item = String>,
        largest_array: u64,
        bar: &Bar,
    ) -> anyhow::Result<Selected> {
        self.select_by(device, backends, largest_array, |line| bar.note(line), open_device)
    }

    /// Selects as [`select`](DeviceChoice::select) does, among the devices that `open` opens.
    fn select_by(
        &mut self,
        device: &DeviceArgs,
        backends: impl IntoIterator<Item = String>,
        largest_array: u64,
        note: impl Fn(&str),
        open: impl Fn(&DeviceRequest<'_>) -> anyhow::Result<Selected>,
    ) -> anyhow::Result<Selected> {
        if let Some(selected) = self.selected.take() {
            return Ok(selected);
        }
        for backend in backends {
            let backend = &*backend;
            match open(&DeviceRequest::on(backend).with_threads(device.threads)) {
                Ok(selected) => {
                    let Selected { device, .. } = &selected;
                    let is_measured =
                        |speed: &DeviceSpeed| speed.name == device.name() && speed.driver == device.driver();
                    let limit = device.limits().buffer_bytes;
                    let is_measured = self.machine.device(backend).is_some_and(is_measured);
                    if backend == CPU || is_measured && largest_array <= limit {
                        return Ok(selected);
                    }
                    note(&match is_measured {
                        true => format!(
                            "backend `{backend}` is not used, although it is faster: the graph needs a buffer of {}, and those of \
                             the device have at most {}",
                            quantity(clamped(largest_array), "byte"),
                            quantity(clamped(limit), "byte")
                        ),
                        false => format!(
                            "the calibration is of another device or driver of backend `{backend}`, which is not used; \
                         `vyre devices --calibrate` measures this one"
                        ),
                    });
                }
                Err(error) => note(&format!("backend `{backend}` is not used, although it is faster: {error:#}")),
            }
            // A device that is not used is no candidate, and its estimates would be misleading.
            self.machine.devices.retain(|device| device.backend == CPU || device.backend != backend);
        }
        open(&device.request())
    }

    /// True if the device is not chosen yet.
    pub(crate) fn is_open(&self) -> bool {
        self.selected.is_none()
    }
}

/// A number of bytes for a message.
fn clamped(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;

    use vyre::runtime::{Device, Limits, ReferenceDevice};

    use super::*;

    /// A machine with a fast GPU of backend `cuda`.
    fn choice(device: &dyn Device) -> DeviceChoice {
        let mut machine = Machine::typical(2);
        let mut gpu = machine.devices[0].clone();
        (gpu.backend, gpu.name, gpu.driver) = ("cuda".to_owned(), device.name(), device.driver());
        machine.devices.push(gpu);
        DeviceChoice { machine, selected: None }
    }

    #[test]
    fn a_device_whose_buffers_are_too_small_is_reported_and_the_next_candidate_is_taken() {
        let limits = Limits::new(1 << 20, 1 << 15, 256);
        let open = |request: &DeviceRequest<'_>| {
            let backend = if request.backend == "cuda" { "cuda" } else { CPU };
            let device = Arc::new(ReferenceDevice::with_limits(limits.clone()));
            Ok(Selected { backend, device, rejected: Vec::new() })
        };
        let args = DeviceArgs { backend: AUTO.to_owned(), device: None, threads: None, timeout: None };
        for (largest, expected) in [(1 << 20, "cuda"), ((1 << 20) + 1, CPU)] {
            let notes = RefCell::new(Vec::new());
            let note = |line: &str| notes.borrow_mut().push(line.to_owned());
            let mut choice = choice(&ReferenceDevice::with_limits(limits.clone()));
            let backends = ["cuda", CPU].map(str::to_owned);
            let selected = choice.select_by(&args, backends, largest, note, open).expect("the CPU opens");
            assert_eq!(selected.backend, expected, "{largest}");
            assert_eq!(choice.machine.device("cuda").is_some(), expected == "cuda", "no estimate of it remains");
            let notes = notes.into_inner();
            assert_eq!(notes.len(), usize::from(expected == CPU), "{notes:?}");
            for note in notes {
                assert!(note.starts_with("backend `cuda` is not used, although it is faster: "), "{note}");
                assert!(note.ends_with("those of the device have at most 1,048,576 bytes"), "{note}");
            }
        }
    }
}
