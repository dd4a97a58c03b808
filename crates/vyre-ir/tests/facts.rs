//! Facts about statements and expressions: ordinals, paths, types, uniformity and targets.

use vyre_ir::{DataType, Event, OpTable, Traversal, text};

const PROGRAM: &str = "
workgroup_size 32;
buffer input: read u32 @0;
buffer out: read_write u32 @1;
entry {
    let local = local_id.x;
    let n = input[0] + 1;
    for i in 0..n {
        if reduce_add(out[local] + i) {
            out[i] = select(local < i, u64(i, 7).y, input[local]);
            break;
        } else {
            n = broadcast(local, i);
        }
    }
    barrier;
}";

/// A line for each statement and expression: ordinal, path, text, type and uniformity.
fn table(source: &str) -> Vec<String> {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{} at {}", errors[0], errors[0].path));
    let mut traversal = Traversal::new(&parsed.program);
    let mut lines = Vec::new();
    while let Some(event) = traversal.next() {
        let shown = match event {
            Event::Expr(expr) => expr.to_string(),
            Event::Statement(node) => node.to_string().lines().next().unwrap_or_default().to_owned(),
            Event::EnterBody(_) | Event::LeaveBody(_) => continue,
        };
        let ordinal = traversal.ordinal();
        let ty = valid.type_of(ordinal).map_or("", DataType::name);
        let uniform = if valid.is_uniform(ordinal) { "uniform" } else { "divergent" };
        lines.push(format!("{ordinal} {} | {shown} | {ty} | {uniform}", traversal.path()));
    }
    lines
}

#[test]
fn ordinals_paths_types_and_uniformity() {
    let expected = [
        "0 entry[0].value | local_id.x | u32 | divergent",
        "1 entry[0] | let local = local_id.x; |  | uniform",
        "2 entry[1].value.left.index | 0 | u32 | uniform",
        "3 entry[1].value.left | input[0] | u32 | uniform",
        "4 entry[1].value.right | 1 | u32 | uniform",
        "5 entry[1].value | input[0] + 1 | u32 | uniform",
        "6 entry[1] | let n = input[0] + 1; |  | uniform",
        "7 entry[2].from | 0 | u32 | uniform",
        "8 entry[2].to | n | u32 | uniform",
        "9 entry[2] | for i in 0..n { |  | uniform",
        "10 entry[2].body[0].cond.value.left.index | local | u32 | divergent",
        "11 entry[2].body[0].cond.value.left | out[local] | u32 | divergent",
        "12 entry[2].body[0].cond.value.right | i | u32 | uniform",
        "13 entry[2].body[0].cond.value | out[local] + i | u32 | divergent",
        "14 entry[2].body[0].cond | reduce_add(out[local] + i) | u32 | uniform",
        "15 entry[2].body[0] | if reduce_add(out[local] + i) { |  | uniform",
        "16 entry[2].body[0].then[0].index | i | u32 | uniform",
        "17 entry[2].body[0].then[0].value.cond.left | local | u32 | divergent",
        "18 entry[2].body[0].then[0].value.cond.right | i | u32 | uniform",
        "19 entry[2].body[0].then[0].value.cond | local < i | u32 | divergent",
        "20 entry[2].body[0].then[0].value.true_val.value.lanes[0] | i | u32 | uniform",
        "21 entry[2].body[0].then[0].value.true_val.value.lanes[1] | 7 | u32 | uniform",
        "22 entry[2].body[0].then[0].value.true_val.value | u64(i, 7) | u64 | uniform",
        "23 entry[2].body[0].then[0].value.true_val | u64(i, 7).y | u32 | uniform",
        "24 entry[2].body[0].then[0].value.false_val.index | local | u32 | divergent",
        "25 entry[2].body[0].then[0].value.false_val | input[local] | u32 | divergent",
        "26 entry[2].body[0].then[0].value | select(local < i, u64(i, 7).y, input[local]) | u32 | divergent",
        "27 entry[2].body[0].then[0] | out[i] = select(local < i, u64(i, 7).y, input[local]); |  | uniform",
        "28 entry[2].body[0].then[1] | break; |  | uniform",
        "29 entry[2].body[0].otherwise[0].value.value | local | u32 | divergent",
        "30 entry[2].body[0].otherwise[0].value.lane | i | u32 | uniform",
        "31 entry[2].body[0].otherwise[0].value | broadcast(local, i) | u32 | uniform",
        "32 entry[2].body[0].otherwise[0] | n = broadcast(local, i); |  | uniform",
        "33 entry[3] | barrier; |  | uniform",
    ];
    assert_eq!(table(PROGRAM), expected);
}

#[test]
fn names_are_resolved() {
    let parsed = text::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let names: Vec<_> = valid.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["local", "n", "i"]);
    let uniform: Vec<_> = (0..3).map(|position| valid.is_uniform_variable(position)).collect();
    assert_eq!(uniform, [false, true, true]);
    assert!(valid.variables()[2].is_loop_variable && valid.variables()[2].declared == 9);
    // `out[local]` is a load from the second buffer, and `local` in it the first variable.
    assert_eq!((valid.target(11), valid.target(10)), (Some(1), Some(0)));
    // The store, the assignment and a literal.
    assert_eq!((valid.target(27), valid.target(32), valid.target(21)), (Some(1), Some(1), None));
    assert_eq!((valid.node_count(), valid.expanded_node_count(), valid.nesting_depth()), (34, 34, 2));
}
