//! Choice of the device by its cost, and calibrations.

use vyre::engine::dataflow::cost::{Machine, machine_identity};

use super::sandbox;
use crate::harness::{Run, Sandbox, finish, vyre};

const FINDINGS: &str = "0 -> 3 (depth 2)\n0 -> 4 (depth 3)\n5 -> 4 (depth 1)\n";

/// Searches the small graph with the calibration `calibration` of the sandbox, on a machine without CUDA.
fn search(sandbox: &Sandbox, args: &[&str]) -> Run {
    let mut command = vyre(sandbox.root());
    command.env("CUDA_VISIBLE_DEVICES", "-1").env("VYRE_CALIBRATION", sandbox.path("calibration"));
    let run = finish(command.args(["graph", "taint", "a.txt", "--nodes", "roles.txt"]).args(args));
    assert_eq!((run.code, run.text()), (Some(1), FINDINGS), "{}", run.stderr);
    run
}

/// A calibration with a GPU that costs hardly anything.
fn with_fast_gpu(identity: &str) -> String {
    let mut machine = Machine::default();
    let mut gpu = machine.devices[0].clone();
    (gpu.backend, gpu.name, gpu.start_ms, gpu.load_edge_ns, gpu.step_ns) =
        ("cuda".into(), "a GPU".into(), 1e-3, 1e-3, 1e-3);
    (gpu.order_edge_ns, gpu.prune_edge_ns, gpu.level_us, gpu.output_ns) = (1e-3, 1e-3, 1e-3, 1e-3);
    (gpu.bit_edge_ns, gpu.bit_word_ns) = (1e-3, 1e-3);
    machine.devices.push(gpu);
    machine.to_text(identity)
}

#[test]
fn few_sources_are_searched_on_the_host() {
    let sandbox = sandbox();
    for backend in [&[][..], &["--backend", "cpu"], &["--backend", "cpu", "--threads", "1"]] {
        let run = search(&sandbox, &[backend, &["--explain"]].concat());
        assert!(run.stderr.contains("\nestimate: host on cpu "), "{}", run.stderr);
        assert!(run.stderr.contains("\nstrategy: host, because there are few sources\n"), "{}", run.stderr);
        assert!(run.stderr.contains("\nestimates: of a typical machine without a GPU; "), "{}", run.stderr);
        let stages = run.stderr.lines().find(|line| line.starts_with("stages: start ")).expect("the stages");
        assert!(stages.contains(", search ") && stages.contains(" (estimated "), "{stages}");
    }
    let run = search(&sandbox, &["--backend", "reference", "--explain"]);
    assert!(run.stderr.contains("\nstrategy: per-source, because there are few sources\n"), "{}", run.stderr);
    assert!(!run.stderr.contains("estimate"), "{}", run.stderr);
}

#[test]
fn a_chosen_gpu_that_does_not_open_is_reported_and_the_next_candidate_is_taken() {
    let sandbox = sandbox();
    sandbox.write("calibration", with_fast_gpu(&machine_identity()).as_bytes());
    let run = search(&sandbox, &["--explain"]);
    let note = "backend `cuda` is not used, although it is faster: ";
    assert_eq!(run.stderr.matches(note).count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("running on backend `cpu`: "), "{}", run.stderr);
    assert!(run.stderr.contains("\nestimates: from the calibration of this machine\n"), "{}", run.stderr);
    // A named backend, a number of threads and a transfer function leave no choice.
    for args in [&["--backend", "cpu"][..], &["--threads", "2"], &["--transfer", "open.vyre"]] {
        let run = search(&sandbox, args);
        assert!(!run.stderr.contains("cuda"), "{}", run.stderr);
    }
}

#[test]
fn calibrations_that_cannot_be_used_are_ignored_with_a_note() {
    let sandbox = sandbox();
    let good = with_fast_gpu(&machine_identity());
    for (text, reason) in [
        (with_fast_gpu("another machine"), "it is of another machine or version: another machine"),
        (good.replace("vyre calibration", "calibration"), "it has another format"),
        (
            good.replace("calibration 2", "calibration 1"),
            "it has version 1 of the format, and this program reads version 2; calibrate again",
        ),
        (good.replace("lanes", "lines"), "line 23 is damaged"),
        (
            good.replace("device cuda", "device reference"),
            "names backend `reference`, which is never chosen for its speed",
        ),
        (good.replace("device cuda", "device auto"), "names backend `auto`, which is never chosen for its speed"),
        (good.replace("\nlanes", "\nlanes 1\nlanes"), " repeats what another line has"),
        (good.replace("\nthreads ", "\nthreads 9"), "line 3 has not the number of threads of this machine"),
        (good.replace("calibration 2", "calibration \u{1b}[2J9"), "it has version \\u{1b}[2J9 of the format"),
        (with_fast_gpu(&"x\u{1b}[5m".repeat(9_000)), "it is of another machine or version: x\\u{1b}[5mx"),
        (good.replace("level_us 0.001", "level_us 1e99"), " has no number from 1e-6 to 1e9"),
        (good.lines().next().unwrap_or_default().to_owned(), "line 2 is damaged"),
    ] {
        sandbox.write("calibration", text.as_bytes());
        let run = search(&sandbox, &[]);
        assert!(run.stderr.contains(" is ignored: "), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "no {reason:?} in {}", run.stderr);
        assert!(run.stderr.contains("running on backend `cpu`: "), "{}", run.stderr);
        assert!(!run.stderr.contains('\u{1b}') && run.stderr.len() < 1_500, "{:?}", run.stderr);
        assert_eq!(search(&sandbox, &["--quiet"]).stderr, "");
    }
    std::fs::remove_file(sandbox.path("calibration")).expect("the file was written");
    std::fs::create_dir(sandbox.path("calibration")).expect("there is no file of this name");
    let run = search(&sandbox, &[]);
    assert!(run.stderr.contains(" is ignored: it is no regular file; "), "{}", run.stderr);
}

