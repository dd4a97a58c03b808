//! Scales and shifts a million numbers: one invocation per element, parameters in a uniform buffer.

use vyre::ir::build::{ProgramBuilder, invocation_id};
use vyre::ir::{DataType, OpTable, validate};
use vyre::runtime::{Bindings, CommandList, PipelineOptions, RunOptions};

const COUNT: u32 = 1_000_000;

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut p = ProgramBuilder::new([64, 1, 1]);
    let input = p.read("input", DataType::U32);
    let params = p.uniform("params", DataType::U32);
    let out = p.output("out", DataType::U32);
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(input.len()), |b| {
            b.store(&out, &i, input.load(&i) * params.load(0u32) + params.load(1u32));
        });
    });
    let ops = OpTable::default();
    let valid = validate(&program, &ops)?;

    let device = vyre::any_device()?;
    let size = u64::from(COUNT) * 4;
    let (input, params, out) = (device.create_buffer(size)?, device.create_buffer(8)?, device.create_buffer(size)?);
    device.write(&input, 0, &bytes(0..COUNT))?;
    device.write(&params, 0, &bytes([3, 7]))?;
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
    let mut commands = CommandList::new();
    let bindings = Bindings::new().with(0, &input).with(1, &params).with(2, &out);
    commands.dispatch(&pipeline, &bindings, [COUNT.div_ceil(64), 1, 1]);
    device.run(&commands, &RunOptions::default())?;

    assert_eq!(device.read(&out)?, bytes((0..COUNT).map(|i| i * 3 + 7)));
    println!("{}: {COUNT} elements scaled and shifted", device.name());
    Ok(())
}
