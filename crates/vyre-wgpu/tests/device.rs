//! Limits, transfers, long lists, deadlines and concurrent use of a device.

use vyre_conform::device_checks::{buffer, contents, pipeline, refusal, run_once, with_workgroup_memory};
use vyre_conform::settings;
use vyre_runtime::{Bindings, CommandList, Device, Resource, RunOptions};
use vyre_wgpu::{GpuOptions, WgpuDevice};

fn device() -> WgpuDevice {
    device_with(&GpuOptions::default())
}

fn device_with(options: &GpuOptions) -> WgpuDevice {
    let devices = WgpuDevice::all(options).unwrap_or_else(|error| panic!("{error}"));
    devices.into_iter().nth(settings::gpu()).expect("an adapter at this position")
}

vyre_conform::device_checks!(device);

/// Transfers through staging memory, also where the host can map the buffers of the adapter.
mod staged {
    fn staged_device() -> super::WgpuDevice {
        super::device().with_staging()
    }

    vyre_conform::device_checks! {
        staged_device;
        transfers_may_start_and_end_at_any_byte
        threads_transfer_while_others_run
    }

    #[test]
    fn transfers_keep_every_byte_during_runs() {
        super::check_transfers_during_runs(&staged_device());
    }
}

#[test]
fn transfers_keep_every_byte_during_runs() {
    check_transfers_during_runs(&device());
}

/// One thread writes and reads ranges of a buffer while another runs a program that reads this buffer, and drops others that
/// were just used.
fn check_transfers_during_runs(device: &WgpuDevice) {
    let source = "workgroup_size 64; buffer data: read u32 @0; buffer sums: read_write u32 @1;
        entry { let i = invocation_id.x; if i < len(sums) { sums[i] = sums[i] + data[0] - data[0] + i; } }";
    let pipeline = pipeline(device, source);
    let data = buffer(device, 1 << 20);
    let mut expected = vec![0_u8; 1 << 20];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..20 {
                let sums = buffer(device, 4096);
                let mut commands = CommandList::new();
                commands.dispatch(&pipeline, &Bindings::new().with(0, &data).with(1, &sums), [16, 1, 1]);
                device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
                let numbers: Vec<u32> = (0..1024).collect();
                assert_eq!(contents(device, &sums), numbers);
            }
        });
        let ranges = [(0, 0), (0, 4), (1, 2), (7, 1), (4093, 11), (0, 1 << 20), (3, 300_001), ((1 << 20) - 5, 5)];
        for (round, (offset, length)) in (1_u8..).zip(ranges.into_iter().cycle().take(24)) {
            let bytes: Vec<u8> = (0..length).map(|at| (at as u8).wrapping_mul(31) ^ round).collect();
            device.write(&data, offset as u64, &bytes).unwrap_or_else(|error| panic!("{error}"));
            expected[offset..offset + length].copy_from_slice(&bytes);
            let mut read = vec![0; length];
            device.read_at(&data, offset as u64, &mut read).unwrap_or_else(|error| panic!("{error}"));
            assert!(read == bytes, "{offset}, {length}");
        }
        assert!(device.read(&data).unwrap_or_else(|error| panic!("{error}")) == expected);
    });
}

/// Limits that depend on the kernel.
#[test]
fn kernels_beyond_the_limits_are_rejected() {
    let device = device();
    let words = device.limits().workgroup_bytes / 4;
    // A program may use all of it if it has no collectives.
    pipeline(&device, &with_workgroup_memory(words, ""));
    let collective = with_workgroup_memory(words, "out[2] = reduce_add(out[3]);");
    assert_eq!(refusal(&device, &collective), Resource::WorkgroupBytes);
    // Buffers that are only declared need no binding, but their lengths need memory.
    let declared: String = (0..20_000).map(|at| format!("buffer b{at}: read_write u32 @{at};")).collect();
    let lengths = format!("workgroup_size 1; {declared} entry {{ b0[0] = len(b19999); }}");
    assert_eq!(refusal(&device, &lengths), Resource::AccessedBuffers);
}

/// Dropped buffers are freed even if they were bound. The test creates far more buffers, one after the other, than fit the
/// memory of a software adapter.
#[test]
fn dropped_buffers_are_freed() {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0;
        entry { let i = invocation_id.x * 1024; if i < len(data) { data[i] = i; } }";
    let pipeline = pipeline(&device, source);
    let bytes = (64 << 20).min(device.limits().buffer_bytes);
    for _ in 0..600 {
        let data = buffer(&device, bytes);
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &data), [256, 1, 1]);
        device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Branches with an empty arm, as they are lowered: their results, and compilers of drivers that survive them.
#[test]
fn branches_may_have_an_empty_arm() {
    let device = device_with(&GpuOptions::default().with_optimizer(false));
    let source = "workgroup_size 1; buffer c: read_write u32 @0; buffer d: read_write u32 @1;
        entry {
            if d[1] { } else if d[0] { return; }
            if d[1] < d[2] { } else { c[1] = 5; }
            for i in 0..len(d) { let _ = d[0]; }
            c[0] = 7;
        }";
    for (given, expected) in [([0, 0, 0], [7, 5]), ([1, 0, 0], [0, 0]), ([1, 1, 2], [7, 0]), ([0, 1, 0], [7, 5])] {
        let (c, d) = (buffer(&device, 8), buffer(&device, 12));
        let bytes: Vec<u8> = given.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        device.write(&d, 0, &bytes).expect("it can be written");
        run_once(&device, source, &[&c, &d], [1, 1, 1]);
        assert_eq!(contents(&device, &c), expected, "{given:?}");
    }
}

#[test]
fn compiled_shaders_are_kept_in_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = GpuOptions::default().with_cache_folder(folder.path().join("within"));
    let source = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[local_id.x] = local_id.x ^ 77; }";
    let expected: Vec<u32> = (0..64).map(|index| index ^ 77).collect();
    for damage in [false, false, true] {
        let device = device_with(&options);
        let data = buffer(&device, 256);
        run_once(&device, source, &[&data], [1, 1, 1]);
        assert_eq!(contents(&device, &data), expected);
        let Ok(files) = std::fs::read_dir(folder.path().join("within")) else {
            println!("this driver keeps nothing");
            return;
        };
        let files: Vec<_> = files.map(|file| file.expect("a readable entry").path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        if damage {
            std::fs::write(&files[0], b"VYREPC01 and nothing that a driver has written").expect("it can be written");
            let device = device_with(&options);
            let data = buffer(&device, 256);
            run_once(&device, source, &[&data], [1, 1, 1]);
            assert_eq!(contents(&device, &data), expected);
        }
    }
}
