//! Device checks: grids of any size, transfers, long command lists, deadlines and concurrency.
//!
//! [`device_checks!`](crate::device_checks!) instantiates a test for each check, given an expression that creates the device.

use std::time::{Duration, Instant};

use vyre_ir::{OpTable, text};
use vyre_runtime::{
    Bindings, Buffer, CancelToken, Command, CommandList, Device, Error, Pipeline, PipelineOptions, ReferenceDevice,
    Resource, RunOptions, words,
};

/// Instantiates a test for each check, on devices that the expression creates.
#[macro_export]
macro_rules! device_checks {
    ($device:expr) => {
        $crate::device_checks! {
            $device;
            a_loop_may_have_hundreds_of_thousands_of_iterations
            the_split_of_large_grids_is_transparent
            grids_of_programs_without_ids_are_split
            transfers_may_start_and_end_at_any_byte
            large_transfers_keep_every_byte
            a_buffer_of_words_holds_the_words
            threads_transfer_while_others_run
            a_prepared_device_opens_once
            long_command_lists_run_in_order
            command_lists_have_deadlines_and_can_be_cancelled
            empty_repetitions_take_no_time_and_keep_timestamps
            deadlines_hold_during_other_runs
            threads_share_a_device
            objects_of_other_devices_are_rejected
            exceeded_limits_are_reported_with_both_numbers
        }
    };
    ($device:expr; $($check:ident)*) => {
        $(
            #[test]
            fn $check() {
                $crate::device_checks::$check($device);
            }
        )*
    };
}

/// Creates a pipeline of a valid program.
///
/// # Errors
///
/// Fails with the error of the device.
pub fn try_pipeline(device: &dyn Device, source: &str) -> Result<Pipeline, Error> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, &PipelineOptions::default())
}

/// Creates a pipeline of a program that the device supports.
pub fn pipeline(device: &dyn Device, source: &str) -> Pipeline {
    try_pipeline(device, source).unwrap_or_else(|error| panic!("{error}"))
}

/// Creates a buffer of zeros.
pub fn buffer(device: &dyn Device, bytes: u64) -> Buffer {
    device.create_buffer(bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// Words of a buffer.
pub fn contents(device: &dyn Device, buffer: &Buffer) -> Vec<u32> {
    words(&device.read(buffer).unwrap_or_else(|error| panic!("{error}")))
}

/// Runs a program once, with buffers bound from slot 0.
pub fn run_once(device: &dyn Device, source: &str, buffers: &[&Buffer], grid: [u32; 3]) {
    let pipeline = pipeline(device, source);
    let bindings = buffers.iter().zip(0..).fold(Bindings::new(), |all, (buffer, slot)| all.with(slot, buffer));
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, grid);
    device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
}

/// The exceeded resource of a program that the device rejects, with the requested amount and the limit.
pub fn refusal(device: &dyn Device, source: &str) -> Resource {
    match try_pipeline(device, source) {
        Err(Error::ResourceExceeded { resource, wanted, limit }) if wanted > limit => resource,
        other => panic!("{other:?}"),
    }
}

/// A program with `words` words of workgroup memory and a given body. Its buffer `out` has 16 words.
pub fn with_workgroup_memory(words: u64, body: &str) -> String {
    format!(
        "workgroup_size 64; buffer tile: workgroup u32[{words}]; buffer out: read_write u32 @0;
         entry {{ tile[local_id.x] = 1; barrier; out[0] = tile[out[1]]; {body} }}"
    )
}

/// Checks the limits of buffers, workgroups, workgroup memory and the number of buffers.
pub fn exceeded_limits_are_reported_with_both_numbers<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let limits = device.limits().clone();
    let limit = limits.buffer_bytes;
    let error = device.create_buffer(limit + 1).map(|_| ());
    assert_eq!(error, Err(Error::ResourceExceeded { resource: Resource::BufferBytes, wanted: limit + 1, limit }));

    let refused = |source: &str| refusal(&device, source);
    let many = limits.workgroup_invocations + 1;
    assert_eq!(refused(&format!("workgroup_size {many}; entry {{ }}")), Resource::WorkgroupInvocations);
    if limits.workgroup_size[2] < limits.workgroup_invocations {
        let deep = limits.workgroup_size[2] + 1;
        assert_eq!(refused(&format!("workgroup_size 1, 1, {deep}; entry {{ }}")), Resource::WorkgroupSize { axis: 2 });
    }
    let words = limits.workgroup_bytes / 4;
    assert_eq!(refused(&with_workgroup_memory(words + 1, "")), Resource::WorkgroupBytes);

    let count = limits.accessed_buffers.min(10_000);
    let with = |count: u64, uses: u64| {
        let declared: String = (0..count).map(|at| format!("buffer b{at}: read_write u32 @{at};")).collect();
        let used: String = (0..uses).map(|at| format!("b{at}[0] = {at};")).collect();
        format!("workgroup_size 1; {declared} entry {{ {used} }}")
    };
    if count == limits.accessed_buffers {
        assert_eq!(refused(&with(count + 1, count + 1)), Resource::AccessedBuffers);
        // Unused buffers do not count.
        pipeline(&device, &with(count + 1, count));
    }
}

