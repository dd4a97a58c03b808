//! Programs as shaders in every language.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use vyre_conform::corpus::program_files;
use vyre_conform::corpus_ops::op_table;
use vyre_ir::{OpTable, text};
use vyre_kernel::{Kernel, lower};
use vyre_wgpu::{Shader, ShaderLanguage, passes, translate};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name)
}

fn kernel(source: &str, ops: &OpTable, optimize: bool) -> Kernel {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let valid = parsed.validate(ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
    if optimize {
        passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
    }
    kernel
}

/// What `spirv-val` says against a module; `None` where there is no such command.
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
    let ops = op_table(&corpus("run/ops")).unwrap_or_else(|error| panic!("{error}"));
    let entries = std::fs::read_dir(corpus("run")).expect("the corpus can be read");
    let mut topics: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    topics.retain(|path| path.is_dir() && !path.ends_with("ops"));
    topics.sort();
    let (mut shaders, mut validated) = (0, 0);
    let mut wrong = Vec::new();
    for path in topics.iter().flat_map(|topic| program_files(topic).expect("a readable topic")) {
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
