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
    assert!(entries(&run).contains(&reference), "{}", run.text());
}
