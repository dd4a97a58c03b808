//! Emulation of unsigned 64-bit arithmetic on pairs of 32-bit words.

use vyre_ir::build::{Body, Buffer, Var, reduce};
use vyre_ir::{AtomicOp, Expr, ReduceOp};

/// An unsigned 64-bit number as a pair of words.
#[derive(Clone, Debug)]
pub(crate) struct WordPair {
    pub(crate) low: Var,
    pub(crate) high: Var,
}

impl WordPair {
    /// Binds two words as one number.
    pub(crate) fn new(b: &mut Body<'_>, name: &str, low: impl Into<Expr>, high: impl Into<Expr>) -> WordPair {
        WordPair { low: b.let_(format!("{name}_low"), low), high: b.let_(format!("{name}_high"), high) }
    }

    /// Loads the two words at an even position of a buffer of words.
    pub(crate) fn load(b: &mut Body<'_>, name: &str, buffer: &Buffer, position: &Expr) -> WordPair {
        WordPair::new(b, name, buffer.load(position), buffer.load(position + 1u32))
    }

    /// Sum of two numbers, modulo 2^64.
    pub(crate) fn sum(&self, b: &mut Body<'_>, name: &str, other: &WordPair) -> WordPair {
        let low = b.let_(format!("{name}_low"), &self.low + &other.low);
        let high = b.let_(format!("{name}_high"), &self.high + &other.high + low.lt(&self.low));
        WordPair { low, high }
    }

    /// Adds another number to this one in place. No other number may share the variables of this one.
    pub(crate) fn add_assign(&self, b: &mut Body<'_>, other: &WordPair) {
        b.assign(&self.low, &self.low + &other.low);
        b.assign(&self.high, &self.high + &other.high + self.low.lt(&other.low));
    }

    /// Absolute difference of two numbers.
    pub(crate) fn abs_diff(&self, b: &mut Body<'_>, other: &WordPair) -> WordPair {
        let is_less = self.high.lt(&other.high).or(self.high.eq(&other.high).and(self.low.lt(&other.low)));
        let is_less = b.let_("is_less", is_less);
        let choose = |b: &mut Body<'_>, yes: &WordPair, no: &WordPair| {
            WordPair::new(b, "end", is_less.select(&yes.low, &no.low), is_less.select(&yes.high, &no.high))
        };
        let (larger, smaller) = (choose(b, other, self), choose(b, self, other));
        let high = &larger.high - &smaller.high - larger.low.lt(&smaller.low);
        WordPair::new(b, "difference", &larger.low - &smaller.low, high)
    }

    /// Product with a fraction of 2^32, rounded down.
    pub(crate) fn mul_fraction(&self, b: &mut Body<'_>, fraction: &Var) -> WordPair {
        let low = b.let_("product_low", &self.high * fraction + self.low.mul_hi(fraction));
        let carry = low.lt(self.low.mul_hi(fraction));
        let high = b.let_("product_high", self.high.mul_hi(fraction) + carry);
        WordPair { low, high }
    }

    /// Quotient by a word other than 0, rounded down.
    pub(crate) fn div(&self, b: &mut Body<'_>, divisor: &Var) -> WordPair {
        let high = b.let_("quotient_high", &self.high / divisor);
        let remainder = b.let_("remainder", &self.high % divisor);
        let low = b.let_("quotient_low", 0u32);
        b.if_else(
            divisor.lt(0x1_0000u32),
            |b| {
                // Long division by half words: the remainder and a half word fit into a word.
                let upper = b.let_("upper", (&remainder << 16u32) | (&self.low >> 16u32));
                let lower = ((&upper % divisor) << 16u32) | (&self.low & 0xffffu32);
                b.assign(&low, ((&upper / divisor) << 16u32) | (lower / divisor));
            },
            |b| {
                b.for_("bit", 0u32, 32u32, |b, bit| {
                    let overflows = b.let_("overflows", &remainder >> 31u32);
                    b.assign(&remainder, (&remainder << 1u32) | ((&self.low >> (31u32 - bit)) & 1u32));
                    let fits = b.let_("fits", overflows.or(remainder.ge(divisor)));
                    b.assign(&remainder, &remainder - fits.select(divisor, 0u32));
                    b.assign(&low, (&low << 1u32) | &fits);
                });
            },
        );
        WordPair { low, high }
    }

    /// Sum over the workgroup, modulo 2^64. All invocations must be converged, and the workgroup must have at most 2^16 of them.
    pub(crate) fn workgroup_sum(&self, b: &mut Body<'_>) -> WordPair {
        // Sums of 2^16 limbs of 16 bits fit into words.
        let limbs = [&self.low & 0xffffu32, &self.low >> 16u32, &self.high & 0xffffu32, &self.high >> 16u32];
        let [first, second, third, fourth] = limbs.map(|limb| b.let_("limb", reduce(ReduceOp::Add, limb)));
        let low = b.let_("sum_low", &first + (&second << 16u32));
        let high = (&second >> 16u32) + &third + (&fourth << 16u32) + low.lt(&first);
        WordPair { high: b.let_("sum_high", high), low }
    }

    /// Adds the number atomically to two words at an even position of a buffer. The sum does not depend on the order of such
    /// additions, since each carry is added exactly once.
    pub(crate) fn atomic_add(&self, b: &mut Body<'_>, buffer: &Buffer, position: &Expr) {
        let before = b.atomic("before", AtomicOp::Add, buffer, position, &self.low);
        let high = b.let_("carried", &self.high + (&before + &self.low).lt(&self.low));
        b.if_(high.ne(0u32), |b| {
            b.discard(Expr::atomic(AtomicOp::Add, buffer.name(), position + 1u32, &high));
        });
    }

    /// Stores the two words at an even position of a buffer.
    pub(crate) fn store(&self, b: &mut Body<'_>, buffer: &Buffer, position: &Expr) {
        b.store(buffer, position, &self.low);
        b.store(buffer, position + 1u32, &self.high);
    }
}

