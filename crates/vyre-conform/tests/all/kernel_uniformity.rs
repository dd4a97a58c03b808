//! Precision of the uniformity analysis of kernels: barriers and collectives are in uniform blocks, before and after passes.
//! The kernel evaluator checks its soundness in all other tests.

use vyre_conform::race_free::race_free_case;
use vyre_ir::validate;
use vyre_kernel::{Kernel, Op, PassPipeline, Statement, Uniformity, lower};

/// Fails on a barrier or collective in a block that the analysis calls divergent. Returns the number of barriers and collectives.
fn check(kernel: &Kernel, name: &str) -> usize {
    let uniformity = Uniformity::of(kernel);
    let mut found = 0;
    let mut pending = vec![kernel.entry];
    while let Some(block) = pending.pop() {
        for &statement in &kernel.blocks[block].statements {
            let is_rendezvous = match statement {
                Statement::Barrier => true,
                Statement::Let(value) => matches!(kernel.op(value), Op::Collective(_)),
                _ => false,
            };
            if is_rendezvous {
                found += 1;
                assert!(uniformity.is_uniform_block(block), "{name}: {block}\n{kernel}");
            }
            pending.extend(statement.blocks());
        }
    }
    found
}

#[test]
fn barriers_and_collectives_are_in_uniform_blocks() {
    let (mut before, mut after) = (0, 0);
    for seed in 0..2_000 {
        let case = race_free_case(seed);
        let valid = validate(&case.program, &case.ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
        before += check(&kernel, &format!("seed {seed}, as lowered"));
        PassPipeline::standard().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
        after += check(&kernel, &format!("seed {seed}, optimized"));
    }
    println!("{before} as lowered, {after} optimized");
    assert!(before > 2_000 && after > 1_000);
}
