//! The front door: sessions from text, files and builders, errors, races, time limits and threads.

use std::error::Error as _;
use std::path::PathBuf;
use std::time::Duration;

use vyre::ir::build::ProgramBuilder;
use vyre::ir::{DataType, OpSignature, OpSpec, Specialization, text, wire};
use vyre::runtime::{BindingError, PipelineOptions};
use vyre::select::DeviceRequest;
use vyre::{CommandList, Error, Grid, RunOptions, Session};

const SCALE: &str = "workgroup_size 64; buffer input: read u32 @0; buffer factor: uniform u32 @1; \
                     buffer output: read_write u32 @2; entry { let i = invocation_id.x; \
                     if i < len(input) { output[i] = input[i] * factor[0]; } }";

fn session() -> Session {
    Session::new().expect("every machine has a device")
}

fn scaled(session: &Session, numbers: &[u32], by: u32) -> Result<Vec<u32>, Error> {
    let scale = session.compile_text(SCALE)?;
    let (input, factor) = (session.buffer_from(numbers)?, session.buffer_from(&[by])?);
    let output = session.zeros::<u32>(numbers.len() as u64)?;
    let buffers = [("input", &input), ("factor", &factor), ("output", &output)];
    session.run(&scale, buffers, Grid::invocations(numbers.len() as u64))?;
    session.read_vec(&output)
}

fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("the file can be written");
    path
}

#[test]
fn numbers_that_are_no_multiple_of_the_workgroup_size_are_all_computed() -> Result<(), Error> {
    let numbers: Vec<u32> = (0..1_001).collect();
    let expected: Vec<u32> = numbers.iter().map(|number| number * 5).collect();
    assert_eq!(scaled(&session(), &numbers, 5)?, expected);
    assert!(scaled(&session(), &[], 5)?.is_empty());
    Ok(())
}

#[test]
fn text_files_wire_files_and_built_programs_share_a_pipeline() -> Result<(), Error> {
    let session = session();
    let program = text::parse(SCALE)?.program;
    let pipeline = session.compile_text(SCALE)?;
    assert!(session.compile(&program)?.is_same(&pipeline));
    assert!(session.compile_file(file("scale.vyre", SCALE.as_bytes()))?.is_same(&pipeline));
    assert!(session.compile_file(file("scale.vir", &wire::to_wire(&program)))?.is_same(&pipeline));
    let fixed = PipelineOptions::default().with_specialization(Specialization::default().with(1, 0, 9));
    let specialized = session.compile_with(&program, &fixed)?;
    assert!(!specialized.is_same(&pipeline));
    Ok(())
}

#[test]
fn errors_of_files_name_the_file() {
    let session = session();
    let error = session.compile_file("no-such-file.vyre").expect_err("there is no such file");
    assert!(matches!(error, Error::File { .. }));
    assert!(error.to_string().starts_with("cannot read no-such-file.vyre: "), "{error}");

    let path = file("wrong.vyre", b"workgroup_size 1;\nentry { let x = ; }\n");
    let error = session.compile_file(&path).expect_err("it is no program");
    assert!(matches!(&error, Error::InFile { error, .. } if matches!(**error, Error::Syntax(_))));
    assert!(error.to_string().starts_with(&format!("{}:2:17: ", path.display())), "{error}");

    let path = file("invalid.vyre", b"workgroup_size 1;\nentry { missing[0] = 1; }\n");
    let error = session.compile_file(&path).expect_err("it is not valid");
    assert!(matches!(&error, Error::InFile { error, .. } if matches!(**error, Error::Invalid(_))));
    assert!(error.to_string().contains(&format!("{}:2:9", path.display())), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string(), "`main` prints the Debug form");

    let mut bytes = wire::MAGIC.to_vec();
    bytes.extend([0xff; 9]);
    let error = session.compile_file(file("damaged.vir", &bytes)).expect_err("it is damaged");
    assert!(matches!(&error, Error::InFile { error, .. } if matches!(**error, Error::Wire(_))), "{error}");
    let error = session.compile_file(file("binary.vyre", &[0xff, 0xfe])).expect_err("it is no text");
    assert!(matches!(error, Error::File { .. }), "{error}");
}

