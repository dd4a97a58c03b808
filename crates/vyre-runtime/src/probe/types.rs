//! Elements of all types, uniform buffers, and programs with many buffers.

use super::rig::{Checked, Rig, compare, grouped, scattered, shown};
use crate::buffer::Buffer;
use crate::commands::{Bindings, CommandList};

pub(super) fn bools(rig: &Rig<'_>) -> Checked {
    let given = [0, 1, 2, 0x100, 0x8000_0000, u32::MAX, 0];
    let program = "workgroup_size 8;
        buffer flags: read bool @0;
        buffer settings: uniform bool @1;
        buffer copies: read_write bool @2;
        buffer out: read_write u32 @3;
        entry {
            let i = local_id.x;
            if i < len(flags) {
                out[i * 4] = flags[i] as u32;
                out[i * 4 + 1] = settings[i] as u32;
                out[i * 4 + 2] = copies[i] as u32;
                if flags[i] {
                    out[i * 4 + 3] = 1;
                } else {
                    out[i * 4 + 3] = 0;
                }
                copies[i] = flags[i];
            }
        }";
    let expected: Vec<u32> = given.iter().flat_map(|&word| [u32::from(word != 0); 4]).collect();
    let (flags, settings, copies) = (rig.words(&given)?, rig.words(&given)?, rig.words(&given)?);
    let out = rig.untouched(expected.len())?;
    rig.dispatch(program, &[&flags, &settings, &copies, &out], [1, 1, 1])?;
    rig.compare(&out, &expected, |at| {
        let from =
            ["a read buffer", "a uniform buffer", "a read_write buffer", "a read buffer, as a condition,"][at % 4];
        format!("the bool word {} from {from}", shown(given[at / 4]))
    })?;
    let stored: Vec<u32> = given.iter().map(|&word| u32::from(word != 0)).collect();
    rig.compare(&copies, &stored, |at| format!("the word of a stored bool that was {}", shown(given[at])))
}

