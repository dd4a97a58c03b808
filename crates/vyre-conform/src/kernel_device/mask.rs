//! Execution masks: sets of invocations as bit vectors.

/// Invocations of a word of a mask.
pub(super) const INVOCATIONS_PER_WORD: usize = 64;

/// Mask of all invocations.
pub(super) fn full(invocations: usize) -> Vec<u64> {
    let word = |first: usize| u64::MAX >> (INVOCATIONS_PER_WORD - (invocations - first).min(INVOCATIONS_PER_WORD));
    (0..invocations).step_by(INVOCATIONS_PER_WORD).map(word).collect()
}

pub(super) fn is_empty(mask: &[u64]) -> bool {
    mask.iter().all(|&word| word == 0)
}

pub(super) fn count(mask: &[u64]) -> u32 {
    mask.iter().map(|word| word.count_ones()).sum()
}

/// Invocations of a mask, in ascending order.
pub(super) fn invocations(mask: &[u64]) -> impl Iterator<Item = usize> {
    mask.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let invocation = (rest != 0).then_some(at * INVOCATIONS_PER_WORD + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            invocation
        })
    })
}

/// Invocations of a mask whose bool in a register is true.
pub(super) fn where_true(mask: &[u64], register: &[u32], out: &mut [u64]) {
    for ((out, &word), register) in out.iter_mut().zip(mask).zip(register.chunks(INVOCATIONS_PER_WORD)) {
        *out = word & bits(register.iter().map(|&bit| bit != 0));
    }
}

/// Invocations of a mask whose bool in a register is false.
pub(super) fn where_false(mask: &[u64], register: &[u32], out: &mut [u64]) {
    for ((out, &word), register) in out.iter_mut().zip(mask).zip(register.chunks(INVOCATIONS_PER_WORD)) {
        *out = word & bits(register.iter().map(|&bit| bit == 0));
    }
}

/// Keeps the invocations with `a < b`.
pub(super) fn keep_below(mask: &mut [u64], a: &[u32], b: &[u32]) {
    let registers = a.chunks(INVOCATIONS_PER_WORD).zip(b.chunks(INVOCATIONS_PER_WORD));
    for (word, (a, b)) in mask.iter_mut().zip(registers) {
        *word &= bits(a.iter().zip(b).map(|(a, b)| a < b));
    }
}

/// Packs at most 64 bits into a word.
#[inline]
fn bits(bits: impl Iterator<Item = bool>) -> u64 {
    bits.enumerate().fold(0, |word, (at, bit)| word | (u64::from(bit) << at))
}
