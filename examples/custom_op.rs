//! Defines an op, adds it to the library's table and calls it from a program.

use vyre::ir::build::{ProgramBuilder, call, invocation_id};
use vyre::ir::{DataType, OpSignature, OpSpec, OpTable, text, validate};
use vyre::runtime::{Bindings, CommandList, PipelineOptions, RunOptions, words};

/// Number of steps of the Collatz sequence until it reaches 1, at most 1,000.
const COLLATZ: &str = "
workgroup_size 1;
buffer start: read u32 @0;
buffer steps: read_write u32 @1 output;
entry {
    let n = start[0];
    for step in 0..1000 {
        if n <= 1 {
            steps[0] = step;
            return;
        }
        n = select(n & 1, n * 3 + 1, primitive.bitwise.shr(n, 1));
    }
    steps[0] = 1000;
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let collatz = OpSpec {
        id: "example.collatz".into(),
        version: 1,
        signature: OpSignature { inputs: vec![DataType::U32], output: DataType::U32 },
        inlinable: true,
        program: text::parse(COLLATZ)?.program,
    };
    let ops = OpTable::new(vyre::ops::table().iter().cloned().chain([collatz]))?;

    let mut p = ProgramBuilder::new([32, 1, 1]);
    let out = p.output("out", DataType::U32);
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.store(&out, &i, call("example.collatz", [(&i).into()]));
    });
    let valid = validate(&program, &ops)?;

    let device = vyre::any_device()?;
    let out = device.create_buffer(128)?;
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &out), [1, 1, 1]);
    device.run(&commands, &RunOptions::default())?;
    let steps = words(&device.read(&out)?);
    assert_eq!((steps[1], steps[6], steps[27]), (0, 8, 111));
    println!("{}: {steps:?}", device.name());
    Ok(())
}
