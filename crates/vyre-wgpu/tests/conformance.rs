//! The run corpus and generated programs on a GPU, against the reference interpreter.
//!
//! `VYRE_GPU` chooses the adapter by its position in `vyre devices`; `vyre_conform::settings` has more.

#[path = "conformance/part.rs"]
mod part;

use std::sync::Arc;

use part::FewDecoders;
use vyre_conform::differential::Subject;
use vyre_conform::generated::{Seeds, expect_agreement};
use vyre_conform::graphs::generated::Sizes;
use vyre_conform::run_corpus::expect_all_right;
use vyre_conform::settings::gpu;
use vyre_conform::wrapped_device::Wrapped;
use vyre_runtime::{Device as _, RunOptions};
use vyre_wgpu::{GpuOptions, WgpuDevice};

fn device(optimize: bool) -> WgpuDevice {
    let devices = WgpuDevice::all(&GpuOptions::default().with_optimizer(optimize));
    let devices = devices.unwrap_or_else(|error| panic!("{error}"));
    let device = devices.into_iter().nth(gpu()).expect("an adapter at this position");
    println!("{}, {}", device.name(), device.driver().unwrap_or_default());
    device
}

#[test]
fn the_run_corpus_optimized() {
    expect_all_right(&device(true), &RunOptions::default());
}

#[test]
fn the_run_corpus_as_lowered() {
    part::expect_all_right_as_lowered(&device(false));
}

/// Half of the generated programs, so that two cores share the work.
#[test]
fn generated_programs_with_even_seeds() {
    generated_programs(0);
}

#[test]
fn generated_programs_with_odd_seeds() {
    generated_programs(1);
}

fn generated_programs(which: u64) {
    let subject = |name: &str, optimize| Subject { name: name.to_owned(), device: Arc::new(device(optimize)) };
    let subjects = [subject("wgpu, optimized", true), subject("wgpu, as lowered", false)];
    // Drivers that compute on the CPU take half a second to compile a program. A quarter of the programs suffices to find
    // defects that the passes hide.
    let of_seed = |seed: u64| if seed % 8 < 2 { &subjects[..] } else { &subjects[..1] };
    expect_agreement(Seeds::from_environment(500).share(which, 2), of_seed);
}

/// A GPU validates large graphs.
#[test]
fn damaged_large_graphs() {
    let device: Arc<dyn vyre_runtime::Device> = Arc::new(device(true));
    vyre_conform::graphs::validation::expect_errors_of_the_host(&device);
}

vyre_conform::graph_checks!(device(true), Sizes::LARGE, All);
/// Number of seeds of compressed blocks. Drivers that compute on the CPU take minutes for the number of a GPU.
fn block_seeds() -> u64 {
    if device(true).is_software() { 30 } else { 300 }
}

vyre_conform::compression_checks!(Wrapped(FewDecoders::new(device(true))), block_seeds());
vyre_conform::checksum_checks!(device(true), 40);