/// Names of the libraries that a command searches for, from the log of the dynamic linker of glibc.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "wgpu", feature = "jit"))]
fn searched_libraries(sandbox: &Sandbox, args: &[&str]) -> String {
    let mut command = vyre(sandbox.root());
    command.env("VYRE_CALIBRATION", sandbox.path("calibration"));
    command.env("LD_DEBUG", "libs").env("LD_DEBUG_OUTPUT", sandbox.path("linker"));
    let run = finish(command.args(["graph", "taint", "a.txt", "--nodes", "roles.txt"]).args(args));
    assert_ne!(run.code, None, "{}", run.stderr);
    let logs = sandbox.names().into_iter().filter(|name| name.starts_with("linker"));
    let text = logs.map(|name| {
        let text = sandbox.read_text(&name);
        std::fs::remove_file(sandbox.path(&name)).expect("the log exists");
        text
    });
    text.collect()
}

/// A driver takes longer to load than a small graph to search.
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "wgpu", feature = "jit"))]
#[test]
fn a_small_graph_loads_no_driver() {
    let sandbox = sandbox();
    let drivers = ["libvulkan", "libcuda"];
    let loaded = |args: &[&str]| {
        let searched = searched_libraries(&sandbox, args);
        assert!(searched.contains("find library="), "the linker writes no log: {searched}");
        drivers.iter().any(|driver| searched.contains(driver))
    };
    assert!(loaded(&["--backend", "wgpu"]), "the log of the linker has no drivers");
    assert!(!loaded(&[]));
    let mut machine = Machine::default();
    let mut gpu = machine.devices[0].clone();
    (gpu.backend, gpu.name, gpu.start_ms) = ("wgpu".into(), "a GPU".into(), 100.0);
    machine.devices.push(gpu);
    sandbox.write("calibration", machine.to_text(&machine_identity()).as_bytes());
    assert!(!loaded(&[]));
}

/// Otherwise the user would learn it after minutes, or lose what the name means.
#[test]
fn a_calibration_replaces_only_regular_files_and_says_so_before_it_measures() {
    let sandbox = sandbox();
    std::fs::create_dir(sandbox.path("calibration")).expect("there is no file of this name");
    let mut command = vyre(sandbox.root());
    command.env("VYRE_CALIBRATION", sandbox.path("calibration"));
    let run = finish(command.args(["devices", "--calibrate"]));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.ends_with("calibration: it is no regular file, so it is not replaced\n"), "{}", run.stderr);
    assert!(!run.stderr.contains("measuring") && run.text().is_empty(), "{}", run.stderr);
}

/// Number of a child of a process, once it executes `vyre graph taint`.
#[cfg(all(target_os = "linux", feature = "jit"))]
fn child_that_searches(parent: u32) -> Option<String> {
    let read = |id: &str, file: &str| std::fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default();
    let is_child = |id: &String| {
        let stat = read(id, "stat");
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        fields.split(' ').nth(1) == Some(&parent.to_string()) && read(id, "cmdline").contains("taint")
    };
    let entries = std::fs::read_dir("/proc").expect("the system has processes");
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).find(is_child)
}

/// Otherwise a command that measures the start of a driver would go on alone.
#[cfg(all(target_os = "linux", feature = "jit"))]
#[test]
fn an_interrupt_ends_a_calibration_with_its_child_and_leaves_no_files() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let sandbox = sandbox();
    let names = sandbox.names();
    let mut command = vyre(sandbox.root());
    command.env("VYRE_CALIBRATION", sandbox.path("calibration")).env("TMPDIR", sandbox.root());
    let mut calibration =
        command.args(["devices", "--calibrate"]).stderr(Stdio::piped()).spawn().expect("the command starts");
    let id = calibration.id();
    let mut lines = BufReader::new(calibration.stderr.take().expect("a pipe"));
    let mut text = String::new();
    while !text.contains("measuring the start") {
        assert!(lines.read_line(&mut text).expect("standard error is text") > 0, "{text}");
    }
    let begin = Instant::now();
    let child = loop {
        if let Some(child) = child_that_searches(id) {
            break child;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no child was started: {text}");
    };
    let kill = |signal: &str, id: &str| std::process::Command::new("kill").args([signal, id]).status();
    // A stopped child cannot end by itself.
    assert!(kill("-STOP", &child).expect("kill runs").success());
    assert!(kill("-INT", &id.to_string()).expect("kill runs").success());
    assert_eq!(calibration.wait().expect("a status").code(), Some(130), "{text}");
    while std::fs::read_to_string(format!("/proc/{child}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
        assert!(begin.elapsed() < Duration::from_secs(60), "the child goes on");
    }
    lines.read_to_string(&mut text).expect("standard error is text");
    assert!(text.ends_with("error: ended by a signal: the measurement was not finished\n"), "{text}");
    assert_eq!(sandbox.names(), names);
}

/// The measurement itself is slow in an unoptimized build.
#[test]
#[cfg_attr(debug_assertions, ignore = "measures for seconds in a release build, for minutes in this one")]
fn a_calibration_is_measured_written_and_used() {
    let sandbox = sandbox();
    let mut command = vyre(sandbox.root());
    command.env("CUDA_VISIBLE_DEVICES", "-1").env("VYRE_CALIBRATION", sandbox.path("new/calibration"));
    let run = finish(command.args(["devices", "--calibrate"]));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.text().starts_with("host, ") && run.text().contains("order edge ns"), "{}", run.text());
    let text = sandbox.read_text("new/calibration");
    assert!(Machine::from_text(&text, &machine_identity()).is_ok(), "{text}");
}