pub(super) fn wide_elements(rig: &Rig<'_>) -> Checked {
    let program = "workgroup_size 4;
        buffer quads: read vec4u32 @0;
        buffer pairs: uniform vec2u32 @1;
        buffer longs: read u64 @2;
        buffer turned: read_write vec4u32 @3;
        buffer mixed: read_write u64 @4;
        buffer summed: read_write vec2u32 @5;
        buffer kept: workgroup vec4u32[4];
        entry {
            let i = local_id.x;
            let q = quads[i];
            kept[i] = vec4u32(q.w, q.z, q.y, q.x);
            barrier;
            turned[i] = kept[3 - i];
            let p = pairs[i];
            let l = longs[i];
            mixed[i] = u64(p.y ^ l.x, p.x ^ l.y);
            summed[i] = vec2u32(q.x + p.x, q.w + l.y);
        }";
    let (quads, pairs, longs) = (scattered(16), scattered(24)[16..].to_vec(), scattered(32)[24..].to_vec());
    let (mut turned, mut mixed, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..4 {
        turned.extend(quads[(3 - i) * 4..][..4].iter().rev());
        let (p, l, q) = (&pairs[i * 2..], &longs[i * 2..], &quads[i * 4..]);
        mixed.extend([p[1] ^ l[0], p[0] ^ l[1]]);
        summed.extend([q[0].wrapping_add(p[0]), q[3].wrapping_add(l[1])]);
    }
    let given = [rig.words(&quads)?, rig.words(&pairs)?, rig.words(&longs)?];
    let results = [rig.untouched(16)?, rig.untouched(8)?, rig.untouched(8)?];
    let buffers: Vec<&Buffer> = given.iter().chain(&results).collect();
    rig.dispatch(program, &buffers, [1, 1, 1])?;
    rig.compare(&results[0], &turned, |at| format!("component {} of element {} of a vec4u32 buffer", at % 4, at / 4))?;
    rig.compare(&results[1], &mixed, |at| format!("component {} of element {} of a u64 buffer", at % 2, at / 2))?;
    rig.compare(&results[2], &summed, |at| format!("component {} of element {} of a vec2u32 buffer", at % 2, at / 2))
}

pub(super) fn signed(rig: &Rig<'_>) -> Checked {
    let given = [0, 1, -1, i32::MIN, i32::MAX, -123_456].map(i32::cast_unsigned);
    let program = "workgroup_size 8;
        buffer input: read i32 @0;
        buffer copies: read_write i32 @1;
        buffer out: read_write u32 @2;
        entry {
            let i = local_id.x;
            if i < len(input) {
                let v = input[i];
                copies[i] = v;
                let long = v as u64;
                out[i * 4] = v as u32;
                out[i * 4 + 1] = long.x;
                out[i * 4 + 2] = long.y;
                out[i * 4 + 3] = v as bool as u32;
            }
        }";
    let extension = |word: u32| if word >> 31 == 1 { u32::MAX } else { 0 };
    let expected: Vec<u32> =
        given.iter().flat_map(|&word| [word, word, extension(word), u32::from(word != 0)]).collect();
    let (input, copies, out) = (rig.words(&given)?, rig.untouched(given.len())?, rig.untouched(expected.len())?);
    rig.dispatch(program, &[&input, &copies, &out], [1, 1, 1])?;
    rig.compare(&copies, &given, |at| format!("the stored i32 {}", given[at].cast_signed()))?;
    rig.compare(&out, &expected, |at| {
        let what = ["u32", "u64, low word,", "u64, high word,", "bool"][at % 4];
        format!("the i32 {} as {what}", given[at / 4].cast_signed())
    })
}

pub(super) fn large_uniform(rig: &Rig<'_>) -> Checked {
    const WORDS: usize = 64 * 1024 / 4;
    let program = "workgroup_size 64;
        buffer table: uniform u32 @0;
        buffer out: read_write u32 @1;
        entry {
            let i = invocation_id.x;
            out[i] = table[i * 4099 % 16384];
        }";
    let table = scattered(WORDS);
    let expected: Vec<u32> = (0..512).map(|i| table[i * 4099 % WORDS]).collect();
    let (table, out) = (rig.words(&table)?, rig.untouched(expected.len())?);
    rig.dispatch(program, &[&table, &out], [8, 1, 1])?;
    rig.compare(&out, &expected, |i| format!("element {} of a uniform buffer", grouped(i * 4099 % WORDS)))
}

pub(super) fn many_buffers(rig: &Rig<'_>) -> Checked {
    /// Number of storage buffers that every WebGPU device supports.
    const MAX_BUFFERS: u64 = 8;
    let count = rig.device().limits().accessed_buffers.clamp(2, MAX_BUFFERS) as usize;
    let (mut declared, mut stores) = (String::new(), String::new());
    for at in 0..count {
        declared += &format!("buffer b{at}: read_write u32 @{};", at * 3);
        stores += &format!("b{at}[i] = b{at}[i] * {} + i;", at + 2);
    }
    let program = format!("workgroup_size 8; {declared} entry {{ let i = local_id.x; {stores} }}");
    let mut commands = CommandList::new();
    let mut bindings = Bindings::new();
    let mut buffers = Vec::new();
    for at in 0..count {
        let given: Vec<u32> = (0..8).map(|i| at as u32 * 100 + i).collect();
        let buffer = rig.words(&given)?;
        bindings = bindings.with(at as u32 * 3, &buffer);
        buffers.push((buffer, given));
    }
    commands.dispatch(&rig.pipeline(&program)?, &bindings, [1, 1, 1]);
    rig.run(&commands)?;
    for (at, (buffer, given)) in buffers.iter().enumerate() {
        let expected: Vec<u32> = (0..8).zip(given).map(|(i, word)| word * (at as u32 + 2) + i).collect();
        let found = rig.read(buffer, expected.len())?;
        compare(&found, &expected, |word| format!("word {word} of buffer {} of {count}", at + 1))?;
    }
    Ok(())
}
