//! Counts the bytes of this file with atomics, and checks the counts against a loop.

use vyre::ir::build::{ProgramBuilder, invocation_id};
use vyre::ir::{AtomicOp, DataType, OpTable, validate};
use vyre::runtime::{Bindings, CommandList, PipelineOptions, RunOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = include_bytes!("histogram.rs");

    let mut p = ProgramBuilder::new([256, 1, 1]);
    let words = p.read("text", DataType::U32);
    let params = p.uniform("params", DataType::U32);
    let counts = p.output("counts", DataType::U32);
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(params.load(0u32)), |b| {
            let byte = b.load_byte(&words, &i);
            b.atomic("before", AtomicOp::Add, &counts, &byte, 1u32);
        });
    });
    let ops = OpTable::default();
    let valid = validate(&program, &ops)?;

    let device = vyre::any_device()?;
    let length = u32::try_from(text.len())?;
    let words = device.create_buffer(u64::from(length.next_multiple_of(4)))?;
    let params = device.create_buffer(4)?;
    let counts = device.create_buffer(256 * 4)?;
    device.write(&words, 0, text)?;
    device.write(&params, 0, &length.to_le_bytes())?;
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
    let mut commands = CommandList::new();
    let bindings = Bindings::new().with(0, &words).with(1, &params).with(2, &counts);
    commands.dispatch(&pipeline, &bindings, [length.div_ceil(256), 1, 1]);
    device.run(&commands, &RunOptions::default())?;

    let mut expected = [0u32; 256];
    for &byte in text {
        expected[usize::from(byte)] += 1;
    }
    let expected: Vec<u8> = expected.into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(device.read(&counts)?, expected);
    println!("{}: {length} bytes counted", device.name());
    Ok(())
}
