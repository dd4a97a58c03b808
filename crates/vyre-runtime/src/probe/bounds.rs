//! Accesses beyond the end of buffers, some of which end within an element.

use super::rig::{Checked, Rig, UNTOUCHED, bindings, bytes_of, compare, shown};
use crate::buffer::Buffer;
use crate::commands::CommandList;

/// Indices within and beyond small buffers. Some of the largest wrap to the start when converted to byte offsets.
const INDICES: [u32; 24] = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    15,
    16,
    31,
    64,
    1000,
    0x1000_0000,
    0x2000_0000,
    0x3fff_ffff,
    0x4000_0000,
    0x4000_0001,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

/// Bytes after the last whole element of a buffer.
const TAIL: [u8; 2] = [0xab, 0xcd];

/// Consecutive words from a first value.
fn counting(from: u32, count: u32) -> Vec<u32> {
    (from..from + count).collect()
}

/// Words followed by the tail bytes.
fn with_tail(words: &[u32]) -> Vec<u8> {
    [&bytes_of(words)[..], &TAIL].concat()
}

fn at(elements: &[u32], index: u32) -> u32 {
    elements.get(index as usize).copied().unwrap_or(0)
}

fn of(index: u32, length: usize) -> String {
    format!("index {} in {length} elements", shown(index))
}

pub(super) fn lengths(rig: &Rig<'_>) -> Checked {
    let sizes = [0, 1, 3, 4, 5, 7, 8, 11, 12, 15, 16, 17, 31, 32, 33];
    let program = "workgroup_size 1;
        buffer bytes_: read bytes @0;
        buffer words: read_write u32 @1;
        buffer longs: uniform u64 @2;
        buffer quads: read_write vec4u32 @3;
        buffer out: read_write u32 @4;
        entry {
            out[0] = len(bytes_);
            out[1] = len(words);
            out[2] = len(longs);
            out[3] = len(quads);
        }";
    let pipeline = rig.pipeline(program)?;
    let mut commands = CommandList::new();
    let mut results = Vec::new();
    for size in sizes {
        let buffer = || rig.bytes(&vec![0xee; size]);
        let (given, out) = ([buffer()?, buffer()?, buffer()?, buffer()?], rig.untouched(4)?);
        let all: Vec<&Buffer> = given.iter().chain([&out]).collect();
        commands.dispatch(&pipeline, &bindings(&all), [1, 1, 1]);
        results.push((size, out));
    }
    rig.run(&commands)?;
    for (size, out) in results {
        let expected = [size / 4, size / 4, size / 8, size / 16].map(|length| length as u32);
        rig.compare(&out, &expected, |kind| {
            let kind = ["bytes", "u32", "u64", "vec4u32"][kind];
            format!("the length of a {kind} buffer of {size} bytes")
        })?;
    }
    Ok(())
}

pub(super) fn loads(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 32;
        buffer at: read u32 @0;
        buffer input: read u32 @1;
        buffer params: uniform u32 @2;
        buffer data: read_write u32 @3;
        buffer out: read_write u32 @4;
        buffer tile: workgroup u32[9];
        entry {
            let i = local_id.x;
            if i < 9 {
                tile[i] = 400 + i;
            }
            barrier;
            if i < len(at) {
                let index = at[i];
                out[i * 4] = input[index];
                out[i * 4 + 1] = params[index];
                out[i * 4 + 2] = data[index];
                out[i * 4 + 3] = tile[index];
            }
        }";
    let contents = [counting(100, 3), counting(200, 5), counting(300, 7), counting(400, 9)];
    let expected: Vec<u32> =
        INDICES.iter().flat_map(|&index| contents.each_ref().map(|elements| at(elements, index))).collect();
    let indices = rig.words(&INDICES)?;
    let input = rig.bytes(&with_tail(&contents[0]))?;
    let (params, data) = (rig.words(&contents[1])?, rig.bytes(&with_tail(&contents[2]))?);
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&indices, &input, &params, &data, &out], [1, 1, 1])?;
    rig.compare(&out, &expected, |at| {
        let kind = ["a read buffer", "a uniform buffer", "a read_write buffer", "workgroup memory"][at % 4];
        format!("a load from {kind} at {}", of(INDICES[at / 4], contents[at % 4].len()))
    })
}