/// Checks a loop with more iterations than some drivers support.
pub fn a_loop_may_have_hundreds_of_thousands_of_iterations<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let out = buffer(&device, 256);
    let source = "workgroup_size 64; buffer out: read_write u32 @0;
        entry {
            let sum = local_id.x;
            for iteration in 0..200000 { sum = sum * 1664525 + iteration; }
            out[local_id.x] = sum;
        }";
    run_once(&device, source, &[&out], [1, 1, 1]);
    let expected = |start: u32| {
        (0..200_000).fold(start, |sum: u32, iteration| sum.wrapping_mul(1_664_525).wrapping_add(iteration))
    };
    assert_eq!(contents(&device, &out), (0..64).map(expected).collect::<Vec<u32>>());
}

/// Checks grids with more workgroups on an axis than GPUs support in one dispatch.
pub fn the_split_of_large_grids_is_transparent<D: Device>(device: impl Fn() -> D) {
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
            // The coordinates of the workgroup, whose two invocations are neighbours.
            let (row, column) = (group / grid[0], group % grid[0]);
            let first = row * grid[0] * 2 + column * 2;
            found[group as usize] != 2 * first + 3
        });
        assert_eq!(wrong, None, "{grid:?}");
    }
}

/// Checks that a split grid is transparent to the program, in a single dispatch and in a repetition.
pub fn grids_of_programs_without_ids_are_split<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let source = "workgroup_size 64; buffer out: read_write u32 @0; entry { let _ = atomic_add(out[0], 1); }";
    let code = try_pipeline(&device, source).unwrap_or_else(|error| panic!("{error}"));
    for grid in [[1, 65_536, 1], [1, 1, 131_071], [2, 65_535, 1]] {
        let out = buffer(&device, 4);
        let each = 64 * grid.iter().product::<u32>();
        run_once(&device, source, &[&out], grid);
        assert_eq!(contents(&device, &out), [each], "{grid:?}");
        let mut iteration = CommandList::new();
        iteration.dispatch(&code, &Bindings::new().with(0, &out), grid);
        let mut list = CommandList::new();
        list.push(Command::Repeat { count: 20, commands: iteration });
        device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(contents(&device, &out), [each.wrapping_mul(21)], "{grid:?}, repeated");
    }
}

