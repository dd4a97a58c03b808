//! Measures transfers between host and devices beside bare copies of the CUDA driver.

mod bare;
mod contender;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use vyre_cuda::{CudaBackend, GpuOptions};
use vyre_runtime::{Backend, Device};
use vyre_wgpu::WgpuBackend;

use crate::bare::BareCopies;
use crate::contender::{DeviceCopies, FIRST_DOWNLOAD, TRANSFERS};

/// Measures uploads and downloads through the `Device` trait beside bare copies of the CUDA driver.
///
/// The peer copies between pinned memory and device memory with cuMemcpyHtoDAsync and cuMemcpyDtoHAsync. All contenders of a
/// size run once in each iteration, and ratios are taken within an iteration. Uploads end when the last bytes can be read back.
/// All bytes are compared. Markdown goes to standard output.
#[derive(Debug, Parser)]
#[command(name = "transfer_report")]
struct Options {
    /// Sizes in MiB
    #[arg(long, value_delimiter = ',', default_value = "1,16,64,256")]
    sizes: Vec<usize>,

    /// Number of iterations, after two that do not count
    #[arg(long, default_value_t = 11)]
    iterations: usize,

    /// Backends; one that finds no device is left out
    #[arg(long, value_delimiter = ',', default_value = "cuda,wgpu")]
    backends: Vec<String>,
}

/// Iterations that do not count.
const WARM_UP: usize = 2;

fn main() -> ExitCode {
    match report(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("transfer_report: {error}");
            ExitCode::from(2)
        }
    }
}

fn report(options: &Options) -> Result<(), Box<dyn Error>> {
    let devices = open(options);
    println!("| MiB | Transfer | Backend | ms | GB/s | Of the bare driver |");
    println!("|--:|---|---|--:|--:|--:|");
    for &size in &options.sizes {
        measure(size << 20, options.iterations, &devices)?;
    }
    Ok(())
}

/// Opens the first device of each backend, and prints the time that each step of its start takes.
fn open(options: &Options) -> Vec<(&'static str, Arc<dyn Device>)> {
    let all: [Box<dyn Backend>; 2] =
        [Box::new(CudaBackend::new(GpuOptions::default())), Box::new(WgpuBackend::new(GpuOptions::default()))];
    let mut devices = Vec::new();
    for backend in all.iter().filter(|backend| options.backends.iter().any(|name| name == backend.name())) {
        let start = Instant::now();
        let device = match backend.devices() {
            Ok(devices) if !devices.is_empty() => Arc::clone(&devices[0]),
            _ => {
                println!("- {}: no device", backend.name());
                continue;
            }
        };
        let listed = start.elapsed();
        device.prepare();
        let prepared = start.elapsed();
        let opened = device.create_buffer(16).map(|_| start.elapsed());
        println!(
            "- {}: {}; devices listed after {:.1} ms, `prepare` returned after {:.1} ms, first buffer after {}",
            backend.name(),
            device.name(),
            milliseconds(listed),
            milliseconds(prepared),
            opened.map_or_else(|error| error.to_string(), |time| format!("{:.1} ms", milliseconds(time))),
        );
        devices.push((backend.name(), device));
    }
    println!();
    devices
}

/// Measures transfers of one size.
fn measure(bytes: usize, iterations: usize, devices: &[(&'static str, Arc<dyn Device>)]) -> Result<(), Box<dyn Error>> {
    let bare = BareCopies::new(bytes)?;
    let mut contenders = Vec::new();
    for (name, device) in devices {
        contenders.push((DeviceCopies::new(name, device, bytes)?, Vec::new()));
    }
    let mut bare_times: Vec<[Duration; 2]> = Vec::new();
    let mut contents = vec![0; bytes];
    let mut file = tempfile::tempfile()?;
    for iteration in 0..iterations + WARM_UP {
        for (at, word) in contents.chunks_exact_mut(8).enumerate() {
            let value = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(iteration as u32);
            word.copy_from_slice(&value.to_le_bytes());
        }
        write_file(&mut file, &contents)?;
        let bare = bare.as_ref().map(|bare| Ok::<_, Box<dyn Error>>([bare.upload()?, bare.download()?])).transpose()?;
        for (contender, times) in &mut contenders {
            let measured = contender.times(&contents, &file)?;
            if iteration >= WARM_UP {
                times.push(measured);
            }
        }
        if let Some(bare) = bare.filter(|_| iteration >= WARM_UP) {
            bare_times.push(bare);
        }
    }
    let row = |transfer: &str, backend: &str, times: &[Duration], bare: Option<usize>| {
        let time = median(times.iter().map(Duration::as_secs_f64));
        let of_bare = bare.filter(|_| !bare_times.is_empty()).map(|direction| {
            let ratios =
                bare_times.iter().zip(times).map(|(bare, time)| bare[direction].as_secs_f64() / time.as_secs_f64());
            format!("{:.0} %", median(ratios) * 100.0)
        });
        let speed = bytes as f64 / time / 1e9;
        let of_bare = of_bare.unwrap_or_default();
        println!("| {} | {transfer} | {backend} | {:.3} | {speed:.1} | {of_bare} |", bytes >> 20, time * 1e3);
    };
    if !bare_times.is_empty() {
        for (direction, name) in ["upload, pinned memory", "download, pinned memory"].into_iter().enumerate() {
            row(name, "bare driver", &bare_times.iter().map(|times| times[direction]).collect::<Vec<_>>(), None);
        }
    }
    for (transfer, name) in TRANSFERS.iter().enumerate() {
        for (contender, times) in &contenders {
            let times: Vec<Duration> = times.iter().map(|times| times[transfer]).collect();
            row(name, contender.name, &times, Some(usize::from(transfer >= FIRST_DOWNLOAD)));
        }
    }
    Ok(())
}

fn write_file(file: &mut std::fs::File, contents: &[u8]) -> std::io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    file.seek(SeekFrom::Start(0))?;
    file.write_all(contents)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
