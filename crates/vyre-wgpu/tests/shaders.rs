//! Programs as shaders in every language.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use vyre_conform::run_corpus;
use vyre_conform::settings::corpus;
use vyre_ir::{OpTable, text};
use vyre_kernel::{Kernel, lower};
use vyre_wgpu::{Shader, ShaderLanguage, passes, translate};

fn kernel(source: &str, ops: &OpTable, optimize: bool) -> Kernel {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let valid = parsed.validate(ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
    if optimize {
        passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
    }
    kernel
}

/// Output of `spirv-val` for an invalid module; empty for a valid one, `None` without the command.
fn spirv_faults(module: &[u8]) -> Option<String> {
    let validator = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut validator = validator.ok()?;
    validator.stdin.take().expect("a pipe").write_all(module).expect("it reads");
    let output = validator.wait_with_output().expect("it ends");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Some(if output.status.success() { String::new() } else { said })
}

#[test]
fn the_whole_corpus_is_written_in_every_language() {
    let ops = run_corpus::ops(&corpus("run")).unwrap_or_else(|error| panic!("{error}"));
    let (mut shaders, mut validated) = (0, 0);
    let mut wrong = Vec::new();
    for path in run_corpus::files(&corpus("run")).unwrap_or_else(|error| panic!("{error}")) {
        let source = std::fs::read_to_string(&path).expect("a readable file");
        for optimize in [false, true] {
            let kernel = kernel(&source, &ops, optimize);
            for language in ShaderLanguage::ALL {
                match translate(&kernel, language) {
                    Ok(Shader::Text(text)) => assert!(text.contains("main"), "{}: {text}", path.display()),
                    Ok(Shader::Binary(module)) => {
                        let faults = spirv_faults(&module);
                        validated += u32::from(faults.is_some());
                        if let Some(faults) = faults.filter(|faults| !faults.is_empty()) {
                            wrong.push(format!("{}: {faults}", path.display()));
                        }
                    }
                    Err(error) => wrong.push(format!("{} {}: {error}", language.name(), path.display())),
                }
                shaders += 1;
            }
        }
    }
    println!("{shaders} shaders, {validated} looked at by spirv-val, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs whose shaders are compared byte by byte. Run with `UPDATE_GOLDEN=1` to update them.
#[test]
fn shaders_equal_the_golden_files() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for name in ["guards", "control", "atomics", "collectives", "names"] {
        let source = std::fs::read_to_string(golden.join(format!("{name}.vyre"))).expect("a readable file");
        let kernel = kernel(&source, &OpTable::default(), true);
        for language in ShaderLanguage::ALL {
            let found = match translate(&kernel, language).unwrap_or_else(|error| panic!("{name}: {error}")) {
                Shader::Text(text) => text,
                Shader::Binary(module) => hexadecimal(&module),
            };
            let file = golden.join(format!("{name}.{}", language.name()));
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                std::fs::write(&file, &found).expect("it can be written");
            }
            let expected = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(
                found == expected,
                "{} differs; if that is meant, run with UPDATE_GOLDEN=1. Found:\n{found}",
                file.display()
            );
        }
    }
}

/// The words of a module, one instruction in a line.
fn hexadecimal(module: &[u8]) -> String {
    let words: Vec<u32> = vyre_runtime::words(module);
    let (head, mut rest) = words.split_at(5);
    let line = |words: &[u32]| words.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ") + "\n";
    let mut text = line(head);
    while let Some(&first) = rest.first() {
        let (instruction, others) = rest.split_at((first >> 16) as usize);
        text += &line(instruction);
        rest = others;
    }
    text
}

fn deep_program() -> String {
    let mut nest = "b[0] = b[0] + 1;".to_owned();
    for level in 0..60 {
        nest = match level % 2 {
            0 => format!("if b[{level}] {{ {nest} }}"),
            _ => format!("for i{level} in 0..2 {{ {nest} }}"),
        };
    }
    format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{ {nest} }}")
}

fn long_program(terms: usize) -> String {
    let sum = " + b[1] * 3".repeat(terms);
    format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{ b[0] = 1{sum}; }}")
}

/// A program with an expression of the maximum size and one with the maximum nesting depth, on the stack of a test.
#[test]
fn long_and_deep_programs_are_written_in_every_language() {
    for optimize in [false, true] {
        let deep = kernel(&deep_program(), &OpTable::default(), optimize);
        let long = kernel(&long_program(19_000), &OpTable::default(), optimize);
        for language in ShaderLanguage::ALL {
            for kernel in [&deep, &long] {
                let shader = translate(kernel, language).unwrap_or_else(|error| panic!("{}: {error}", language.name()));
                let Shader::Binary(module) = shader else { continue };
                assert_eq!(spirv_faults(&module).unwrap_or_default(), "");
            }
        }
    }
}

/// Maximum number of named values of a block of MSL: those of the leaves, and those of the longest run of statements.
const MAX_BLOCK_NAMES: usize = 1_200;