/// Checks transfers at every offset and length around words.
pub fn transfers_may_start_and_end_at_any_byte<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let size = 23_usize;
    let start: Vec<u8> = (100..).take(size).collect();
    let (target, source) = (buffer(&device, size as u64), buffer(&device, size as u64));
    device.write(&source, 0, &(1..).take(size).collect::<Vec<u8>>()).expect("it can be written");
    let run = |command: Command| {
        let mut commands = CommandList::new();
        commands.push(command);
        device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    };
    for offset in 0..size {
        for length in [0, 1, 2, 3, 4, 5, 7, 8, 13, 22, 23] {
            if offset + length > size {
                continue;
            }
            let range = offset..offset + length;
            let check = |what: &str, expected: &[u8]| {
                assert_eq!(device.read(&target).expect("it can be read"), expected, "{what} {range:?}");
                device.write(&target, 0, &start).expect("it can be written");
            };
            device.write(&target, 0, &start).expect("it can be written");
            let mut expected = start.clone();
            expected[range.clone()].fill(7);
            device.write(&target, offset as u64, &vec![7; length]).expect("it can be written");
            check("write", &expected);
            for byte in [0, 0x5a] {
                expected[range.clone()].fill(byte);
                let (buffer, offset, length) = (target.clone(), offset as u64, length as u64);
                run(Command::Fill { buffer, offset, length, byte });
                check("fill", &expected);
            }
            for from in [0, 1, 2, 3, 5, size - length].into_iter().filter(|from| from + length <= size) {
                let copy = |source: &Buffer| Command::Copy {
                    source: source.clone(),
                    source_offset: from as u64,
                    target: target.clone(),
                    target_offset: offset as u64,
                    length: length as u64,
                };
                let mut expected = start.clone();
                let other: Vec<u8> = (1..).take(size).collect();
                expected[range.clone()].copy_from_slice(&other[from..from + length]);
                run(copy(&source));
                check("copy", &expected);
                let mut expected = start.clone();
                expected.copy_within(from..from + length, offset);
                run(copy(&target));
                check("copy within", &expected);
            }
        }
    }
    assert_eq!(device.write(&target, 20, &[0; 4]), Err(Error::OutOfBuffer { end: 24, size: 23 }));
    let whole: Vec<u8> = (1..).take(size).collect();
    device.write(&target, 0, &whole).expect("it can be written");
    for offset in 0..=size {
        for length in 0..=size - offset {
            let mut part = vec![0; length];
            device.read_at(&target, offset as u64, &mut part).expect("it can be read");
            assert_eq!(part, whole[offset..offset + length]);
        }
    }
    assert_eq!(device.read_at(&target, 0, &mut [0; 24]), Err(Error::OutOfBuffer { end: 24, size: 23 }));
    assert_eq!(device.read_at(&target, 22, &mut [0; 2]), Err(Error::OutOfBuffer { end: 24, size: 23 }));
    assert!(matches!(device.read_at(&target, u64::MAX, &mut [0; 2]), Err(Error::OutOfBuffer { size: 23, .. })));
}

/// Bytes that depend on their position and a number.
fn pattern(size: usize, number: u64) -> Vec<u8> {
    (0..size as u64).map(|at| ((at + number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 41) as u8).collect()
}

/// Checks that a buffer that takes words of the host has them, and that programs can change it.
pub fn a_buffer_of_words_holds_the_words<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[invocation_id.x] = data[invocation_id.x] * 3; }";
    let pipeline = pipeline(&device, source);
    for count in [0, 1, 3, 1_000, 100_001_u32] {
        let buffer = device.buffer_of((0..count).collect()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(buffer.size(), 4 * u64::from(count));
        let mut commands = CommandList::new();
        commands.dispatch(&pipeline, &Bindings::new().with(0, &buffer), [count.div_ceil(64).max(1), 1, 1]);
        device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let expected: Vec<u32> = (0..count).map(|word| word * 3).collect();
        assert_eq!(words(&device.read(&buffer).unwrap_or_else(|error| panic!("{error}"))), expected);
    }
}

