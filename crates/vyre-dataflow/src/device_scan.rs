//! Exclusive prefix sums on a device, in place.
//!
//! Blocks are scanned independently, their sums are scanned by the same method, and each block adds the sum of those before it.

use vyre_ir::build::{ProgramBuilder, local_id, reduce, scan_exclusive};
use vyre_ir::{DataType, Expr, OpTable, Program, ReduceOp};
use vyre_runtime::{Bindings, Buffer, CommandList};

use crate::error::DataflowError;
use crate::executor::Executor;
use crate::strides::each_workgroup;

/// Number of invocations of a workgroup.
const WORKGROUP: u32 = 256;
/// Number of consecutive words that an invocation sums.
const WORDS_EACH: u32 = 4;
/// Number of words of a block.
const BLOCK: u32 = WORKGROUP * WORDS_EACH;

/// Appends commands that replace each of the first `count` words of a buffer by the sum of those before it, modulo 2^32.
///
/// # Errors
///
/// Exhausted memory, or a failure of the compiler.
pub(crate) fn push_scan(
    executor: &Executor,
    commands: &mut CommandList,
    words: &Buffer,
    count: u32,
) -> Result<(), DataflowError> {
    let blocks = count.div_ceil(BLOCK);
    let sums = executor.zeros(u64::from(blocks))?;
    let params = executor.words(&[count])?;
    let table = OpTable::default();
    let grid = [executor.workgroups(blocks), 1, 1];
    let scan = executor.pipeline("scan.blocks".to_owned(), &table, scan_blocks)?;
    commands.dispatch(&scan, &Bindings::in_order([&params, words, &sums]), grid);
    if blocks > 1 {
        push_scan(executor, commands, &sums, blocks)?;
        let add = executor.pipeline("scan.add".to_owned(), &table, add_sums)?;
        commands.dispatch(&add, &Bindings::in_order([&params, &sums, words]), grid);
    }
    Ok(())
}

/// Compiles the programs of the scan.
///
/// # Errors
///
/// A failure of the compiler.
pub(crate) fn compile(executor: &Executor) -> Result<(), DataflowError> {
    executor.pipeline("scan.blocks".to_owned(), &OpTable::default(), scan_blocks)?;
    executor.pipeline("scan.add".to_owned(), &OpTable::default(), add_sums)?;
    Ok(())
}

/// Scans each block and stores its sum.
fn scan_blocks() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let params = p.read("params", DataType::U32);
    let [words, sums] = ["words", "sums"].map(|name| p.read_write(name, DataType::U32));
    p.entry(|b| {
        let count = b.let_("count", params.load(0u32));
        let blocks = b.let_("blocks", (&count + (BLOCK - 1)) / BLOCK);
        each_workgroup(b, &blocks, |b, block| {
            let first = b.let_("first", block * BLOCK + local_id(0) * WORDS_EACH);
            let values: Vec<_> = (0..WORDS_EACH)
                .map(|at| {
                    let index = b.let_("index", &first + at);
                    b.let_("value", index.lt(&count).select(words.load(&index), 0u32))
                })
                .collect();
            let own = b.let_("own", values.iter().fold(Expr::from(0u32), |sum, value| sum + value));
            let before = b.let_("before", scan_exclusive(ReduceOp::Add, &own));
            let total = b.let_("total", reduce(ReduceOp::Add, &own));
            for (at, value) in (0..WORDS_EACH).zip(&values) {
                let index = b.let_("index", &first + at);
                b.if_(index.lt(&count), |b| b.store(&words, &index, &before));
                b.assign(&before, &before + value);
            }
            b.if_(local_id(0).eq(0u32), |b| b.store(&sums, block, &total));
        });
    })
}

/// Adds to each word the sum of the blocks before its own.
fn add_sums() -> Program {
    let mut p = ProgramBuilder::new([WORKGROUP, 1, 1]);
    let [params, sums] = ["params", "sums"].map(|name| p.read(name, DataType::U32));
    let words = p.read_write("words", DataType::U32);
    p.entry(|b| {
        let count = b.let_("count", params.load(0u32));
        let blocks = b.let_("blocks", (&count + (BLOCK - 1)) / BLOCK);
        each_workgroup(b, &blocks, |b, block| {
            let sum = b.let_("sum", sums.load(block));
            for at in 0..WORDS_EACH {
                let index = b.let_("index", block * BLOCK + local_id(0) + at * WORKGROUP);
                b.if_(index.lt(&count), |b| b.store(&words, &index, words.load(&index) + &sum));
            }
        });
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_jit::{JitDevice, JitOptions};
    use vyre_runtime::ReferenceDevice;

    use super::*;

    /// Scans `count` words of a longer buffer.
    fn check(executor: &Executor, count: u32) {
        let words: Vec<u32> = (0..count + 3).map(|at| at.wrapping_mul(2_654_435_761) >> 8).collect();
        let buffer = executor.words(&words).expect("the device has memory");
        let mut commands = CommandList::new();
        push_scan(executor, &mut commands, &buffer, count).expect("the programs compile");
        executor.run(&commands).expect("the programs run without races");
        let mut sum = 0u32;
        let mut expected = words;
        for word in &mut expected[..count as usize] {
            sum = sum.wrapping_add(std::mem::replace(word, sum));
        }
        assert!(executor.read(&buffer).expect("the device reads") == expected, "{count} words");
    }

    #[test]
    fn words_become_the_sums_of_those_before() {
        for uses_gpu_programs in [false, true] {
            let mut executor = Executor::new(Arc::new(ReferenceDevice::new()));
            executor.runner.run_options.check_races = true;
            executor.uses_gpu_programs = uses_gpu_programs;
            [1, 2, 1023, 1024, 1025, 5000].into_iter().for_each(|count| check(&executor, count));
        }
    }

    #[test]
    fn sums_of_many_blocks_have_sums() {
        let device = JitDevice::new(&JitOptions::default()).expect("threads can be started");
        check(&Executor::new(Arc::new(device)), BLOCK * BLOCK + 5);
    }
}
