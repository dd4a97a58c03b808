//! Sets of lanes, a bit for each.

/// The lanes of a word of a mask.
pub(super) const LANES_PER_WORD: usize = 64;

/// All of so many lanes.
pub(super) fn full(lanes: usize) -> Vec<u64> {
    let word = |first: usize| u64::MAX >> (LANES_PER_WORD - (lanes - first).min(LANES_PER_WORD));
    (0..lanes).step_by(LANES_PER_WORD).map(word).collect()
}

pub(super) fn is_empty(mask: &[u64]) -> bool {
    mask.iter().all(|&word| word == 0)
}

pub(super) fn count(mask: &[u64]) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

/// The lanes of a mask, in ascending order.
pub(super) fn lanes(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let lane = (rest != 0).then_some(at * LANES_PER_WORD + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            lane
        })
    })
}

/// The lanes of a mask for which a row of truth values holds.
pub(super) fn where_true(mask: &[u64], row: &[u32], out: &mut [u64]) {
    for ((out, &word), row) in out.iter_mut().zip(mask).zip(row.chunks(LANES_PER_WORD)) {
        *out = word & bits(row.iter().map(|&truth| truth != 0));
    }
}

/// The lanes of a mask for which it does not hold.
pub(super) fn where_false(mask: &[u64], row: &[u32], out: &mut [u64]) {
    for ((out, &word), row) in out.iter_mut().zip(mask).zip(row.chunks(LANES_PER_WORD)) {
        *out = word & bits(row.iter().map(|&truth| truth == 0));
    }
}

/// Keeps the lanes for which a word is below the other.
pub(super) fn keep_below(mask: &mut [u64], a: &[u32], b: &[u32]) {
    let rows = a.chunks(LANES_PER_WORD).zip(b.chunks(LANES_PER_WORD));
    for (word, (a, b)) in mask.iter_mut().zip(rows) {
        *word &= bits(a.iter().zip(b).map(|(a, b)| a < b));
    }
}

/// At most 64 bits as a word.
#[inline]
fn bits(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate().fold(0, |word, (at, bit)| word | (u64::from(bit) << at))
}