/// Checks transfers that exceed staging memory, from and to ordinary memory and memory of the device.
pub fn large_transfers_keep_every_byte<D: Device>(device: impl Fn() -> D) {
    let device = device();
    for (number, size) in [1_usize, 262_145, (5 << 20) + 3, (45 << 20) + 12_345].into_iter().enumerate() {
        let bytes = pattern(size, number as u64);
        let target = buffer(&device, size as u64 + 7);
        let mut memory = device.host_memory(size as u64 + 9).expect("there is memory");
        assert!(memory.len() == size + 9 && memory.iter().all(|&byte| byte == 0), "new memory is zero");
        memory[2..size + 2].copy_from_slice(&bytes);
        for offset in [0, 3, 4] {
            let check = |what: &str, changed: &dyn Fn(&[u8]) -> bool| {
                let read = device.read(&target).expect("it can be read");
                let range = offset..offset + size;
                let is_kept = read[..offset].iter().chain(&read[range.end..]).all(|&byte| byte == 9);
                assert!(read.len() == size + 7 && is_kept && changed(&read[range]), "{what}, {size} bytes to {offset}");
            };
            device.write(&target, 0, &vec![9; size + 7]).expect("it can be written");
            device.write(&target, offset as u64, &bytes).expect("it can be written");
            check("ordinary memory", &|read| read == bytes);
            device.write(&target, offset as u64, &vec![8; size]).expect("it can be written");
            check("overwritten", &|read| read.iter().all(|&byte| byte == 8));
            device.write(&target, offset as u64, &memory[2..size + 2]).expect("it can be written");
            check("memory of the device", &|read| read == bytes);

            let mut part = vec![0; size];
            device.read_at(&target, offset as u64, &mut part).expect("it can be read");
            assert!(part == bytes, "{size} bytes from {offset}");
            let mut other = device.host_memory(size as u64 + 2).expect("there is memory");
            device.read_at(&target, offset as u64, &mut other[1..=size]).expect("it can be read");
            assert!(other[1..=size] == bytes && other[0] == 0 && other[size + 1] == 0, "{size} bytes from {offset}");
        }
    }
}

/// Checks that transfers of some threads and runs of others do not affect each other, with buffers that come and go.
pub fn threads_transfer_while_others_run<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0;
        entry { let i = invocation_id.x; if i < len(data) { data[i] = data[i] * 3 + i; } }";
    let code = pipeline(&device, source);
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let (device, code) = (&device, &code);
            scope.spawn(move || {
                for iteration in 0..6_usize {
                    let count = 100_000 + thread * 300_000 + iteration * 1_111;
                    let bytes = pattern(count * 4, (thread * 10 + iteration) as u64);
                    let data = buffer(device, bytes.len() as u64);
                    device.write(&data, 0, &bytes).unwrap_or_else(|error| panic!("{error}"));
                    let mut commands = CommandList::new();
                    let groups = count.div_ceil(64) as u32;
                    commands.dispatch(code, &Bindings::new().with(0, &data), [groups, 1, 1]);
                    device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
                    let expected = words(&bytes);
                    let found = contents(device, &data);
                    let same =
                        |(at, (&found, word)): (u32, (&u32, &u32))| found == word.wrapping_mul(3).wrapping_add(at);
                    assert!((0..).zip(found.iter().zip(&expected)).all(same), "thread {thread}, {iteration}");
                }
            });
        }
    });
}

/// Checks that a device may be prepared several times, and dropped meanwhile.
pub fn a_prepared_device_opens_once<D: Device>(device: impl Fn() -> D) {
    let prepared = device();
    prepared.prepare();
    prepared.prepare();
    let data = buffer(&prepared, 8);
    prepared.prepare();
    prepared.write(&data, 0, &[5; 8]).expect("it can be written");
    assert_eq!(prepared.read(&data).expect("it can be read"), [5; 8], "the contents are kept");
    device().prepare();
}

/// Checks the order of a command list that exceeds one submission.
pub fn long_command_lists_run_in_order<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let data = buffer(&device, 4);
    let source = "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] * 3 + 1; }";
    let pipeline = pipeline(&device, source);
    let mut body = CommandList::new();
    body.dispatch(&pipeline, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut commands = CommandList::new();
    commands.push(Command::Timestamp);
    commands.push(Command::Repeat { count: 40_000, commands: body });
    commands.push(Command::Timestamp);
    commands.push(Command::Timestamp);
    let report = device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(contents(&device, &data), [(0..40_000).fold(0_u32, |n, _| n.wrapping_mul(3).wrapping_add(1))]);
    let times = report.timestamps;
    assert!(times.len() == 3 && times[0] == 0 && times[1] > 0 && times.is_sorted(), "{times:?}");
}

