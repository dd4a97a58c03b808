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
        // naga's MSL writer removes names in quadratic time.
        let shorter = kernel(&long_program(2_000), &OpTable::default(), optimize);
        for language in ShaderLanguage::ALL {
            let long = if language == ShaderLanguage::Msl && !optimize { &shorter } else { &long };
            for kernel in [&deep, long] {
                let shader = translate(kernel, language).unwrap_or_else(|error| panic!("{}: {error}", language.name()));
                let Shader::Binary(module) = shader else { continue };
                assert_eq!(spirv_faults(&module).unwrap_or_default(), "");
            }
        }
    }
}
