//! Mutation testing with switchable mutants: one program has all mutants, and a number switches one of them on.
//!
//! cargo-mutants compiles the workspace again for each mutant, which takes minutes here; this tool compiles once, so a mutant
//! costs no more than the tests that reach it.
//!
//! ```sh
//! cargo run --manifest-path mutants/Cargo.toml -- --out target/mutants
//! cargo build --manifest-path target/mutants/Cargo.toml -p mutant-oracle
//! target/mutants/target/debug/mutant-oracle --list mutants/oracle/sample.tsv --out target/mutants/report
//! ```
//!
//! The tool copies the workspace, rewrites the target crates, and leaves out the mutants that do not compile: it runs
//! `cargo check` until there are no errors. `CARGO_TARGET_DIR` applies to it. The program of the last step needs no other files.

mod check;
mod render;
mod sites;
mod swaps;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: vyre-mutants [--root FOLDER] [--out FOLDER]

  --root FOLDER  repository [default: .]
  --out FOLDER   folder for the copy of the workspace [default: target/mutants]";

fn main() -> ExitCode {
    let (mut root, mut out) = (PathBuf::from("."), PathBuf::from("target/mutants"));
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--root", Some(value)) => root = value.into(),
            ("--out", Some(value)) => out = value.into(),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    match make(&root, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn make(root: &std::path::Path, out: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut copy = workspace::Workspace::copy(root, out)?;
    println!("{} mutants in {} files", copy.mutants(), copy.files.len());
    let skipped = &copy.skipped;
    println!(
        "left alone: {} constants and constant functions, {} patterns, {} macros",
        skipped.constants, skipped.patterns, skipped.macros
    );
    copy.write()?;
    // Crates whose errors do not depend on those of the others come first.
    for packages in [&["vyre-kernel", "vyre-ops"][..], &["vyre-jit", "vyre-wgpu", "vyre-cuda"], &["mutant-oracle"]] {
        loop {
            let dropped = check::drop_errors(&mut copy, packages)?;
            if dropped == 0 {
                break;
            }
            println!("{packages:?}: {dropped} mutants do not compile, {} are left", copy.mutants());
            copy.write()?;
        }
    }
    println!("{} mutants", copy.mutants());
    Ok(())
}
