//! `vyre lower`: kernels before and after the passes, fixed values, errors of arguments.

use std::path::Path;

use crate::golden::compare;
use crate::harness::{INVALID, NO_PROGRAM, Run, Sandbox, finish, vyre};

/// A branch on a parameter; each side has its own accesses.
const BRANCH: &str = "\
workgroup_size 1, 1, 1;

buffer table: read u32 @0;
buffer params: uniform u32 @1;
buffer size: uniform vec2u32 @2;
buffer out: read_write u32 @3 output;

entry {
    if params[0] != 0 {
        out[1] = table[params[1]];
    }
    out[0] = size[0].y * 8;
}
";

/// Runs the binary in the directory of the examples.
fn in_examples(args: &[&str]) -> Run {
    finish(vyre(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")).args(args))
}

/// Lowers a program from standard input.
fn lower(program: &str, args: &[&str]) -> Run {
    Sandbox::new(&[]).run_with_input(&[&["lower", "-"], args].concat(), program.as_bytes())
}

#[track_caller]
fn kernel(run: &Run) -> &str {
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.text());
    run.text()
}

#[track_caller]
fn fails(run: &Run, message: &str) {
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
}

#[test]
fn kernels_of_the_examples_before_and_after_the_passes() {
    for name in ["add_bias", "byte_histogram", "prefix_sum", "row_sums"] {
        let run = in_examples(&["lower", "--target", "kernel", "--compare", &format!("{name}.vyre")]);
        compare(&format!("lower_{name}.txt"), kernel(&run));
    }
}

#[test]
fn all_views_of_an_example() {
    for (golden, args) in [
        ("lower_diff.txt", &["--diff"][..]),
        ("lower_dump.txt", &["--dump", "--stop-after", "3"]),
        ("lower_dump_diff.txt", &["--dump", "--diff"]),
        ("lower_passes.txt", &["--passes", "fold,dead-code"]),
        ("lower_diff_color.txt", &["--diff", "--color", "always"]),
    ] {
        compare(golden, kernel(&in_examples(&[&["lower", "row_sums.vyre"], args].concat())));
    }
}

#[test]
fn the_list_has_all_passes_and_the_standard_order() {
    let run = Sandbox::new(&[]).run(&["lower", "--list-passes", "--color", "never"]);
    let list = kernel(&run);
    // Long summaries continue on the next line.
    let words = list.split_whitespace().collect::<Vec<_>>().join(" ");
    for pass in vyre::kernel::passes() {
        assert!(words.contains(&format!("{} {}", pass.name, pass.summary)), "{list}");
    }
    let standard: Vec<&str> = vyre::kernel::PassPipeline::standard().names().collect();
    let order = list.split_once("\nThe standard order is ").expect("the order").1;
    assert_eq!(order.split_whitespace().collect::<Vec<_>>().join(" "), format!("{}.", standard.join(", ")));
}

#[test]
fn views_are_consistent() {
    let sandbox = Sandbox::new(&[("a.vyre", BRANCH)]);
    let printed = |args: &[&str]| kernel(&sandbox.run(&[&["lower", "a.vyre"], args].concat())).to_owned();
    let (before, after) = (printed(&["--passes", "none"]), printed(&[]));
    assert_ne!(before, after);
    let statements = |kernel: &str| kernel.split_once("entry {\n").expect("an entry").1.lines().count();
    // Both the entry and its `if` have a closing brace, but only the `if` is a statement.
    let both = format!(
        "// as lowered: {} statements\n{before}\n// after the standard passes: {} statements\n{after}",
        statements(&before) - 2,
        statements(&after) - 2
    );
    assert_eq!(printed(&["--compare"]), both);
    assert_eq!(printed(&["--passes", "standard"]), both);
    assert!(printed(&["--dump"]).ends_with(&format!(" statements\n{after}")));
    assert_eq!(printed(&["--stop-after", "0"]), before);
    assert_eq!(printed(&["--stop-after", "0", "--passes", "fold"]), before);
    assert_eq!(printed(&["--stop-after", "1000"]), after);
    assert_eq!(printed(&["--stop-after", "2", "--compare"]), printed(&["--passes", "promote,fold"]));
    assert_eq!(printed(&["--verify"]), after);
    assert!(printed(&["--passes", "none", "--diff"]).ends_with(" statements, no change\n"));

    assert_eq!(sandbox.run(&["convert", "a.vyre"]).code, Some(0));
    assert_eq!(kernel(&sandbox.run(&["lower", "a.vir"])), after);
    assert_eq!(kernel(&lower(BRANCH, &[])), after);
}

#[test]
fn times_are_printed_on_standard_error() {
    let run = lower(BRANCH, &["--time", "--passes", "fold,licm,cse"]);
    assert_eq!((run.code, run.text()), (Some(0), kernel(&lower(BRANCH, &["--passes", "fold,licm,cse"]))));
    let rows: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(rows[0].split_whitespace().collect::<Vec<_>>(), ["pass", "statements", "time"]);
    for (row, start) in rows[1..].iter().zip(["    lower ", " 1  fold ", " 2  licm ", " 3  cse ", "    in all "]) {
        assert!(row.starts_with(start), "{}", run.stderr);
    }
    assert_eq!(rows.len(), 6);
    assert!(rows[3].ends_with("s  no change"), "{}", run.stderr);

    // A dump without `--time` is deterministic.
    assert_eq!(kernel(&lower(BRANCH, &["--dump"])), kernel(&lower(BRANCH, &["--dump"])));
    let timed = lower(BRANCH, &["--dump", "--time"]);
    assert!(timed.text().lines().any(|line| line.starts_with("// pass 2, fold: ") && line.ends_with("s")));
}

#[test]
fn fixed_values_resolve_branches() {
    let open = lower(BRANCH, &[]);
    assert!(kernel(&open).contains("if v") && kernel(&open).contains("load table") && kernel(&open).contains("out[1]"));

    let never = lower(BRANCH, &["--fix", "params[0]=0"]);
    assert!(!kernel(&never).contains("load table") && !kernel(&never).contains("out[1]"), "{}", never.text());
    assert!(!kernel(&never).contains("load params") && !kernel(&never).contains("if v0 {"), "{}", never.text());

    let always = lower(BRANCH, &["--fix", "params[0]=0x1", "--fix", "params[1]=3", "--fix", "size[0]=640,480"]);
    assert!(kernel(&always).contains("load table[3] if "), "{}", always.text());
    assert!(kernel(&always).contains("store out[0], 3840"), "{}", always.text());
    assert!(!kernel(&always).contains("params[") && !kernel(&always).contains("size["), "{}", always.text());
}

#[test]
fn invalid_fixed_values_are_named() {
    for (fixed, message) in [
        ("parms[0]=1", "the program has no uniform buffer `parms`; the nearest are `params`, "),
        ("out[0]=1", "buffer `out` is read_write; only values of uniform buffers can be fixed"),
        ("size[0]=1", "cannot fix `size[0]`: a vec2u32 has 2 words, and the value has 1 word"),
        ("params[0]=-1", "cannot fix `params[0]`: `-1` is no number that fits here"),
        ("params[16384]=1", "cannot fix `params[16384]`: element 16384 of slot 1 lies beyond the 64 KB"),
        ("params=1", "write NAME[INDEX]=VALUE, such as `params[0]=64`"),
    ] {
        fails(&lower(BRANCH, &["--fix", fixed]), message);
    }
    fails(&lower(BRANCH, &["--fix", "params[0]=1", "--fix", "params[0]=2"]), "`params[0]` is fixed twice");
    let none = "the program has no uniform buffer `a`; it has no uniform buffer";
    fails(&lower("workgroup_size 1; entry { }", &["--fix", "a[0]=1"]), none);
}

#[test]
fn invalid_programs_have_the_report_of_check() {
    for program in [INVALID, NO_PROGRAM] {
        let sandbox = Sandbox::new(&[("a.vyre", program)]);
        let (run, check) = (sandbox.run(&["lower", "a.vyre"]), sandbox.run(&["check", "a.vyre"]));
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), check.text(), ""));
    }
    let run = lower("VIR0", &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.text().starts_with("error[wire]"), "{}", run.text());
    fails(&Sandbox::new(&[]).run(&["lower", "missing.vyre"]), "cannot read missing.vyre");
}

