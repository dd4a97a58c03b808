//! Counts the bytes of this file, and checks the counts against a loop.
//!
//! A workgroup counts 8,192 bytes with atomics on workgroup memory, then adds its counts with atomics on a buffer. This is about a
//! hundred times as fast as an atomic on the buffer for each byte (`benches/results/histogram_report.md`).

use vyre::ir::AtomicOp;
use vyre::ir::DataType::U32;
use vyre::ir::build::{ProgramBuilder, local_id, workgroup_id};
use vyre::{Error, Grid, Session};

/// Number of bytes that an invocation counts.
const BYTES_EACH: u32 = 32;

fn main() -> Result<(), Error> {
    let text = include_bytes!("histogram.rs");
    let length = text.len() as u32;

    let mut p = ProgramBuilder::new([256, 1, 1]);
    let (words, params, counts) = (p.read("text", U32), p.uniform("params", U32), p.output("counts", U32));
    let counted = p.workgroup("counted", 256, U32);
    let program = p.entry(|b| {
        let first = b.let_("first", workgroup_id(0) * (256 * BYTES_EACH) + local_id(0));
        b.for_("k", 0u32, BYTES_EACH, |b, k| {
            let i = b.let_("i", &first + k * 256u32);
            b.if_(i.lt(params.load(0u32)), |b| {
                let byte = b.load_byte(&words, &i);
                b.workgroup_atomic("before", AtomicOp::Add, &counted, &byte, 1u32);
            });
        });
        b.barrier();
        b.atomic("sum", AtomicOp::Add, &counts, local_id(0), counted.load(local_id(0)));
    });

    let session = Session::new()?;
    let count_bytes = session.compile(&program)?;
    // Programs access bytes as parts of words, so the last word is padded.
    let words = session.buffer_from_bytes(text)?;
    let params = session.buffer_from(&[length])?;
    let counts = session.zeros::<u32>(256)?;
    let buffers = [("text", &words), ("params", &params), ("counts", &counts)];
    session.run(&count_bytes, buffers, Grid::invocations(u64::from(length).div_ceil(u64::from(BYTES_EACH))))?;

    let mut expected = [0u32; 256];
    text.iter().for_each(|&byte| expected[usize::from(byte)] += 1);
    assert_eq!(session.read_vec::<u32>(&counts)?, expected);
    println!("{}: {length} bytes counted", session.device().name());
    Ok(())
}
