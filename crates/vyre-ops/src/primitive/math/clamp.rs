//! `primitive.math.clamp`: nearest value of a range.
//!
//! `clamp(value, bounds)`: the low 16 bits of `bounds` are the lower bound. The upper bound is the high 16 bits or-ed
//! with the lower bound, so that it is never below it.

use vyre_ir::Program;

use crate::primitive::word;
use crate::{Example, Law, Op, Value, ValueError};

pub(crate) const OP: Op = Op {
    id: "primitive.math.clamp",
    version: 1,
    summary: "The value brought into the range from `bounds & 0xffff` to `(bounds >> 16) | (bounds & 0xffff)`.",
    laws: &[
        Law::RightAbsorbing(0),
        Law::LeftProjection,
        Law::RightProjection,
        Law::Bounded { max: 0xffff },
        Law::AtMost(1),
    ],
    examples: &[
        // From 0x10 to 0x20 | 0x10.
        Example::new(&[5, 0x0020_0010], 0x10),
        Example::new(&[0x25, 0x0020_0010], 0x25),
        Example::new(&[0x99, 0x0020_0010], 0x30),
    ],
    canonical: program,
    reference: Some(reference),
    ..word::BINARY_OP
};

fn program() -> Program {
    word::binary_program(["value", "bounds"], |body, value, bounds| {
        let bounds = body.let_("bounds", bounds);
        let lower = body.let_("lower", &bounds & 0xffffu32);
        let upper = (&bounds >> 16u32) | &lower;
        value.max(&lower).min(upper)
    })
}

fn reference(arguments: &[Value]) -> Result<Value, ValueError> {
    word::binary(arguments, |value, bounds| {
        let lower = bounds % 0x1_0000;
        let upper = (bounds / 0x1_0000) | lower;
        if value < lower {
            lower
        } else if value > upper {
            upper
        } else {
            value
        }
    })
}