#[test]
fn contradictory_arguments_are_rejected() {
    for (args, message) in [
        (&["--passes", "fodl"][..], "there is no pass `fodl`; the nearest are `fold`, "),
        (&["--passes", "fold,"], "there is no pass ``"),
        (&["--passes", "none,fold"], "`none` runs no passes, so it cannot stand beside others"),
        (&["--target", "wgls"], "invalid value 'wgls' for '--target <TARGET>'"),
        (&["--stop-after", "all"], "invalid value 'all' for '--stop-after <N>'"),
        (&["--compare", "--diff"], "'--compare' cannot be used with '--diff'"),
        (&["--explain"], "`--explain` is about code of the CPU; use `--target clif` or `--target asm`"),
        (&["--target", "wgsl", "--explain"], "`--explain` is about code of the CPU"),
        (&["--target", "spirv", "--diff"], "`--diff` shows kernels; leave it out or use `--target kernel`"),
        (&["--target", "glsl", "--dump"], "`--dump` shows kernels"),
        (&["--target", "clif", "--diff"], "`--diff` shows kernels; leave it out or use `--target kernel`"),
        (&["--target", "asm", "--dump"], "`--dump` shows kernels"),
        (&["--target", "asm", "--compare"], "`--compare` shows kernels"),
        (&["--target", "ptx", "--diff"], "`--diff` shows kernels; leave it out or use `--target kernel`"),
        (&["--target", "ptx", "--explain"], "`--explain` is about code of the CPU"),
        (&["--sm", "90"], "`--sm` is about PTX; use `--target ptx`"),
        (&["--target", "wgsl", "--sm", "90"], "`--sm` is about PTX; use `--target ptx`"),
        (&["--target", "asm", "--cancellable"], "`--cancellable` is about PTX; use `--target ptx`"),
        (&["--target", "ptx", "--sm", "71"], "one of 70, 72, 75, 80, 86, 87, 89, 90"),
        (&["--target", "ptx", "--sm", "sm_90"], "write a compute capability without its point"),
        (&["--list-passes"], "'--list-passes'"),
    ] {
        fails(&lower("", args), message);
    }
    fails(&Sandbox::new(&[]).run(&["lower"]), "<FILE>");
}

