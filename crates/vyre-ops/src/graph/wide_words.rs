//! Numbers of 64 bits in programs whose words have 32.

use vyre_ir::build::{Body, Buffer, Var, reduce};
use vyre_ir::{AtomicOp, Expr, ReduceOp};

/// A number of two words.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub(crate) low: Var,
    pub(crate) high: Var,
}

impl Wide {
    /// Two words as one number.
    pub(crate) fn new(b: &mut Body<'_>, name: &str, low: impl Into<Expr>, high: impl Into<Expr>) -> Wide {
        Wide { low: b.let_(format!("{name}_low"), low), high: b.let_(format!("{name}_high"), high) }
    }

    /// The two words at an even position of a buffer of words, or of the elements of a buffer of `u64`.
    pub(crate) fn load(b: &mut Body<'_>, name: &str, buffer: &Buffer, position: &Expr) -> Wide {
        Wide::new(b, name, buffer.load(position), buffer.load(position + 1u32))
    }

    /// The sum, which must fit.
    pub(crate) fn plus(&self, b: &mut Body<'_>, name: &str, other: &Wide) -> Wide {
        let low = b.let_(format!("{name}_low"), &self.low + &other.low);
        let high = b.let_(format!("{name}_high"), &self.high + &other.high + low.lt(&self.low));
        Wide { low, high }
    }

    /// Adds another number to this one, which must be variables of its own.
    pub(crate) fn add(&self, b: &mut Body<'_>, other: &Wide) {
        b.assign(&self.low, &self.low + &other.low);
        b.assign(&self.high, &self.high + &other.high + self.low.lt(&other.low));
    }

    /// The distance to another number.
    pub(crate) fn distance(&self, b: &mut Body<'_>, other: &Wide) -> Wide {
        let is_less = self.high.lt(&other.high).or(self.high.eq(&other.high).and(self.low.lt(&other.low)));
        let is_less = b.let_("is_less", is_less);
        let choose = |b: &mut Body<'_>, yes: &Wide, no: &Wide| {
            Wide::new(b, "end", is_less.select(&yes.low, &no.low), is_less.select(&yes.high, &no.high))
        };
        let (larger, smaller) = (choose(b, other, self), choose(b, self, other));
        let high = &larger.high - &smaller.high - larger.low.lt(&smaller.low);
        Wide::new(b, "distance", &larger.low - &smaller.low, high)
    }

    /// The product with a fraction of 2^32, rounded down.
    pub(crate) fn times_fraction(&self, b: &mut Body<'_>, fraction: &Var) -> Wide {
        let low = b.let_("product_low", &self.high * fraction + self.low.mul_hi(fraction));
        let carry = low.lt(self.low.mul_hi(fraction));
        let high = b.let_("product_high", self.high.mul_hi(fraction) + carry);
        Wide { low, high }
    }

    /// The quotient by a word that is not 0, rounded down.
    pub(crate) fn divided(&self, b: &mut Body<'_>, divisor: &Var) -> Wide {
        let high = b.let_("quotient_high", &self.high / divisor);
        let rest = b.let_("rest", &self.high % divisor);
        let low = b.let_("quotient_low", 0u32);
        b.if_else(
            divisor.lt(0x1_0000u32),
            |b| {
                // Half a word at a time: the rest and the half word fit into a word.
                let upper = b.let_("upper", (&rest << 16u32) | (&self.low >> 16u32));
                let lower = ((&upper % divisor) << 16u32) | (&self.low & 0xffffu32);
                b.assign(&low, ((&upper / divisor) << 16u32) | (lower / divisor));
            },
            |b| {
                b.for_("bit", 0u32, 32u32, |b, bit| {
                    let is_beyond = b.let_("is_beyond", &rest >> 31u32);
                    b.assign(&rest, (&rest << 1u32) | ((&self.low >> (31u32 - bit)) & 1u32));
                    let fits = b.let_("fits", is_beyond.or(rest.ge(divisor)));
                    b.assign(&rest, &rest - fits.select(divisor, 0u32));
                    b.assign(&low, (&low << 1u32) | &fits);
                });
            },
        );
        Wide { low, high }
    }

    /// The sum over the workgroup, whose invocations must all come here. It must have at most 2^16 invocations.
    pub(crate) fn summed(&self, b: &mut Body<'_>) -> Wide {
        // Sums of quarters fit into words.
        let quarters = [&self.low & 0xffffu32, &self.low >> 16u32, &self.high & 0xffffu32, &self.high >> 16u32];
        let [first, second, third, fourth] = quarters.map(|quarter| b.let_("quarter", reduce(ReduceOp::Add, quarter)));
        let low = b.let_("summed_low", &first + (&second << 16u32));
        let high = (&second >> 16u32) + &third + (&fourth << 16u32) + low.lt(&first);
        Wide { high: b.let_("summed_high", high), low }
    }

    /// Adds the number to two words at an even position of a buffer. The sum does not depend on the order of such additions,
    /// since each carry is added once.
    pub(crate) fn add_to(&self, b: &mut Body<'_>, buffer: &Buffer, position: &Expr) {
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

    /// What a program computes from the words of each case: `[low, high, low, high, word]` gives a number.
    fn compute(cases: &[[u32; 5]], build: impl FnOnce(&mut Body<'_>, &Wide, &Wide, &Var) -> Wide) -> Vec<u64> {
        let mut p = ProgramBuilder::new([64, 1, 1]);
        let input = p.read("input", DataType::U32);
        let output = p.read_write("output", DataType::U32);
        let program = p.entry(|b| {
            let at = b.let_("at", invocation_id(0) * 5u32);
            let one = Wide::load(b, "one", &input, &(&at).into());
            let other = Wide::load(b, "other", &input, &(&at + 2u32));
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

    /// Corners and random numbers of all lengths.
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
        build: impl FnOnce(&mut Body<'_>, &Wide, &Wide, &Var) -> Wide,
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
        check(|b, one, other, _| one.plus(b, "sum", other), |one, other, _| Some(one.wrapping_add(other)));
        check(
            |b, one, other, _| {
                one.add(b, other);
                one.clone()
            },
            |one, other, _| Some(one.wrapping_add(other)),
        );
    }

    #[test]
    fn distances() {
        check(|b, one, other, _| one.distance(b, other), |one, other, _| Some(one.abs_diff(other)));
    }

    #[test]
    fn products_with_fractions() {
        check(
            |b, one, _, word| one.times_fraction(b, word),
            |one, _, word| Some(((u128::from(one) * u128::from(word)) >> 32) as u64),
        );
    }

    /// Divisors of up to 16 bits, of more, and of all 32.
    #[test]
    fn quotients() {
        check(|b, one, _, word| one.divided(b, word), |one, _, word| one.checked_div(u64::from(word)));
    }

    /// All workgroups have the sum of their 64 numbers, which have at most 58 bits so that it fits.
    #[test]
    fn sums_of_workgroups() {
        let mut cases = cases();
        cases.truncate(cases.len() / 64 * 64);
        let small = |case: &[u32; 5]| number(case[0], case[1] & 0x03ff_ffff);
        let found = compute(&cases, |b, one, _, _| {
            let high = b.let_("small", &one.high & 0x03ff_ffffu32);
            Wide { low: one.low.clone(), high }.summed(b)
        });
        for (group, found) in cases.chunks(64).zip(found.chunks(64)) {
            let sum: u64 = group.iter().map(small).sum();
            assert!(found.iter().all(|&number| number == sum), "{found:x?} where the sum is {sum:#x}");
        }
    }
}
