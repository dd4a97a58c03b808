//! Syntax errors: location, problem and suggestion.

use vyre_ir::text::{ParseError, parse};

/// The only error of a text with one mistake.
fn error(source: &str) -> ParseError {
    let errors = parse(source).map(|parsed| parsed.program).expect_err(source);
    assert_eq!((errors.len(), errors.omitted()), (1, 0), "{source}\n{errors}");
    errors[0].clone()
}

/// Line, column, problem and suggestion.
fn summary(error: &ParseError) -> (u32, u32, String, &str) {
    let suggestion = error.suggestion.as_deref().unwrap_or("");
    (error.location.line, error.location.column, error.kind.to_string(), suggestion)
}

#[test]
fn statements() {
    let cases = [
        ("x += 1;", 3, "there is no `+=` in this language", "write the whole assignment: `x = x + ...;`"),
        ("b[i] <<= 1;", 6, "there is no `<<=` in this language", "write the whole assignment: `b[i] = b[i] << ...;`"),
        ("x++;", 2, "there is no `++` in this language", "write the whole assignment: `x = x + 1;`"),
        ("x == 1;", 3, "expected `=`, found `==`", "`==` compares; an assignment has one `=`"),
        (
            "a.x = 4;",
            2,
            "expected `=`, found `.`",
            "lanes cannot be assigned; assign a whole value such as `vec2u32(a, b)`",
        ),
        ("f(1);", 2, "expected `=`, found `(`", "a value is no statement; write `let _ = ...;` to evaluate it"),
        ("if x = 1 { }", 6, "expected `{`, found `=`", "compare with `==`"),
        ("if (a) return;", 8, "expected `{`, found `return`", "a body stands in braces, even if it is one statement"),
        ("else { }", 1, "expected a statement, found `else`", "an `else` follows the body of an `if`"),
        ("while x { }", 1, "there is no `while` in this language", "write `for i in 0..MAX { ... }` with `break;`"),
        ("continue;", 1, "there is no `continue` in this language", "put the rest of the body into an `if`"),
        ("switch x { }", 1, "there is no `switch` in this language", "write `if` and `else if`"),
        ("var x = 1;", 1, "there is no `var` in this language", "write `let name = value;`"),
        ("for i = 0 { }", 7, "expected `in`, found `=`", "write `for i in 0..n { ... }`"),
        ("for i in 0 { }", 12, "expected `..`, found `{`", "a loop runs over a range; write `for i in 0..n { ... }`"),
        (
            "for i in 0..=4 { }",
            11,
            "there is no `..=` in this language",
            "a range ends before its last number; write `0..n + 1`",
        ),
        ("barrier();", 8, "expected `;`, found `(`", "it is a statement, not a function; leave the parentheses out"),
        ("return 5;", 8, "expected `;`, found `5`", "`return` gives no value; store results to a buffer"),
        ("a = b = c;", 7, "expected `;`, found `=`", "one statement assigns once; write two"),
        ("/* c */", 1, "expected a statement, found `/`", "comments begin with `//` and end with the line"),
        ("} }", 3, "expected the end of the file, found `}`", "the entry is closed already; remove this `}`"),
        ("let x = 1 let y = 2;", 10, "expected `;`, found `let`", "end the statement with `;`"),
        ("return", 7, "expected `;`, found `}`", "end the statement with `;`"),
        ("5 = x;", 1, "expected a statement, found `5`", ""),
        (
            "let mut x = 1;",
            5,
            "there is no `let mut` in this language",
            "every binding of `let` can be assigned; write `let name = value;`",
        ),
        (
            "let x: u32 = 1;",
            6,
            "there is no `: type` in this language",
            "a binding takes the type of its value; leave the type out",
        ),
        ("let if = 1;", 5, "`if` is a reserved word", "choose another name, or write `if` between backticks"),
    ];
    for (statement, column, problem, suggestion) in cases {
        let error = error(&format!("workgroup_size 1;\nentry {{\n{statement}\n}}\n"));
        assert_eq!(summary(&error), (3, column, problem.to_owned(), suggestion), "{statement}");
    }
}

