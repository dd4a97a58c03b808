//! Tests with hand-written PTX for kernels that no program compiles to: kernels that fault, hang or wait.
//!
//! They need an NVIDIA GPU.

use std::sync::Arc;
use std::time::{Duration, Instant};

use vyre_ir::{OpTable, text};
use vyre_kernel::lower_specialized;
use vyre_runtime::shell::GpuOptions;
use vyre_runtime::{
    Bindings, Buffer, CancelToken, Command, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions, words,
};

use crate::compile::program::CompiledProgram;
use crate::device::CudaDevice;
use crate::ptx::{Ptx, PtxParameter};

fn device() -> CudaDevice {
    let devices = CudaDevice::all(&GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    devices.into_iter().next().expect("a GPU")
}

/// Hand-written PTX. With `cancel` it has the cancel word as a parameter.
fn ptx(body: &str, cancel: bool) -> Ptx {
    let (parameter, word) =
        if cancel { (", .param .u64 cancel", "ld.param.u64 %word, [cancel];") } else { ("", "mov.u64 %word, 0;") };
    let mut parameters = vec![PtxParameter::Address(0)];
    parameters.extend(cancel.then_some(PtxParameter::Cancel));
    Ptx {
        text: format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n\
             .visible .entry vyre_main(.param .u64 address{parameter})\n{{\n\
             .reg .u64 %address, %word, %now, %end;\n.reg .u32 %n;\n.reg .pred %continues;\n\
             ld.param.u64 %address, [address];\ncvta.to.global.u64 %address, %address;\n{word}\n{body}\nret;\n}}\n"
        ),
        block: [1, 1, 1],
        groups_per_block: 1,
        dynamic_shared_bytes: 0,
        parameters,
    }
}

/// Stores 7.
const STORE: &str = "st.global.u32 [%address], 7;";
/// Replaces n by 3 n + 7.
const COUNT: &str = "// COUNT\nld.global.u32 %n, [%address]; mad.lo.u32 %n, %n, 3, 7; st.global.u32 [%address], %n;";
/// Stores to an unmapped address.
const FAULT: &str = "mov.u64 %address, 64; st.global.u32 [%address], 7;";
/// Runs for fifteen seconds and ignores the cancel word.
const HANG: &str = "mov.u64 %now, %globaltimer; add.u64 %end, %now, 15000000000;\n\
                    again: mov.u64 %now, %globaltimer; setp.lt.u64 %continues, %now, %end; @%continues bra again;";
/// Runs until its cancel word is set.
const WAIT: &str =
    "// ENDLESS\nagain: ld.volatile.u32 %n, [%word]; setp.eq.u32 %continues, %n, 0; @%continues bra again;";

/// Pipeline with the buffer `victim` that runs hand-written PTX: `body` in plain runs, `cancellable` in cancellable ones.
fn pipeline(device: &CudaDevice, body: &str, cancellable: &Ptx) -> Pipeline {
    let parsed = text::parse("workgroup_size 1; buffer victim: read_write u32 @0; entry { victim[0] = 7; }");
    let (parsed, ops) = (parsed.expect("it parses"), OpTable::default());
    let valid = parsed.validate(&ops).expect("it is valid");
    let options = PipelineOptions::default();
    let kernel = lower_specialized(&valid, &options.specialization).expect("it can be lowered");
    let open = device.open().unwrap_or_else(|error| panic!("{error}"));
    let compiled = CompiledProgram::from_ptx(&device.images, open.context(), kernel, ptx(body, false))
        .and_then(|compiled| compiled.with_cancellable(open.context(), cancellable.clone()))
        .unwrap_or_else(|error| panic!("{error}"));
    Pipeline::new(device.id(), &valid, &options, Arc::new(compiled))
}

/// Pipeline with one kernel for all runs.
fn simple(device: &CudaDevice, body: &str) -> Pipeline {
    pipeline(device, body, &ptx(body, false))
}

