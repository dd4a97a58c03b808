//! `vyre devices --calibrate`: measures the constants of the cost model.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use vyre::engine::dataflow::cost::{DeviceSpeed, HostSpeed, Machine};
use vyre::engine::dataflow::{CalibrationGraphs, Strategy, measure_device, measure_host};
use vyre::graph::generate::{rmat, roles};
use vyre::graph::{Format, Graph, Role, write_graph};
use vyre::runtime::Device;
use vyre::runtime::shell::GpuOptions;
use vyre::select::CPU;

use crate::calibration::NewCalibration;
use crate::exit::Outcome;
use crate::interrupt::end_on_interrupt;
use crate::kernel_cache::kernel_cache;
use crate::output::{STDOUT, STRONG, print_note, styled_stdout, visible};
use crate::termination::{Phase, Registration, enter, run_child};

/// Number of commands of a measurement of the start, after the first; the median counts.
const STARTS: usize = 5;
/// Backend that is never chosen for its speed.
const REFERENCE: &str = "reference";

/// Measures the host and one device of each backend, prints the constants and writes the file.
pub(super) fn run() -> anyhow::Result<Outcome> {
    end_on_interrupt()?;
    enter(Phase::Measuring);
    let destination = NewCalibration::new()?;
    let starts = Starts::new(&destination)?;
    let mut options = GpuOptions::default();
    options.cache_folder = kernel_cache();
    let backends = vyre::backends_with(&options);
    // A driver starts faster while another process has a device open, so starts are measured before this process opens any.
    let mut times = BTreeMap::new();
    for name in backends.iter().map(|backend| backend.name()).filter(|name| *name != REFERENCE) {
        print_note(&format!("measuring the start of backend `{name}`"));
        times.insert(name, starts.measure(name, Strategy::BitParallel));
    }
    let graphs = CalibrationGraphs::new()?;
    let mut devices: Vec<(&'static str, Arc<dyn Device>)> = Vec::new();
    for backend in backends {
        // The reference interpreter is never chosen for its speed.
        if backend.name() == REFERENCE {
            continue;
        }
        let left_out = match backend.devices() {
            Err(error) => error.to_string(),
            Ok(found) => match found.into_iter().next() {
                None => "it has no device".to_owned(),
                Some(device) if device.is_software() => {
                    format!("{} is a software device, which is slower than the CPU backend", visible(&device.name()))
                }
                Some(device) => {
                    devices.push((backend.name(), device));
                    continue;
                }
            },
        };
        print_left_out(backend.name(), &left_out);
    }
    let Some((_, cpu)) = devices.iter().find(|(backend, _)| *backend == CPU) else {
        bail!("this build has no CPU backend, with which others are compared");
    };
    let mut machine = Machine::default();
    let mut host = measure_host(Arc::clone(cpu), &graphs)?;
    host.start_ms = starts.measure(CPU, Strategy::Host)?.as_secs_f64() * 1e3;
    machine.devices.clear();
    for (backend, device) in devices {
        let name = visible(&device.name()).into_owned();
        print_note(&format!("measuring backend `{backend}`: {name}"));
        let start = times.remove(backend).unwrap_or_else(|| starts.measure(backend, Strategy::BitParallel));
        let measured = start.and_then(|start| {
            measure_device(backend, device, &host, start, &graphs).map_err(|error| anyhow!("{error}"))
        });
        match measured {
            Ok(speed) => machine.devices.push(speed),
            Err(error) if backend != CPU => print_left_out(backend, &format!("{error:#}")),
            Err(error) => return Err(error.context("the CPU cannot be measured")),
        }
    }
    machine.host = host;
    machine.is_calibrated = true;
    enter(Phase::Writing);
    // The measurement takes so long that an output that fails must not lose it.
    let file = destination.save(&machine)?;
    write_table(&machine).context(STDOUT)?;
    print_note(&format!("written to {}", visible(&file.display().to_string())));
    Ok(Outcome::Clean)
}

/// Reports a backend that is not measured.
fn print_left_out(backend: &str, reason: &str) {
    print_note(&format!("backend `{backend}` is left out: {}", visible(reason)));
}

/// Prints the constants, one column for each device.
fn write_table(machine: &Machine) -> std::io::Result<()> {
    let mut out = styled_stdout();
    let constant = |key: &str, value: f64| format!("  {:22} {value:>12.3}", key.replace('_', " "));
    let HostSpeed { threads, .. } = machine.host;
    writeln!(out, "{STRONG}host{STRONG:#}, {threads} threads")?;
    for (key, value) in machine.host.constants() {
        writeln!(out, "{}", constant(key, value))?;
    }
    for device in &machine.devices {
        let DeviceSpeed { backend, name, driver, .. } = device;
        let driver = driver.as_ref().map_or(String::new(), |driver| format!(", {}", visible(driver)));
        writeln!(out, "{STRONG}{backend}{STRONG:#}: {}{driver}", visible(name))?;
        for (key, value) in device.constants() {
            writeln!(out, "{}", constant(key, value))?;
        }
    }
    out.flush()
}

/// Measures commands with the smallest analysis, so that the start and the end of a process count.
struct Starts {
    /// The graph that commands search. It is dropped before its entry.
    file: tempfile::NamedTempFile,
    _registration: Registration,
}

impl Starts {
    fn new(destination: &NewCalibration) -> anyhow::Result<Starts> {
        let mut graph = rmat(6, 4, 1)?;
        roles(&mut graph, 1);
        // An analysis needs a sink, and so few nodes have none by chance.
        if let Some(word) = graph.node_data.first_mut() {
            *word = Role::Sink.set_in(*word);
        }
        let (registration, file) = destination.graph_file()?;
        let graph = Graph { csr: graph, ..Graph::default() };
        write_graph(Format::BINARY, graph.view(), file.as_file(), &())?;
        Ok(Starts { file, _registration: registration })
    }

    /// Time of a command on a backend.
    fn measure(&self, backend: &str, strategy: Strategy) -> anyhow::Result<Duration> {
        let program = std::env::current_exe()?;
        self.command(&program, backend, strategy)?;
        let mut times: Vec<Duration> =
            (0..STARTS).map(|_| self.command(&program, backend, strategy)).collect::<anyhow::Result<_>>()?;
        times.sort_unstable();
        times.get(STARTS / 2).copied().context("no command was measured")
    }

    fn command(&self, program: &Path, backend: &str, strategy: Strategy) -> anyhow::Result<Duration> {
        let begin = Instant::now();
        let (status, stderr) = run_child(
            Command::new(program)
                .args(["graph", "taint", "--quiet", "--count", "--sources", "random:8:1"])
                .args(["--backend", backend, "--strategy", strategy.name()])
                .arg(self.file.path()),
        )?;
        let time = begin.elapsed();
        match status.code() {
            Some(0 | 1) => Ok(time),
            _ => bail!("`vyre graph taint --backend {backend}` fails: {}", String::from_utf8_lossy(&stderr).trim()),
        }
    }
}
