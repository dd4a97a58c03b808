//! Resources of the machine code of standard programs: registers, spills and shared memory.
//!
//! `tests/golden/resources.txt` holds the numbers of one version of ptxas, which `.ci/install-ptxas` installs. Other versions are
//! not compared. Run with `UPDATE_GOLDEN=1` to rewrite the file, and review the difference.

use std::fmt::Write as _;
use std::path::Path;

use vyre_conform::corpus::program_files;
use vyre_conform::run_corpus;
use vyre_conform::settings::corpus;
use vyre_cuda::{PtxTarget, translate};
use vyre_ir::build::{ProgramBuilder, call, invocation_id};
use vyre_ir::{OpTable, Program};
use vyre_kernel::Kernel;
use vyre_ops::{Op, ProgramVariant};

use crate::ptxas::{Job, Ptxas, Resources};
use crate::{GOLDEN, golden, is_update, kernel, kernel_of_text, read};

/// Program that calls an op for each element of its buffers, as most callers do.
fn caller(op: &Op) -> Program {
    let mut p = ProgramBuilder::new([256, 1, 1]);
    let inputs: Vec<_> = op.inputs.iter().zip('a'..).map(|(&ty, name)| p.read(name.to_string(), ty)).collect();
    let out = p.output("out", op.output);
    p.entry(|b| {
        let i = b.let_("i", invocation_id(0));
        b.if_(i.lt(out.len()), |b| {
            let arguments: Vec<_> = inputs.iter().map(|input| input.load(&i)).collect();
            b.store(&out, &i, call(op.id, arguments));
        });
    })
}

/// The programs and their names.
fn programs() -> Vec<(String, Kernel)> {
    let none = OpTable::default();
    let ops = vyre_ops::table();
    let mut programs: Vec<(String, Kernel)> = Vec::new();
    for op in vyre_ops::ops() {
        if op.inlinable {
            programs.push((op.id.to_owned(), kernel(&caller(op), &ops, true)));
        } else {
            let of_stage =
                |stage: ProgramVariant| (format!("{}/{}", op.id, stage.name), kernel(&stage.program(), &ops, true));
            programs.extend(op.programs().map(of_stage));
        }
    }
    let mut add = |folder: &Path, shown: &str, ops: &OpTable| {
        for path in program_files(folder).unwrap_or_else(|error| panic!("{error}")) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            programs.push((format!("{shown}/{name}"), kernel_of_text(&read(&path), ops, true)));
        }
    };
    add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), "examples", &ops);
    let run = corpus("run");
    add(&run.join("programs"), "corpus/programs", &run_corpus::ops(&run).unwrap_or_else(|error| panic!("{error}")));
    for name in GOLDEN {
        programs.push((format!("golden/{name}"), kernel_of_text(&read(&golden(&format!("{name}.vyre"))), &none, true)));
    }
    programs
}

#[test]
fn resources_equal_the_golden_file() {
    let Some(ptxas) = Ptxas::find() else { return };
    let target = PtxTarget::default();
    let file = golden("resources.txt");
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    let head = format!("ptxas {}, sm_{}", ptxas.version, target.sm);
    let made_with = expected.lines().next().unwrap_or(&head);
    if made_with != head && !is_update() {
        println!("SKIPPED: {} is for {made_with}, and this is {head}", file.display());
        return;
    }

    let mut jobs = Vec::new();
    // Dynamic shared memory of each kernel.
    let mut dynamic_bytes = Vec::new();
    for (name, kernel) in programs() {
        let ptx = translate(&kernel, target).unwrap_or_else(|error| panic!("{name}: {error}"));
        dynamic_bytes.push(ptx.dynamic_shared_bytes);
        jobs.push(Job { name, sm: target.sm, text: ptx.text });
    }
    let width = jobs.iter().map(|job| job.name.len()).max().unwrap_or_default();
    let mut found = format!("{head}\n");
    let _ = writeln!(found, "{:width$}  registers  spill stores  spill loads  shared bytes", "program");
    for ((job, dynamic), resources) in jobs.iter().zip(dynamic_bytes).zip(ptxas.assemble(&jobs)) {
        let name = &job.name;
        let Resources { registers, spills: [stores, loads], shared } =
            resources.unwrap_or_else(|log| panic!("{name}: {log}\n{}", job.text));
        let shared = shared + dynamic;
        let _ = writeln!(found, "{name:width$}  {registers:9}  {stores:12}  {loads:11}  {shared:12}");
    }

    if is_update() {
        std::fs::write(&file, &found).expect("it can be written");
        return;
    }
    let changed: Vec<&str> = found.lines().filter(|line| !expected.lines().any(|old| old == *line)).collect();
    assert!(
        found == expected,
        "{} differs; if that is intended, run with UPDATE_GOLDEN=1. New lines:\n{}",
        file.display(),
        changed.join("\n")
    );
}
