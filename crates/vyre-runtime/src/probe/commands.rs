//! Reads, writes and command lists.

use super::rig::{Checked, Rig, bindings, bytes_of, scattered};
use crate::buffer::Buffer;
use crate::commands::{Command, CommandList};

/// Size of the buffers, not a multiple of 4.
const SIZE: usize = 67;

/// Pseudorandom bytes.
fn noise() -> Vec<u8> {
    let mut bytes = bytes_of(&scattered(SIZE));
    bytes.truncate(SIZE);
    bytes
}

/// Offsets and lengths of all alignments.
fn ranges() -> impl Iterator<Item = (usize, usize)> {
    (0..5).flat_map(|offset| [0, 1, 2, 3, 4, 5, 7, 8, 13].map(|length| (offset, length)))
}

pub(super) fn write_read(rig: &Rig<'_>) -> Checked {
    let given = noise();
    for (offset, length) in ranges() {
        let buffer = rig.bytes(&given)?;
        let written = vec![0x5a; length];
        rig.device().write(&buffer, (offset + 8) as u64, &written)?;
        let mut expected = given.clone();
        expected[offset + 8..][..length].copy_from_slice(&written);
        rig.compare_bytes(&buffer, &expected, |byte| {
            format!("after a write of {length} bytes to byte {}, byte {byte}", offset + 8)
        })?;
    }
    Ok(())
}

pub(super) fn fresh_buffers(rig: &Rig<'_>) -> Checked {
    /// Common allocation sizes.
    const SIZES: [usize; 4] = [1, 67, 256, 65_536];
    for size in SIZES {
        rig.bytes(&vec![0xff; size])?;
        let buffer = rig.device().create_buffer(size as u64)?;
        rig.compare_bytes(&buffer, &vec![0; size], |byte| format!("byte {byte} of a new buffer of {size} bytes"))?;
    }
    // A program may see other contents than the host.
    let program = "workgroup_size 64;
        buffer fresh: read_write u32 @0;
        buffer count: read_write u32 @1;
        entry {
            let i = invocation_id.x;
            let _ = atomic_add(count[0], fresh[i] != 0);
        }";
    let (fresh, count) = (rig.device().create_buffer(4096)?, rig.device().create_buffer(4)?);
    rig.dispatch(program, &[&fresh, &count], [16, 1, 1])?;
    rig.compare(&count, &[0], |_| "the number of words of a new buffer that a program finds not to be 0".to_owned())
}

pub(super) fn fills(rig: &Rig<'_>) -> Checked {
    let given = noise();
    let mut commands = CommandList::new();
    let mut filled = Vec::new();
    for (offset, length) in ranges() {
        let buffer = rig.bytes(&given)?;
        let (start, bytes) = (offset as u64, length as u64);
        commands.push(Command::Fill { buffer: buffer.clone(), offset: start, length: bytes, byte: 0x5a });
        // And one that reaches the end.
        let last = Command::Fill { buffer: buffer.clone(), offset: SIZE as u64 - bytes, length: bytes, byte: 0xc3 };
        commands.push(last);
        filled.push((offset, length, buffer));
    }
    rig.run(&commands)?;
    for (offset, length, buffer) in filled {
        let mut expected = given.clone();
        expected[offset..][..length].fill(0x5a);
        expected[SIZE - length..].fill(0xc3);
        rig.compare_bytes(&buffer, &expected, |byte| {
            format!("after fills of {length} bytes at byte {offset} and at the end, byte {byte} of {SIZE}")
        })?;
    }
    Ok(())
}

/// A copy between buffers.
fn copy((source, from): (&Buffer, usize), (target, to): (&Buffer, usize), length: usize) -> Command {
    Command::Copy {
        source: source.clone(),
        source_offset: from as u64,
        target: target.clone(),
        target_offset: to as u64,
        length: length as u64,
    }
}

pub(super) fn copies(rig: &Rig<'_>) -> Checked {
    let (given, old) = (noise(), vec![0x11; SIZE]);
    let source = rig.bytes(&given)?;
    let mut commands = CommandList::new();
    let mut copied = Vec::new();
    for (from, length) in ranges() {
        for to in 0..4 {
            let target = rig.bytes(&old)?;
            commands.push(copy((&source, from), (&target, to), length));
            copied.push((from, to, length, target));
        }
    }
    let whole = rig.bytes(&old)?;
    commands.push(copy((&source, 0), (&whole, 0), SIZE));
    copied.push((0, 0, SIZE, whole));
    rig.run(&commands)?;
    for (from, to, length, target) in copied {
        let mut expected = old.clone();
        expected[to..][..length].copy_from_slice(&given[from..][..length]);
        rig.compare_bytes(&target, &expected, |byte| {
            format!("after a copy of {length} bytes from byte {from} to byte {to}, byte {byte} of {SIZE}")
        })?;
    }
    rig.compare_bytes(&source, &given, |byte| format!("byte {byte} of a buffer that was only copied from"))
}