#[test]
fn texts_of_errors_do_not_repeat_in_their_sources() {
    let session = session();
    let errors = [
        session.compile_text("entry").expect_err("it is no program"),
        session.compile_text("workgroup_size 1; entry { a[0] = 1; }").expect_err("it is not valid"),
        session.compile_file("no-such-file.vyre").expect_err("there is no such file"),
        Session::select(&DeviceRequest::on("abacus")).expect_err("there is no such backend"),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(!text.is_empty());
        let mut cause = error.source();
        while let Some(below) = cause {
            assert!(!text.contains(&below.to_string()), "{text}");
            cause = below.source();
        }
    }
}

#[test]
fn wrong_bindings_are_errors_with_names() -> Result<(), Error> {
    let session = session();
    let scale = session.compile_text(SCALE)?;
    let buffer = session.zeros::<u32>(1)?;
    let buffers = [("inptu", &buffer), ("factor", &buffer), ("output", &buffer)];
    let error = session.run(&scale, buffers, Grid::invocations(1)).expect_err("the name is wrong");
    assert!(error.to_string().contains("did you mean `input`?"), "{error}");
    let error = session.run(&scale, [("input", &buffer)], Grid::invocations(1)).expect_err("two are missing");
    let Error::Device(vyre::runtime::Error::Binding(BindingError::Missing { name, .. })) = error else {
        panic!("{error}");
    };
    assert_eq!(name.as_str(), "factor");
    Ok(())
}

#[test]
fn races_are_errors_in_a_session_that_checks_for_them() -> Result<(), Error> {
    let session = Session::select(&DeviceRequest::default().with_race_check(true))?;
    assert_eq!(scaled(&session, &[1, 2, 3], 2)?, [2, 4, 6]);
    let racy = session.compile_text("workgroup_size 2; buffer b: read_write u32 @0; entry { b[0] = local_id.x; }")?;
    let buffer = session.zeros::<u32>(1)?;
    let error = session.run(&racy, [("b", &buffer)], Grid::workgroup()).expect_err("two invocations store");
    assert!(matches!(&error, Error::Races(races) if races.total == 1));
    assert!(error.to_string().contains("data race on word 0 of buffer `b`"), "{error}");
    Ok(())
}

#[test]
fn a_time_limit_holds_for_each_run() -> Result<(), Error> {
    let long = "workgroup_size 1; buffer b: read_write u32 @0; entry { for i in 0..0xffffffff { \
                for j in 0..0xffffffff { b[0] = b[0] * 3 + j; } } }";
    let session = session().with_timeout(Duration::from_millis(20));
    let program = session.compile_text(long)?;
    let buffer = session.zeros::<u32>(1)?;
    for _ in 0..2 {
        let error = session.run(&program, [("b", &buffer)], Grid::workgroup()).expect_err("it never ends");
        assert!(matches!(error, Error::Device(vyre::runtime::Error::DeadlineExceeded)), "{error}");
    }
    // The earlier of the two deadlines holds.
    let session = session.with_run_options(RunOptions::default().with_timeout(Duration::ZERO));
    let error = scaled(&session, &[1], 1).expect_err("its deadline has passed");
    assert!(matches!(error, Error::Device(vyre::runtime::Error::DeadlineExceeded)), "{error}");
    Ok(())
}

#[test]
fn ops_of_a_session_are_unique() -> Result<(), Error> {
    let op = |id: &str| {
        let mut p = ProgramBuilder::new([1, 1, 1]);
        let (input, output) = (p.read("input", DataType::U32), p.output("output", DataType::U32));
        OpSpec {
            id: id.into(),
            version: 1,
            signature: OpSignature { inputs: vec![DataType::U32], output: DataType::U32 },
            inlinable: true,
            program: p.entry(|b| {
                b.store(&output, 0u32, input.load(0u32) + 1u32);
            }),
        }
    };
    let session = session().with_op(op("example.next"))?;
    let text = "workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = example.next(b[0]); }";
    let program = session.compile_text(text)?;
    let buffer = session.buffer_from(&[41u32])?;
    session.run(&program, [("b", &buffer)], Grid::workgroup())?;
    assert_eq!(session.read_vec::<u32>(&buffer)?, [42]);
    assert!(matches!(session.with_op(op("primitive.math.add")), Err(Error::Op(_))));
    Ok(())
}