pub(super) fn wide_loads(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 32;
        buffer at: read u32 @0;
        buffer quads: read vec4u32 @1;
        buffer pairs: uniform vec2u32 @2;
        buffer longs: read_write u64 @3;
        buffer out: read_write u32 @4;
        entry {
            let i = local_id.x;
            if i < len(at) {
                let index = at[i];
                out[i * 8] = quads[index].x;
                out[i * 8 + 1] = quads[index].y;
                out[i * 8 + 2] = quads[index].z;
                out[i * 8 + 3] = quads[index].w;
                out[i * 8 + 4] = pairs[index].x;
                out[i * 8 + 5] = pairs[index].y;
                out[i * 8 + 6] = longs[index].x;
                out[i * 8 + 7] = longs[index].y;
            }
        }";
    // Each buffer has words after its last whole element.
    let (quads, pairs, longs) = (counting(100, 6), counting(200, 5), counting(300, 7));
    let mut expected = Vec::new();
    for index in INDICES {
        let element = |words: &[u32], size: usize| {
            let start = (index as usize).saturating_mul(size);
            words.get(start..start.saturating_add(size)).map_or(vec![0; size], <[u32]>::to_vec)
        };
        expected.extend(element(&quads, 4));
        expected.extend(element(&pairs, 2));
        expected.extend(element(&longs, 2));
    }
    let given = [rig.words(&INDICES)?, rig.words(&quads)?, rig.words(&pairs)?, rig.words(&longs)?];
    let out = rig.untouched(expected.len())?;
    let buffers: Vec<&Buffer> = given.iter().chain([&out]).collect();
    rig.dispatch(program, &buffers, [1, 1, 1])?;
    rig.compare(&out, &expected, |at| {
        let (kind, component, length) = match at % 8 {
            component @ 0..4 => ("vec4u32", component, 1),
            component @ 4..6 => ("vec2u32", component - 4, 2),
            component => ("u64", component - 6, 3),
        };
        format!("component {component} of a load from a {kind} buffer at {}", of(INDICES[at / 8], length))
    })
}

pub(super) fn stores(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 32;
        buffer at: read u32 @0;
        buffer before: read_write u32 @1;
        buffer target: read_write u32 @2;
        buffer after: read_write u32 @3;
        buffer seen: read_write u32 @4;
        buffer low: workgroup u32[4];
        buffer tile: workgroup u32[9];
        buffer high: workgroup u32[4];
        entry {
            let i = local_id.x;
            if i < 4 {
                before[i] = 70 + i;
                after[i] = 80 + i;
                low[i] = 50 + i;
                high[i] = 60 + i;
            }
            barrier;
            if i < len(at) {
                target[at[i]] = 1000 + i;
                tile[at[i]] = 2000 + i;
            }
            barrier;
            if i < 9 {
                seen[i] = tile[i];
            }
            if i < 4 {
                seen[9 + i] = low[i];
                seen[13 + i] = high[i];
            }
        }";
    let (at, before, after) = (rig.words(&INDICES)?, rig.untouched(4)?, rig.untouched(4)?);
    let (target, seen) = (rig.bytes(&with_tail(&[7; 3]))?, rig.untouched(17)?);
    rig.dispatch(program, &[&at, &before, &target, &after, &seen], [1, 1, 1])?;
    // The indices begin with 0, 1, 2 and so on.
    rig.compare_bytes(&target, &with_tail(&counting(1000, 3)), |byte| {
        format!("after stores within and beyond 3 words, byte {byte} of 14")
    })?;
    rig.compare(&before, &counting(70, 4), |word| {
        format!("word {word} of a buffer that no store beyond another hits")
    })?;
    rig.compare(&after, &counting(80, 4), |word| format!("word {word} of a buffer that no store beyond another hits"))?;
    let kept = [counting(2000, 9), counting(50, 4), counting(60, 4)].concat();
    rig.compare(&seen, &kept, |word| match word {
        0..9 => format!("after stores within and beyond 9 words of workgroup memory, word {word}"),
        _ => "a word of workgroup memory that no store beyond another buffer hits".to_owned(),
    })
}

