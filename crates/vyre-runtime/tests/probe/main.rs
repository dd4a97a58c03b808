//! The probe: a correct device passes, and every defect is found and explained.

mod mangled;

use vyre_runtime::{
    Command, Device, Error, Limits, ProbeOutcome, ProbeStep, ReferenceDevice, probe, probe_checks, probe_watched,
};

use mangled::Mangled;

/// Explanation of a wrong result.
#[track_caller]
fn outcome(device: &dyn Device, name: &str) -> ProbeOutcome {
    let check = probe_checks().iter().find(|check| check.name() == name);
    check.unwrap_or_else(|| panic!("there is no check {name}")).run(device).outcome
}

/// Explanation of a failed check.
#[track_caller]
fn explanation(device: &dyn Device, name: &str) -> String {
    match outcome(device, name) {
        ProbeOutcome::Wrong { explanation } => explanation,
        other => panic!("{name}: {other:?}"),
    }
}

#[track_caller]
fn finds(device: &dyn Device, name: &str, part: &str) {
    let explanation = explanation(device, name);
    assert!(explanation.contains(part), "{name}: no {part:?} in {explanation:?}");
}

#[test]
fn the_reference_is_right() {
    let device = ReferenceDevice::new();
    let mut steps = Vec::new();
    let results = probe_watched(&device, |step| match step {
        ProbeStep::Begins(check) => steps.push((check.name(), false)),
        ProbeStep::Ends(result) => steps.push((result.check, true)),
    });
    for result in &results {
        assert_eq!(result.outcome, ProbeOutcome::Right, "{}: {}", result.check, result.about);
    }
    let names = probe_checks().iter().map(|check| check.name());
    assert_eq!(steps, names.flat_map(|name| [(name, false), (name, true)]).collect::<Vec<_>>());
    assert_eq!(probe(&Mangled::default()), results, "nothing is changed");
}

/// No program of the probe depends on an unspecified order.
#[test]
fn the_programs_have_no_races() {
    let device = Mangled { check_races: true, ..Mangled::default() };
    for result in probe(&device) {
        assert_eq!(result.outcome, ProbeOutcome::Right, "{}: {}", result.check, result.about);
    }
}

/// The program with changed loop bounds.
fn with_loop_ends(program: &str, change: impl Fn(&str, &str) -> String) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix("for ").and_then(|rest| rest.split_once("..")) {
        Some((head, end)) => {
            let from = head.split_once(" in ").map_or("0", |(_, from)| from);
            format!("for {head}..{} {{\n", change(from, end.trim_end_matches(" {")))
        }
        None => format!("{line}\n"),
    };
    program.lines().map(line).collect()
}

#[test]
fn loops_that_end_early_are_counted() {
    let device =
        Mangled::with_program(|program| with_loop_ends(program, |from, to| format!("min({to}, {from} + 65535)")));
    assert_eq!(explanation(&device, "long-loop"), "a loop of 200,000 iterations ended after 65,535");
    let expected = "a loop that breaks after 100,000 iterations ended after 65,535";
    assert_eq!(explanation(&device, "long-loop-break"), expected);

    let device = Mangled::with_program(|program| with_loop_ends(program, |_, to| format!("min({to}, 300)")));
    let expected = "a loop of 400 iterations within one of 500 made 90,000 iterations in all, not 200,000";
    assert_eq!(explanation(&device, "long-nested-loop"), expected);
    finds(&device, "loop-bounds", "the number of iterations of a loop from 0xfffffffa to 0xffffffff is 0, not 5");

    let device = Mangled::with_program(|program| with_loop_ends(program, |_, to| format!("min({to}, 64)")));
    finds(&device, "uneven-loops", "what invocation 2 computes in 74 iterations is ");
    finds(&device, "divergent-flow", "the number of steps that invocation 26 takes from 27 to 1 is 64, not 111");
}

#[test]
fn iterations_that_are_counted_but_not_executed_are_found() {
    let device = Mangled::replacing("state * 1664525", "state * 1664521");
    finds(&device, "long-loop", "a loop counted 200,000 iterations as it should, but computed ");
}

