//! 64-bit FNV-1a of long inputs on all threads.
//!
//! A step `h -> (h ^ byte) * PRIME` changes the low 8 bits of `h` and then multiplies. So `h ^ byte` is `h + d`, where `d` depends on the
//! byte and the low 8 bits of `h`. Over a block of `n` bytes a hash becomes `h * PRIME^n + c`, where `c` depends on the block and
//! the low 8 bits of `h` at its begin. Threads find these bits in two passes, because the low 4 bits of a hash depend on no higher
//! bits: the first maps all 16 values of the low 4 bits, the second all 16 values of the next 4. The third pass hashes each block.

use rayon::prelude::*;

/// The prime of the 64-bit hash.
pub(crate) const PRIME: u64 = 0x0100_0000_01b3;

/// Number of blocks that a thread hashes at the same time. Their chains of multiplications overlap.
const BLOCKS: usize = 4;
/// Number of records of a block.
const RECORDS: usize = 2048;
/// Number of records of a unit of parallel work.
pub(crate) const UNIT_RECORDS: usize = BLOCKS * RECORDS;

/// Number of bytes of a record: three words.
const RECORD_BYTES: u32 = 12;

/// Hash of whole units of records, which `words` converts to three words each, beginning with `hash`.
pub(crate) fn hash_units<T: Sync>(hash: u64, units: &[T], words: impl Fn(&T) -> [u32; 3] + Sync) -> u64 {
    debug_assert_eq!(units.len() % UNIT_RECORDS, 0);
    let chunks = || units.par_chunks_exact(UNIT_RECORDS);
    let nibbles: Vec<[[u8; 16]; BLOCKS]> = chunks()
        .map(|unit| {
            let each = [std::array::from_fn(|value| value as u8); BLOCKS];
            // The low 4 bits of a product depend on the low 4 bits of the factors, and those of the prime are 3.
            steps(each, unit, &words, |values, byte| values.map(|value| (value ^ byte).wrapping_mul(3)))
        })
        .collect();
    let nibble_starts = chain(hash as u8 & 15, &nibbles, |map, nibble| map[nibble as usize] & 15);
    let bytes: Vec<[[u16; 16]; BLOCKS]> = chunks()
        .zip(&nibble_starts)
        .map(|(unit, nibbles)| {
            let each = nibbles.map(|nibble| std::array::from_fn(|value| (value as u16) << 4 | u16::from(nibble)));
            let prime = PRIME as u16;
            steps(each, unit, &words, |values, byte| values.map(|value| (value ^ u16::from(byte)).wrapping_mul(prime)))
        })
        .collect();
    let byte_starts = chain(hash as u8, &bytes, |map, byte| map[usize::from(byte >> 4)] as u8);
    let hashes: Vec<[u64; BLOCKS]> = chunks()
        .zip(&byte_starts)
        .map(|(unit, bytes)| {
            steps(bytes.map(u64::from), unit, &words, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
        })
        .collect();
    let power = PRIME.wrapping_pow(RECORD_BYTES * RECORDS as u32);
    let blocks = byte_starts.as_flattened().iter().zip(hashes.as_flattened());
    blocks.fold(hash, |hash, (&byte, &end)| end.wrapping_add(hash.wrapping_sub(u64::from(byte)).wrapping_mul(power)))
}

/// Applies a step for each byte of the blocks of a unit, to a state for each block.
fn steps<T, S: Copy>(
    states: [S; BLOCKS],
    unit: &[T],
    words: impl Fn(&T) -> [u32; 3],
    step: impl Fn(S, u8) -> S,
) -> [S; BLOCKS] {
    let [first, second, third] = unit.iter().map(&words).fold([0; 3], |[a, b, c], [x, y, z]| [a | x, b | y, c | z]);
    match (first | second) >> 24 == 0 && third >> 8 == 0 {
        true => steps_of::<T, S, 3, 1>(states, unit, words, step),
        false => steps_of::<T, S, 4, 4>(states, unit, words, step),
    }
}

/// As [`steps`], for records whose first two words have at most `PAIR` bytes that are not 0, and the third `LAST`. The steps of the
/// other bytes are multiplications by constants.
fn steps_of<T, S: Copy, const PAIR: usize, const LAST: usize>(
    mut states: [S; BLOCKS],
    unit: &[T],
    words: impl Fn(&T) -> [u32; 3],
    step: impl Fn(S, u8) -> S,
) -> [S; BLOCKS] {
    for record in 0..RECORDS {
        for (block, state) in states.iter_mut().enumerate() {
            let words = words(&unit[block * RECORDS + record]);
            for (word, length) in words.into_iter().zip([PAIR, PAIR, LAST]) {
                for (at, byte) in word.to_le_bytes().into_iter().enumerate() {
                    *state = step(*state, if at < length { byte } else { 0 });
                }
            }
        }
    }
    states
}

/// Value at the begin of each block. `next` gives the value at its end, from the map of the block.
fn chain<M>(first: u8, maps: &[[M; BLOCKS]], next: impl Fn(&M, u8) -> u8) -> Vec<[u8; BLOCKS]> {
    let mut value = first;
    let mut begin = |map: &M| {
        let end = next(map, value);
        std::mem::replace(&mut value, end)
    };
    maps.iter().map(|unit| std::array::from_fn(|block| begin(&unit[block]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_the_hash_of_their_bytes() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut word = |bits: u32| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (random >> 40) as u32 >> (24 - bits)
        };
        for (units, bits) in [(0, 1), (1, 24), (3, 20), (2, 8), (2, 0)] {
            let mut records: Vec<[u32; 3]> = Vec::new();
            records.resize_with(units * UNIT_RECORDS, || [word(bits), word(bits) << 8, word(bits.min(3))]);
            for first in [0xcbf2_9ce4_8422_2325, 0, u64::MAX] {
                let bytes = records.as_flattened().iter().flat_map(|word| word.to_le_bytes());
                let expected = bytes.fold(first, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
                assert_eq!(hash_units(first, &records, |&record| record), expected, "{units} units of {bits} bits");
            }
        }
    }
}