#[test]
fn ranges_are_read_and_written() -> Result<(), Error> {
    let session = session();
    let buffer = session.zeros::<u64>(4)?;
    session.write_range(&buffer, 1, &[1u64 << 40, 7])?;
    assert_eq!(session.read_range::<u64>(&buffer, 0..3)?, [0, 1 << 40, 7]);
    assert_eq!(session.read_vec::<[u32; 2]>(&buffer)?, [[0, 0], [0, 1 << 8], [7, 0], [0, 0]]);
    assert!(session.read_range::<u64>(&buffer, 3..5).is_err());
    Ok(())
}

#[test]
fn command_lists_run_in_order_and_can_run_again() -> Result<(), Error> {
    let session = session();
    let step = session.compile_text("workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = b[0] * 3 + 1; }")?;
    let buffer = session.zeros::<u32>(1)?;
    let mut commands = CommandList::new();
    for _ in 0..3 {
        commands.dispatch_named(&step, [("b", &buffer)], Grid::workgroup())?;
    }
    session.run_commands(&commands)?;
    assert_eq!(session.read_vec::<u32>(&buffer)?, [13]);
    session.run_commands(&commands)?;
    assert_eq!(session.read_vec::<u32>(&buffer)?, [13 * 27 + 13]);
    Ok(())
}

/// The types that the crate documentation promises.
#[test]
fn sessions_devices_and_engines_are_send_and_sync() {
    fn is_send_and_sync<T: Send + Sync + ?Sized>() {}
    is_send_and_sync::<Session>();
    is_send_and_sync::<Error>();
    is_send_and_sync::<dyn vyre::Device>();
    is_send_and_sync::<vyre::Buffer>();
    is_send_and_sync::<vyre::Pipeline>();
    is_send_and_sync::<CommandList>();
    is_send_and_sync::<RunOptions>();
    is_send_and_sync::<vyre::runtime::PipelineCache>();
    is_send_and_sync::<vyre::runtime::ReferenceDevice>();
    is_send_and_sync::<vyre::ir::Program>();
    is_send_and_sync::<vyre::ir::ValidProgram<'_>>();
    is_send_and_sync::<vyre::ir::OpTable>();
    is_send_and_sync::<vyre::ops::graph::GraphOps>();
    is_send_and_sync::<vyre::ops::graph::GraphOnDevice<'_>>();
    is_send_and_sync::<vyre::ops::compression::CompressionOps>();
    #[cfg(feature = "jit")]
    is_send_and_sync::<vyre::cpu::JitDevice>();
    #[cfg(feature = "wgpu")]
    is_send_and_sync::<vyre::gpu::WgpuDevice>();
    #[cfg(feature = "cuda")]
    is_send_and_sync::<vyre::cuda::CudaDevice>();
    #[cfg(feature = "dataflow")]
    {
        is_send_and_sync::<vyre::engine::dataflow::Dataflow>();
        is_send_and_sync::<vyre::engine::dataflow::Loaded<'_>>();
        is_send_and_sync::<vyre::TaintReport>();
    }
    #[cfg(feature = "unpack")]
    {
        is_send_and_sync::<vyre::engine::decompress::Unpacker>();
        is_send_and_sync::<vyre::engine::decompress::Extractor>();
        is_send_and_sync::<vyre::engine::decompress::Unpacked>();
    }
}

#[test]
fn threads_share_a_session_and_its_pipelines() -> Result<(), Error> {
    let session = session();
    let results = std::thread::scope(|scope| {
        let session = &session;
        let run = |thread: u32| {
            let numbers: Vec<u32> = (0..500).map(|i| i + thread * 1_000).collect();
            let expected: Vec<u32> = numbers.iter().map(|number| number * (thread + 1)).collect();
            (0..20).try_for_each(|_| {
                assert_eq!(scaled(session, &numbers, thread + 1)?, expected);
                Ok(())
            })
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect::<Vec<Result<(), Error>>>()
    });
    results.into_iter().collect()
}
