//! Typed buffers, bindings by name, grids in invocations, and threads, on the reference device.

use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_ir::{DataType, OpTable, text};
use vyre_runtime::{
    BindingError, Bindings, Buffer, CancelToken, CommandList, Device, Element, Error, Grid, KeyedRunner, Pipeline,
    PipelineCache, PipelineOptions, ReferenceDevice, RunOptions,
};

fn device() -> Arc<dyn Device> {
    Arc::new(ReferenceDevice::new())
}

fn pipeline(device: &dyn Device, source: &str) -> Pipeline {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    device.create_pipeline(&valid, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn binding_error<T: std::fmt::Debug>(outcome: Result<T, Error>) -> BindingError {
    match outcome {
        Err(Error::Binding(error)) => error,
        other => panic!("{other:?} is no error of bindings"),
    }
}

#[test]
fn elements_are_little_endian_in_buffers() -> Result<(), Error> {
    let device = device();
    let bytes = |buffer: &Buffer| device.read(buffer);
    assert_eq!(bytes(&device.buffer_from(&[0x0102_0304_u32, 5])?)?, [4, 3, 2, 1, 5, 0, 0, 0]);
    assert_eq!(bytes(&device.buffer_from(&[-2_i32])?)?, [254, 255, 255, 255]);
    assert_eq!(bytes(&device.buffer_from(&[0x0102_0304_0506_0708_u64])?)?, [8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(bytes(&device.buffer_from(&[[1_u32, 2], [3, 4]])?)?[8..], [3, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(bytes(&device.buffer_from(&[[1_u32, 2, 3, 4]])?)?[12..], [4, 0, 0, 0]);
    assert_eq!(bytes(&device.buffer_from(&[1_u8, 2, 3])?)?, [1, 2, 3]);
    Ok(())
}

#[test]
fn elements_survive_a_round_trip() -> Result<(), Error> {
    fn check<T: Element + PartialEq + std::fmt::Debug>(elements: &[T]) -> Result<(), Error> {
        let device = device();
        let buffer = device.buffer_from(elements)?;
        assert_eq!(device.read_vec::<T>(&buffer)?, elements);
        let count = elements.len() as u64;
        for start in 0..=count {
            for end in start..=count {
                assert_eq!(device.read_range::<T>(&buffer, start..end)?, elements[start as usize..end as usize]);
            }
        }
        let zeros = device.zeros::<T>(count)?;
        device.write_range(&zeros, 0, elements)?;
        assert_eq!(device.read_vec::<T>(&zeros)?, elements);
        Ok(())
    }
    check(&[0_u8, 255, 7])?;
    check(&[u32::MAX, 0, 1])?;
    check(&[i32::MIN, -1, i32::MAX])?;
    check(&[u64::MAX, 1 << 33])?;
    check(&[[1_u32, 2], [3, u32::MAX]])?;
    check(&[[1_u32, 2, 3, 4], [5, 6, 7, 8]])?;
    check::<u32>(&[])
}

#[test]
fn a_partial_element_is_an_error() -> Result<(), Error> {
    let device = device();
    let buffer = device.create_buffer(12)?;
    let error = device.read_vec::<u64>(&buffer);
    assert_eq!(error, Err(Error::PartialElement { bytes: 12, element: 8 }));
    assert_eq!(
        Error::PartialElement { bytes: 12, element: 8 }.to_string(),
        "12 bytes are no whole number of elements of 8 bytes"
    );
    assert_eq!(device.read_range::<u64>(&buffer, 0..1)?, [0], "a range of whole elements can be read");
    assert_eq!(device.read_range::<u64>(&buffer, 1..2), Err(Error::OutOfBuffer { end: 16, size: 12 }));
    Ok(())
}

#[test]
fn wrong_ranges_are_errors() -> Result<(), Error> {
    let device = device();
    let buffer = device.buffer_from(&[1_u32, 2])?;
    assert_eq!(device.read_range::<u32>(&buffer, 1..3), Err(Error::OutOfBuffer { end: 12, size: 8 }));
    let (start, end) = (2, 1);
    assert_eq!(device.read_range::<u32>(&buffer, start..end), Err(Error::ReversedRange { start, end }));
    assert!(matches!(device.read_range::<u32>(&buffer, 0..u64::MAX), Err(Error::OutOfBuffer { .. })));
    assert!(matches!(device.read_range::<u32>(&buffer, u64::MAX..u64::MAX), Err(Error::OutOfBuffer { .. })));
    assert_eq!(device.write_range(&buffer, 1, &[1_u32, 2]), Err(Error::OutOfBuffer { end: 12, size: 8 }));
    assert_eq!(device.read_vec::<u32>(&buffer)?, [1, 2]);
    assert!(matches!(device.zeros::<u64>(u64::MAX), Err(Error::ResourceExceeded { .. })));
    assert_eq!(self::device().read_vec::<u32>(&buffer), Err(Error::ForeignObject));
    assert_eq!(self::device().read(&buffer), Err(Error::ForeignObject));
    assert_eq!(self::device().read_at(&buffer, 0, &mut [0]), Err(Error::ForeignObject));
    Ok(())
}

#[test]
fn bytes_are_padded_to_whole_words() -> Result<(), Error> {
    let device = device();
    assert_eq!(device.read_vec::<u8>(&device.buffer_from_bytes(b"abcde")?)?, *b"abcde\0\0\0");
    assert_eq!(device.buffer_from_bytes(b"")?.size(), 0);
    Ok(())
}

#[test]
fn a_range_read_copies_only_the_range() -> Result<(), Error> {
    let device = device();
    let buffer = device.zeros::<u32>(1 << 18)?;
    let mut read = Ok(Vec::new());
    let memory = allocation_counter::measure(|| read = device.read_range::<u32>(&buffer, 1_000..1_004));
    assert_eq!(read?, [0; 4]);
    assert!(memory.bytes_total <= 64, "{} bytes were allocated for a range of 16", memory.bytes_total);
    let (mut target, mut outcome) = ([9_u32; 4], Ok(()));
    let memory = allocation_counter::measure(|| outcome = device.read_range_into(&buffer, 5, &mut target));
    assert_eq!((outcome, target, memory.bytes_total), (Ok(()), [0; 4], 0));
    Ok(())
}

const SCALE: &str = "workgroup_size 4; buffer input: read u32 @2; buffer factor: uniform u32 @5; \
                     buffer output: read_write u32 @0; buffer tile: workgroup u32[4]; entry { let i = invocation_id.x; \
                     if i < len(input) { output[i] = input[i] * factor[0]; } }";

#[test]
fn buffers_are_bound_by_name_in_any_order() -> Result<(), Error> {
    let device = device();
    let scale = pipeline(&*device, SCALE);
    let (input, factor) = (device.buffer_from(&[1_u32, 2, 3, 4, 5])?, device.buffer_from(&[10_u32])?);
    let output = device.zeros::<u32>(5)?;
    let mut commands = CommandList::new();
    let buffers = [("factor", &factor), ("output", &output), ("input", &input)];
    commands.dispatch_named(&scale, buffers, Grid::invocations(5))?;
    device.run(&commands, &RunOptions::default())?;
    assert_eq!(device.read_vec::<u32>(&output)?, [10, 20, 30, 40, 50]);
    let bindings = Bindings::named(&scale, buffers)?;
    assert!(bindings.get(2).is_some_and(|bound| bound.is_same(&input)));
    Ok(())
}

#[test]
fn errors_of_bindings_name_the_buffers() -> Result<(), Error> {
    let device = device();
    let scale = pipeline(&*device, SCALE);
    let buffer = device.zeros::<u32>(1)?;
    let bind = |buffers: &[(&'static str, &Buffer)]| Bindings::named(&scale, buffers.iter().copied());

    let error = binding_error(bind(&[("ouptut", &buffer)]));
    assert_eq!(
        error.to_string(),
        "the program has no buffer `ouptut` to bind; did you mean `output`? It has `input`, `factor`, `output`"
    );
    let error = binding_error(bind(&[("tile", &buffer)]));
    assert_eq!(error.to_string(), "the program has no buffer `tile` to bind; it has `input`, `factor`, `output`");
    let error = binding_error(bind(&[("input", &buffer), ("input", &buffer)]));
    assert_eq!(error, BindingError::Repeated { name: "input".into() });
    let error = binding_error(bind(&[("input", &buffer), ("output", &buffer)]));
    assert_eq!(error, BindingError::Missing { name: "factor".into(), binding: 5 });
    assert_eq!(error.to_string(), "buffer `factor` (slot 5) is not bound");

    let text = device.buffer_from(b"abcde")?;
    let error = binding_error(bind(&[("input", &text)]));
    assert_eq!(error, BindingError::PartialElement { name: "input".into(), bytes: 5, element: DataType::U32 });
    assert_eq!(error.to_string(), "buffer `input` has 5 bytes, which is no whole number of u32 elements of 4 bytes");
    let none = pipeline(&*device, "workgroup_size 1; entry { }");
    let error = binding_error(Bindings::named(&none, [("input", &buffer)]));
    assert_eq!(error.to_string(), "the program has no buffer `input` to bind; it has none");
    Ok(())
}

#[test]
fn setters_of_run_options_set_their_fields() {
    let soon = Instant::now() + Duration::from_secs(60);
    let options = RunOptions::default().with_deadline(soon).with_race_check(true).with_cancel(CancelToken::default());
    assert_eq!(options.deadline, Some(soon));
    assert!(options.check_races && options.cancel.is_some() && options.can_stop());
    assert_eq!(RunOptions::default().with_timeout(Duration::ZERO).check(), Err(Error::DeadlineExceeded));
    assert_eq!(RunOptions::default().with_timeout(Duration::MAX).deadline, None, "the clock has no such time");
    assert!(RunOptions::default().with_timeout(Duration::from_secs(60)).deadline.is_some());
}

#[test]
fn handles_and_devices_are_shared_by_threads() -> Result<(), Error> {
    fn is_send_and_sync<T: Send + Sync + ?Sized>() {}
    is_send_and_sync::<dyn Device>();
    is_send_and_sync::<ReferenceDevice>();
    is_send_and_sync::<Buffer>();
    is_send_and_sync::<Pipeline>();
    is_send_and_sync::<Bindings>();
    is_send_and_sync::<CommandList>();
    is_send_and_sync::<PipelineCache>();
    is_send_and_sync::<KeyedRunner<String>>();
    is_send_and_sync::<RunOptions>();
    is_send_and_sync::<Error>();

    let device = device();
    let (scale, factor) = (pipeline(&*device, SCALE), device.buffer_from(&[7_u32])?);
    let results = std::thread::scope(|scope| {
        let run = |first: u32| -> Result<Vec<u32>, Error> {
            let input = device.buffer_from(&[first, first + 1])?;
            let output = device.zeros::<u32>(2)?;
            let mut commands = CommandList::new();
            let buffers = [("input", &input), ("factor", &factor), ("output", &output)];
            commands.dispatch_named(&scale, buffers, Grid::invocations(2))?;
            device.run(&commands, &RunOptions::default())?;
            device.read_vec(&output)
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect::<Vec<_>>()
    });
    for (first, result) in (0..).zip(results) {
        assert_eq!(result?, [first * 7, (first + 1) * 7]);
    }
    Ok(())
}
