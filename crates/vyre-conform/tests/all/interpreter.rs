//! Generated valid programs on the reference interpreter: no panics, deterministic results, and equal results for every form of
//! a program.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use vyre_conform::arbitrary::{arb_valid_program, config};
use vyre_ir::wire::{from_wire, to_wire};
use vyre_ir::{BufferAccess, OpTable, Program, validate};
use vyre_runtime::{
    Bindings, CommandList, Device, Error, PipelineOptions, ReferenceDevice, RunOptions, parse_contents,
};

/// Contents of all bound buffers after a run of two workgroups on pseudorandom contents.
fn run(program: &Program, check_races: bool) -> Result<Vec<Vec<u8>>, Error> {
    let ops = OpTable::default();
    let valid = validate(program, &ops).unwrap_or_else(|errors| panic!("{}\n{program}", errors[0]));
    let device = ReferenceDevice::new();
    let mut bindings = Bindings::new();
    let mut buffers = Vec::new();
    for decl in program.buffers.iter().filter(|decl| decl.access != BufferAccess::Workgroup) {
        // Sizes with partial elements, and contents with small and large numbers.
        let form = if decl.binding % 2 == 0 { "random: 7: 41" } else { "iota: 37" };
        let contents = parse_contents(form, decl.element).unwrap_or_default();
        let buffer = device.create_buffer(contents.len() as u64)?;
        device.write(&buffer, 0, &contents)?;
        bindings = bindings.with(decl.binding, &buffer);
        buffers.push(buffer);
    }
    let pipeline = device.create_pipeline(&valid, &PipelineOptions::default())?;
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &bindings, [2, 1, 1]);
    let mut options = RunOptions::default();
    options.deadline = Some(Instant::now() + Duration::from_secs(20));
    options.check_races = check_races;
    device.run(&commands, &options)?;
    buffers.iter().map(|buffer| device.read(buffer)).collect()
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn valid_programs_run_and_give_the_same_bytes_each_time(program in arb_valid_program()) {
        prop_assume!(program.workgroup_invocations() <= 1024);
        match run(&program, false) {
            // A valid program may exceed the limits of a device, or run long.
            Err(Error::ResourceExceeded { .. } | Error::DeadlineExceeded) => {}
            Err(error) => panic!("{error}\n{program}"),
            Ok(first) => {
                let checked = run(&program, true).ok();
                prop_assert_eq!(checked.as_ref(), Some(&first), "with the race checker");
                let decoded = from_wire(&to_wire(&program)).expect("encoded programs decode");
                prop_assert_eq!(run(&decoded, false).ok(), Some(first), "after the wire format");
            }
        }
    }
}
