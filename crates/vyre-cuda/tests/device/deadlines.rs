//! Deadlines and cancel tokens.

use std::time::{Duration, Instant};

use vyre_runtime::{Bindings, CancelToken, Command, CommandList, Device, Error, RunOptions};

use crate::helpers::{buffer, contents, device, pipeline};

/// A kernel that would run for minutes ends when it is cancelled, and device and buffers stay usable.
#[test]
fn kernels_end_when_they_are_cancelled() {
    let device = device();
    let source = "workgroup_size 64; buffer data: read_write u32 @0; buffer iterations: uniform u32 @1;
        entry {
            let n = data[local_id.x];
            for k in 0..iterations[0] { n = (n ^ k) * 1664525 + 1013904223; }
            data[local_id.x] = n;
        }";
    let code = pipeline(&device, source);
    let (data, iterations, seen) = (buffer(&device, 256), buffer(&device, 4), buffer(&device, 4));
    device.write(&iterations, 0, &4_000_000_000_u32.to_le_bytes()).expect("it can be written");
    let mut list = CommandList::new();
    // Enough workgroups to fill every GPU.
    list.dispatch(&code, &Bindings::new().with(0, &data).with(1, &iterations), [100_000, 1, 1]);
    for _ in 0..1_000 {
        list.push(Command::Fill { buffer: seen.clone(), offset: 0, length: 4, byte: 1 });
    }
    // Compiles the cancellable kernel before the measurements.
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now());
    assert_eq!(device.run(&list, &options).map(|_| ()), Err(Error::DeadlineExceeded));
    for _ in 0..3 {
        let start = Instant::now();
        let mut options = RunOptions::default();
        options.deadline = Some(start + Duration::from_millis(100));
        assert_eq!(device.run(&list, &options).map(|_| ()), Err(Error::DeadlineExceeded));
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(100) && took < Duration::from_secs(3), "{took:?}");
        println!("it took {took:?} to end after 100 ms");

        let token = CancelToken::default();
        let mut options = RunOptions::default();
        options.cancel = Some(token.clone());
        std::thread::scope(|scope| {
            let run = scope.spawn(|| device.run(&list, &options).map(|_| ()));
            std::thread::sleep(Duration::from_millis(50));
            let start = Instant::now();
            token.cancel();
            assert_eq!(run.join().expect("no panic"), Err(Error::Cancelled));
            assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
        });
        // The device and its buffers stay usable.
        device.read(&data).expect("it can be read");
    }
    device.write(&iterations, 0, &3_u32.to_le_bytes()).expect("it can be written");
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_secs(60));
    device.run(&list, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(contents(&device, &seen), [0x0101_0101]);
}

/// A deadline holds while a plain run of another thread occupies the device.
#[test]
fn deadlines_hold_behind_a_long_kernel() {
    let device = device();
    let source = "workgroup_size 1; buffer data: read_write u32 @0; buffer iterations: uniform u32 @1;
        entry { let n = data[0]; for k in 0..iterations[0] { n = (n ^ k) * 1664525 + 1013904223; } data[0] = n; }";
    let code = pipeline(&device, source);
    let list = |iterations: u32| {
        let (data, bound) = (buffer(&device, 4), buffer(&device, 4));
        device.write(&bound, 0, &iterations.to_le_bytes()).expect("it can be written");
        let mut list = CommandList::new();
        list.dispatch(&code, &Bindings::new().with(0, &data).with(1, &bound), [1, 1, 1]);
        list
    };
    // About a second.
    let (long, short) = (list(100_000_000), list(1));
    let mut warm = RunOptions::default();
    warm.deadline = Some(Instant::now() + Duration::from_secs(60));
    device.run(&short, &warm).unwrap_or_else(|error| panic!("{error}"));
    std::thread::scope(|scope| {
        let long = scope.spawn(|| device.run(&long, &RunOptions::default()).map(|_| ()));
        std::thread::sleep(Duration::from_millis(100));
        let start = Instant::now();
        let mut options = RunOptions::default();
        options.deadline = Some(start + Duration::from_millis(50));
        let outcome = device.run(&short, &options).map(|_| ());
        let took = start.elapsed();
        if !long.is_finished() {
            assert_eq!(outcome, Err(Error::DeadlineExceeded));
            assert!(took < Duration::from_millis(500), "{took:?}");
        }
        assert_eq!(long.join().expect("no panic"), Ok(()));
    });
    device.run(&short, &warm).unwrap_or_else(|error| panic!("{error}"));
}
