//! Algorithms of the host beside the ops, the choice by cost, and its explanation.

use super::BACKENDS;
use crate::harness::{Run, Sandbox, finish, vyre};

/// Commands of graphs with the weights of [`sandbox`].
const COMMANDS: &[&str] = &[
    "bfs --sources 0,7,0,30",
    "bfs --sources 0,7,0,30 --count --fingerprint",
    "reach --sources 0,7,0,30",
    "reach --sources 0,7,0,30 --max-depth 2 --count",
    "components",
    "scc",
    "toposort",
    "path --from 0",
    "path --from 0 --from 9 --to 31",
    "path --from 5 --to 40 --unweighted",
    "pagerank",
];

/// A graph with cycles, loops, parallel edges, nodes without edges, weights of 0 and long weights.
fn sandbox() -> Sandbox {
    let edges: String = (0..60u32)
        .map(|edge| {
            let (from, to) = (edge * 7 % 40, edge * edge % 41);
            let weight = if edge % 5 == 0 { 0 } else { edge << 20 };
            format!("{from} {to} {weight}\n")
        })
        .collect();
    let roles = "3 sanitizer\n4 sink\n9 sink\n30 source+sink\n36 sink\n";
    Sandbox::new(&[("a.txt", &edges), ("roles.txt", roles)])
}

fn run(sandbox: &Sandbox, command: &str, more: &[&str]) -> Run {
    let mut words = command.split(' ');
    let name = words.next().unwrap_or_default();
    let mut process = vyre(sandbox.root());
    process.env("CUDA_VISIBLE_DEVICES", "-1").env("VYRE_CALIBRATION", sandbox.path("calibration"));
    process.args(["graph", name, "a.txt", "--nodes", "roles.txt", "--min-nodes", "45"]).args(words).args(more);
    finish(&mut process)
}

#[test]
fn the_host_writes_what_the_ops_write() {
    let sandbox = sandbox();
    for command in COMMANDS {
        for format in ["text", "csv"] {
            let expected = run(&sandbox, command, &["--backend", "reference", "--format", format, "-q"]);
            for threads in ["1", "3"] {
                let found = run(&sandbox, command, &["--format", format, "-q", "--threads", threads]);
                let results = [&expected, &found].map(|run| (run.code, run.text().to_owned(), run.stderr.clone()));
                assert_eq!(results[0], results[1], "{command} as {format} on {threads} threads");
            }
        }
    }
}

#[cfg(feature = "jit")]
#[test]
fn every_command_explains_its_choice() {
    let sandbox = sandbox();
    for command in COMMANDS {
        let explained = run(&sandbox, command, &["--explain"]).stderr;
        assert!(explained.contains("\nestimate: host on cpu "), "{command}: {explained}");
        assert!(explained.contains("\nestimate: op on cpu "), "{command}: {explained}");
        assert!(explained.contains("\nmethod: plain code on the host on cpu\n"), "{command}: {explained}");
        let stages = explained.lines().find(|line| line.starts_with("stages: start ")).expect("the stages");
        assert!(stages.contains(", run ") && stages.contains(", write "), "{stages}");
    }
    let explained = run(&sandbox, "scc", &["--explain", "--backend", "reference"]).stderr;
    assert!(explained.contains("\nmethod: the op on reference\n"), "{explained}");
}

/// Only algorithms with a known cost choose a GPU; this machine has none, so the note shows the choice.
#[cfg(feature = "jit")]
#[test]
fn a_fast_gpu_is_chosen_by_cost() {
    use vyre::engine::dataflow::cost::{Algorithm, Machine, machine_identity};

    let sandbox = sandbox();
    let mut machine = Machine::default();
    let mut gpu = machine.devices[0].clone();
    (gpu.backend, gpu.name) = ("cuda".into(), "a GPU".into());
    (gpu.start_ms, gpu.load_edge_ns, gpu.level_us) = (1e-3, 1e-3, 1e-3);
    Algorithm::ALL.into_iter().for_each(|algorithm| gpu.algorithms.set(algorithm, 1e-3));
    machine.devices.push(gpu);
    sandbox.write("calibration", machine.to_text(&machine_identity()).as_bytes());
    for (command, is_chosen) in [
        ("components", true),
        ("pagerank", true),
        ("reach --sources 0,1", true),
        ("scc", false),
        ("path --from 0", false),
        ("components --backend cpu", false),
        ("components --threads 2", false),
    ] {
        let noted = run(&sandbox, command, &["--count"]).stderr;
        let note = "backend `cuda` is not used, although it is faster: ";
        assert_eq!(noted.contains(note), is_chosen, "{command}: {noted}");
        assert!(noted.contains("running on backend `cpu`: "), "{command}: {noted}");
    }
    let explained = run(&sandbox, "scc", &["--explain", "--threads", "1"]).stderr;
    assert!(explained.contains("\nestimates: from the calibration of this machine\n"), "{explained}");
}

#[test]
fn limits_beyond_32_bits_are_honoured() {
    let sandbox = sandbox();
    for backend in BACKENDS {
        for command in ["bfs --sources 0,7", "reach --sources 0,7"] {
            let all = run(&sandbox, command, &["-q", "--backend", backend]);
            let limited = run(&sandbox, command, &["-q", "--backend", backend, "--max-findings", "5000000000"]);
            assert_eq!((limited.code, limited.text()), (Some(0), all.text()), "{}", limited.stderr);
        }
    }
}
