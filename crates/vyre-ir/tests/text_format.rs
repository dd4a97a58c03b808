//! Parsing, printing and formatting by example.

use vyre_ir::text::{format, parse, print};

const TOUR: &str = "\
workgroup_size 8, 2, 1;

buffer input: read u32 @0;
buffer wide: read_write u64 @1;
buffer `odd name`: uniform vec4u32 @2;
buffer out: read_write u32 @7 output;
buffer tile: workgroup u32[64];
buffer stuck: workgroup bool[0] @3;

entry {
    let i = invocation_id.x;
    let a = input[i] + 2 * i - 3;
    let b = a - (i - 1) << 2 & 7 | (1 | 2) ^ 3;
    let c = (a == b) == (a < 5) && a != 0 || !(b > 1);
    let d = -7i32;
    let e = -(7i32);
    let f = --7i32;
    let g = -a as i32 as u32;
    let h = -(a as i32);
    let k = (1).x + wide[0].y + `odd name`[i].w + vec2u32(1, 2).9;
    let l = select(a < b, min(a, b), max(a, mul_hi(a, b)));
    let m = atomic_compare_exchange(out[a], 1, 2) + atomic_load(out[0]);
    let _ = atomic_add(out[a], expected: 1);
    let _ = atomic_add(out[a], 1, 2);
    let w = workgroup_atomic_add(tile[a], 1) + workgroup_atomic_load(tile[0]);
    let _ = workgroup_atomic_compare_exchange(tile[w], 1, 2) + `workgroup_atomic_add`(w);
    let _ = workgroup_atomic_store(tile[w], expected: 1);
    let n = primitive.math.add(a, b) + `min`(a) + other() + `x y`(b);
    let o = scan_exclusive_add(a) + ballot(b) + shuffle(a, 3) + reduce_xor(1);
    let p = popcount(a) + clz(b) + ~a + len(`odd name`) + local_id.3 + num_workgroups.z;
    let `let` = u64(1, 2);
    a = 4;
    wide[i] = u64();
    if a {
    } else if b {
        return;
    } else if true {
    } else {
        barrier;
    }
    for j in 0..len(input) {
        {
            break;
        }
    }
    if c {
        if d {
        }
    }
}
";

#[test]
fn the_canonical_form_is_a_fixed_point() {
    let parsed = parse(TOUR).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&parsed.program), TOUR);
    assert_eq!(format(TOUR).as_deref(), Ok(TOUR));
}

#[test]
fn formatting_keeps_comments_blank_lines_and_bases() {
    let source = "\
// top

buffer b : read_write u32@0 ; // b
workgroup_size 4 ;// size
// before entry
entry { // opens
  // first


  let x=0xff ; // trailing
  /////
  let y = ( x + // inside
     1_000 ) ;

  if x { // then
    // only a comment
  } // after then
  else { // else
    if y { b[0] = 0b11 ; } // chained
    // last in else
  }
  b[1] = 1u32; b[2] = 2;
  // end
} // closed
// bottom
";
    let expected = "\
// top

buffer b: read_write u32 @0; // b
workgroup_size 4, 1, 1; // size

// before entry
entry { // opens
    // first

    let x = 0xff; // trailing
    /////
    // inside
    let y = x + 1_000;

    if x { // then
        // only a comment
    } else {
        // after then
        // else
        if y {
            b[0] = 0b11;
        } // chained
        // last in else
    }
    b[1] = 1u32;
    b[2] = 2;
    // end
} // closed
// bottom
";
    let formatted = format(source).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(formatted, expected);
    assert_eq!(format(&formatted).as_deref(), Ok(formatted.as_str()));
    let program = |text| parse(text).map(|parsed| parsed.program);
    assert_eq!(program(source), program(&formatted));
}

#[test]
fn blank_lines_stay_after_names_that_look_like_the_start_of_a_body() {
    let source = "workgroup_size 1, 1, 1;\n\nentry {\n    let x = `{//`;\n\n    return;\n}\n";
    assert_eq!(format(source).as_deref(), Ok(source));
}

#[test]
fn words_of_other_languages_are_names() {
    for name in ["mut", "var", "while", "continue", "const", "switch"] {
        let source = std::format!("workgroup_size 1, 1, 1;\n\nentry {{\n    let {name} = 1;\n    {name} = 2;\n}}\n");
        assert_eq!(vyre_ir::text::format(&source).as_deref(), Ok(source.as_str()));
    }
}
