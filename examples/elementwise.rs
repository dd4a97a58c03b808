//! Scales and shifts a million numbers: one invocation per element, parameters in a uniform buffer.

use vyre::ir::DataType::U32;
use vyre::ir::build::{ProgramBuilder, invocation_id};
use vyre::{Error, Grid, Session};

const COUNT: u32 = 1_000_000;

fn main() -> Result<(), Error> {
    let mut p = ProgramBuilder::new([64, 1, 1]);
    let (input, params, out) = (p.read("input", U32), p.uniform("params", U32), p.output("out", U32));
    let program = p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(input.len()), |b| {
            b.store(&out, &i, input.load(&i) * params.load(0u32) + params.load(1u32));
        });
    });

    let session = Session::new()?;
    let scale = session.compile(&program)?;
    let input = session.buffer_from(&Vec::from_iter(0..COUNT))?;
    let params = session.buffer_from(&[3u32, 7])?;
    let out = session.zeros::<u32>(COUNT.into())?;
    session.run(&scale, [("input", &input), ("params", &params), ("out", &out)], Grid::invocations(COUNT.into()))?;
    let scaled = session.read_vec::<u32>(&out)?;

    assert!(scaled.into_iter().eq((0..COUNT).map(|i| i * 3 + 7)));
    println!("{}: {COUNT} elements scaled and shifted", session.device().name());
    Ok(())
}
