//! Bytes that are written, read, filled and copied.

use vyre_runtime::{Buffer, Command, CommandList, Device, Error, RunOptions};

use crate::helpers::{buffer, device};

/// Every offset and length around words, against bytes in memory.
#[test]
fn writes_fills_and_copies_may_begin_and_end_anywhere() {
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
}

/// More than the chunks that it goes through hold, and not in whole chunks.
#[test]
fn large_buffers_are_written_and_read() {
    let device = device();
    for size in [1_usize, 4_095, 300_001, (8 << 20) + 1, (40 << 20) + 12_345] {
        let bytes: Vec<u8> = (0..size).map(|at| ((at as u64 * 0x9e37_79b9) >> 11) as u8).collect();
        let target = buffer(&device, size as u64 + 7);
        device.write(&target, 3, &bytes).expect("it can be written");
        let read = device.read(&target).expect("it can be read");
        assert!(
            read.len() == size + 7 && read[..3] == [0; 3] && read[3..size + 3] == bytes && read[size + 3..] == [0; 4]
        );
    }
    // Many small ones, which fill the chunks several times over.
    let (step, count) = (50_000_u64, 1_000);
    let target = buffer(&device, step * count);
    for at in 0..count {
        device.write(&target, at * step, &vec![at as u8; step as usize]).expect("it can be written");
    }
    let read = device.read(&target).expect("it can be read");
    assert!(read.iter().zip(0..).all(|(&byte, at)| byte == (at / step) as u8));
}

/// Moves of bytes to where they overlap with themselves: by little, by much, and through memory in between.
#[test]
fn ranges_that_overlap_are_moved() {
    let device = device();
    let size = (200 << 20) + 77;
    let start: Vec<u8> = (0..size).map(|at| ((at as u64 * 0x9e37_79b9) >> 13) as u8).collect();
    let data = buffer(&device, size as u64);
    let length = size - (100 << 20);
    for (from, to) in [(0, 1), (1, 0), (5, 1 << 20), (1 << 20, 5), (0, 90 << 20), (90 << 20, 3), (7, 7)] {
        device.write(&data, 0, &start).expect("it can be written");
        let mut commands = CommandList::new();
        commands.push(Command::Copy {
            source: data.clone(),
            source_offset: from as u64,
            target: data.clone(),
            target_offset: to as u64,
            length: length as u64,
        });
        device.run(&commands, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut expected = start.clone();
        expected.copy_within(from..from + length, to);
        assert!(device.read(&data).expect("it can be read") == expected, "{from} to {to}");
    }
}
