//! Values of uniform buffers that are fixed when a pipeline is built, on the reference device.

use vyre_ir::{OpTable, Specialization, SpecializationError, text};
use vyre_runtime::{
    BindingError, Bindings, CommandList, Device, Error, Pipeline, PipelineOptions, ReferenceDevice, RunOptions, words,
};

const PROGRAM: &str = "workgroup_size 1;
    buffer params: uniform u32 @4;
    buffer flags: uniform bool @5;
    buffer wide: uniform u64 @6;
    buffer out: read_write u32 @0;
    entry {
        let i = workgroup_id.x;
        out[0] = params[0];
        out[1] = params[i + 1];
        out[2] = flags[0] as u32;
        out[3] = wide[0].y;
        out[4] = len(params);
        out[5] = params[9];
    }";

fn build(device: &ReferenceDevice, fixed: Specialization) -> Result<Pipeline, Error> {
    let parsed = text::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, &PipelineOptions::default().with_specialization(fixed))
}

/// Runs with 10, 20, 30 as parameters, false, and 2^32 + 7.
fn run(device: &ReferenceDevice, pipeline: &Pipeline, params: &[u32]) -> Result<Vec<u32>, Error> {
    let upload = |words: &[u32]| {
        let buffer = device.create_buffer(words.len() as u64 * 4)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        device.write(&buffer, 0, &bytes).map(|()| buffer)
    };
    let out = device.create_buffer(24)?;
    let bindings =
        Bindings::new().with(0, &out).with(4, &upload(params)?).with(5, &upload(&[0])?).with(6, &upload(&[7, 1])?);
    let mut commands = CommandList::new();
    commands.dispatch(pipeline, &bindings, [1, 1, 1]);
    device.run(&commands, &RunOptions::default())?;
    Ok(words(&device.read(&out)?))
}

#[test]
fn fixed_values_override_bound_values() {
    let device = ReferenceDevice::new();
    let plain = build(&device, Specialization::default()).expect("nothing is fixed");
    assert_eq!(run(&device, &plain, &[10, 20, 30]), Ok(vec![10, 20, 0, 1, 3, 0]));
    let fixed = Specialization::default().with(4, 0, 99).with(4, 1, 98).with(5, 0, 1).with_words(6, 0, &[1, 2]);
    let special = build(&device, fixed).expect("all fit");
    assert_eq!(run(&device, &special, &[10, 20, 30]), Ok(vec![99, 98, 1, 2, 3, 0]));
}

#[test]
fn a_bound_buffer_has_all_fixed_elements() {
    let device = ReferenceDevice::new();
    let special = build(&device, Specialization::default().with(4, 2, 5)).expect("it fits the program");
    assert!(run(&device, &special, &[1, 2, 3]).is_ok());
    let error = run(&device, &special, &[1, 2]);
    let wanted = BindingError::TooSmall { name: "params".into(), binding: 4, bytes: 8, wanted: 12 };
    assert_eq!(error, Err(wanted.into()));
}

#[test]
fn invalid_fixed_values_are_rejected_when_the_pipeline_is_built() {
    let device = ReferenceDevice::new();
    let rejected = |fixed| match build(&device, fixed) {
        Err(Error::Specialization(error)) => error,
        other => panic!("{other:?}"),
    };
    let fixed = Specialization::default;
    assert_eq!(rejected(fixed().with(0, 0, 1)), SpecializationError::NoUniformBuffer { binding: 0 });
    assert_eq!(rejected(fixed().with(77, 0, 1)), SpecializationError::NoUniformBuffer { binding: 77 });
    let wrong = SpecializationError::WrongWords { binding: 6, element: 0, given: 1, wanted: 2 };
    assert_eq!(rejected(fixed().with(6, 0, 1)), wrong);
    assert!(build(&device, fixed().with(4, 16_383, 1)).is_ok());
    let beyond = SpecializationError::BeyondUniform { binding: 4, element: 16_384 };
    assert_eq!(rejected(fixed().with(4, 16_384, 1)), beyond);
}
