//! What a device does beside running programs: limits, transfers, long lists, graphs, deadlines, many threads.
//!
//! These tests need an NVIDIA GPU; `VYRE_GPU` chooses one of several. Those that use up its memory are in `memory.rs`.

mod ending;
mod graphs;
mod helpers;
mod transfers;

use vyre_cuda::{CudaBackend, CudaOptions};
use vyre_runtime::{Backend, Device, Error, Resource};

use crate::helpers::{buffer, contents, device, device_with, run_once, try_pipeline};

vyre_conform::device_checks!(device);

#[test]
fn what_is_beyond_the_limits_is_refused_with_both_numbers() {
    let device = device();
    let limits = device.limits().clone();
    let limit = limits.buffer_bytes;
    let error = device.create_buffer(limit + 1).map(|_| ());
    assert_eq!(error, Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: limit + 1, limit }));

    let refused = |source: &str| match try_pipeline(&device, source) {
        Err(Error::ResourceExceeded { resource, wanted, limit }) if wanted > limit => resource,
        other => panic!("{other:?}"),
    };
    let many = limits.workgroup_invocations + 1;
    assert_eq!(refused(&format!("workgroup_size {many}; entry {{ }}")), Resource::WorkgroupInvocations);
    if limits.workgroup_size[2] < limits.workgroup_invocations {
        let deep = limits.workgroup_size[2] + 1;
        assert_eq!(refused(&format!("workgroup_size 1, 1, {deep}; entry {{ }}")), Resource::WorkgroupSize { axis: 2 });
    }
    let words = limits.workgroup_bytes / 4;
    let tile = |words: u64, body: &str| {
        format!(
            "workgroup_size 64; buffer tile: workgroup u32[{words}]; buffer out: read_write u32 @0;
             entry {{ tile[local_id.x] = 1; barrier; out[0] = tile[out[1]]; {body} }}"
        )
    };
    assert_eq!(refused(&tile(words + 1, "")), Resource::WorkgroupBytes);
    // All of it may be used; collectives have memory of their own.
    for body in ["", "out[2] = reduce_add(out[3]);"] {
        let out = buffer(&device, 64);
        run_once(&device, &tile(words, body), &[&out], [3, 1, 1]);
    }

    let count = limits.accessed_buffers.min(10_000);
    let with = |count: u64, uses: u64| {
        let declared: String = (0..count).map(|at| format!("buffer b{at}: read_write u32 @{at};")).collect();
        let used: String = (0..uses).map(|at| format!("b{at}[0] = {at};")).collect();
        format!("workgroup_size 1; {declared} entry {{ {used} }}")
    };
    if count == limits.accessed_buffers {
        assert_eq!(refused(&with(count + 1, count + 1)), Resource::AccessedBuffers);
        // Buffers that are only declared need no place.
        try_pipeline(&device, &with(count + 1, count)).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn compiled_kernels_are_kept_in_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = CudaOptions::default().with_cache_folder(folder.path().join("within"));
    let source = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[local_id.x] = local_id.x ^ 77; }";
    let expected: Vec<u32> = (0..64).map(|lane| lane ^ 77).collect();
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
    for damaged in [&b"VYRECU01 and nothing that a driver has written"[..], &whole[..whole.len() / 2], &[]] {
        std::fs::write(&files()[0], damaged).expect("it can be written");
        works();
        assert_eq!(std::fs::read(&files()[0]).expect("it can be read"), whole, "it was written again");
    }
}

#[test]
fn a_device_says_what_it_is() {
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
