//! `vyre devices`: both formats of the list, selection of devices, the probe.

use serde_json::json;

use crate::harness::{Run, Sandbox};
use crate::json::entries;

fn devices(args: &[&str]) -> Run {
    Sandbox::new(&[]).run(&[&["devices"], args].concat())
}

#[track_caller]
fn fails(run: &Run, message: &str) {
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
}

const REFERENCE: &str = "\
reference
  0: reference interpreter
    driver                      none
    largest buffer              4 GiB
    largest uniform buffer      64 KiB
    buffers of a program        no limit
    workgroup memory            256 MiB
    invocations of a workgroup  65,536
    on each axis                65,536 × 65,536 × 65,536
    a run can be cancelled      yes
    races can be looked for     yes
";

#[test]
fn the_reference_is_listed_with_its_limits() {
    let run = devices(&[]);
    assert_eq!(run.code, Some(0));
    assert!(run.text().ends_with(REFERENCE), "{}", run.text());
    for args in [&["--backend", "reference"][..], &["--backend", "reference", "--device", "0"]] {
        let run = devices(args);
        assert_eq!((run.code, run.text(), &*run.stderr), (Some(0), REFERENCE, ""));
    }
}

#[cfg(feature = "jit")]
#[test]
fn the_cpu_comes_first_with_its_threads_and_limits() {
    let run = devices(&[]);
    let mut lines = run.text().lines();
    assert_eq!(lines.next(), Some("cpu"));
    let name = lines.next().and_then(|name| name.strip_prefix("  0: CPU, "));
    let threads = name.and_then(|name| name.split(' ').next()?.parse::<usize>().ok());
    assert!(threads.is_some_and(|threads| threads > 0), "{}", run.text());
    let expected = [
        "    driver                      none",
        "    largest buffer              4 GiB",
        "    largest uniform buffer      64 KiB",
        "    buffers of a program        no limit",
        "    workgroup memory            256 MiB",
        "    invocations of a workgroup  65,536",
        "    on each axis                65,536 × 65,536 × 65,536",
        "    a run can be cancelled      yes",
        "    races can be looked for     no",
        if cfg!(feature = "cuda") {
            "cuda"
        } else if cfg!(feature = "wgpu") {
            "wgpu"
        } else {
            "reference"
        },
    ];
    assert_eq!(lines.take(expected.len()).collect::<Vec<_>>(), expected);
}

#[test]
fn json_has_every_field() {
    let run = devices(&["--format", "json"]);
    assert_eq!(run.code, Some(0));
    let reference = json!({
        "backend": "reference",
        "error": null,
        "devices": [{
            "name": "reference interpreter",
            "buffer_bytes": 1_u64 << 32,
            "uniform_bytes": 65536,
            "workgroup_bytes": 1 << 28,
            "workgroup_invocations": 65536,
            "can_cancel": true,
            "can_check_races": true,
            "index": 0,
            "driver": null,
            "workgroup_size": [65536, 65536, 65536],
            "accessed_buffers": null,
            "probe": null,
        }],
    });
    let all = entries(&run);
    assert!(all.contains(&reference), "{}", run.text());
    if cfg!(feature = "jit") {
        assert_eq!(all[0]["backend"], "cpu");
        assert_eq!(all[0]["devices"][0]["can_check_races"], false);
    }
    assert_eq!(entries(&devices(&["--format", "json", "--backend", "reference"])), [reference]);
}

#[test]
fn missing_devices_are_named() {
    fails(&devices(&["--backend", "cudda"]), "there is no backend `cudda`; there are ");
    let message = "backend `reference` has no device `llvmpipe`; it has 0 (reference interpreter)";
    fails(&devices(&["--backend", "reference", "--device", "llvmpipe"]), message);
    fails(&devices(&["--device", "0"]), "--backend <NAME>");
    fails(&devices(&["--backend", "reference", "--device", ""]), "a value is required for '--device <WHICH>'");
}

#[test]
fn the_probe_lists_all_checks() {
    let checks = vyre::runtime::probe_checks();
    let cpu: &[&str] = if cfg!(feature = "jit") { &["cpu"] } else { &[] };
    for backend in cpu.iter().copied().chain(["reference"]) {
        let run = devices(&["--probe", "--backend", backend]);
        assert_eq!(run.code, Some(0), "{}", run.text());
        assert!(run.stderr.starts_with(&format!("probing device 0 of backend `{backend}`: ")), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
        let probe = run.text().split_once("    checks\n").expect("checks").1;
        let expected: String = checks.iter().map(|check| format!("      {:24} right\n", check.name())).collect();
        assert_eq!(probe, format!("{expected}    {} checks, all right\n", checks.len()));
    }
}

#[test]
fn the_probe_is_part_of_the_json_format() {
    let run = devices(&["--probe", "--backend", "reference", "--device", "interp", "--format", "json"]);
    assert_eq!(run.code, Some(0));
    let all = entries(&run);
    let probe = all[0]["devices"][0]["probe"].as_array().expect("an array");
    let right = |check: &vyre::runtime::ProbeCheck| json!({ "check": check.name(), "about": check.about(), "outcome": "right", "explanation": null });
    assert_eq!(*probe, vyre::runtime::probe_checks().iter().map(right).collect::<Vec<_>>());
}
