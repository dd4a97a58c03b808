//! Tests that exhaust the memory of a device, one at a time. They need an NVIDIA GPU; `VYRE_GPU` selects one of several.

use std::sync::{Mutex, PoisonError};

use vyre_cuda::{CudaDevice, GpuOptions};
use vyre_ir::{OpTable, text};
use vyre_runtime::{Bindings, Buffer, CommandList, Device, Error, PipelineOptions, RunOptions};

/// Lock of the test that uses the memory.
static MEMORY: Mutex<()> = Mutex::new(());

fn device() -> CudaDevice {
    let devices = CudaDevice::all(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    devices.into_iter().nth(vyre_conform::settings::gpu()).expect("a GPU at this position")
}

fn buffer(device: &CudaDevice, bytes: u64) -> Buffer {
    device.create_buffer(bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// Dropped buffers are freed, even if they were bound: in total they exceed the memory of every GPU.
#[test]
fn dropped_buffers_are_freed() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0;
        entry { let i = invocation_id.x * 1024; if i < len(data) { data[i] = i; } }";
    let (parsed, ops) = (text::parse(source).expect("it parses"), OpTable::default());
    let valid = parsed.validate(&ops).expect("it is valid");
    let pipeline =
        device.create_pipeline(&valid, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let bytes = device.limits().buffer_bytes / 16;
    for _ in 0..600 {
        let data = buffer(&device, bytes);
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &data), [256, 1, 1]);
        device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn exhausted_memory_is_an_error() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let device = device();
    let part = device.limits().buffer_bytes / 8;
    for _ in 0..3 {
        let mut kept = Vec::new();
        let message = loop {
            match device.create_buffer(part) {
                Ok(buffer) => kept.push(buffer),
                Err(error @ Error::OutOfMemory { .. }) => break error.to_string(),
                Err(other) => panic!("{other:?}"),
            }
            assert!(kept.len() <= 8, "more than the device has");
        };
        println!("{} buffers, then: {message}", kept.len());
        assert!(message.contains(&part.to_string()) && message.contains("free"), "{message}");
        // The device stays usable, with the remaining and with the freed memory.
        let small = buffer(&device, 16);
        device.write(&small, 0, &[5; 16]).expect("it can be written");
        assert_eq!(device.read(&small).expect("it can be read"), [5; 16]);
        let count = kept.len();
        kept.clear();
        let again: Vec<Buffer> = (0..count).map(|_| buffer(&device, part)).collect();
        assert_eq!(again.len(), count);
    }
    // One large buffer in the memory of several freed ones.
    let large = buffer(&device, part * 4);
    assert_eq!(large.size(), part * 4);
}

/// New buffers are zero, even in reused memory.
#[test]
fn new_buffers_are_zero() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let device = device();
    for size in [0, 1, 15, 16, 1 << 20] {
        let used = buffer(&device, size);
        device.write(&used, 0, &vec![0xff; size as usize]).expect("it can be written");
        drop(used);
        let fresh = buffer(&device, size);
        assert_eq!(device.read(&fresh).expect("it can be read"), vec![0; size as usize]);
    }
}