/// Checks that the deadline stops a very long command list, and that the device stays usable.
pub fn command_lists_have_deadlines_and_can_be_cancelled<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let data = buffer(&device, 4);
    let pipeline =
        pipeline(&device, "workgroup_size 1; buffer data: read_write u32 @0; entry { data[0] = data[0] + 1; }");
    let mut body = CommandList::new();
    body.dispatch(&pipeline, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut endless = CommandList::new();
    endless.push(Command::Repeat { count: u32::MAX, commands: body.clone() });
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_millis(50));
    assert_eq!(device.run(&endless, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    let token = CancelToken::default();
    let mut options = RunOptions::default();
    options.cancel = Some(token.clone());
    let outcome = std::thread::scope(|scope| {
        let run = scope.spawn(|| device.run(&endless, &options).map(|_| ()));
        std::thread::sleep(Duration::from_millis(50));
        token.cancel();
        run.join().expect("no panic")
    });
    assert_eq!(outcome, Err(Error::Cancelled));
    assert_eq!(device.run(&body, &options).map(|_| ()), Err(Error::Cancelled));
    device.run(&body, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
}

/// Checks that empty repetitions take no time, and that a list of several submissions reports all timestamps.
pub fn empty_repetitions_take_no_time_and_keep_timestamps<D: Device>(device: impl Fn() -> D) {
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

/// Checks that a run that waits for the device neither blocks other runs nor delays their deadlines.
pub fn deadlines_hold_during_other_runs<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let source = "workgroup_size 1; buffer data: read_write u32 @0; buffer iterations: uniform u32 @1;
        entry { let n = data[0]; for k in 0..iterations[0] { n = n * 3 + k; } data[0] = n; }";
    let pipeline = pipeline(&device, source);
    let list = |iterations: u32, count: u32| {
        let (data, bound) = (buffer(&device, 4), buffer(&device, 4));
        device.write(&bound, 0, &iterations.to_le_bytes()).expect("it can be written");
        let mut body = CommandList::new();
        body.dispatch(&pipeline, &Bindings::new().with(0, &data).with(1, &bound), [1, 1, 1]);
        let mut commands = CommandList::new();
        commands.push(Command::Repeat { count, commands: body });
        commands
    };
    let token = CancelToken::default();
    let mut cancelled = RunOptions::default();
    cancelled.cancel = Some(token.clone());
    let (long, short) = (list(2_000, u32::MAX), list(10, 40_000));
    std::thread::scope(|scope| {
        let long = scope.spawn(|| device.run(&long, &cancelled).map(|_| ()));
        std::thread::sleep(Duration::from_millis(200));
        let mut options = RunOptions::default();
        options.deadline = Some(Instant::now());
        assert_eq!(device.run(&short, &options).map(|_| ()), Err(Error::DeadlineExceeded));
        device.run(&list(1, 1), &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert!(!long.is_finished(), "the others have not waited for it");
        token.cancel();
        assert_eq!(long.join().expect("no panic"), Err(Error::Cancelled));
    });
}

/// Checks concurrent runs with own buffers, and with own and shared pipelines.
pub fn threads_share_a_device<D: Device>(device: impl Fn() -> D) {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0; buffer add: uniform u32 @1;
        entry { let i = invocation_id.x; if i < len(data) { data[i] = data[i] + add[0]; } }";
    let shared = pipeline(&device, source);
    std::thread::scope(|scope| {
        for thread in 1..=6_u32 {
            let (device, shared) = (&device, &shared);
            scope.spawn(move || {
                let own = pipeline(device, source);
                for iteration in 0..20_u32 {
                    let length = 100 + thread * 7 + iteration;
                    let (data, add) = (buffer(device, u64::from(length) * 4), buffer(device, 4));
                    device.write(&add, 0, &(thread * 1000 + iteration).to_le_bytes()).expect("it can be written");
                    let bindings = Bindings::new().with(0, &data).with(1, &add);
                    let mut commands = CommandList::new();
                    for code in [shared, &own, shared] {
                        commands.dispatch(code, &bindings, [length.div_ceil(64), 1, 1]);
                    }
                    device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(contents(device, &data), vec![3 * (thread * 1000 + iteration); length as usize]);
                }
            });
        }
    });
}

/// Checks that buffers and pipelines of other devices are rejected.
pub fn objects_of_other_devices_are_rejected<D: Device>(device: impl Fn() -> D) {
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
