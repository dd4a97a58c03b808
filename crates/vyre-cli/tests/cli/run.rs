//! `vyre run`: results, outputs, races, deadlines, errors of arguments.

use std::path::Path;
use vyre::runtime::words;

use crate::harness::{INVALID, NO_PROGRAM, Run, Sandbox};

/// Adds 1 to each of four words.
const INCREMENT: &str = "\
workgroup_size 4, 1, 1;

buffer data: read_write u32 @0 output;
buffer step: uniform u32 @1;
buffer tile: workgroup u32[4];

entry {
    tile[local_id.x] = step[0];
    data[invocation_id.x] = data[invocation_id.x] + tile[local_id.x];
}
";

/// Each invocation writes its id to word 0, and its neighbour reads it without a barrier.
const RACE: &str = "\
workgroup_size 2, 1, 1;

buffer data: read_write u32 @0 output;

entry {
    data[0] = invocation_id.x;
    let _ = data[local_id.x];
}
";

/// A loop of 2^32 - 1 iterations.
const ENDLESS: &str = "\
workgroup_size 1, 1, 1;

buffer data: read_write u32 @0 output;

entry {
    for i in 0..4294967295 {
        for j in 0..4294967295 {
            data[0] = data[0] * 3 + i;
        }
    }
}
";

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Runs a program from standard input.
fn run_program(program: &str, args: &[&str]) -> Run {
    Sandbox::new(&[]).run_with_input(&[&["run", "-"], args].concat(), program.as_bytes())
}

/// Runs [`INCREMENT`] on one workgroup with valid contents and further arguments.
fn increment(args: &[&str]) -> Run {
    run_program(INCREMENT, &[&["--grid", "1", "--in", "data=u32:1,2,3,4", "--in", "step=u32:10"], args].concat())
}

#[track_caller]
fn fails(run: &Run, messages: &[&str]) {
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    for message in messages {
        assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
    }
}

