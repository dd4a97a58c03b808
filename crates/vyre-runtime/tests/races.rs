//! Races that the reference interpreter finds, and programs that have none.

use vyre_ir::{OpTable, text};
use vyre_runtime::{
    Action, Bindings, CommandList, Device, PipelineOptions, RaceKind, RaceReport, ReferenceDevice, RunOptions,
};

/// Runs two workgroups of four on a buffer of 64 words.
fn races(body: &str) -> RaceReport {
    let source =
        format!("workgroup_size 4; buffer data: read_write u32 @0; buffer tile: workgroup u32[64]; entry {{ {body} }}");
    let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let device = ReferenceDevice::new();
    let data = device.create_buffer(256).unwrap_or_else(|error| panic!("{error}"));
    let pipeline =
        device.create_pipeline(&valid, &PipelineOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &data), [2, 1, 1]);
    let mut options = RunOptions::default();
    options.check_races = true;
    device.run(&commands, &options).unwrap_or_else(|error| panic!("{error}")).races
}

#[test]
fn programs_without_races() {
    for body in [
        "data[invocation_id.x] = 1; let x = data[invocation_id.x];",
        "tile[local_id.x] = 1; barrier; let x = tile[3 - local_id.x];",
        "tile[local_id.x] = 1; barrier; let x = tile[3 - local_id.x]; barrier; tile[local_id.x] = x;",
        "let _ = atomic_add(data[0], 1); let x = atomic_load(data[0]);",
        "let _ = workgroup_atomic_add(tile[0], 1); let x = workgroup_atomic_load(tile[0]);",
        "let _ = workgroup_atomic_add(tile[0], 1); barrier; let x = tile[0];",
        "tile[local_id.x] = 1; barrier; let _ = workgroup_atomic_or(tile[0], 2); barrier; tile[local_id.x] = 3;",
        "let _ = workgroup_atomic_exchange(tile[1000], 1); let x = tile[1000];",
        "let x = data[0] + data[1];",
        // Each workgroup has its own workgroup memory.
        "if local_id.x == 0 { tile[0] = 1; }",
        // An index out of range accesses no memory.
        "data[1000] = 1; let x = data[1000];",
        "if invocation_id.x == 0 { data[5] = 1; data[5] = data[5] + 1; }",
        "data[workgroup_id.x * 4 + local_id.x] = 1; barrier; let x = data[workgroup_id.x * 4 + 3 - local_id.x];",
    ] {
        let report = races(body);
        assert_eq!((report.total, report.races.len()), (0, 0), "{body}: {:?}", report.races);
    }
}

#[test]
fn data_races() {
    for (body, actions) in [
        ("data[0] = 1;", (Action::Store, Action::Store)),
        ("tile[0] = local_id.x;", (Action::Store, Action::Store)),
        ("tile[local_id.x] = 1; let x = tile[3 - local_id.x];", (Action::Store, Action::Load)),
        ("let x = tile[3 - local_id.x]; tile[local_id.x] = 1;", (Action::Load, Action::Store)),
        // A collective is a rendezvous, but it orders no memory.
        ("tile[local_id.x] = 1; let n = reduce_add(1); let x = tile[3 - local_id.x];", (Action::Store, Action::Load)),
        // A barrier of a workgroup orders nothing between workgroups.
        (
            "if invocation_id.x == 0 { data[9] = 1; } barrier; if invocation_id.x == 4 { data[9] = 2; }",
            (Action::Store, Action::Store),
        ),
        ("if invocation_id.x == 0 { data[9] = 1; } barrier; let x = data[9];", (Action::Store, Action::Load)),
    ] {
        let report = races(body);
        let first = report.races.first().unwrap_or_else(|| panic!("{body}"));
        assert_eq!(first.kind, RaceKind::DataRace, "{body}");
        assert_eq!((first.first.action, first.second.action), actions, "{body}");
        assert_ne!(first.first.invocation, first.second.invocation, "{body}");
        assert!(report.total >= report.races.len() as u64);
    }
}

#[test]
fn atomic_and_plain_accesses_are_a_mixed_access() {
    for body in [
        "let _ = atomic_add(data[0], 1); let x = data[0];",
        "if invocation_id.x == 0 { data[0] = 1; } let x = atomic_load(data[0]);",
        "let _ = workgroup_atomic_add(tile[0], 1); let x = tile[0];",
        "if local_id.x == 0 { tile[0] = 1; } let x = workgroup_atomic_load(tile[0]);",
        // A collective orders no memory.
        "let _ = workgroup_atomic_add(tile[0], 1); let n = reduce_add(1); let x = tile[0];",
    ] {
        let report = races(body);
        assert!(!report.races.is_empty(), "{body}");
        assert!(report.races.iter().all(|race| race.kind == RaceKind::MixedAccess), "{body}: {:?}", report.races);
    }
}

#[test]
fn each_access_counts_once() {
    // One store races with an earlier load and an earlier store of another invocation.
    let report =
        races("if invocation_id.x == 0 { let a = data[0]; data[0] = a + 1; } if invocation_id.x == 1 { data[0] = 5; }");
    assert_eq!((report.total, report.races.len()), (1, 2));
}

#[test]
fn equal_races_of_several_dispatches_are_reported_once() {
    let mut merged = races("data[0] = 1;");
    let again = races("data[0] = 1;");
    let total = merged.total + again.total;
    merged.merge(again);
    assert_eq!((merged.races.len(), merged.total), (1, total));
}

#[test]
fn a_race_names_both_locations() {
    let report = races("tile[local_id.x] = 1; let x = tile[3 - local_id.x] + 1;");
    let race = &report.races[0];
    assert_eq!((race.first.path.as_str(), race.second.path.as_str()), ("entry[0]", "entry[1].value.left"));
    assert_eq!(race.buffer, "tile");
    let expected = "data race on word 3 of buffer `tile`: store at entry[0] by invocation (3, 0, 0), and load at \
                    entry[1].value.left by invocation (0, 0, 0)";
    assert_eq!(race.to_string(), expected);
}
