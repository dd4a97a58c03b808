//! PTX text: golden files, assembly by ptxas, and resources of the machine code.
//!
//! `VYRE_PTXAS` names ptxas; the default is the one in the search path. Without ptxas, PTX is emitted but not assembled.

mod assembled;
mod ptxas;
mod resources;

use std::path::{Path, PathBuf};

use vyre_cuda::{Ptx, PtxTarget, passes, translate};
use vyre_ir::{OpTable, Program, text, validate};
use vyre_kernel::{Kernel, lower};

/// Path of a golden file.
fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Reports whether golden files are to be rewritten.
fn is_update() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn kernel(program: &Program, ops: &OpTable, optimize: bool) -> Kernel {
    let valid = validate(program, ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
    if optimize {
        passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
    }
    kernel
}

fn kernel_of_text(source: &str, ops: &OpTable, optimize: bool) -> Kernel {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    kernel(&parsed.program, ops, optimize)
}

/// Programs whose PTX is compared byte by byte.
const GOLDEN: [&str; 7] = ["guards", "control", "atomics", "collectives", "names", "packing", "vectors"];

/// Run with `UPDATE_GOLDEN=1` to rewrite the files.
#[test]
fn ptx_equals_the_golden_files() {
    let mut differing = Vec::new();
    for name in GOLDEN {
        let kernel = kernel_of_text(&read(&golden(&format!("{name}.vyre"))), &OpTable::default(), true);
        for (target, ending) in [
            (PtxTarget::default(), ""),
            (PtxTarget::default().with_sm(PtxTarget::KNOWN_SM[0]).with_cancel(true), "_sm70_cancellable"),
        ] {
            let Ptx { text: found, .. } = translate(&kernel, target).unwrap_or_else(|error| panic!("{name}: {error}"));
            let file = golden(&format!("{name}{ending}.ptx"));
            if is_update() {
                std::fs::write(&file, &found).expect("it can be written");
            }
            if std::fs::read_to_string(&file).unwrap_or_default() != found {
                differing.push(format!("{}:\n{found}", file.display()));
            }
        }
    }
    assert!(
        differing.is_empty(),
        "{} files differ; if that is intended, run with UPDATE_GOLDEN=1. Found:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// A program with the longest expression and one with the deepest nesting, on the stack of a test.
#[test]
fn long_and_deep_programs_are_emitted() {
    let mut nest = "b[0] = b[0] + 1;".to_owned();
    for level in 0..60 {
        nest = match level % 2 {
            0 => format!("if b[{level}] {{ {nest} }}"),
            _ => format!("for i{level} in 0..2 {{ {nest} }}"),
        };
    }
    let deep = format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{ {nest} }}");
    let sum = " + b[1] * 3".repeat(19_000);
    let long = format!("workgroup_size 1; buffer b: read_write u32 @0; entry {{ b[0] = 1{sum}; }}");
    for source in [deep, long] {
        for optimize in [false, true] {
            let kernel = kernel_of_text(&source, &OpTable::default(), optimize);
            for can_cancel in [false, true] {
                let ptx = translate(&kernel, PtxTarget::default().with_cancel(can_cancel));
                let ptx = ptx.unwrap_or_else(|error| panic!("{error}"));
                assert!(ptx.text.contains(Ptx::ENTRY));
            }
        }
    }
}