#[test]
fn results_are_written_to_a_file() {
    let sandbox = Sandbox::new(&[("a.vyre", BRANCH)]);
    for args in [&[][..], &["--compare"], &["--dump", "--diff"]] {
        let printed = sandbox.run(&[&["lower", "a.vyre"], args].concat());
        for color in ["never", "always"] {
            let run = sandbox.run(&[&["lower", "a.vyre", "-o", "a.txt", "--color", color], args].concat());
            assert_eq!(kernel(&run), "");
            assert_eq!(sandbox.read_text("a.txt"), kernel(&printed));
        }
        let run = sandbox.run(&[&["lower", "a.vyre", "--output", "-"], args].concat());
        assert_eq!(kernel(&run), kernel(&printed));
    }
    let run = sandbox.run(&["lower", "a.vyre", "--time", "-o", "a.txt"]);
    assert_eq!((run.code, run.text()), (Some(0), ""));
    assert!(run.stderr.contains("in all"), "{}", run.stderr);
    assert_eq!(sandbox.names(), ["a.txt", "a.vyre"]);
}

#[test]
fn the_program_is_never_overwritten() {
    let sandbox = Sandbox::new(&[("a.vyre", BRANCH), ("bad.vyre", INVALID), ("old.txt", "old")]);
    for target in ["kernel", "asm", "wgsl", "spirv", "ptx"] {
        let run = sandbox.run(&["lower", "a.vyre", "--target", target, "--passes", "none", "-o", "./a.vyre"]);
        fails(&run, "./a.vyre is the input itself; name another file with `-o`");
        assert_eq!(sandbox.read_text("a.vyre"), BRANCH);
    }
    assert_eq!(sandbox.run(&["lower", "bad.vyre", "-o", "old.txt"]).code, Some(1));
    assert_eq!(sandbox.read_text("old.txt"), "old", "what fails writes nothing");
    fails(&sandbox.run(&["lower", "a.vyre", "-o", "nowhere/a.txt"]), "cannot write nowhere/a.txt");
    fails(&sandbox.run(&["lower", "--list-passes", "-o", "a.txt"]), "'--list-passes' cannot be used with '--output");
}

