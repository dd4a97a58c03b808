//! Device functions other than running programs: limits, transfers, long lists, graphs, deadlines, threads.
//!
//! These tests need an NVIDIA GPU; `VYRE_GPU` chooses one of several. Tests that exhaust its memory are in `memory.rs`.

mod deadlines;
mod graphs;
mod helpers;
mod transfers;

use vyre_cuda::{CudaBackend, GpuOptions};
use vyre_runtime::{Backend, Device};

use crate::helpers::{buffer, contents, device, device_with, run_once, with_workgroup_memory};

vyre_conform::device_checks!(device);

/// Collectives have shared memory beyond the limit of programs.
#[test]
fn all_workgroup_memory_may_be_used_beside_collectives() {
    let device = device();
    let words = device.limits().workgroup_bytes / 4;
    for body in ["", "out[2] = reduce_add(out[3]);"] {
        let out = buffer(&device, 64);
        run_once(&device, &with_workgroup_memory(words, body), &[&out], [3, 1, 1]);
    }
}

#[test]
fn compiled_kernels_are_kept_in_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = GpuOptions::default().with_cache_folder(folder.path().join("within"));
    let source = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[local_id.x] = local_id.x ^ 77; }";
    let expected: Vec<u32> = (0..64).map(|index| index ^ 77).collect();
    let files = || {
        let files = std::fs::read_dir(folder.path().join("within")).expect("the folder was made");
        files.map(|file| file.expect("a readable entry").path()).collect::<Vec<_>>()
    };
    let works = || {
        let device = device_with(&options);
        let data = buffer(&device, 256);
        run_once(&device, source, &[&data], [1, 1, 1]);
        assert_eq!(contents(&device, &data), expected);
        assert_eq!(files().len(), 1, "{:?}", files());
    };
    works();
    let whole = std::fs::read(&files()[0]).expect("it can be read");
    works();
    assert_eq!(std::fs::read(&files()[0]).expect("it can be read"), whole);
    for damaged in [&b"VYRECU01 and no output of a driver"[..], &whole[..whole.len() / 2], &[]] {
        std::fs::write(&files()[0], damaged).expect("it can be written");
        works();
        assert_eq!(std::fs::read(&files()[0]).expect("it can be read"), whole, "it was written again");
    }
}

#[test]
fn a_device_reports_name_driver_and_limits() {
    let backend = CudaBackend::default();
    assert_eq!(backend.name(), "cuda");
    let devices = backend.devices().unwrap_or_else(|error| panic!("{error}"));
    for device in devices {
        println!("{}, {:?}, {:?}", device.name(), device.driver(), device.limits());
        assert!(!device.name().is_empty());
        assert!(device.driver().is_some_and(|driver| driver.contains("CUDA ")));
        assert!(device.limits().can_cancel && !device.limits().can_check_races);
        assert_eq!(device.limits().workgroup_invocations, 1024);
    }
}
