//! Work estimates: bounds on the time between two polls of the cancellation flag.

use vyre_ir::BufferAccess;
use vyre_kernel::{Binary, BlockId, Kernel, Key, Op, Statement};

/// Maximum work between two polls, in simple operations: a few microseconds.
pub(crate) const POLL_INTERVAL: u64 = 1 << 14;

/// Operations of one execution of each block, along the longer branch. A loop with an unknown number of iterations polls on its
/// own, so it counts as one iteration.
pub(crate) fn of_blocks(kernel: &Kernel) -> Vec<u64> {
    let mut work = vec![0; kernel.blocks.len()];
    block(kernel, kernel.entry, &mut work);
    work
}

/// Blocks nest to a fixed depth.
fn block(kernel: &Kernel, id: BlockId, work: &mut [u64]) -> u64 {
    let mut total = 0_u64;
    for &statement in &kernel.blocks[id].statements {
        for inner in statement.blocks() {
            block(kernel, inner, work);
        }
        total = total.saturating_add(of_statement(kernel, statement, work));
    }
    work[id.position()] = total;
    total
}

/// Operations of a statement, given those of all blocks.
pub(crate) fn of_statement(kernel: &Kernel, statement: Statement, work: &[u64]) -> u64 {
    match statement {
        Statement::Let(value) => match kernel.op(value) {
            Op::Binary(Binary::Div | Binary::Mod, ..) => 20,
            // An atomic on workgroup memory is a load, an operation and a store.
            Op::Atomic { buffer, .. } if kernel.buffers[buffer].access == BufferAccess::Workgroup => 3,
            Op::Atomic { .. } => 20,
            _ => 1,
        },
        Statement::If { cond: _, then, otherwise } => {
            work[then.position()].max(work[otherwise.position()]).saturating_add(1)
        }
        Statement::Loop { variable: _, from, to, body } => {
            let iterations = match (kernel.as_word(from), kernel.as_word(to)) {
                (Some(from), Some(to)) => u64::from(to.saturating_sub(from)),
                _ => 1,
            };
            iterations.saturating_mul(work[body.position()].saturating_add(2))
        }
        Statement::Block { body } => work[body.position()],
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use vyre_ir::{OpTable, text};
    use vyre_kernel::lower;

    use super::*;

    #[test]
    fn loops_count_once_per_iteration() {
        let work = |body: &str| {
            let source = format!("workgroup_size 4; buffer out: read_write u32 @0; entry {{ {body} }}");
            let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
            let ops = OpTable::default();
            let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
            let kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
            of_blocks(&kernel)[kernel.entry.position()]
        };
        let store = work("out[0] = 1;");
        assert_eq!(work("for k in 0..100 { out[0] = 1; }"), 100 * (store + 2));
        assert_eq!(work("for k in 7..3 { out[0] = 1; }"), 0);
        assert!(work("for k in 0..out[0] { out[0] = 1; }") < 20);
        let nested = "for a in 0..0xffffffff { for b in 0..0xffffffff { for c in 0..0xffffffff { out[0] = 1; } } }";
        assert_eq!(work(nested), u64::MAX);
    }
}
