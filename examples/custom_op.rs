//! Defines an op, adds it to the library of a session and calls it from a program.

use vyre::ir::DataType::U32;
use vyre::ir::build::{ProgramBuilder, call, invocation_id};
use vyre::ir::{OpSignature, OpSpec, text};
use vyre::{Error, Grid, Session};

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

fn main() -> Result<(), Error> {
    let collatz = OpSpec {
        id: "example.collatz".into(),
        version: 1,
        signature: OpSignature { inputs: vec![U32], output: U32 },
        inlinable: true,
        program: text::parse(COLLATZ)?.program,
    };
    let session = Session::new()?.with_op(collatz)?;

    let mut p = ProgramBuilder::new([32, 1, 1]);
    let out = p.output("out", U32);
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.store(&out, &i, call("example.collatz", [(&i).into()]));
    });

    let program = session.compile(&program)?;
    let out = session.zeros::<u32>(32)?;
    session.run(&program, [("out", &out)], Grid::workgroup())?;
    let steps = session.read_vec::<u32>(&out)?;
    assert_eq!((steps[1], steps[6], steps[27]), (0, 8, 111));
    println!("{}: {steps:?}", session.device().name());
    Ok(())
}