#[test]
fn prefix_sums_are_printed() {
    let program = example("prefix_sum.vyre");
    let inputs = ["--grid", "2", "--in", "input=iota:512", "--in", "sums=zeros:512"];
    let sandbox = Sandbox::new(&[]);
    let run = sandbox.run(&[&["run", &program][..], &inputs].concat());
    assert_eq!(run.code, Some(0));
    // A build without the CPU backend uses a GPU, if the machine has one.
    if cfg!(feature = "jit") || !cfg!(any(feature = "cuda", feature = "wgpu")) {
        let device =
            if cfg!(feature = "jit") { "backend `cpu`: CPU, " } else { "backend `reference`: reference interpreter\n" };
        assert!(run.stderr.starts_with(&format!("running on {device}")), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
    }
    let expected =
        "sums: u32, 512 elements\n  0:  0  1  3  6 10 15 21 28\n  ... 504 more (print all with --out sums)\n";
    assert_eq!(run.text(), expected);

    let run = sandbox.run(&[&["run", &program][..], &inputs, &["--out", "sums", "--out", "input"]].concat());
    assert_eq!(run.code, Some(0));
    let lines: Vec<&str> = run.text().lines().collect();
    assert_eq!(lines[0], "sums: u32, 512 elements");
    assert_eq!(lines[8], "   56:  1596  1653  1711  1770  1830  1891  1953  2016");
    assert!(lines[64].starts_with("  504: ") && lines[64].ends_with(" 98176"), "{}", lines[64]);
    assert_eq!(lines[65], "input: u32, 512 elements");
    assert_eq!(lines.len(), 130, "all elements of both buffers");
}

#[test]
fn a_histogram_is_read_and_written_as_files() {
    let text = "the quick brown fox jumps over the lazy dog!";
    let sandbox = Sandbox::new(&[("text.txt", text)]);
    let length = format!("params=u32:{}", text.len());
    let run = sandbox.run(&[
        "run",
        &example("byte_histogram.vyre"),
        "--grid=1,1,1",
        "--in=text=@text.txt",
        "--in",
        &length,
        "--in=counts=zeros:256",
        "--out=counts=@counts.bin",
        "--check-races",
    ]);
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
    assert!(
        run.stderr.ends_with("running on backend `reference`: reference interpreter\nno races\n"),
        "{}",
        run.stderr
    );
    let counts = words(&sandbox.read("counts.bin"));
    let expected: Vec<u32> =
        (0..=255_u8).map(|value| text.bytes().filter(|&byte| byte == value).count() as u32).collect();
    assert_eq!(counts, expected);
    assert_eq!(sandbox.names(), ["counts.bin", "text.txt"]);
}

#[test]
fn programs_and_contents_are_read_from_standard_input() {
    let run = increment(&["--out", "data"]);
    assert_eq!((run.code, run.text()), (Some(0), "data: u32, 4 elements\n  0: 11 12 13 14\n"));

    let sandbox = Sandbox::new(&[("a.vyre", INCREMENT)]);
    let args = ["run", "a.vyre", "--grid", "1", "--in", "data=@-", "--in", "step=i32:-1"];
    let run = sandbox.run_with_input(&args, &[5, 0, 0, 0, 7, 0, 0, 0, 9]);
    assert_eq!((run.code, run.text()), (Some(0), "data: u32, 2 elements, and 1 byte\n  0: 4 6\n"));
    assert!(run.stderr.contains("buffer `data` ends with 1 byte that no u32 reaches"), "{}", run.stderr);

    let args = ["run", "-", "--grid", "1", "--in", "data=@-", "--in", "step=u32:1"];
    fails(&sandbox.run_with_input(&args, b""), &["standard input can be read only once"]);
}

#[test]
fn wire_programs_run() {
    let sandbox = Sandbox::new(&[("a.vyre", INCREMENT)]);
    assert_eq!(sandbox.run(&["convert", "a.vyre"]).code, Some(0));
    let run = sandbox.run(&["run", "a.vir", "--grid", "1", "--in", "data=zeros:1", "--in", "step=u32:3"]);
    assert_eq!((run.code, run.text()), (Some(0), "data: u32, 1 element\n  0: 3\n"));
}

#[test]
fn programs_can_call_library_ops() {
    let program = "workgroup_size 1; buffer data: read_write u32 @0; entry { \
                   data[0] = primitive.bitwise.popcount(data[0]); }";
    let run = run_program(program, &["--grid", "1", "--in", "data=u32:0xff"]);
    assert_eq!((run.code, run.text()), (Some(0), "data: u32, 1 element\n  0: 8\n"));
    assert_eq!(Sandbox::new(&[]).run_with_input(&["check", "-"], program.as_bytes()).code, Some(0));
}

#[test]
fn a_grid_of_zero_workgroups_is_rejected() {
    for grid in ["0", "1,0", "4,4,0"] {
        let args = ["--grid", grid, "--in", "data=u32:7", "--in", "step=u32:1"];
        fails(&run_program(INCREMENT, &args), &["a grid of 0 workgroups runs nothing; an omitted axis has 1"]);
    }
}

#[test]
fn time_and_backend_are_printed_on_standard_error() {
    let run = increment(&["--time", "--backend", "reference"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("running on backend `reference`"), "{}", run.stderr);
    assert!(run.stderr.contains("the run took "), "{}", run.stderr);
    let names: Vec<String> = vyre::backends().iter().map(|backend| format!("`{}`", backend.name())).collect();
    let names = format!("{} and `auto`", names.join(", "));
    fails(&increment(&["--backend", "cudda"]), &[&format!("there is no backend `cudda`; there are {names}")]);
}

#[test]
fn invalid_programs_have_the_report_of_check() {
    for program in [INVALID, NO_PROGRAM] {
        let sandbox = Sandbox::new(&[("a.vyre", program)]);
        let run = sandbox.run(&["run", "a.vyre", "--grid", "1"]);
        let check = sandbox.run(&["check", "a.vyre"]);
        assert_eq!((run.code, run.text()), (Some(1), check.text()));
        assert_eq!(run.stderr, "");
    }
    let run = run_program("VIR0", &["--grid", "1"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("error[wire]"), "{}", run.text());
    fails(&Sandbox::new(&[]).run(&["run", "missing.vyre", "--grid", "1"]), &["cannot read missing.vyre"]);
}

#[test]
fn unknown_and_unbound_buffers_are_rejected() {
    let missing = "no contents for `data` (read_write u32), `step` (uniform u32); give them, for example with \
                   `--in data=zeros:64 --in step=u32:64`";
    fails(&run_program(INCREMENT, &["--grid", "1"]), &[missing]);
    let run = run_program(INCREMENT, &["--grid", "1", "--in", "data=empty"]);
    fails(&run, &["no contents for `step` (uniform u32); give them, for example with `--in step=u32:64`"]);
    let unknown = "the program has no buffer `dta`; the nearest are `data`, `step`";
    fails(&increment(&["--in", "dta=empty"]), &[unknown]);
    fails(&increment(&["--out", "dta"]), &[unknown]);
    fails(&increment(&["--in", "data=empty"]), &["buffer `data` is given twice"]);
    let workgroup = "buffer `tile` is workgroup memory, which can be neither given nor read";
    fails(&increment(&["--in", "tile=zeros:4"]), &[workgroup]);
    fails(&increment(&["--out", "tile"]), &[workgroup]);
    let none = run_program("workgroup_size 1; entry { }", &["--grid", "1", "--in", "data=empty"]);
    fails(&none, &["the program has no buffer `data`; none can be given"]);
}

#[test]
fn fixed_values_replace_contents() {
    let run = increment(&["--fix", "step[0]=0x64", "--out", "data", "--out", "step"]);
    let expected = "data: u32, 4 elements\n  0: 101 102 103 104\nstep: u32, 1 element\n  0: 10\n";
    assert_eq!((run.code, run.text()), (Some(0), expected));

    // The buffer must contain the fixed element even if the program never reads it.
    let run = increment(&["--fix", "step[2]=1"]);
    fails(&run, &["the run failed: buffer `step` (slot 1) has 4 bytes, and values are fixed in its first 12"]);
    let missing = run_program(INCREMENT, &["--grid", "1", "--in", "data=zeros:1", "--fix", "step[0]=1"]);
    fails(&missing, &["no contents for `step` (uniform u32)"]);
    let unfixable = "buffer `data` is read_write; only values of uniform buffers can be fixed";
    fails(&increment(&["--fix", "data[0]=1"]), &[unfixable]);
    fails(&increment(&["--fix", "step[0]"]), &["write NAME[INDEX]=VALUE, such as `params[0]=64`"]);
}

#[test]
fn unknown_contents_are_rejected() {
    let with = |contents: &str| {
        let data = format!("data={contents}");
        run_program(INCREMENT, &["--grid", "1", "--in", &data, "--in", "step=u32:1"])
    };
    fails(&with("f32:1"), &["cannot give buffer `data` its contents: `f32:1` is no form of contents", "zeros:N"]);
    fails(&with("u32:-1"), &["`-1` is no number that fits here"]);
    fails(&with("zeros:99999999999"), &["contents of more than 1 GiB"]);
    fails(&with("@missing.bin"), &["cannot give buffer `data` its contents: cannot read missing.bin"]);
    let uniform = run_program(INCREMENT, &["--grid", "1", "--in", "data=empty", "--in", "step=zeros:20000"]);
    fails(&uniform, &["80000 bytes of a uniform buffer were wanted, the limit is 65536"]);
}

#[test]
fn malformed_arguments_are_rejected() {
    for (args, message) in [
        (&[][..], "--grid <X[,Y,Z]>"),
        (&["--grid", "1", "--grid", "2"], "cannot be used multiple times"),
        (&["--grid", "x"], "`x` is no number from 1 to 4294967295"),
        (&["--grid", "1,2,3,4"], "a grid has at most 3 axes"),
        (&["--grid", "1", "--timeout", "soon"], "write a number of seconds"),
        (&["--grid", "1", "--threads", "many"], "write a number from 1 to 1024, or 0 for one thread for each core"),
        (&["--grid", "1", "--threads", "1025"], "invalid value '1025' for '--threads <N>'"),
        (&["--grid", "1", "--in", "data"], "write NAME=CONTENTS"),
        (&["--grid", "1", "--out", "data=file"], "a file is written as NAME=@FILE"),
        (&["--grid", "1", "--out", "data=@-"], "raw bytes go to files"),
    ] {
        fails(&Sandbox::new(&[("a.vyre", INCREMENT)]).run(&[&["run", "a.vyre"], args].concat()), &[message]);
    }
    let args = ["--grid", "1073741825", "--in", "data=empty", "--in", "step=empty"];
    fails(&run_program(INCREMENT, &args), &["the run failed", "invocations of the grid on axis 0"]);
}

#[test]
fn outputs_do_not_overwrite_the_program_or_each_other() {
    let sandbox = Sandbox::new(&[("a.vyre", INCREMENT), ("data.bin", "abcd")]);
    let run = |args: &[&str]| {
        let command = ["run", "a.vyre", "--grid", "1", "--in", "data=@data.bin", "--in", "step=u32:1"];
        sandbox.run(&[&command[..], args].concat())
    };
    fails(&run(&["--out", "data=@./a.vyre"]), &["./a.vyre is the program itself"]);
    fails(&run(&["--out", "data=@x", "--out", "step=@x"]), &["two buffers cannot go to x"]);
    fails(&run(&["--out", "data=@x", "--out", "step=@./x"]), &["two buffers cannot go to ./x"]);
    fails(&run(&["--out", "data=@no/such/x"]), &["cannot write no/such/x"]);
    assert_eq!(sandbox.read_text("a.vyre"), INCREMENT);
    // A buffer can replace its own input file.
    assert_eq!(run(&["--out", "data=@data.bin"]).code, Some(0));
    assert_eq!(sandbox.read_text("data.bin"), "bbcd");
}

#[test]
fn races_are_printed_with_both_locations() {
    let sandbox = Sandbox::new(&[("race.vyre", RACE)]);
    let args = ["--grid", "1", "--in", "data=zeros:2", "--check-races"];
    let run = sandbox.run(&[&["run", "race.vyre"][..], &args].concat());
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.text().starts_with("data: u32, 2 elements\n"), "{}", run.text());
    for part in [
        "error[race]: data race on word 0 of buffer `data`: store at entry[0] by invocation (0, 0, 0), and store at \
         entry[0] by invocation (1, 0, 0)\n",
        " --> race.vyre:6:5\n",
        "6 |     data[0] = invocation_id.x;\n",
        "load at entry[1].value by invocation (0, 0, 0)",
        "note: the other access: race.vyre:7:13\n",
        "7 |     let _ = data[local_id.x];\n",
        "fix: these invocations run one statement on one element: let each access an element of its own, such as",
        "fix: put a `barrier` between the two accesses, which one workgroup makes",
    ] {
        assert!(run.text().contains(part), "no {part:?} in {}", run.text());
    }
    assert!(!run.text().contains("vyre explain"), "{}", run.text());
    assert!(run.stderr.contains("2 races; 2 accesses raced with an earlier one"), "{}", run.stderr);

    assert_eq!(sandbox.run(&["convert", "race.vyre"]).code, Some(0));
    let run = sandbox.run(&[&["run", "race.vir"][..], &args].concat());
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains(" --> race.vir: entry[0]\n"), "{}", run.text());

    let run = sandbox.run(&["run", "race.vyre", "--grid", "1", "--in", "data=zeros:2"]);
    assert_eq!(run.code, Some(0));
}

#[test]
fn advice_about_races_depends_on_workgroups() {
    let program = "workgroup_size 1; buffer data: read_write u32 @0; entry { \
                   if workgroup_id.x == 0 { data[0] = 1; } else { let _ = data[0]; } }";
    let run = run_program(program, &["--grid", "2", "--in", "data=zeros:1", "--check-races"]);
    let advice = "fix: these are different workgroups, which no `barrier` orders: use `atomic_load`";
    assert!(run.text().contains(advice), "{}", run.text());
}

#[test]
fn mixed_accesses_are_races() {
    let program = "workgroup_size 2; buffer data: read_write u32 @0; entry { \
                   let _ = atomic_add(data[0], 1); data[0] = 1; }";
    let run = run_program(program, &["--grid", "1", "--in", "data=zeros:1", "--check-races"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains("error[race]: mixed access on word 0"), "{}", run.text());
    assert!(run.text().contains("<stdin>:1:"), "{}", run.text());
}

#[test]
fn advice_for_workgroup_memory_names_its_own_atomics() {
    let program = "workgroup_size 2; buffer tile: workgroup u32[1]; entry { \
                   let _ = workgroup_atomic_add(tile[0], 1); tile[0] = 1; }";
    let run = run_program(program, &["--grid", "1", "--check-races"]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().contains("fix: use `workgroup_atomic_load`"), "{}", run.text());
}

#[test]
fn a_deadline_stops_a_run() {
    let args = ["--grid", "1", "--in", "data=zeros:1", "--timeout", "2.5", "--time", "--backend"];
    for backend in ["auto", "reference"] {
        let run = run_program(ENDLESS, &[&args[..], &[backend]].concat());
        fails(&run, &["deadline exceeded: the run was not finished after 2.5 s; allow more time", "the run took "]);
    }
    assert_eq!(increment(&["--timeout", "600"]).code, Some(0));
    assert_eq!(increment(&["--timeout", "1e19"]).code, Some(0));
}

#[test]
fn the_reference_rejects_threads() {
    let run = increment(&["--backend", "reference", "--threads", "2"]);
    fails(&run, &["backend `reference` takes no `--threads`; leave it out"]);
    let run = increment(&["--check-races", "--threads", "0"]);
    fails(&run, &["no backend will do: ", "backend `reference`: it takes no `--threads`"]);
}

/// Tests that need the CPU backend.
#[cfg(feature = "jit")]
mod cpu {
    use super::*;

    /// The examples, with contents of their buffers.
    const EXAMPLES: [(&str, &[&str]); 4] = [
        ("add_bias.vyre", &["--grid=16", "--in=input=random:1:1000", "--in=params=u32:7", "--in=sums=zeros:1024"]),
        (
            "byte_histogram.vyre",
            &["--grid=8", "--in=text=random:2:500", "--in=params=u32:1999", "--in=counts=zeros:256"],
        ),
        ("prefix_sum.vyre", &["--grid=5", "--in=input=random:3:1200", "--in=sums=zeros:1280"]),
        (
            "row_sums.vyre",
            &["--grid=3", "--in=offsets=u32:0,10,10,120", "--in=values=random:4:120", "--in=sums=zeros:3"],
        ),
    ];

    /// Bytes of all buffers after a run.
    fn contents(name: &str, inputs: &[&str], more: &[&str]) -> Vec<Vec<u8>> {
        let sandbox = Sandbox::new(&[]);
        let buffers: Vec<&str> = inputs.iter().filter_map(|arg| arg.strip_prefix("--in=")?.split('=').next()).collect();
        let outputs: Vec<String> = buffers.iter().map(|buffer| format!("--out={buffer}=@{buffer}")).collect();
        let mut args = vec!["run", name];
        args.extend(inputs.iter().chain(more));
        args.extend(outputs.iter().map(String::as_str));
        let run = sandbox.run(&args);
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
        buffers.iter().map(|buffer| sandbox.read(buffer)).collect()
    }

    #[test]
    fn results_of_the_examples_equal_those_of_the_reference() {
        for (name, inputs) in EXAMPLES {
            let name = example(name);
            let expected = contents(&name, inputs, &["--backend=reference"]);
            assert!(expected.iter().flatten().any(|&byte| byte != 0), "{name}");
            for more in [
                &["--backend=auto"][..],
                &["--backend=cpu"],
                &["--backend=cpu", "--threads=0"],
                &["--backend=cpu", "--threads=1"],
                &["--backend=cpu", "--threads=2", "--timeout=600"],
            ] {
                assert!(contents(&name, inputs, more) == expected, "{name} with {more:?}");
            }
        }
    }

    #[test]
    fn results_with_fixed_values_equal_those_of_the_reference() {
        for ((name, inputs), fixed) in EXAMPLES.iter().zip(["params[0]=5", "params[0]=1000"]) {
            let name = example(name);
            let of = |backend: &str| contents(&name, inputs, &["--fix", fixed, "--backend", backend]);
            let expected = of("reference");
            assert!(of("cpu") == expected, "{name} with {fixed}");
            assert!(contents(&name, inputs, &[]) != expected, "{name}: {fixed} changes nothing");
        }
    }

    #[test]
    fn auto_selects_the_cpu_unless_races_are_checked() {
        let run = increment(&["--threads", "2"]);
        assert_eq!((run.code, &*run.stderr), (Some(0), "running on backend `cpu`: CPU, 2 threads\n"));
        let run = increment(&["--check-races"]);
        let notes = "backend `cpu`: it cannot check for races\nrunning on backend `reference`: reference interpreter\n";
        assert_eq!(run.code, Some(0));
        assert!(run.stderr.starts_with(notes), "{}", run.stderr);
        let message = "backend `cpu` cannot check for races; add `--backend reference`";
        fails(&increment(&["--check-races", "--backend", "cpu"]), &[message]);
    }

    #[test]
    fn the_cpu_accepts_programs_at_the_limits_of_the_reference() {
        let program = |words: u32| {
            format!(
                "workgroup_size 1; buffer tile: workgroup u32[{words}]; buffer out: read_write u32 @0; \
                 entry {{ tile[{words} - 1] = 7; out[0] = tile[{words} - 1] + tile[0]; }}"
            )
        };
        for backend in ["cpu", "reference"] {
            let options = ["--grid", "1", "--in", "out=zeros:1", "--backend", backend];
            let run = run_program(&program(20_000_000), &options);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            assert!(run.text().contains('7'), "{}", run.text());
            let message =
                "cannot use the program: 280000000 bytes of workgroup memory were wanted, the limit is 268435456";
            fails(&run_program(&program(70_000_000), &options), &[message]);
        }
    }
}

#[test]
fn a_device_is_selected_within_a_backend() {
    for which in ["0", "interp", "REFERENCE"] {
        let run = increment(&["--backend", "reference", "--device", which]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("running on backend `reference`: reference interpreter\n"), "{}", run.stderr);
    }
    for which in ["1", "llvmpipe"] {
        let message = format!("backend `reference` has no device `{which}`; it has 0 (reference interpreter)");
        fails(&increment(&["--backend", "reference", "--device", which]), &[&message]);
    }
    let message = "`--device` selects a device of one backend; name it with `--backend`: ";
    fails(&increment(&["--device", "0"]), &[message, "`reference`"]);
    fails(&increment(&["--backend", "auto", "--device", "0"]), &[message]);
    fails(&increment(&["--backend", "reference", "--device", ""]), &["a value is required for '--device <WHICH>'"]);
}
