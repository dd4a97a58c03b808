//! Repeated command lists, and timestamps.

use std::time::Instant;

use vyre_runtime::{Bindings, Buffer, CancelToken, Command, CommandList, Device, Pipeline, RunOptions};

use crate::helpers::{buffer, contents, device, pipeline};

/// List with all commands that can be part of a graph.
fn steps(code: &Pipeline, data: &Buffer, other: &Buffer) -> CommandList {
    let bindings = Bindings::new().with(0, data);
    let mut list = CommandList::new();
    list.dispatch(code, &bindings, [1, 1, 1]);
    list.push(Command::Copy {
        source: data.clone(),
        source_offset: 0,
        target: other.clone(),
        target_offset: 5,
        length: 20,
    });
    list.push(Command::Fill { buffer: other.clone(), offset: 9, length: 2, byte: 0x33 });
    list.push(Command::Copy {
        source: other.clone(),
        source_offset: 1,
        target: data.clone(),
        target_offset: 32,
        length: 24,
    });
    list.dispatch(code, &bindings, [2, 1, 1]);
    list.dispatch(code, &bindings, [0, 1, 1]);
    list
}

const STEP: &str = "workgroup_size 8; buffer data: read_write u32 @0;
    entry { let i = invocation_id.x; if i < len(data) { data[i] = data[i] * 3 + i + 1; } }";

/// Repetitions and repeated lists become graphs, with the same results.
#[test]
fn graphs_equal_their_commands() {
    let device = device();
    let code = pipeline(&device, STEP);
    let fresh = || (buffer(&device, 64), buffer(&device, 64));
    let run = |list: &CommandList| {
        device.run(list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    };
    // One run per command, with new buffers each time, so no list is submitted twice.
    let one_by_one = |iterations: u32| {
        let (data, other) = fresh();
        for _ in 0..iterations {
            for command in steps(&code, &data, &other).commands() {
                let mut list = CommandList::new();
                list.push(command.clone());
                run(&list);
            }
        }
        (contents(&device, &data), contents(&device, &other))
    };
    for iterations in [1, 2, 3, 5, 199, 200, 201, 477] {
        let expected = one_by_one(iterations);
        let (data, other) = fresh();
        let list = steps(&code, &data, &other);
        for _ in 0..iterations {
            run(&list);
        }
        assert_eq!((contents(&device, &data), contents(&device, &other)), expected, "{iterations} runs");
        for (outer, inner) in [(iterations, 1), (1, iterations)] {
            let (data, other) = fresh();
            let within = CommandList::clone(&steps(&code, &data, &other));
            let mut iteration = CommandList::new();
            iteration.push(Command::Repeat { count: inner, commands: within });
            let mut list = CommandList::new();
            list.push(Command::Timestamp);
            list.push(Command::Repeat { count: outer, commands: iteration });
            list.push(Command::Timestamp);
            let report = device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((contents(&device, &data), contents(&device, &other)), expected, "{outer} times {inner}");
            assert_eq!(report.timestamps.len(), 2);
        }
        // The same in a cancellable run.
        let mut options = RunOptions::default();
        options.cancel = Some(CancelToken::default());
        let (data, other) = fresh();
        let mut list = CommandList::new();
        list.push(Command::Repeat { count: iterations, commands: steps(&code, &data, &other) });
        device.run(&list, &options).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            (contents(&device, &data), contents(&device, &other)),
            expected,
            "{iterations} cancellable iterations"
        );
    }
}

/// Far more graphs than the cache holds, some of whose buffers and programs are dropped.
#[test]
fn graphs_do_not_keep_dropped_buffers_and_programs() {
    let device = device();
    let lasting = pipeline(&device, STEP);
    let (kept, kept_other) = (buffer(&device, 64), buffer(&device, 64));
    let list = steps(&lasting, &kept, &kept_other);
    for number in 0..100 {
        let own = pipeline(&device, &STEP.replace("* 3", &format!("* {}", number % 50)));
        let (data, other) = (buffer(&device, 64), buffer(&device, 64));
        for _ in 0..3 {
            let steps = steps(&own, &data, &other);
            device.run(&steps, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        }
        device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_ne!(contents(&device, &kept), vec![0; 16]);
}

/// A list that needs many events.
#[test]
fn many_timestamps_ascend() {
    let device = device();
    let code = pipeline(&device, STEP);
    let data = buffer(&device, 64);
    let mut iteration = CommandList::new();
    iteration.push(Command::Timestamp);
    iteration.dispatch(&code, &Bindings::new().with(0, &data), [1, 1, 1]);
    let mut list = CommandList::new();
    list.push(Command::Repeat { count: 5_000, commands: iteration });
    let start = Instant::now();
    let times = device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}")).timestamps;
    let elapsed = start.elapsed().as_nanos() as u64;
    assert!(times.len() == 5_000 && times[0] == 0 && times.is_sorted(), "{:?}", &times[..10]);
    let last = times[times.len() - 1];
    assert!(last > 0 && last <= elapsed, "{last} of {elapsed}");
}

/// Buffers and pipelines may outlive their device.
#[test]
fn buffers_and_pipelines_outlive_their_device() {
    let device = device();
    let code = pipeline(&device, STEP);
    let data = buffer(&device, 64);
    let mut list = CommandList::new();
    list.dispatch(&code, &Bindings::new().with(0, &data), [1, 1, 1]);
    for _ in 0..3 {
        device.run(&list, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
    drop(device);
    drop((list, code, data));
}
