//! One mistake gives one report, at the place of the mistake.

use vyre_ir::{OpTable, Rule, text};

const BUFFERS: &str = "buffer a: read i32 @0; buffer b: read i32 @1; buffer w: read u32 @2; buffer flags: read bool @3; \
                       buffer wide: read u64 @4; buffer pairs: read vec2u32 @5; buffer si: read_write i32 @6; \
                       buffer out: read_write u32 @7; buffer raw: read bytes @8; buffer si2: read i32 @9;";

/// Rules of the reports of a body and the texts at their locations.
fn reports(body: &str) -> Vec<(Rule, String)> {
    let source = format!("workgroup_size 64; {BUFFERS} entry {{ {body} }}");
    let parsed = text::parse(&source).unwrap_or_else(|error| panic!("{error}"));
    let diagnostics = parsed.validate(&OpTable::default()).err().unwrap_or_default();
    let place = |span: vyre_ir::source::Span| source[span.start as usize..span.end as usize].to_owned();
    diagnostics.iter().map(|it| (it.rule, it.span.map(place).unwrap_or_default())).collect()
}

#[test]
fn one_mistake_gives_one_report() {
    let cases = [
        // A failed operand is reported once, whatever is computed from it.
        ("out[0] = 1 + a[0];", Rule::V021, "a[0]"),
        ("si[0] = 2 * a[0];", Rule::V021, "a[0]"),
        ("si[0] = a[0] * 2 + 1;", Rule::V021, "a[0]"),
        ("si[0] = a[0] * 2 + b[0];", Rule::V021, "a[0]"),
        ("si[0] = 2 * a[0] + b[0] - 5i32;", Rule::V021, "a[0]"),
        ("si[0] = a[0] * 2 + b[0] * 3 - (a[1] >> 1);", Rule::V021, "a[0]"),
        ("si[0] = (a[0] * 2 + b[0]) * (1 + a[1]);", Rule::V021, "a[0]"),
        ("si[0] = -a[0];", Rule::V033, "a[0]"),
        ("si[0] = -a[0] + b[0];", Rule::V033, "a[0]"),
        ("si[0] = b[0] + -a[0];", Rule::V033, "a[0]"),
        ("si[0] = ~(a[0] + 1);", Rule::V021, "a[0]"),
        ("if a[0] - 1 < 0i32 { }", Rule::V021, "a[0]"),
        ("if a[0] < 5 { }", Rule::V021, "a[0]"),
        ("out[0] = select(a[0] < 5, 1, 2);", Rule::V021, "a[0]"),
        ("si[0] = select(w[0], a[0] + 1, a[0]);", Rule::V021, "a[0]"),
        ("si[0] = select(w[0], a[0] + 1, b[0] + 1);", Rule::V021, "a[0]"),
        ("let s = a[0] + 1; si[0] = s;", Rule::V021, "a[0]"),
        ("let s = a[0] + 1; si[0] = s * b[0];", Rule::V021, "a[0]"),
        ("let s = a[0] + 1; let t = s * b[0]; si[0] = t - b[1];", Rule::V021, "a[0]"),
        ("for i in 0..a[0] + 1 { }", Rule::V021, "a[0]"),
        ("out[a[0] + 1] = 1;", Rule::V021, "a[0]"),
        ("out[0] = w[a[0]] + 1;", Rule::V034, "a[0]"),
        ("out[0] = (pairs[0] + 1).x;", Rule::V021, "pairs[0]"),
        ("out[0] = (1 + wide[0]).y;", Rule::V021, "wide[0]"),
        ("out[0] = (-pairs[0]).x;", Rule::V033, "pairs[0]"),
        ("out[0] = 1 + flags[0];", Rule::V021, "flags[0]"),
        ("out[0] = !flags[0];", Rule::V033, "flags[0]"),
        ("if !flags[0] && w[0] { }", Rule::V033, "flags[0]"),
        ("out[0] = popcount(a[0]) + 1;", Rule::V033, "a[0]"),
        ("let _ = atomic_add(si[0], 1i32);", Rule::V014, "atomic_add(si[0], 1i32)"),
        ("let _ = atomic_add(si2[0], 1i32);", Rule::V009, "atomic_add(si2[0], 1i32)"),
        ("si[0] = atomic_add(si[0], 1i32) + 1;", Rule::V014, "atomic_add(si[0], 1i32)"),
        ("let _ = workgroup_atomic_add(si[0], 1i32);", Rule::V052, "workgroup_atomic_add(si[0], 1i32)"),
        ("let x = missing; out[x] = x + 1;", Rule::V006, "missing"),
        ("let x = missing + 1; si[0] = x;", Rule::V006, "missing"),
        ("if missing < 3 { barrier; }", Rule::V006, "missing"),
        ("let x = nothing[0] as bool; if x { barrier; }", Rule::V004, "nothing[0]"),
        ("out[0] = popcnt(a[0]) + 1;", Rule::V016, "popcnt(a[0])"),
        ("out[0] = u32(flags[0]) + 1;", Rule::V043, "u32(flags[0])"),
        ("let x = 1; let x = true; if x { out[0] = 1; }", Rule::V008, "let x = true;"),
        ("out[0] = raw[0] + 1;", Rule::V013, "raw[0]"),
        ("out[0] = w[0].x;", Rule::V042, "w[0].x"),
        ("out[0] = (wide[0] as vec4u32).z + 1;", Rule::V012, "wide[0] as vec4u32"),
        ("out[0] = select(1, 2, true) + 1;", Rule::V032, "select(1, 2, true)"),
        ("out[0] = vec2u32(1).x;", Rule::V043, "vec2u32(1)"),
    ];
    for (body, rule, place) in cases {
        assert_eq!(reports(body), [(rule, place.to_owned())], "{body}");
    }
}

/// Each operand of an operation is its own report; what is computed from them is none.
#[test]
fn both_operands_are_reported_and_nothing_else() {
    for (body, left, right) in [
        ("si[0] = a[0] * b[0];", "a[0]", "b[0]"),
        ("si[0] = a[0] * b[0] + a[1] * b[1] - a[2];", "a[0]", "b[0]"),
        ("out[0] = (pairs[0] + pairs[1]).x;", "pairs[0]", "pairs[1]"),
        ("let s = a[0] + b[0]; si[0] = s / a[1];", "a[0]", "b[0]"),
    ] {
        let expected = [(Rule::V021, left.to_owned()), (Rule::V021, right.to_owned())];
        assert_eq!(reports(body), expected, "{body}");
    }
}

/// Mistakes that do not follow from each other are all reported.
#[test]
fn independent_mistakes_are_all_reported() {
    for (body, rules) in [
        ("if a[0] < 5 && b[0] < 5 { }", &[Rule::V021, Rule::V021][..]),
        ("si[0] = a[0] + 1; si[1] = b[0] + 1;", &[Rule::V021, Rule::V021]),
        ("out[0] = w[a[0] + 1] + w[b[0] + 1];", &[Rule::V021, Rule::V021]),
        ("out[0] = missing + popcnt(1);", &[Rule::V006, Rule::V016]),
        ("si[0] = a[0] + 1 + flags[0];", &[Rule::V021, Rule::V021]),
        ("w[0] = a[0] + 1;", &[Rule::V005, Rule::V021]),
    ] {
        let found: Vec<Rule> = reports(body).into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(found, rules, "{body}");
    }
}
