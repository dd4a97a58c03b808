//! Workaround for a defect of the driver's assembler.
//!
//! The assembler of driver 580 (CUDA 13.0) fuses a difference with a minimum or maximum of it, or with a select on a comparison,
//! into one instruction, `VIADDMNMX.U32` with a negated operand, which returns wrong results. CUDA 13.4 no longer emits it. The
//! assembler does so only if the difference itself is an operand of the minimum, maximum or select, directly or through
//! copies. For these differences the emission uses `neg(b - a)`: as many instructions, but the assembler cannot fuse the
//! difference with a product.

use vyre_kernel::{Binary, Kernel, Key as _, Op, Statement, ValueId};

/// Values that need the workaround if they are differences.
pub(super) struct DifferenceWorkaround {
    affected: Vec<bool>,
}

impl DifferenceWorkaround {
    pub(super) fn of(kernel: &Kernel) -> DifferenceWorkaround {
        let mut workaround = DifferenceWorkaround { affected: vec![false; kernel.values.len()] };
        kernel.for_each_statement(|statement| match statement {
            Statement::Set { slot: _, value } => workaround.note(&[value]),
            // The variable of a loop begins as a copy.
            Statement::Loop { from, .. } => workaround.note(&[from]),
            Statement::Let(value) => match kernel.op(value) {
                Op::Binary(Binary::Min | Binary::Max, a, b) | Op::Select(_, a, b) => workaround.note(&[a, b]),
                Op::Pack2(components) => workaround.note(&components),
                Op::Pack4(components) => workaround.note(&components),
                // A collective takes minima and maxima of its operand, or returns it unchanged in a workgroup of one.
                Op::Collective(collective) => {
                    Op::Collective(collective).for_each_operand(|operand| workaround.note(&[operand]));
                }
                _ => {}
            },
            _ => {}
        });
        workaround
    }

    fn note(&mut self, values: &[ValueId]) {
        for value in values {
            self.affected[value.position()] = true;
        }
    }

    /// Reports whether a value needs the workaround if it is a difference.
    pub(super) fn is_needed(&self, value: ValueId) -> bool {
        self.affected[value.position()]
    }
}
