//! Differences that the assembler must not take for parts of something else.
//!
//! The assembler of driver 580 (CUDA 13.0) makes one instruction of a difference and the smaller or larger of it and something
//! else, a choice by comparison included, and that instruction gives wrong results: `VIADDMNMX.U32` with a negative operand,
//! which CUDA 13.4 no longer uses. It does so only where the difference itself is what is compared or chosen, perhaps by way
//! of other registers. Those differences are written in another way, which takes no more instructions but hides products.

use vyre_kernel::{Binary, Kernel, Key as _, Op, Statement, ValueId};

/// Which values may be compared and chosen as they are.
pub(super) struct Exposure {
    exposed: Vec<bool>,
}

impl Exposure {
    pub(super) fn of(kernel: &Kernel) -> Exposure {
        let mut exposure = Exposure { exposed: vec![false; kernel.values.len()] };
        kernel.for_each_statement(|statement| match statement {
            Statement::Set { slot: _, value } => exposure.note(&[value]),
            Statement::Let(value) => match kernel.op(value) {
                Op::Binary(Binary::Min | Binary::Max, a, b) | Op::Select(_, a, b) => exposure.note(&[a, b]),
                Op::Pack2(lanes) => exposure.note(&lanes),
                Op::Pack4(lanes) => exposure.note(&lanes),
                // They may combine it, or give it as it is where it is the only one.
                Op::Collective(collective) => {
                    Op::Collective(collective).for_each_operand(|operand| exposure.note(&[operand]));
                }
                _ => {}
            },
            _ => {}
        });
        exposure
    }

    fn note(&mut self, values: &[ValueId]) {
        for value in values {
            self.exposed[value.position()] = true;
        }
    }

    pub(super) fn is_exposed(&self, value: ValueId) -> bool {
        self.exposed[value.position()]
    }
}
