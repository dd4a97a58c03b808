//! `vyre devices`: both forms of the list.

use serde_json::json;

use crate::harness::Sandbox;
use crate::json::entries;

#[test]
fn the_reference_is_listed_with_its_limits() {
    let run = Sandbox::new(&[]).run(&["devices"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    let expected = "\
reference
  reference interpreter
    largest buffer              4 GiB
    largest uniform buffer      64 KiB
    workgroup memory            256 MiB
    invocations of a workgroup  65536
    a run can be cancelled      yes
    races can be looked for     yes
";
    assert!(run.text().ends_with(expected), "{}", run.text());
}

#[cfg(feature = "jit")]
#[test]
fn the_cpu_comes_first_with_its_threads_and_limits() {
    let run = Sandbox::new(&[]).run(&["devices"]);
    let mut lines = run.text().lines();
    assert_eq!(lines.next(), Some("cpu"));
    let threads = lines.next().and_then(|name| name.strip_prefix("  CPU, ")?.split(' ').next()?.parse::<usize>().ok());
    assert!(threads.is_some_and(|threads| threads > 0), "{}", run.text());
    let expected = [
        "    largest buffer              4 GiB",
        "    largest uniform buffer      64 KiB",
        "    workgroup memory            256 MiB",
        "    invocations of a workgroup  65536",
        "    a run can be cancelled      yes",
        "    races can be looked for     no",
        "reference",
    ];
    assert_eq!(lines.take(expected.len()).collect::<Vec<_>>(), expected);
}

#[test]
fn json_has_every_field() {
    let run = Sandbox::new(&[]).run(&["devices", "--format", "json"]);
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
        }],
    });
    let entries = entries(&run);
    assert!(entries.contains(&reference), "{}", run.text());
    if cfg!(feature = "jit") {
        assert_eq!(entries[0]["backend"], "cpu");
        assert_eq!(entries[0]["devices"][0]["can_check_races"], false);
    }
}