#[cfg(test)]
mod tests {
    use vyre_graph::generate::SplitMix64;
    use vyre_ir::build::{ProgramBuilder, invocation_id};
    use vyre_ir::{DataType, OpTable, validate};
    use vyre_runtime::{Bindings, CommandList, Device as _, PipelineOptions, ReferenceDevice, RunOptions};

    use super::*;

    /// Runs a program on each case `[low, high, low, high, word]` and returns the numbers that it computes.
    fn compute(
        cases: &[[u32; 5]],
        build: impl FnOnce(&mut Body<'_>, &WordPair, &WordPair, &Var) -> WordPair,
    ) -> Vec<u64> {
        let mut p = ProgramBuilder::new([64, 1, 1]);
        let input = p.read("input", DataType::U32);
        let output = p.read_write("output", DataType::U32);
        let program = p.entry(|b| {
            let at = b.let_("at", invocation_id(0) * 5u32);
            let one = WordPair::load(b, "one", &input, &(&at).into());
            let other = WordPair::load(b, "other", &input, &(&at + 2u32));
            let word = b.let_("word", input.load(&at + 4u32));
            let result = build(b, &one, &other, &word);
            result.store(b, &output, &(invocation_id(0) * 2u32));
        });
        let table = OpTable::default();
        let valid = validate(&program, &table).expect("is valid");
        let device = ReferenceDevice::new();
        let pipeline = device.create_pipeline(&valid, &PipelineOptions::default()).expect("builds");
        let bytes: Vec<u8> = cases.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let input = device.create_buffer(bytes.len() as u64).expect("memory");
        let output = device.create_buffer(cases.len() as u64 * 8).expect("memory");
        device.write(&input, 0, &bytes).expect("fits");
        let mut commands = CommandList::new();
        let groups = cases.len().div_ceil(64) as u32;
        commands.dispatch(&pipeline, &Bindings::new().with(0, &input).with(1, &output), [groups, 1, 1]);
        device.run(&commands, &RunOptions::default()).expect("runs");
        let bytes = device.read(&output).expect("reads");
        bytes.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number)).collect()
    }

    /// Corner cases and random numbers of all lengths.
    fn cases() -> Vec<[u32; 5]> {
        let corners =
            [0, 1, 2, 0xffff, 0x1_0000, 0x1_0001, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, u32::MAX - 1, u32::MAX];
        let mut cases = Vec::new();
        for low in corners {
            for high in corners {
                cases.extend(corners.map(|word| [low, high, high ^ 1, low, word]));
            }
        }
        let mut random = SplitMix64::new(5);
        let mut word = || (random.next_word() >> 32 >> random.below(32)) as u32;
        cases.extend((0..2_000).map(|_| [word(), word(), word(), word(), word()]));
        cases
    }

    fn number(low: u32, high: u32) -> u64 {
        u64::from(low) | u64::from(high) << 32
    }

    #[track_caller]
    fn check(
        build: impl FnOnce(&mut Body<'_>, &WordPair, &WordPair, &Var) -> WordPair,
        expected: impl Fn(u64, u64, u32) -> Option<u64>,
    ) {
        let cases = cases();
        for (case, found) in cases.iter().zip(compute(&cases, build)) {
            let (one, other) = (number(case[0], case[1]), number(case[2], case[3]));
            if let Some(expected) = expected(one, other, case[4]) {
                assert_eq!(found, expected, "{one:#x}, {other:#x}, {:#x}", case[4]);
            }
        }
    }

    #[test]
    fn sums() {
        check(|b, one, other, _| one.sum(b, "sum", other), |one, other, _| Some(one.wrapping_add(other)));
        check(
            |b, one, other, _| {
                one.add_assign(b, other);
                one.clone()
            },
            |one, other, _| Some(one.wrapping_add(other)),
        );
    }

    #[test]
    fn distances() {
        check(|b, one, other, _| one.abs_diff(b, other), |one, other, _| Some(one.abs_diff(other)));
    }

    #[test]
    fn products_with_fractions() {
        check(
            |b, one, _, word| one.mul_fraction(b, word),
            |one, _, word| Some(((u128::from(one) * u128::from(word)) >> 32) as u64),
        );
    }

    /// Divisors of up to 16 bits, of more, and of all 32.
    #[test]
    fn quotients() {
        check(|b, one, _, word| one.div(b, word), |one, _, word| one.checked_div(u64::from(word)));
    }

    /// Every workgroup computes the sum of its 64 numbers. The numbers have at most 58 bits, so that the sum fits.
    #[test]
    fn sums_of_workgroups() {
        let mut cases = cases();
        cases.truncate(cases.len() / 64 * 64);
        let small = |case: &[u32; 5]| number(case[0], case[1] & 0x03ff_ffff);
        let found = compute(&cases, |b, one, _, _| {
            let high = b.let_("small", &one.high & 0x03ff_ffffu32);
            WordPair { low: one.low.clone(), high }.workgroup_sum(b)
        });
        for (group, found) in cases.chunks(64).zip(found.chunks(64)) {
            let sum: u64 = group.iter().map(small).sum();
            assert!(found.iter().all(|&number| number == sum), "{found:x?} where the sum is {sum:#x}");
        }
    }
}
