//! Related locations and suggestions of diagnostics.

use vyre_ir::{Diagnostic, OpTable, Rule, text};

/// First diagnostic of a program, and the text at its related location.
fn explain(source: &str) -> (Diagnostic, Option<(&'static str, String)>) {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}"));
    let diagnostics = parsed.validate(&OpTable::default()).map(|_| ()).expect_err(source);
    let first = diagnostics.into_iter().next().expect("a reason");
    let related = first.related.as_ref().and_then(|related| {
        let span = related.span?;
        Some((related.label, source[span.start as usize..span.end as usize].to_owned()))
    });
    (first, related)
}

#[test]
fn divergence_is_explained_by_its_nearest_cause() {
    let condition = "this condition may differ between invocations";
    let bounds = "the bounds of this loop may differ between invocations";
    let leaves = "some invocations may leave the loop here and others not";
    let ends = "some invocations may end here and others not";
    let cases = [
        ("if local_id.x < 4 { barrier; }", condition, "local_id.x < 4"),
        // The inner condition and the loop are uniform; the outer condition is the cause.
        ("if local_id.x < 4 { for i in 0..4 { if p[0] == 1 { barrier; } } }", condition, "local_id.x < 4"),
        ("if p[0] == 1 { if local_id.x { { barrier; } } }", condition, "local_id.x"),
        ("if local_id.x < 4 { return; } for i in 0..4 { barrier; }", ends, "return;"),
        ("for i in 0..4 { barrier; if local_id.x == i { break; } }", leaves, "break;"),
        ("for i in 0..local_id.x { barrier; }", bounds, "for i in 0..local_id.x { barrier; }"),
        ("let a = 0; for i in 0..4 { if a { barrier; } a = local_id.x; }", condition, "a"),
        ("for i in 0..4 { barrier; for j in 0..4 { if local_id.x { return; } } }", ends, "return;"),
    ];
    for (body, label, location) in cases {
        let source = format!("workgroup_size 64; buffer p: read u32 @0; entry {{ {body} }}");
        let (diagnostic, related) = explain(&source);
        assert_eq!(diagnostic.rule, Rule::V010, "{body}");
        assert_eq!(related, Some((label, location.to_owned())), "{body}");
    }
    let source = "workgroup_size 64; entry { if local_id.x { let x = reduce_add(1); } }";
    let (diagnostic, related) = explain(source);
    assert_eq!((diagnostic.rule, related), (Rule::V037, Some((condition, "local_id.x".to_owned()))));
}

#[test]
fn suggestions_are_valid_syntax() {
    let cases = [
        ("let index = 1; let y = indx;", Some("did you mean `index`?")),
        ("let `in dex` = 1; let y = `in dx`;", Some("did you mean `` `in dex` ``?")),
        ("let y = data;", Some("`data` is a buffer; its elements are `data[i]`")),
        ("let y = dta[0];", Some("did you mean `data`?")),
        ("let y = popcnt(1);", Some("did you mean `popcount`?")),
        ("let y = completely_different;", None),
        ("_ = 1;", Some("`_` binds nothing; `let _ = ...;` evaluates a value for its effect")),
        ("let x = 1; let x = 2;", Some("to change the value of `x`, assign it: `x = ...;`")),
        ("for i in 0..1 { let i = 2; }", None),
        ("data[0] = 1;", Some("in the text format: `buffer data: read_write u32 @0;`")),
        ("`my data`[0] = 1;", Some("in the text format: `` buffer `my data`: read_write u32 @1; ``")),
    ];
    for (body, help) in cases {
        let buffers = "buffer data: read u32 @0; buffer `my data`: read u32 @1;";
        let (diagnostic, _) = explain(&format!("workgroup_size 64; {buffers} entry {{ {body} }}"));
        assert_eq!(diagnostic.help.as_deref(), help, "{body}");
    }
}
