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