/// Replaced texts of programs, the check that finds each, and its explanation.
const REPLACED: &[(&str, &str, &str, &str)] = &[
    ("x + y", "(x | y)", "wrapping", "`x + y` with x = 1 and y = 1 is 1, not 2"),
    ("mul_hi(x, y)", "0", "wrapping", "`mul_hi(x, y)` with x = 2 and y = 0x80000000 is 0, not 1"),
    ("x / y", "x / max(y, 1)", "division", "`x / y` with x = 1 and y = 0 is 1, not 0; 25 of 676 results are wrong"),
    ("x % 0", "x", "division", "`x % 0` with x = 1 is 1, not 0"),
    ("x << y", "select(y < 32, x << y, 0)", "shifts", "`x << y` with x = 1 and y = 32 is 0, not 1"),
    ("x >> 33", "0", "shifts", "`x >> 33` with x = 2 is 0, not 1"),
    ("x < y", "((x ^ 0x80000000) < (y ^ 0x80000000))", "comparisons", "`x < y` with x = 0 and y = 0x80000000 is 0"),
    ("min(x, y)", "(min(x ^ 0x80000000, y ^ 0x80000000) ^ 0x80000000)", "min-max", "with x = 0 and y = 0x80000000 is "),
    ("abs_diff(x, y)", "(x - y)", "min-max", "`abs_diff(x, y)` with x = 0 and y = 1 is 0xffffffff, not 1"),
    ("clz(x)", "select(x, clz(x), 31)", "bits", "`clz(x)` with x = 0 is 31, not 32; 26 of 676 results are wrong"),
    ("ctz(x)", "select(x, ctz(x), 0xffffffff)", "bits", "`ctz(x)` with x = 0 is 0xffffffff, not 32"),
    ("x && y", "(x & y)", "logic", "`x && y` with x = 1 and y = 2 is 0, not 1"),
    (
        "let _ = i & 2 && atomic_add(counts[2], 1);",
        "if i & 2 { let _ = atomic_add(counts[2], 1); }",
        "all-operands",
        "the number of invocations, of 128, that evaluate the second operand of an `&&` is 64, not 128",
    ),
    ("return;", "", "divergent-return", "what invocation 0, which returns at once, has written is "),
    ("flags[i] as u32", "copies[i] as u32 * 2", "bool-words", "the bool word 1 from a read buffer is 2, not 1"),
    ("copies[i] = flags[i]", "copies[i] = false", "bool-words", "the word of a stored bool that was 1 is 0, not 1"),
    ("kept[3 - i]", "kept[i]", "wide-elements", "component 0 of element 0 of a vec4u32 buffer is "),
    ("long.y", "0", "i32-elements", "the i32 -1 as u64, high word, is 0, not 0xffffffff"),
    ("% 16384]", "% 4096]", "uniform-64k", "element 4,099 of a uniform buffer is "),
    ("b2[i] =", "b1[i] =", "many-buffers", "of 8 is "),
    ("len(quads)", "(len(quads) + 1)", "lengths", "the length of a vec4u32 buffer of 0 bytes is 1, not 0"),
    (
        "input[index]",
        "input[min(index, 2)]",
        "load-beyond",
        "a load from a read buffer at index 3 in 3 elements is 102",
    ),
    ("params[index]", "params[index & 0xffffff]", "load-beyond", "a uniform buffer at index 0x10000000 in 5 elements"),
    ("tile[index]", "tile[index % 9]", "load-beyond", "a load from workgroup memory at index 9 in 9 elements is 400"),
    (
        "quads[index].w",
        "(quads[index].w + 1)",
        "wide-load-beyond",
        "component 3 of a load from a vec4u32 buffer at index 0",
    ),
    ("target[at[i]]", "target[min(at[i], 2)]", "store-beyond", "after stores within and beyond 3 words, byte 8 of 14"),
    ("tile[at[i]]", "tile[min(at[i], 8)]", "store-beyond", "beyond 9 words of workgroup memory, word 8 is "),
    ("pairs[at[i]]", "pairs[min(at[i], 1)]", "wide-store-beyond", "a vec2u32 buffer of 5 words, word 2 is "),
    ("target[k]", "target[min(k, 2)]", "atomic-beyond", "after atomics within and beyond 3 words, byte 8 of 14 is "),
    (
        "= atomic_load(target[k])",
        "= 1",
        "atomic-beyond",
        "`atomic_load(target[k])` at index 3 in 3 elements is 1, not 0",
    ),
    ("= input[i]", "= input[i] + 3", "empty-buffers", "a load from a read buffer where there are no elements is 3"),
    ("atomic_add(next[0], 1)", "atomic_or(next[0], 1)", "atomic-tickets", "512 invocations have added 1 is 1, not 512"),
    (
        "taken[ticket]",
        "taken[ticket & ~1]",
        "atomic-tickets",
        "the number of invocations that found 0 when they added 1",
    ),
    ("atomic_xor", "atomic_or", "atomic-updates", "a word on which 256 invocations did `atomic_xor` is "),
    ("atomic_min", "atomic_and", "atomic-updates", "`atomic_min` is "),
    ("atomic_exchange(words[0], ", "atomic_add(words[0], ", "atomic-exchange", "that 512 invocations exchanged is "),
    ("atomic_store(words[1], 7)", "7", "atomic-load-store", "the result of an atomic store is 7, not 0"),
    (
        "atomic_compare_exchange(words[i], i, 3)",
        "atomic_exchange(words[i], 3)",
        "compare-exchange",
        "the word of invocation 0 after a compare-exchange that succeeds and one that does not is 3, not 1",
    ),
    ("words[i], i, i * 5 + 1)", "words[i], i + i % 2, i * 5 + 1)", "compare-exchange", "alone on its word, that finds"),
    ("seen + 1)", "seen)", "compare-exchange-loop", "512 invocations have counted to 0 with compare-exchange"),
    ("if found == seen {", "if found > 9999 {", "compare-exchange-loop", "so it fails without cause"),
    (
        "let dirty = 0;",
        "let dirty = local == 5;",
        "workgroup-zero",
        "of 2048, that are not 0 when workgroup 0 begins is 1",
    ),
    ("iteration * 64", "iteration * 32", "workgroup-barrier", "gets from others through workgroup memory, "),
    ("iteration * 64", "iteration * 32", "storage-barrier", "gets from others through a buffer, "),
    ("shuffle(v, source)", "shuffle(v, source % 7)", "collectives-7", "`shuffle(v, source)` of invocation "),
    (
        "broadcast(v, params[3])",
        "v",
        "collectives-1",
        "`broadcast(v, params[3])` of invocation 0 of 1 of workgroup 0 is ",
    ),
    (
        "scan_exclusive_min",
        "scan_inclusive_min",
        "collectives-32",
        "`scan_exclusive_min(v)` of invocation 0 of 32 of workgroup",
    ),
    ("reduce_xor", "reduce_or", "collectives-64", "`reduce_xor(v)` of invocation 0 of 64 of workgroup 0 is "),
    (
        "reduce_add(v)",
        "reduce_add(v & 0xffff)",
        "collectives-256",
        "`reduce_add(v)` of invocation 0 of 256 of workgroup 0 is ",
    ),
    ("ballot(v & 6)", "ballot(v & 2)", "collectives-32", "`ballot(v & 6)` of invocation 0 of 32 of workgroup 0 is "),
    (
        "scan_exclusive_add(1)",
        "local_id.x",
        "lanes",
        "the number of invocations before invocation 3 of a workgroup of 3 by 4 by 2",
    ),
    ("= workgroup_id.z", "= workgroup_id.y", "ids", "`workgroup_id.z` of invocation (0, 3, 0) is 1, not 0"),
    (
        "num_workgroups.y == 70000",
        "num_workgroups.y == 65535",
        "wide-grid-y",
        "of 70,000 on axis y adds up is 1, not 2",
    ),
];

