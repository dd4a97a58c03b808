//! Counts the bytes of this file with atomics, and checks the counts against a loop.

use vyre::ir::AtomicOp;
use vyre::ir::DataType::U32;
use vyre::ir::build::{ProgramBuilder, invocation_id};
use vyre::{Error, Grid, Session};

fn main() -> Result<(), Error> {
    let text = include_bytes!("histogram.rs");
    let length = text.len() as u32;

    let mut p = ProgramBuilder::new([256, 1, 1]);
    let (words, params, counts) = (p.read("text", U32), p.uniform("params", U32), p.output("counts", U32));
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(params.load(0u32)), |b| {
            let byte = b.load_byte(&words, &i);
            b.atomic("before", AtomicOp::Add, &counts, &byte, 1u32);
        });
    });

    let session = Session::new()?;
    let count_bytes = session.compile(&program)?;
    // Programs access bytes as parts of words, so the last word is padded.
    let words = session.buffer_from_bytes(text)?;
    let params = session.buffer_from(&[length])?;
    let counts = session.zeros::<u32>(256)?;
    let buffers = [("text", &words), ("params", &params), ("counts", &counts)];
    session.run(&count_bytes, buffers, Grid::invocations(length.into()))?;

    let mut expected = [0u32; 256];
    text.iter().for_each(|&byte| expected[usize::from(byte)] += 1);
    assert_eq!(session.read_vec::<u32>(&counts)?, expected);
    println!("{}: {length} bytes counted", session.device().name());
    Ok(())
}
