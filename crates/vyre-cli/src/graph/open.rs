//! Concurrent opening of a device and a graph file.

use std::panic::resume_unwind;
use std::path::Path;

use anyhow::Context;
use vyre::select::Selected;

use super::load::LoadedGraph;
use super::progress::Bar;
use crate::args::DeviceArgs;
use crate::args::graph::ReadArgs;
use crate::kernel_cache::kernel_cache;
use crate::select::select_device;

/// Opens the device while another thread reads the graph. With `--threads`, the host uses no more threads than the device.
///
/// An error of the device ends the command at once, although the graph is still read.
pub(crate) fn open(
    file: &Path,
    read: &ReadArgs,
    device: &DeviceArgs,
    bar: &Bar,
) -> anyhow::Result<(Selected, LoadedGraph)> {
    if let Some(threads) = device.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("cannot start threads")?;
    }
    let (file, read, bar) = (file.to_owned(), read.clone(), bar.clone());
    let reader = std::thread::Builder::new().name("vyre-reader".to_owned());
    let reading = reader.spawn(move || LoadedGraph::read(&file, &read, &bar)).context("cannot start a thread")?;
    let cache = kernel_cache();
    let selected = select_device(&device.request().with_cache_folder(cache.as_deref()))?;
    let graph = reading.join().unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok((selected, graph))
}