#[test]
fn changed_programs_are_found() {
    let mut missed = Vec::new();
    for &(old, new, name, part) in REPLACED {
        match outcome(&Mangled::replacing(old, new), name) {
            ProbeOutcome::Wrong { explanation } if explanation.contains(part) => {}
            other => missed.push(format!("{name} with `{new}`: no {part:?} in {other:?}")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn incomplete_commands_are_found() {
    let short_grids = Mangled::with_command(|command| match command {
        Command::Dispatch { pipeline, bindings, grid } => {
            let grid = grid.map(|groups| groups.min(65_535));
            Some(Command::Dispatch { pipeline: pipeline.clone(), bindings: bindings.clone(), grid })
        }
        command => Some(command.clone()),
    });
    let expected = "what workgroup 0 of 70,000 on axis x adds up is 1, not 2; 70,000 of 70,000 results are wrong";
    assert_eq!(explanation(&short_grids, "wide-grid-x"), expected);

    let never_empty = Mangled::with_command(|command| match command {
        Command::Dispatch { pipeline, bindings, grid } => {
            let grid = grid.map(|groups| groups.max(1));
            Some(Command::Dispatch { pipeline: pipeline.clone(), bindings: bindings.clone(), grid })
        }
        command => Some(command.clone()),
    });
    finds(&never_empty, "empty-grid", "the number of invocations of grids with a 0 is ");

    let aligned_fills = Mangled::with_command(|command| match command {
        Command::Fill { buffer, offset, length, byte } => {
            Some(Command::Fill { buffer: buffer.clone(), offset: *offset, length: length & !3, byte: *byte })
        }
        command => Some(command.clone()),
    });
    finds(&aligned_fills, "fills", "after fills of 1 bytes at byte 0 and at the end, byte 0 of 67 is ");

    let aligned_copies = Mangled::with_command(|command| match command {
        Command::Copy { source, source_offset, target, target_offset, length } => {
            let (source, target) = (source.clone(), target.clone());
            let (source_offset, target_offset) = (*source_offset, target_offset & !3);
            Some(Command::Copy { source, source_offset, target, target_offset, length: *length })
        }
        command => Some(command.clone()),
    });
    finds(&aligned_copies, "copies", "after a copy of 1 bytes from byte 0 to byte 1, byte 0 of 67 is ");
    finds(&aligned_copies, "overlapping-copies", "of the same buffer, byte ");

    let no_fills = Mangled::with_command(|command| match command {
        Command::Fill { .. } => None,
        command => Some(command.clone()),
    });
    finds(&no_fills, "command-order", "word 2 after dispatches, fills and copies that follow each other is ");

    let once = Mangled::with_command(|command| match command {
        Command::Repeat { count, commands } => {
            Some(Command::Repeat { count: (*count).min(1), commands: commands.clone() })
        }
        command => Some(command.clone()),
    });
    finds(&once, "repeats", "word 0 after 5 times one dispatch and 3 times another is ");

    let no_dispatches = Mangled::with_command(|command| match command {
        Command::Dispatch { .. } => None,
        command => Some(command.clone()),
    });
    finds(&no_dispatches, "dispatch-order", "word 0 after ten dispatches that each use what the last has written is ");
    finds(&no_dispatches, "ids", "`invocation_id.x` of invocation (0, 0, 0) is 0xdeadbeef, not 0");
    finds(&no_dispatches, "long-loop", "a loop of 200,000 iterations ended after 0xdeadbeef");
}

#[test]
fn misplaced_bytes_are_found() {
    let aligned = Mangled { offset: |offset| offset & !3, ..Mangled::default() };
    finds(&aligned, "write-read", "after a write of 1 bytes to byte 9, byte 8 is 90, not ");
    let padded = Mangled {
        contents: |mut bytes| {
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        },
        ..Mangled::default()
    };
    assert_eq!(explanation(&padded, "write-read"), "a buffer of 67 bytes is read back as 68 bytes");
    let dirty = Mangled { fresh: 9, ..Mangled::default() };
    assert!(explanation(&dirty, "fresh-buffers").starts_with("byte 0 of a new buffer of 1 bytes is 9, not 0"));
    let emptied = Mangled { contents: |_| Vec::new(), ..Mangled::default() };
    let wrong = probe(&emptied).into_iter().filter(|result| matches!(result.outcome, ProbeOutcome::Wrong { .. }));
    assert_eq!(wrong.count(), probe_checks().len());
}

#[test]
fn small_limits_skip_checks_and_errors_fail_them() {
    let device = ReferenceDevice::with_limits(Limits::new(1 << 20, 1 << 14, 64));
    let reason = "256 invocations of a workgroup were wanted, the limit is 64".to_owned();
    assert_eq!(outcome(&device, "collectives-256"), ProbeOutcome::Skipped { reason });
    assert_eq!(outcome(&device, "collectives-64"), ProbeOutcome::Right);

    let broken = Mangled { broken: true, ..Mangled::default() };
    let error = Error::driver("run", "gone");
    assert!(probe(&broken).into_iter().any(|result| result.outcome == ProbeOutcome::Failed(error.clone())));
}
