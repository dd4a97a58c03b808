//! Uploads, downloads and copies.

use vyre_runtime::{Command, CommandList, Device, RunOptions};

use crate::helpers::{buffer, device};

/// Sizes beyond the staging chunks, and not a multiple of them.
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
        let mut start = vec![9; size + 5];
        device.read_at(&target, 0, &mut start).expect("it can be read");
        assert!(start == read[..size + 5]);
        let mut end = vec![9; size.min(300_001)];
        let offset = size + 6 - end.len();
        device.read_at(&target, offset as u64, &mut end).expect("it can be read");
        assert!(end == read[offset..size + 6]);
    }
    // Many small uploads, which fill the chunks several times.
    let (step, count) = (50_000_u64, 1_000);
    let target = buffer(&device, step * count);
    for at in 0..count {
        device.write(&target, at * step, &vec![at as u8; step as usize]).expect("it can be written");
    }
    let read = device.read(&target).expect("it can be read");
    assert!(read.iter().zip(0..).all(|(&byte, at)| byte == (at / step) as u8));
}

/// Overlapping copies by small and large distances, direct and through the temporary buffer.
#[test]
fn overlapping_ranges_are_copied() {
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