#[test]
fn expressions() {
    let cases = [
        ("1.5", 1, "there is no `1.5` in this language", "there are no floating-point numbers; use integers"),
        ("4294967296", 1, "number does not fit `u32`", "the largest `u32` is 4294967295 (0xffffffff)"),
        ("2147483648i32", 1, "number does not fit `i32`", "an `i32` lies between -2147483648 and 2147483647"),
        ("99999999999999999999999999", 1, "number does not fit `u32`", "the largest `u32` is 4294967295 (0xffffffff)"),
        ("0xzz", 1, "malformed number", "write decimal digits, `0x1f` or `0b101`, and no suffix but `u32` or `i32`"),
        ("a < b < c", 7, "comparisons do not chain", "put one comparison into parentheses, or join two with `&&`"),
        ("a ? b : c", 3, "unexpected character '?'", "write `select(condition, a, b)`"),
        ("(1 + 2", 7, "expected `)` or an operator, found `;`", ""),
        ("a[1", 4, "expected `]` or an operator, found `;`", ""),
        ("min(1)", 1, "`min` takes 2 arguments, found 1", "write `min(a, b)`"),
        ("f(1,,2)", 5, "expected an expression, found `,`", "an argument is missing before this comma"),
        ("popcount(1, 2)", 1, "`popcount` takes 1 argument, found 2", "write `popcount(a)`"),
        (
            "workgroup_atomic_load(a)",
            24,
            "expected `[` and the index of the element, found `)`",
            "write `workgroup_atomic_load(b[i])`",
        ),
        ("atomic_add(b[0], 1, 2, 3)", 1, "`atomic_add` takes 2 arguments, found 4", "write `atomic_add(b[i], value)`"),
        (
            "atomic_add(a, 1)",
            13,
            "expected `[` and the index of the element, found `,`",
            "write `atomic_add(b[i], value)`",
        ),
        ("local_id", 9, "expected `.` and an axis, found `;`", "ids have one number per axis: `invocation_id.x`"),
        ("u32", 4, "expected `(` after a type, found `;`", "cast with `value as u32`, build lanes with `u32(...)`"),
        (
            "a as f32",
            6,
            "expected a type, found `f32`",
            "there are no floating-point numbers; the types are `u32`, `i32`, `u64`, `vec2u32`, `vec4u32`, `bool`, `bytes`",
        ),
        ("", 1, "expected an expression, found `;`", ""),
        (r"`\q`", 1, "unknown escape in a name", r"escapes are `\\`, `\``, `\n`, `\r`, `\t` and `\u{1f600}`"),
        ("`abc", 1, "name without its closing backtick", "close the name with a backtick on the same line"),
    ];
    for (expression, column, problem, suggestion) in cases {
        let error = error(&format!("workgroup_size 1;\nentry {{ let x =\n{expression};\n}}\n"));
        assert_eq!(summary(&error), (3, column, problem.to_owned(), suggestion), "{expression}");
    }
}

#[test]
fn declarations() {
    let cases = [
        (
            "",
            1,
            "expected `workgroup_size`, `buffer` or `entry`, found the end of the file",
            "a program has at least `workgroup_size 64, 1, 1; entry { }`",
        ),
        ("entry { }", 1, "`workgroup_size` is missing", "write `workgroup_size 64, 1, 1;` before the entry"),
        (
            "let x = 1;",
            1,
            "expected `workgroup_size`, `buffer` or `entry`, found `let`",
            "statements stand in `entry { ... }`",
        ),
        ("workgroup_size 1; workgroup_size 2;", 19, "`workgroup_size` stands twice", "remove one of the two"),
        ("workgroup_size 1, 2, 3, 4;", 23, "expected `;`, found `,`", "a workgroup has three axes"),
        ("buffer a b: read u32 @0;", 10, "expected `:`, found `b`", "write `buffer name: access type @slot;`"),
        (
            "buffer a: u32 @0;",
            11,
            "expected an access mode, found `u32`",
            "write one of `read`, `read_write`, `uniform`, `workgroup` before the type",
        ),
        (
            "buffer a: read u32;",
            19,
            "expected `@` and a binding slot, found `;`",
            "only workgroup buffers have no slot; write `@0`",
        ),
        ("workgroup_size 1; entry { { }", 25, "this body is not closed", "every `{` needs a `}` of its own"),
        (
            "workgroup_size 1; entry { } buffer",
            29,
            "expected the end of the file, found `buffer`",
            "declarations stand before the entry, and the entry stands last",
        ),
    ];
    for (source, column, problem, suggestion) in cases {
        let error = error(source);
        assert_eq!(summary(&error), (1, column, problem.to_owned(), suggestion), "{source}");
    }
}

#[test]
fn errors_show_the_line() {
    let error = error("workgroup_size 1;\nentry {\n    let x = (1 + ;\n}\n");
    let expected = "\
3:18: expected an expression, found `;`
  |
3 |     let x = (1 + ;
  |                  ^";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_byte_order_mark_is_ignored() {
    assert!(parse("\u{feff}workgroup_size 1; entry { }").is_ok());
    assert_eq!(error("\u{feff}workgroup_size x;").location.column, 16);
}

#[test]
fn suggestions_are_syntax_that_fits() {
    let two = "one statement sets one name; write two statements";
    let value = "a value is no statement; write `let _ = ...;` to evaluate it";
    for (statement, column, problem, suggestion) in [
        ("let a = 1, b = 2;", 10, "expected `;`, found `,`", two),
        ("x = 1, y = 2;", 6, "expected `;`, found `,`", two),
        ("foo(1);", 4, "expected `=`, found `(`", value),
        ("primitive.math.min(1, 2);", 10, "expected `=`, found `.`", value),
        ("let z = a === b;", 11, "there is no `===` in this language", "write `a == b`"),
        ("let z = a !== b;", 11, "there is no `!==` in this language", "write `a != b`"),
        ("x ~= 3;", 3, "expected `=`, found `~`", ""),
        ("x ,= 3;", 3, "expected `=`, found `,`", ""),
        ("x <== 3;", 3, "expected `=`, found `<=`", ""),
        ("x := 2;", 3, "there is no `:=` in this language", "write `x = 2;`"),
        ("b[i] := 2;", 6, "there is no `:=` in this language", "write `b[i] = 2;`"),
        ("let x := y + 1;", 7, "there is no `:=` in this language", "write `let x = y + 1;`"),
        ("x := `a`;", 3, "there is no `:=` in this language", "write `x = ...;`"),
        ("x: u32 = 2;", 2, "expected `=`, found `:`", "a statement has no label and no type"),
        ("x &&= y;", 3, "there is no `&&=` in this language", "write the whole assignment: `x = x && ...;`"),
    ] {
        let error = error(&format!("workgroup_size 1;\nentry {{\n{statement}\n}}\n"));
        assert_eq!(summary(&error), (3, column, problem.to_owned(), suggestion), "{statement}");
    }
}
