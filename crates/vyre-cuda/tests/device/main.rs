//! What a device does beside running programs: limits, transfers, long lists, graphs, deadlines, many threads.
//!
//! These tests need an NVIDIA GPU; `VYRE_GPU` chooses one of several. Those that use up its memory are in `memory.rs`.

mod ending;
mod graphs;
mod helpers;
mod transfers;

use vyre_cuda::{CudaBackend, CudaOptions};
use vyre_runtime::{Backend, Bindings, Command, CommandList, Device, Error, ReferenceDevice, Resource, RunOptions};

use crate::helpers::{buffer, contents, device, device_with, pipeline, run_once, try_pipeline};

#[test]
fn a_loop_may_have_hundreds_of_thousands_of_rounds() {
    let device = device();
    let out = buffer(&device, 256);
    let source = "workgroup_size 64; buffer out: read_write u32 @0;
        entry {
            let sum = local_id.x;
            for round in 0..200000 { sum = sum * 1664525 + round; }
            out[local_id.x] = sum;
        }";
    run_once(&device, source, &[&out], [1, 1, 1]);
    let expected =
        |lane: u32| (0..200_000).fold(lane, |sum: u32, round| sum.wrapping_mul(1_664_525).wrapping_add(round));
    assert_eq!(contents(&device, &out), (0..64).map(expected).collect::<Vec<u32>>());
}

#[test]
fn large_grids_are_split_where_no_program_sees_it() {
    let device = device();
    let source = "workgroup_size 2; buffer out: read_write u32 @0;
        entry {
            let group = (workgroup_id.z * num_workgroups.y + workgroup_id.y) * num_workgroups.x + workgroup_id.x;
            let invocation = (invocation_id.z * num_workgroups.y + invocation_id.y) * num_workgroups.x * 2 + invocation_id.x;
            let _ = atomic_add(out[group], invocation + 1);
        }";
    for grid in [[150_000, 1, 1], [1, 140_000, 1], [3, 1, 70_000], [65_536, 2, 1], [0, 5, 5]] {
        let groups: u32 = grid.iter().product();
        let out = buffer(&device, u64::from(groups.max(1)) * 4);
        run_once(&device, source, &[&out], grid);
        let found = contents(&device, &out);
        let wrong = (0..groups).find(|&group| {
            // The row and column of the group, whose two invocations are neighbours.
            let (row, column) = (group / grid[0], group % grid[0]);
            let first = row * grid[0] * 2 + column * 2;
            found[group as usize] != 2 * first + 3
        });
        assert_eq!(wrong, None, "{grid:?}");
    }
}

/// Parts of a grid that a program cannot tell apart, alone and in a graph.
#[test]
fn grids_are_split_also_where_the_program_asks_for_no_ids() {
    let device = device();
    let source = "workgroup_size 64; buffer out: read_write u32 @0; entry { let _ = atomic_add(out[0], 1); }";
    let code = try_pipeline(&device, source).unwrap_or_else(|error| panic!("{error}"));
    for grid in [[1, 65_536, 1], [1, 1, 131_071], [2, 65_535, 1]] {
        let out = buffer(&device, 4);
        let each = 64 * grid.iter().product::<u32>();
        run_once(&device, source, &[&out], grid);
        assert_eq!(contents(&device, &out), [each], "{grid:?}");
        let mut round = CommandList::new();
        round.dispatch(&code, &Bindings::new().with(0, &out), grid);
        let mut list = CommandList::new();
        list.push(Command::Repeat { count: 20, commands: round });
        device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(contents(&device, &out), [each.wrapping_mul(21)], "{grid:?}, repeated");
    }
}

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

/// More than one submission holds, in order.
#[test]
fn long_lists_run_to_their_end_in_order() {
    let device = device();
    let data = buffer(&device, 4);
    let source = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] * 3 + 1; }";
    let pipeline = pipeline(&device, source);
    let mut once = CommandList::new();
    once.dispatch(&pipeline, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::Timestamp);
    commands.push(Command::Repeat { count: 40_000, commands: once });
    commands.push(Command::Timestamp);
    commands.push(Command::Timestamp);
    let report = device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(contents(&device, &data), [(0..40_000).fold(0_u32, |n, _| n.wrapping_mul(3).wrapping_add(1))]);
    let times = report.timestamps;
    assert!(times.len() == 3 && times[0] == 0 && times[1] > 0 && times.is_sorted(), "{times:?}");
}