#[cfg(not(feature = "wgpu"))]
#[test]
fn a_build_without_the_gpu_backend_has_no_shaders() {
    for target in ["wgsl", "spirv", "msl", "hlsl", "glsl"] {
        for passes in [&[][..], &["--passes", "fold"]] {
            fails(
                &lower(BRANCH, &[&["--target", target], passes].concat()),
                "this build has no GPU backend; build `vyre-cli` with its feature `wgpu`",
            );
        }
    }
}

/// Shaders of the wgpu backend. The tests of `vyre-wgpu` compare their text.
#[cfg(feature = "wgpu")]
mod shaders {
    use super::*;

    /// Value of `--target` for a language, and bytes that occur only in that language.
    const LANGUAGES: [(&str, &[u8]); 5] = [
        ("wgsl", b"@compute @workgroup_size("),
        ("spirv", &[0x03, 0x02, 0x23, 0x07]),
        ("msl", b"using metal::uint;"),
        ("hlsl", b"[numthreads("),
        ("glsl", b"layout(local_size_x = "),
    ];

    #[test]
    fn every_language_is_printed_and_written() {
        for (target, has) in LANGUAGES {
            let sandbox = Sandbox::new(&[("a.vyre", BRANCH)]);
            let printed = sandbox.run(&["lower", "a.vyre", "--target", target]);
            assert_eq!((printed.code, &*printed.stderr), (Some(0), ""));
            assert!(printed.stdout.windows(has.len()).any(|part| part == has), "{target}: {:?}", printed.stdout);
            let written = sandbox.run(&["lower", "a.vyre", "--target", target, "-o", "shader"]);
            assert_eq!((written.code, &*written.stderr, written.stdout.len()), (Some(0), "", 0));
            assert_eq!(sandbox.read("shader"), printed.stdout);
            let fixed = sandbox.run(&["lower", "a.vyre", "--target", target, "--fix", "params[0]=0"]);
            assert!(fixed.code == Some(0) && fixed.stdout.len() < printed.stdout.len(), "{target}: {}", fixed.stderr);
        }
    }

    #[test]
    fn passes_are_checked_first() {
        for (target, _) in LANGUAGES {
            fails(&lower(BRANCH, &["--target", target, "--passes", "fodl"]), "there is no pass `fodl`");
        }
    }
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_build_without_the_cuda_backend_has_no_ptx() {
    for more in [&[][..], &["--passes", "fold"], &["--sm", "80", "--cancellable"]] {
        fails(
            &lower(BRANCH, &[&["--target", "ptx"], more].concat()),
            "this build has no CUDA backend; build `vyre-cli` with its feature `cuda`",
        );
    }
}

/// PTX of the CUDA backend. The tests of `vyre-cuda` compare its text.
#[cfg(feature = "cuda")]
mod ptx {
    use super::*;

    fn ptx(args: &[&str]) -> String {
        kernel(&lower(BRANCH, &[&["--target", "ptx"], args].concat())).to_owned()
    }

    #[test]
    fn ptx_is_printed_and_written_for_every_compute_capability() {
        let sandbox = Sandbox::new(&[("a.vyre", BRANCH)]);
        let printed = ptx(&[]);
        assert!(printed.contains(".target sm_90") && printed.contains(".entry vyre_main"), "{printed}");
        assert!(printed.ends_with('\n') && !printed.ends_with("\n\n"), "{printed}");
        for sm in ["70", "72", "75", "80", "86", "87", "89", "90"] {
            let printed = ptx(&["--sm", sm]);
            assert!(printed.contains(&format!(".target sm_{sm}")), "{printed}");
            let written = sandbox.run(&["lower", "a.vyre", "--target", "ptx", "--sm", sm, "-o", "a.ptx"]);
            assert_eq!(kernel(&written), "");
            assert_eq!(sandbox.read_text("a.ptx"), printed);
        }
    }

    #[test]
    fn passes_and_fixed_values_affect_the_ptx() {
        let (lowered, optimized) = (ptx(&["--passes", "none"]), ptx(&[]));
        assert!(lowered.len() > optimized.len(), "{lowered}");
        assert_eq!(ptx(&["--stop-after", "0"]), lowered);
        assert_eq!(ptx(&["--verify"]), optimized);
        assert!(ptx(&["--fix", "params[0]=0"]).len() < optimized.len());
        fails(&lower(BRANCH, &["--target", "ptx", "--passes", "fodl"]), "there is no pass `fodl`");
    }

