//! ptxas assembles the PTX of the corpus and of generated programs, for several targets.

use std::collections::HashSet;

use vyre_conform::generated::Seeds;
use vyre_conform::race_free::race_free_case;
use vyre_conform::run_corpus;
use vyre_conform::settings::corpus;
use vyre_cuda::{PtxTarget, translate};
use vyre_kernel::Kernel;

use crate::ptxas::{Job, Ptxas};
use crate::{kernel, kernel_of_text, read};

/// Target, optimization and cancellation: all combinations for the newest target, and the most different ones for older
/// targets, whose instructions differ.
const VARIANTS: [(u32, bool, bool); 8] = [
    (90, true, false),
    (90, true, true),
    (90, false, false),
    (90, false, true),
    (80, true, false),
    (80, false, true),
    (70, true, false),
    (70, false, true),
];

/// Adds the PTX of a kernel for one variant.
fn add(jobs: &mut Vec<Job>, name: &str, kernel: &Kernel, (sm, is_optimized, can_cancel): (u32, bool, bool)) {
    let form = if is_optimized { "optimized" } else { "as lowered" };
    let cancel = if can_cancel { ", cancellable" } else { "" };
    let name = format!("{name} ({form}, sm_{sm}{cancel})");
    let ptx = translate(kernel, PtxTarget::default().with_sm(sm).with_cancel(can_cancel));
    let text = ptx.unwrap_or_else(|error| panic!("{name}: {error}")).text;
    if let Some(line) = miscompiled_difference(&text).or_else(|| miscompiled_bits(&text)) {
        panic!("{name}: some assemblers miscompile this: {line}\n{text}");
    }
    jobs.push(Job { name, sm, text });
}

/// First `lop3.b32` with equal operands. The assembler of CUDA 13.0 miscompiles these, or crashes.
fn miscompiled_bits(text: &str) -> Option<&str> {
    text.lines().find(|line| {
        let parts: Vec<&str> = line.split([' ', ',', ';', '\t']).filter(|part| !part.is_empty()).collect();
        let operands = parts.iter().position(|&part| part == "lop3.b32").and_then(|at| parts.get(at + 2..at + 5));
        operands.is_some_and(|operands| operands.iter().collect::<HashSet<_>>().len() < operands.len())
    })
}

/// First minimum, maximum or select with a plain difference of two registers as an operand. The assembler of CUDA 13.0
/// miscompiles these.
fn miscompiled_difference(text: &str) -> Option<&str> {
    let mut differences = HashSet::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split([' ', ',', ';', '\t']).filter(|part| !part.is_empty()).collect();
        let (guard, parts) =
            if line.contains('@') { parts.split_at(1.min(parts.len())) } else { (&[][..], &parts[..]) };
        let [instruction, target, operands @ ..] = parts else { continue };
        let are_registers = operands.iter().all(|operand| operand.starts_with("%r"));
        let is_difference = match *instruction {
            "sub.u32" => are_registers,
            "mov.u32" => operands.iter().any(|operand| differences.contains(operand)),
            // A select between a number and 0 is not fused to a minimum or maximum.
            "selp.b32" if operands.contains(&"0") => false,
            "min.u32" | "max.u32" | "selp.b32" if operands.iter().any(|operand| differences.contains(operand)) => {
                return Some(line);
            }
            _ => false,
        };
        if is_difference {
            differences.insert(*target);
        } else if guard.is_empty() {
            differences.remove(target);
        }
    }
    None
}

/// A loop that begins at a difference, whose variable is an operand of a choice and of a maximum.
const LOOP_FROM_A_DIFFERENCE: &str = "
    workgroup_size 1, 1, 1;
    buffer values: read u32 @0;
    buffer out: read_write u32 @1;
    entry {
        let a = values[0];
        let b = values[1];
        let difference = a - b;
        for i in difference..difference + 1 {
            out[0] = select(values[2], i, b);
            out[1] = max(i, b);
        }
    }";

#[test]
fn the_variable_of_a_loop_is_no_plain_difference() {
    for is_optimized in [false, true] {
        let kernel = kernel_of_text(LOOP_FROM_A_DIFFERENCE, &vyre_ops::table(), is_optimized);
        let ptx = translate(&kernel, PtxTarget::default()).expect("PTX").text;
        assert!(ptx.contains("sub.u32") && ptx.contains("max.u32"), "{ptx}");
        assert_eq!(miscompiled_difference(&ptx), None, "{ptx}");
    }
}

#[test]
fn miscompiled_bits_are_found() {
    assert!(miscompiled_bits("\tmov.u32 %r1, 7;\n\tlop3.b32 %r3, %r1, %r2, %r1, 51;\n").is_some());
    assert_eq!(miscompiled_bits("\tlop3.b32 %r3, %r1, %r2, %r4, 51;\n"), None);
}

#[test]
fn miscompiled_differences_are_found() {
    let difference = "\tsub.u32 %r3, %r1, %r2;\n";
    for choice in ["min.u32 %r5, %r3, %r4;", "selp.b32 %r5, 7, %r3, %p0;", "mov.u32 %r9, %r3;\n\tmax.u32 %r5, %r9, 9;"]
    {
        assert!(miscompiled_difference(&format!("{difference}\t{choice}\n")).is_some(), "{choice}");
    }
    for fine in ["add.u32 %r5, %r3, %r4;", "neg.s32 %r6, %r3;\n\tmin.u32 %r5, %r6, 9;", "selp.b32 %r5, %r3, 0, %p0;"] {
        assert_eq!(miscompiled_difference(&format!("{difference}\t{fine}\n")), None, "{fine}");
    }
}

fn assemble(jobs: &[Job]) {
    let Some(ptxas) = Ptxas::find() else { return };
    let found = ptxas.assemble(jobs);
    let wrong: Vec<String> = jobs
        .iter()
        .zip(found)
        .filter_map(|(job, found)| Some(format!("{}: {}\n{}", job.name, found.err()?, job.text)))
        .collect();
    println!("{} kernels assembled by ptxas {}, {} wrong", jobs.len(), ptxas.version, wrong.len());
    let shown: Vec<&str> = wrong.iter().take(10).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} of {} kernels are wrong:\n{}", wrong.len(), jobs.len(), shown.join("\n"));
}

#[test]
fn the_whole_corpus_is_assembled() {
    let ops = run_corpus::ops(&corpus("run")).unwrap_or_else(|error| panic!("{error}"));
    let files = run_corpus::files(&corpus("run")).unwrap_or_else(|error| panic!("{error}"));
    assert!(files.len() > 100, "the corpus is incomplete");
    let mut jobs = Vec::new();
    for path in files {
        let source = read(&path);
        let kernels = [false, true].map(|optimize| kernel_of_text(&source, &ops, optimize));
        for variant in VARIANTS {
            add(&mut jobs, &path.display().to_string(), &kernels[usize::from(variant.1)], variant);
        }
    }
    assemble(&jobs);
}

/// `VYRE_CASES` and `VYRE_FIRST_SEED` select other programs.
#[test]
fn generated_programs_are_assembled() {
    let mut jobs = Vec::new();
    for seed in Seeds::from_environment(200).iter() {
        let case = race_free_case(seed);
        let variant = VARIANTS[seed as usize % VARIANTS.len()];
        add(&mut jobs, &format!("seed {seed}"), &kernel(&case.program, &case.ops, variant.1), variant);
    }
    assemble(&jobs);
}
