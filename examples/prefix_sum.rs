//! Runs `examples/prefix_sum.vyre`: prefix sums in workgroup memory, with barriers in a uniform loop.

use vyre::ir::{OpTable, text};
use vyre::runtime::{Bindings, CommandList, PipelineOptions, RunOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parsed = text::parse(include_str!("prefix_sum.vyre"))?;
    let ops = OpTable::default();
    let valid = parsed.validate(&ops)?;

    let device = vyre::any_device()?;
    let numbers: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let size = numbers.len() as u64 * 4;
    let (input, sums) = (device.create_buffer(size)?, device.create_buffer(size)?);
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    device.write(&input, 0, &bytes)?;
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &input).with(1, &sums), [4, 1, 1]);
    // The reference device can prove that the program has no races on this input.
    let mut options = RunOptions::default();
    options.check_races = device.limits().can_check_races;
    let report = device.run(&commands, &options)?;
    assert_eq!(report.races.total, 0);

    let mut expected = Vec::new();
    for group in numbers.chunks(256) {
        let mut sum = 0u32;
        for number in group {
            sum = sum.wrapping_add(*number);
            expected.extend(sum.to_le_bytes());
        }
    }
    assert_eq!(device.read(&sums)?, expected);
    println!("{}: prefix sums of 4 workgroups", device.name());
    Ok(())
}