    #[test]
    fn a_cancellable_kernel_differs() {
        let program = "workgroup_size 1; buffer b: read_write u32 @0; entry { for i in 0..b[0] { b[1] = b[1] ^ i; } }";
        let plain = lower(program, &["--target", "ptx"]);
        let cancellable = lower(program, &["--target", "ptx", "--cancellable"]);
        assert!(kernel(&cancellable).len() > kernel(&plain).len(), "{}", cancellable.text());
    }

    #[test]
    fn times_have_a_row_for_the_ptx() {
        let run = lower(BRANCH, &["--target", "ptx", "--time", "--stop-after", "1"]);
        assert_eq!(run.code, Some(0));
        assert!(run.stderr.lines().any(|row| row.starts_with("    code ")), "{}", run.stderr);
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let program = "workgroup_size 1; buffer `a\\u{1b}[31m`: read_write u32 @0; entry { `a\\u{1b}[31m`[0] = 1; }";
    let run = lower(program, &["--compare", "--color", "never"]);
    assert!(!kernel(&run).contains('\u{1b}'), "{}", run.text());
    if cfg!(feature = "jit") {
        let run = lower(program, &["--target", "clif", "--explain", "--color", "never"]);
        assert!(!kernel(&run).contains('\u{1b}'), "{}", run.text());
    }
    if cfg!(feature = "cuda") {
        let run = lower(program, &["--target", "ptx", "--color", "never"]);
        assert!(!kernel(&run).contains('\u{1b}'), "{}", run.text());
    }
}

#[cfg(not(feature = "jit"))]
#[test]
fn a_build_without_the_cpu_backend_has_no_code() {
    for target in ["clif", "asm"] {
        fails(
            &lower(BRANCH, &["--target", target]),
            "this build has no CPU backend; build `vyre-cli` with its feature `jit`",
        );
    }
}

/// Code of the CPU backend. Its text is not compared, because it depends on the machine.
#[cfg(feature = "jit")]
mod code {
    use super::*;

    #[test]
    fn the_examples_have_code_and_explanations() {
        for name in ["add_bias", "byte_histogram", "prefix_sum", "row_sums"] {
            let name = format!("{name}.vyre");
            for (target, start) in [("clif", "function "), ("asm", "")] {
                let plain = in_examples(&["lower", "--target", target, &name]);
                assert!(kernel(&plain).starts_with(start) && plain.text().lines().count() > 20, "{}", plain.text());
                assert!(plain.text().ends_with('\n'), "{name}");
                let explained = in_examples(&["lower", "--target", target, "--explain", &name]);
                let comments = kernel(&explained).strip_suffix(plain.text()).expect("the same code");
                assert!(comments.starts_with("; region 1"), "{comments}");
                assert!(comments.lines().all(|line| line.starts_with("; ")), "{comments}");
            }
        }
    }

    #[test]
    fn passes_and_fixed_values_affect_the_code() {
        let code = |args: &[&str]| kernel(&lower(BRANCH, &[&["--target", "clif"], args].concat())).to_owned();
        let (lowered, optimized) = (code(&["--passes", "none"]), code(&[]));
        let lines = |code: &str| code.lines().count();
        assert!(lines(&lowered) > lines(&optimized), "{lowered}");
        assert_eq!(code(&["--stop-after", "0"]), lowered);
        assert_eq!(code(&["--passes", "standard", "--verify"]), optimized);
        assert!(lines(&code(&["--fix", "params[0]=0"])) < lines(&optimized));
    }

    #[test]
    fn times_have_a_row_for_the_code() {
        let run = lower(BRANCH, &["--target", "asm", "--time", "--stop-after", "1"]);
        assert_eq!(run.code, Some(0));
        let rows: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(rows.len(), 5, "{}", run.stderr);
        for (row, start) in rows[1..].iter().zip(["    lower ", " 1  promote ", "    code ", "    in all "]) {
            assert!(row.starts_with(start), "{}", run.stderr);
        }
    }

    #[test]
    fn programs_beyond_the_limits_have_no_code() {
        let program = "workgroup_size 65536, 65536; buffer out: read_write u32 @0; entry { out[invocation_id.x] = 1; }";
        let message = "the CPU backend cannot use the program: 4294967296 invocations of a workgroup were wanted";
        fails(&lower(program, &["--target", "clif"]), message);
    }
}
