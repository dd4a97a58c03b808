//! Programs near the limit of nodes: results equal those of the reference, and the emitted code is linear in the program.

use vyre_ir::{OpTable, text};
use vyre_jit::{JitDevice, JitOptions, Listing, VectorizationMode};
use vyre_kernel::{PassPipeline, lower};
use vyre_runtime::{Bindings, CancelToken, CommandList, Device, Error, PipelineOptions, ReferenceDevice, RunOptions};

/// Programs of `count` similar parts.
fn programs(count: usize) -> Vec<(&'static str, String)> {
    let repeated = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<String>();
    let source = |size: u32, body: String| {
        format!(
            "workgroup_size {size}; buffer out: read_write u32 @0; buffer input: read u32 @1; \
             buffer tile: workgroup u32[64]; entry {{ let me = invocation_id.x; {body} }}"
        )
    };
    let lets = repeated(&|at| format!("let x{at} = out[me] + input[{at}];\n"));
    let ifs = repeated(&|at| format!("if (out[me] & {at}) < 3 {{ out[me] = out[me] * 3 + {at}; }}\n"));
    let sums = repeated(&|at| format!("out[me] = out[me] * 5 + x{at};\n"));
    let variables = repeated(&|at| format!("let x{at} = me;\n"));
    let sets = repeated(&|at| format!("if (input[{at}] & 1) == 1 {{ x{at} = x{at} + out[me]; out[me] = {at}; }}\n"));
    let loops = repeated(&|at| format!("for i in 0..(input[{at}] & 3) {{ out[me] = out[me] * 3 + i; }}\n"));
    let uniform = repeated(&|at| format!("let x{at} = input[{at}] * 3;\n"));
    let exchanged = "tile[local_id.x] = out[me]; barrier; out[me] = tile[local_id.x ^ 1]; barrier;\n";
    let reduced = repeated(&|at| format!("let x{at} = reduce_add(out[me] + {at});\n"));
    let mut programs = Vec::new();
    for size in [1, 64] {
        programs.extend([
            ("sequential loops", source(size, loops.clone())),
            ("values across branches", source(size, format!("{lets} {ifs} {sums}"))),
            ("values across loops", source(size, format!("{lets} {loops} {sums}"))),
            ("values in a loop", source(size, format!("{lets} for k in 0..2 {{ {sums} {ifs} }}"))),
            ("variables across branches", source(size, format!("{variables} {sets} {sums}"))),
            ("uniform values across branches", source(size, format!("{uniform} {ifs} {sums}"))),
            ("values across barriers", source(size, format!("{lets} {exchanged} {ifs} {exchanged} {sums}"))),
            ("collectives", source(size, format!("{reduced} {ifs} {sums}"))),
        ]);
    }
    programs
}

/// Contents of the output after two workgroups, on a device.
fn result(device: &dyn Device, source: &str) -> Vec<u8> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let program = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{errors:?}"));
    let pipeline = device.create_pipeline(&program, &PipelineOptions::default()).expect("it compiles");
    let out = device.create_buffer(4 * 128).expect("a buffer");
    let input = device.create_buffer(4 * 1000).expect("a buffer");
    let words = |seed: u32, count: u32| -> Vec<u8> {
        (0..count).flat_map(|at| (at.wrapping_mul(0x9e37_79b9) ^ seed).rotate_left(13).to_le_bytes()).collect()
    };
    device.write(&out, 0, &words(7, 128)).expect("it is written");
    device.write(&input, 0, &words(99, 1000)).expect("it is written");
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &out).with(1, &input), [2, 1, 1]);
    device.run(&commands, &RunOptions::default()).expect("it runs");
    device.read(&out).expect("it is read")
}

/// With 700 parts the live ranges exceed the limit, so that values are spilled.
#[test]
fn results_of_long_programs_equal_those_of_the_reference() {
    let reference = ReferenceDevice::new();
    let device = JitDevice::new(&JitOptions::default().with_threads(1)).expect("a device");
    for (name, source) in programs(700) {
        assert!(result(&device, &source) == result(&reference, &source), "{name}: {}", &source[..20]);
    }
}

/// Instructions of Cranelift's IR. The work of all stages is proportional to them and to the live ranges, which have a limit.
fn instructions(source: &str) -> usize {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let program = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut kernel = lower(&program).expect("it lowers");
    PassPipeline::standard().run(&mut kernel).expect("the passes keep the rules");
    Listing::of(&kernel, VectorizationMode::default()).expect("it compiles").clif.lines().count()
}

/// Both sizes exceed the limit of live ranges. Below it nothing is spilled, so a part takes fewer instructions.
#[test]
fn emitted_code_is_linear_in_the_program() {
    for ((name, short), (_, long)) in programs(600).into_iter().zip(programs(1200)) {
        let (short, long) = (instructions(&short), instructions(&long));
        assert!(4 * long < 9 * short, "{name}: {short} instructions, {long} for twice the program");
    }
}

#[test]
fn a_compilation_ends_at_its_deadline_or_token() {
    let device = JitDevice::new(&JitOptions::default().with_threads(1)).expect("a device");
    let parsed = text::parse("workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = 1; }").expect("it parses");
    let ops = OpTable::default();
    let program = parsed.validate(&ops).expect("it is valid");
    let past = PipelineOptions::default().with_deadline(std::time::Instant::now());
    assert_eq!(device.create_pipeline(&program, &past).map(|_| ()), Err(Error::DeadlineExceeded));
    let token = CancelToken::default();
    let options = PipelineOptions::default().with_cancel(token.clone());
    assert!(device.create_pipeline(&program, &options).is_ok());
    token.cancel();
    assert_eq!(device.create_pipeline(&program, &options).map(|_| ()), Err(Error::Cancelled));
}
