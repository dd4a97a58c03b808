//! Runs `examples/prefix_sum.vyre` on the reference interpreter, which checks for races: prefix sums in workgroup memory, with
//! barriers in a uniform loop.

use vyre::select::DeviceRequest;
use vyre::{Error, Grid, Session};

fn main() -> Result<(), Error> {
    // A run of this session fails if the program has a race on this input.
    let session = Session::select(&DeviceRequest::default().with_race_check(true))?;
    let program = session.compile_file(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/prefix_sum.vyre"))?;
    let numbers: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let input = session.buffer_from(&numbers)?;
    let sums = session.zeros::<u32>(1024)?;
    session.run(&program, [("input", &input), ("sums", &sums)], Grid::Workgroups([4, 1, 1]))?;

    let mut expected = Vec::new();
    for group in numbers.chunks(256) {
        let sums = group.iter().scan(0u32, |sum, number| {
            *sum = sum.wrapping_add(*number);
            Some(*sum)
        });
        expected.extend(sums);
    }
    assert_eq!(session.read_vec::<u32>(&sums)?, expected);
    println!("{}: prefix sums of 4 workgroups, without races", session.device().name());
    Ok(())
}