pub(super) fn wide_stores(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 32;
        buffer at: read u32 @0;
        buffer quads: read_write vec4u32 @1;
        buffer pairs: read_write vec2u32 @2;
        buffer longs: read_write u64 @3;
        entry {
            let i = local_id.x;
            if i < len(at) {
                quads[at[i]] = vec4u32(i + 10, i + 20, i + 30, i + 40);
                pairs[at[i]] = vec2u32(i + 50, i + 60);
                longs[at[i]] = u64(i + 70, i + 80);
            }
        }";
    let given = [rig.words(&INDICES)?, rig.untouched(7)?, rig.untouched(5)?, rig.untouched(3)?];
    let buffers: Vec<&Buffer> = given.iter().collect();
    rig.dispatch(program, &buffers, [1, 1, 1])?;
    let expected = [
        ("vec4u32", 1, vec![10, 20, 30, 40, UNTOUCHED, UNTOUCHED, UNTOUCHED]),
        ("vec2u32", 2, vec![50, 60, 51, 61, UNTOUCHED]),
        ("u64", 3, vec![70, 80, UNTOUCHED]),
    ];
    for (kind, slot, expected) in expected {
        rig.compare(&given[slot], &expected, |word| {
            format!("after stores within and beyond a {kind} buffer of {} words, word {word}", expected.len())
        })?;
    }
    Ok(())
}

pub(super) fn atomics(rig: &Rig<'_>) -> Checked {
    /// Atomics, each of which changes any word that it accesses.
    const ATOMICS: [&str; 10] = [
        "atomic_add(target[k], 5)",
        "atomic_or(target[k], 64)",
        "atomic_and(target[k], 8)",
        "atomic_xor(target[k], 255)",
        "atomic_min(target[k], 1)",
        "atomic_max(target[k], 99999)",
        "atomic_exchange(target[k], 17)",
        "atomic_compare_exchange(target[k], 0, 18)",
        "atomic_load(target[k])",
        "atomic_store(target[k], 19)",
    ];
    let stores = ATOMICS.iter().enumerate().skip(1);
    let stores: String = stores.map(|(at, atomic)| format!("out[i * 10 + {at}] = {atomic};")).collect();
    let program = format!(
        "workgroup_size 32;
        buffer at: read u32 @0;
        buffer target: read_write u32 @1;
        buffer out: read_write u32 @2;
        entry {{
            let i = local_id.x;
            if i < len(at) {{
                let k = at[i];
                out[i * 10] = {};
                if k >= 3 {{
                    {stores}
                }}
            }}
        }}",
        ATOMICS[0]
    );
    let (at, target) = (rig.words(&INDICES)?, rig.bytes(&with_tail(&[7; 3]))?);
    let out = rig.untouched(INDICES.len() * 10)?;
    rig.dispatch(&program, &[&at, &target, &out], [1, 1, 1])?;
    rig.compare_bytes(&target, &with_tail(&[12; 3]), |byte| {
        format!("after atomics within and beyond 3 words, byte {byte} of 14")
    })?;
    let result = |index: u32, atomic: usize| match (index, atomic) {
        (0..3, 0) => 7,
        (0..3, _) => UNTOUCHED,
        _ => 0,
    };
    let expected: Vec<u32> =
        INDICES.iter().flat_map(|&index| (0..10).map(move |atomic| result(index, atomic))).collect();
    compare(&rig.read(&out, expected.len())?, &expected, |at| {
        format!("`{}` at {}", ATOMICS[at % 10], of(INDICES[at / 10], 3))
    })
}

pub(super) fn empty(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 4;
        buffer input: read u32 @0;
        buffer params: uniform u32 @1;
        buffer data: read_write u32 @2;
        buffer quads: read_write vec4u32 @3;
        buffer out: read_write u32 @4;
        entry {
            let i = local_id.x;
            data[i] = 5;
            quads[i] = vec4u32(1, 2, 3, 4);
            let first = i * 8;
            out[first] = len(input) + len(params) + len(data) + len(quads);
            out[first + 1] = input[i];
            out[first + 2] = params[i];
            out[first + 3] = data[i];
            out[first + 4] = quads[i].w;
            out[first + 5] = atomic_add(data[i], 1);
            out[first + 6] = atomic_compare_exchange(data[i], 0, 1);
            out[first + 7] = atomic_load(data[i]);
        }";
    let buffers = [rig.bytes(&[])?, rig.bytes(&[])?, rig.bytes(&[])?, rig.bytes(&[])?];
    let out = rig.untouched(32)?;
    let all: Vec<&Buffer> = buffers.iter().chain([&out]).collect();
    rig.dispatch(program, &all, [1, 1, 1])?;
    let results = [
        "the length",
        "a load from a read buffer",
        "a load from a uniform buffer",
        "a load from a read_write buffer",
        "a load from a vec4u32 buffer",
        "an atomic addition",
        "an atomic compare-exchange",
        "an atomic load",
    ];
    rig.compare(&out, &[0; 32], |at| format!("{} where there are no elements", results[at % 8]))?;
    rig.compare(&buffers[2], &[], |_| String::new())
}