/// Number of named values of each block of a text in MSL. Variables are not counted; their initial value ends with `{}`.
fn names_of_blocks(msl: &str) -> Vec<usize> {
    let (mut open, mut closed) = (vec![0], Vec::new());
    for line in msl.lines().map(str::trim) {
        if line.starts_with('}') {
            closed.extend(open.pop());
        }
        if line.ends_with('{') {
            open.push(0);
        }
        let is_name = line.split_once(" = ").is_some_and(|(left, right)| left.contains(' ') && !right.ends_with("{};"));
        if let Some(names) = open.last_mut().filter(|_| is_name) {
            *names += 1;
        }
    }
    closed.extend(open);
    closed
}

/// NVIDIA's shader compiler ends the process at the branch of this program if its first arm is empty.
#[test]
fn no_arm_before_a_return_is_empty() {
    for (condition, optimize) in [("local_id.y", false), ("d[1] < d[2]", false), ("d[1] < d[2]", true)] {
        let source = format!(
            "workgroup_size 1; buffer c: read_write u32 @2; buffer d: read_write u32 @0;
            entry {{ if {condition} {{ }} else if d[0] {{ return; }} for i in 0..len(d) {{ c[i] = d[i]; }} c[0] = 0; }}"
        );
        let kernel = kernel(&source, &OpTable::default(), optimize);
        let Ok(Shader::Text(text)) = translate(&kernel, ShaderLanguage::Wgsl) else { panic!("{source}") };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        // The empty arm of a loop stands before the end of the loop.
        let has_empty_arm =
            |at: usize| lines[at].starts_with("if ") && lines[at + 1] == "} else {" && lines[at + 2] != "break;";
        assert!(!(0..lines.len() - 2).any(has_empty_arm), "{text}");
        assert!(lines.contains(&"return;") && (optimize || text.contains(" == 0u) {")), "{text}");
    }
}

/// naga's MSL writer takes quadratic time in the number of names of a block.
#[test]
fn blocks_of_msl_have_few_names() {
    let program = |buffers: &str, body: &str| format!("workgroup_size 1; {buffers} entry {{ {body} }}");
    let chain: String = (0..20_000).map(|at| format!("let x{} = b[x{at}];", at + 1)).collect();
    let stores: String = (0..15_000).map(|at| format!("b[{at}] = b[b[{at}]];")).collect();
    let declared: String = (0..5_000).map(|at| format!("buffer b{at}: read u32 @{};", at + 1)).collect();
    let lengths: String = (0..5_000).map(|at| format!("b[{at}] = len(b{at});")).collect();
    let buffer = "buffer b: read_write u32 @0;";
    for (name, source) in [
        ("a chain of loads", program(buffer, &format!("let x0 = b[0]; {chain} b[0] = x20000;"))),
        (
            "a chain of loads in a loop",
            program(buffer, &format!("let x0 = b[0]; for i in 0..b[1] {{ {chain} b[i] = x20000; }}")),
        ),
        ("stores of loads", program(buffer, &stores)),
        ("lengths", program(&format!("{buffer} {declared}"), &lengths)),
        ("an expression", long_program(19_000)),
    ] {
        for optimize in [false, true] {
            let kernel = kernel(&source, &OpTable::default(), optimize);
            let Ok(Shader::Text(text)) = translate(&kernel, ShaderLanguage::Msl) else { panic!("{name}") };
            let names = names_of_blocks(&text);
            let most = names.iter().copied().max().unwrap_or(0);
            println!("{name}: {} names in {} blocks, at most {most}", names.iter().sum::<usize>(), names.len());
            assert!(most <= MAX_BLOCK_NAMES, "{name}: {most} names in a block");
        }
    }
}

/// A value is loaded from a variable after the end of its run, and only then.
#[test]
fn values_of_long_blocks_are_kept_in_variables() {
    let sums: String = (0..400).map(|at| format!("b[{at}] = b[{at}] / b[first];")).collect();
    let source = format!(
        "workgroup_size 1; buffer b: read_write u32 @0;
        entry {{ let first = b[1000]; let last = b[1001]; {sums} b[last] = first; }}"
    );
    let kernel = kernel(&source, &OpTable::default(), true);
    let Ok(Shader::Text(text)) = translate(&kernel, ShaderLanguage::Msl) else { panic!("it is a text") };
    let kept = text.matches(" kept_v").count();
    assert!(text.contains(" = kept_v"), "{text}");
    // The two values and a few conditions, among more than a thousand.
    let declared = text.lines().filter(|line| line.trim().starts_with("uint kept_v") && line.ends_with("{};")).count();
    assert!((2..20).contains(&declared), "{declared} variables, {kept} uses");
    for language in [ShaderLanguage::Wgsl, ShaderLanguage::Hlsl, ShaderLanguage::Glsl] {
        let Ok(Shader::Text(text)) = translate(&kernel, language) else { panic!("it is a text") };
        assert!(!text.contains("kept_"), "{}", language.name());
    }
}