/// What does nothing takes no time, however often; and a list that has become several submissions keeps its times.
#[test]
fn lists_that_do_nothing_end_at_once_and_keep_their_times() {
    let device = device();
    let data = buffer(&device, 64);
    let pipeline =
        pipeline(&device, "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] + 1; }");
    let mut nothing = CommandList::new();
    nothing.dispatch(&pipeline, &Bindings::new().with(0, &data), [0, 1, 1]);
    nothing.push(Command::Fill { buffer: data.clone(), offset: 3, length: 0, byte: 1 });
    nothing.push(Command::Repeat { count: 0, commands: nothing.clone() });
    let mut often = CommandList::new();
    often.push(Command::Repeat { count: u32::MAX, commands: nothing });
    let mut endless = CommandList::new();
    endless.push(Command::Repeat { count: u32::MAX, commands: often });
    device.run(&endless, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));

    for commands_between in [16_382, 16_383, 16_384] {
        let mut list = CommandList::new();
        list.push(Command::Timestamp);
        let mut fill = CommandList::new();
        fill.push(Command::Fill { buffer: data.clone(), offset: 0, length: 64, byte: 0 });
        list.push(Command::Repeat { count: commands_between, commands: fill });
        list.push(Command::Fill { buffer: data.clone(), offset: 0, length: 0, byte: 0 });
        let report = device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.timestamps, [0]);
    }
}

#[test]
fn threads_share_a_device() {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0; buffer add: uniform u32 @1;
        entry { let i = invocation_id.x; if i < len(data) { data[i] = data[i] + add[0]; } }";
    let shared = pipeline(&device, source);
    std::thread::scope(|scope| {
        for thread in 1..=6_u32 {
            let (device, shared) = (&device, &shared);
            scope.spawn(move || {
                let own = pipeline(device, source);
                for round in 0..20_u32 {
                    let length = 100 + thread * 7 + round;
                    let (data, add) = (buffer(device, u64::from(length) * 4), buffer(device, 4));
                    device.write(&add, 0, &(thread * 1000 + round).to_le_bytes()).expect("it can be written");
                    let bindings = Bindings::new().with(0, &data).with(1, &add);
                    let mut commands = CommandList::new();
                    for code in [shared, &own, shared] {
                        commands.dispatch(code, &bindings, [length.div_ceil(64), 1, 1]);
                    }
                    device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(contents(device, &data), vec![3 * (thread * 1000 + round); length as usize]);
                }
            });
        }
    });
}

#[test]
fn objects_of_other_devices_are_refused() {
    let (device, other, reference) = (device(), device(), ReferenceDevice::new());
    let source = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = 1; }";
    let (own, foreign) = (buffer(&device, 4), buffer(&other, 4));
    let strange = reference.create_buffer(4).expect("a buffer");
    let code = pipeline(&device, source);
    for wrong in [&foreign, &strange] {
        assert_eq!(device.read(wrong), Err(Error::ForeignObject));
        assert_eq!(device.write(wrong, 0, &[0]), Err(Error::ForeignObject));
        let mut commands = CommandList::new();
        commands.dispatch(&code, &Bindings::new().with(0, wrong), [1, 1, 1]);
        assert_eq!(device.run(&commands, &RunOptions::default()).map(|_| ()), Err(Error::ForeignObject));
    }
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline(&other, source), &Bindings::new().with(0, &own), [1, 1, 1]);
    assert_eq!(device.run(&commands, &RunOptions::default()).map(|_| ()), Err(Error::ForeignObject));
    let mut options = RunOptions::default();
    options.check_races = true;
    assert_eq!(device.run(&CommandList::new(), &options).map(|_| ()), Err(Error::CannotCheckRaces));
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