fn buffer(device: &CudaDevice, bytes: u64) -> Buffer {
    device.create_buffer(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn contents(device: &CudaDevice, buffer: &Buffer) -> Vec<u32> {
    words(&device.read(buffer).unwrap_or_else(|error| panic!("{error}")))
}

fn run(device: &CudaDevice, code: &Pipeline, data: &Buffer, options: &RunOptions) -> Result<(), Error> {
    let mut commands = CommandList::new();
    commands.dispatch(code, &Bindings::new().with(0, data), [1, 1, 1]);
    device.run(&commands, options).map(|_| ())
}

fn until(deadline: Instant) -> RunOptions {
    let mut options = RunOptions::default();
    options.deadline = Some(deadline);
    options
}

fn message(outcome: Result<(), Error>) -> String {
    match outcome {
        Err(error @ (Error::DeviceLost { .. } | Error::BufferLost { .. })) => {
            println!("{error}");
            error.to_string()
        }
        other => panic!("{other:?}"),
    }
}

/// Checks that every use of a lost buffer reports the loss.
fn check_that_the_loss_is_reported(device: &CudaDevice, lost: &Buffer, cause: &str) {
    for outcome in [device.read(lost).map(|_| ()), device.write(lost, 0, &[1])] {
        let message = message(outcome);
        assert!(message.contains("lost") && message.contains("`victim`") && message.contains(cause), "{message}");
    }
}

/// Reports whether the device can open another context, which depends on the driver after a fault. If it cannot, checks that
/// every call reports so.
fn can_reopen(device: &CudaDevice) -> bool {
    let outcomes = [device.create_buffer(64).map(|_| ()), device.create_buffer(64).map(|_| ())];
    if outcomes.iter().all(Result::is_ok) {
        return true;
    }
    for outcome in outcomes {
        let message = message(outcome);
        assert!(message.contains("`victim`") && message.contains("lost to this process"), "{message}");
    }
    false
}

/// Checks that the device and its pipelines work in another context.
fn check_that_the_device_is_usable(device: &CudaDevice, good: &Pipeline, lost: &Buffer) {
    let text = message(run(device, good, lost, &RunOptions::default()));
    assert!(text.contains("lost") && text.contains("`victim`"), "{text}");
    let fresh = buffer(device, 64);
    run(device, good, &fresh, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(contents(device, &fresh)[..2], [7, 0]);
}

/// After a fault the driver may refuse all calls of the process, so each test needs a process of its own.
#[test]
fn a_fault_names_the_program_and_the_device_stays_usable() {
    let device = device();
    let (good, bad) = (simple(&device, STORE), simple(&device, FAULT));
    for iteration in 0..3 {
        let old = buffer(&device, 64);
        run(&device, &good, &old, &RunOptions::default()).unwrap_or_else(|error| panic!("{iteration}: {error}"));
        let text = message(run(&device, &bad, &old, &RunOptions::default()));
        assert!(
            text.starts_with("the device is lost: program ") && text.contains("(buffer `victim`; workgroup 1x1x1)"),
            "{text}"
        );
        check_that_the_loss_is_reported(&device, &old, "CUDA_ERROR_ILLEGAL_ADDRESS");
        if !can_reopen(&device) {
            return;
        }
        check_that_the_device_is_usable(&device, &good, &old);
    }
}

/// The teardown of a lost context frees its memory.
#[test]
fn memory_is_freed_after_a_fault() {
    let device = device();
    let bad = simple(&device, FAULT);
    let bytes = device.limits().buffer_bytes / 8 * 5;
    for _ in 0..3 {
        let start = Instant::now();
        let large = loop {
            match device.create_buffer(bytes) {
                Ok(buffer) => break buffer,
                // Another thread tears the lost context down.
                Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error}"),
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        message(run(&device, &bad, &large, &RunOptions::default()));
        if !can_reopen(&device) {
            return;
        }
    }
}

/// The runs of all threads fail with the faulting one.
#[test]
fn a_fault_is_reported_by_all_concurrent_runs() {
    let device = device();
    let (good, bad) = (simple(&device, STORE), simple(&device, FAULT));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (device, good, bad) = (&device, &good, &bad);
            scope.spawn(move || {
                for iteration in 0..20 {
                    let Ok(data) = device.create_buffer(64) else { continue };
                    let code = if iteration % 7 == thread { bad } else { good };
                    match run(device, code, &data, &RunOptions::default()) {
                        Ok(()) => assert_ne!(iteration % 7, thread, "a fault was not reported"),
                        Err(error @ (Error::DeviceLost { .. } | Error::BufferLost { .. })) => {
                            assert!(error.to_string().contains("`victim`"), "{error}");
                        }
                        Err(other) => panic!("{other:?}"),
                    }
                }
            });
        }
    });
    if can_reopen(&device) {
        let data = buffer(&device, 64);
        run(&device, &good, &data, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The kernel occupies the device for fifteen seconds, so the test runs apart from tests that measure time.
#[test]
fn a_kernel_that_hangs_loses_the_context() {
    let device = device();
    let (good, bad) = (simple(&device, STORE), simple(&device, HANG));
    let old = buffer(&device, 64);
    let start = Instant::now();
    let outcome = run(&device, &bad, &old, &until(start + Duration::from_millis(50)));
    assert_eq!(outcome, Err(Error::DeadlineExceeded));
    let took = start.elapsed();
    assert!(took > Duration::from_secs(9) && took < Duration::from_secs(13), "{took:?}");
    check_that_the_loss_is_reported(&device, &old, "did not stop");
    check_that_the_device_is_usable(&device, &good, &old);
}

/// A cancelled kernel ends, later commands of its run are not executed, and other runs are.
#[test]
fn a_kernel_that_waits_ends_when_it_is_cancelled() {
    let device = device();
    let (waiting, good) = (pipeline(&device, STORE, &ptx(WAIT, true)), simple(&device, STORE));
    let (data, after) = (buffer(&device, 64), buffer(&device, 64));
    let mut list = CommandList::new();
    list.dispatch(&waiting, &Bindings::new().with(0, &data), [1, 1, 1]);
    for _ in 0..2_000 {
        list.push(Command::Timestamp);
    }
    list.push(Command::Fill { buffer: after.clone(), offset: 0, length: 64, byte: 1 });
    for _ in 0..5 {
        let start = Instant::now();
        let outcome = device.run(&list, &until(start + Duration::from_millis(30))).map(|_| ());
        assert_eq!(outcome, Err(Error::DeadlineExceeded));
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        assert_eq!(contents(&device, &after), [0; 16]);
        let token = CancelToken::default();
        let mut options = RunOptions::default();
        options.cancel = Some(token.clone());
        std::thread::scope(|scope| {
            let run = scope.spawn(|| device.run(&list, &options).map(|_| ()));
            std::thread::sleep(Duration::from_millis(20));
            token.cancel();
            assert_eq!(run.join().expect("no panic"), Err(Error::Cancelled));
        });
        let far = Instant::now() + Duration::from_secs(60);
        run(&device, &good, &data, &until(far)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(contents(&device, &data)[0], 7);
        device.write(&data, 0, &[0; 64]).expect("it can be written");
    }
}

/// Lists and repetitions, as single commands and as graphs, in plain and in cancellable runs.
#[test]
fn repetitions_run_each_kernel_the_given_number_of_times() {
    let device = device();
    let code = simple(&device, COUNT);
    let value = |iterations: u64| (0..iterations).fold(0_u32, |n, _| n.wrapping_mul(3).wrapping_add(7));
    let far = until(Instant::now() + Duration::from_secs(600));
    for options in [&RunOptions::default(), &far] {
        for (count, body, nested) in [
            (1, 1, 1),
            (15, 1, 1),
            (16, 1, 1),
            (1000, 1, 1),
            (1001, 1, 1),
            (3, 7, 5),
            (40, 3, 20),
            (7, 2500, 1),
            (2, 1, 5000),
        ] {
            let (data, copy) = (buffer(&device, 64), buffer(&device, 64));
            let mut iteration = CommandList::new();
            for _ in 0..body {
                iteration.dispatch(&code, &Bindings::new().with(0, &data), [1, 1, 1]);
            }
            let mut inner = CommandList::new();
            inner.push(Command::Repeat { count: nested, commands: iteration.clone() });
            let mut list = CommandList::new();
            list.push(Command::Repeat { count, commands: inner });
            list.push(Command::Timestamp);
            list.push(Command::Copy {
                source: data.clone(),
                source_offset: 0,
                target: copy.clone(),
                target_offset: 4,
                length: 8,
            });
            let each = u64::from(count) * u64::from(nested) * body as u64;
            for time in 1..=3 {
                device.run(&list, options).unwrap_or_else(|error| panic!("{error}"));
                let expected = value(each * time);
                assert_eq!(contents(&device, &data)[0], expected, "{count} x {nested} x {body}, {time}");
                assert_eq!(contents(&device, &copy)[..3], [0, expected, 0]);
            }
            for time in 1..=3 {
                device.run(&iteration, options).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(contents(&device, &data)[0], value(each * 3 + body as u64 * time));
            }
        }
    }
}

/// Threads with plain runs, with distant deadlines and with missed deadlines, on one device.
#[test]
fn threads_with_and_without_deadlines_share_a_device() {
    let device = device();
    let (count, waiting) = (simple(&device, COUNT), pipeline(&device, STORE, &ptx(WAIT, true)));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (device, count, waiting) = (&device, &count, &waiting);
            scope.spawn(move || {
                let data = buffer(device, 64);
                for iteration in 1..=30_u32 {
                    let now = Instant::now();
                    if thread == 0 {
                        let outcome = run(device, waiting, &data, &until(now + Duration::from_millis(5)));
                        assert_eq!(outcome, Err(Error::DeadlineExceeded));
                        continue;
                    }
                    let cancellable = until(now + Duration::from_secs(120));
                    let options = if thread % 2 == 0 { cancellable } else { RunOptions::default() };
                    let mut list = CommandList::new();
                    for _ in 0..5 {
                        list.dispatch(count, &Bindings::new().with(0, &data), [1, 1, 1]);
                    }
                    device.run(&list, &options).unwrap_or_else(|error| panic!("{error}"));
                    let expected = (0..iteration * 5).fold(0_u32, |n, _| n.wrapping_mul(3).wrapping_add(7));
                    assert_eq!(contents(device, &data)[0], expected, "{thread}, {iteration}");
                }
            });
        }
    });
}