pub(super) fn overlapping_copies(rig: &Rig<'_>) -> Checked {
    let given = noise();
    let mut commands = CommandList::new();
    let mut copied = Vec::new();
    for (from, to, length) in [(0, 4, 40), (4, 0, 40), (0, 1, 60), (3, 0, 64), (8, 24, 32), (5, 5, 20), (1, 3, 5)] {
        let buffer = rig.bytes(&given)?;
        commands.push(copy((&buffer, from), (&buffer, to), length));
        copied.push((from, to, length, buffer));
    }
    rig.run(&commands)?;
    for (from, to, length, buffer) in copied {
        let mut expected = given.clone();
        expected.copy_within(from..from + length, to);
        rig.compare_bytes(&buffer, &expected, |byte| {
            format!("after a copy of {length} bytes from byte {from} to byte {to} of the same buffer, byte {byte}")
        })?;
    }
    Ok(())
}

/// Writes the words of one buffer to another in reverse order, changed.
const REVERSE: &str = "workgroup_size 64;
    buffer source: read u32 @0;
    buffer target: read_write u32 @1;
    entry {
        let i = invocation_id.x;
        target[i] = source[len(source) - 1 - i] * 3 + i;
    }";

/// Result of [`REVERSE`].
fn reversed(source: &[u32]) -> Vec<u32> {
    (0..).zip(source.iter().rev()).map(|(i, word)| word.wrapping_mul(3).wrapping_add(i)).collect()
}

pub(super) fn dispatch_order(rig: &Rig<'_>) -> Checked {
    let given = scattered(256);
    let (one, other) = (rig.words(&given)?, rig.untouched(256)?);
    let reverse = rig.pipeline(REVERSE)?;
    let mut commands = CommandList::new();
    let mut expected = given;
    for iteration in 0..10 {
        let buffers = if iteration % 2 == 0 { [&one, &other] } else { [&other, &one] };
        commands.dispatch(&reverse, &bindings(&buffers), [4, 1, 1]);
        expected = reversed(&expected);
    }
    rig.run(&commands)?;
    rig.compare(&one, &expected, |word| {
        format!("word {word} after ten dispatches that each use what the last has written")
    })
}

pub(super) fn command_order(rig: &Rig<'_>) -> Checked {
    let given = scattered(64);
    let (one, other) = (rig.words(&given)?, rig.untouched(64)?);
    let reverse = rig.pipeline(REVERSE)?;
    let mut commands = CommandList::new();
    let mut expected = given;
    for iteration in 0..6_u8 {
        commands.dispatch(&reverse, &bindings(&[&one, &other]), [1, 1, 1]);
        commands.push(Command::Timestamp);
        commands.push(Command::Fill { buffer: other.clone(), offset: 8, length: 4, byte: iteration });
        commands.push(copy((&other, 0), (&one, 0), 256));
        expected = reversed(&expected);
        expected[2] = u32::from_le_bytes([iteration; 4]);
    }
    rig.run(&commands)?;
    rig.compare(&one, &expected, |word| {
        format!("word {word} after dispatches, fills and copies that follow each other")
    })
}

pub(super) fn repeats(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 4;
        buffer data: read_write u32 @0;
        buffer params: uniform u32 @1;
        entry {
            let i = local_id.x;
            data[i] = data[i] * params[0] + i + 1;
        }";
    let (data, two, three) = (rig.words(&[0; 4])?, rig.words(&[2])?, rig.words(&[3])?);
    let pipeline = rig.pipeline(program)?;
    let list = |params: &Buffer| {
        let mut list = CommandList::new();
        list.dispatch(&pipeline, &bindings(&[&data, params]), [1, 1, 1]);
        list
    };
    let mut body = list(&two);
    body.push(Command::Repeat { count: 3, commands: list(&three) });
    body.push(Command::Repeat { count: 0, commands: list(&two) });
    let mut commands = CommandList::new();
    commands.push(Command::Repeat { count: 5, commands: body });
    rig.run(&commands)?;
    let mut expected = [0_u32; 4];
    for _ in 0..5 {
        for factor in [2, 3, 3, 3] {
            for (i, word) in (0..).zip(&mut expected) {
                *word = word.wrapping_mul(factor).wrapping_add(i + 1);
            }
        }
    }
    rig.compare(&data, &expected, |word| format!("word {word} after 5 times one dispatch and 3 times another"))
}
