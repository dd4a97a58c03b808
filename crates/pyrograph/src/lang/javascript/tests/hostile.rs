//! Input that is made to break the front end: deep nesting, long files, many names.

use std::time::{Duration, Instant};

use super::{check, lower};
use crate::lang::{LowerError, LowerOptions};

/// Lowers a text. It may be refused for its depth, but must end.
fn survives(name: &str, path: &str, text: &str) {
    let start = Instant::now();
    match lower(path, text, &LowerOptions::default()) {
        Ok(module) => check(&module),
        Err(LowerError::TooDeep | LowerError::NoStack | LowerError::Syntax { .. }) => {}
        Err(error) => panic!("{name}: {error}"),
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{name} takes {:?}", start.elapsed());
}

/// Nesting of the kind `prefix` ... `middle` ... `suffix`, at depths around the limits.
fn nested(path: &str, kinds: &[(&str, &str, &str)]) {
    for &(prefix, middle, suffix) in kinds {
        for depth in [100, 1_000, 4_990, 5_010, 19_000, 100_000] {
            let text = prefix.repeat(depth) + middle + &suffix.repeat(depth);
            survives(&format!("{prefix}{middle}{suffix} x {depth}"), path, &text);
        }
    }
}

#[test]
fn nesting_of_expressions() {
    nested(
        "a.js",
        &[
            ("(", "a", ")"),
            ("[", "a", "]"),
            ("x={a:", "1", "}"),
            ("!", "a", ""),
            ("-", "a", ""),
            ("- ", "a", ""),
            ("typeof ", "a", ""),
            ("new ", "a", ""),
            ("await ", "a", ""),
            ("", "a", ".b"),
            ("", "a", "()"),
            ("", "a", "[0]"),
            ("", "a", "?.b"),
            ("", "a", "?.()"),
            ("", "a", "``"),
            ("", "a", "+a"),
            ("", "a", "+'b'"),
            ("", "a", "&&a"),
            ("", "a", "||a"),
            ("", "a", "??a"),
            ("", "a", ",a"),
            ("", "a", "**a"),
            ("", "a", "-a*a"),
            ("a=", "a", ""),
            ("a||=", "a", ""),
            ("a?a:", "a", ""),
            ("a?", "a", ":a"),
            ("a=>", "a", ""),
            ("async a=>", "a", ""),
            ("(a=", "a", ")=>a"),
            ("f(", "a", ")"),
            ("f(function(){", "a", "})"),
            ("!function(){", "a", "}()"),
            ("`${", "a", "}`"),
            ("import(", "a", ")"),
            ("[...", "a", "]"),
            ("f(...", "a", ")"),
            ("({a(){", "a", "}})"),
            ("x=class extends ", "a", "{}"),
            ("<a>", "b", "</a>"),
            ("<a b={", "c", "}/>"),
            ("<>", "b", "</>"),
            ("(a,", "b", ")"),
            ("(()=>{", "b", "})()"),
            ("a[", "b", "]"),
            ("/a/.test(", "b", ")"),
        ],
    );
}

#[test]
fn nesting_of_statements() {
    nested(
        "a.js",
        &[
            ("{", "a", "}"),
            ("if(a)", "b", ""),
            ("if(a){}else ", "b", ""),
            ("if(a){", "b", "}"),
            ("if(a){", "b", "}else{c}"),
            ("if(a)b;else{", "b", "}"),
            ("for(;;)", "b", ""),
            ("for(a of b)", "b", ""),
            ("for(a in b){", "b", "}"),
            ("while(a)", "b", ""),
            ("do ", "b", " while(a)"),
            ("do{", "b", "}while(a)"),
            ("with(a)", "b", ""),
            ("try{", "b", "}finally{}"),
            ("try{}catch(e){", "b", "}"),
            ("switch(a){case 1:", "b", "}"),
            ("a:", "b", ""),
            ("function f(){", "b", "}"),
            ("class A{m(){", "b", "}}"),
            ("class A{static{", "b", "}}"),
            ("class A{x=", "b", "}"),
            ("class A{static x=class{", "", "}}"),
            ("var a=function(){", "b", "};"),
            ("return ", "b", ""),
            ("throw ", "b", ""),
        ],
    );
    for depth in [1_000, 100_000] {
        let open = "[".repeat(depth);
        let close = "]".repeat(depth);
        survives("pattern", "a.js", &format!("let {open}a{close}=b"));
        survives("assigned pattern", "a.js", &format!("({open}a{close}=b)"));
        survives("parameter pattern", "a.js", &format!("function f({open}a{close}){{}}"));
        let open = "{a:".repeat(depth);
        let close = "}".repeat(depth);
        survives("object pattern", "a.js", &format!("let {open}a{close}=b"));
    }
}

#[test]
fn nesting_of_types() {
    nested(
        "a.ts",
        &[
            ("", "a", " as any"),
            ("", "a", "!"),
            ("", "a", "!.b"),
            ("<any>", "a", ""),
            ("namespace A{", "a", "}"),
            ("@a ", "class A{}", ""),
        ],
    );
    for depth in [1_000, 100_000] {
        for (prefix, middle, suffix) in [
            ("A<", "B", ">"),
            ("(", "B", ")"),
            ("[", "B", "]"),
            ("{a:", "B", "}"),
            ("keyof ", "B", ""),
            ("", "B", "[]"),
            ("", "B", "|C"),
            ("A extends B?C:", "D", ""),
            ("()=>", "B", ""),
            ("A<B,", "C", ">"),
            ("`${", "B", "}`"),
        ] {
            let name = format!("type {prefix}{middle}{suffix}");
            survives(&name, "a.ts", &format!("type T={}{middle}{}", prefix.repeat(depth), suffix.repeat(depth)));
            survives(&name, "a.ts", &format!("let t:{}{middle}{};", prefix.repeat(depth), suffix.repeat(depth)));
        }
    }
}

/// Statements and calls in a row, or in a chain that the stack bears, are no reason to refuse a file.
#[test]
fn long_code_that_is_not_deep() {
    const N: usize = 10_000;
    for part in [
        "if(a#)b();else c();",
        "if(a#){b()}else{c()}",
        "if(a#){b()}else if(c){d()}else{e()}",
        "if(a#)b()\nelse c()\n",
        "if(a#)var x=1;else x=2;",
        "while(a#)b();",
        "while(a#){b()}",
        "do b();while(a#);",
        "do{b()}while(a#)\n",
        "for(;a#;)b()\n",
        "try{a#()}catch(e){}",
        "let x#=a?b:c\n",
        "function f#(){if(a)return b;else return c}",
        "x=a#?b:c,",
    ] {
        let text = repeat(N, part) + "0";
        let nesting = super::super::depth::nesting(&text);
        assert!(nesting < 40, "{part}: {nesting}");
    }
    for (text, count) in [(".then(f)", 1_000), (".a.b(c=>d)", 1_000), (".then(function(){return a()})", 1_000)] {
        long(text, &format!("a{}", text.repeat(count)), 3.0);
    }
}

/// Chains that go on behind what looks like the end of a statement.
#[test]
fn chains_of_statements_count() {
    for part in [
        "if(a)var x;else ",
        "if(a)let\nx;else ",
        "if(a)x\nelse ",
        "if(a)do x;while(b);else ",
        "if(a)do{x}while(b)\nelse ",
        "if(a)for(;;)x;else ",
        "if(a)x=class A\nextends B{};else ",
        "if(a)x=class A\nimplements B{};else ",
        "for await(a of b)",
        "if(a)try{x}catch(e){}else ",
        "if(a)switch(b){case 1:x}else ",
        "if(a);else ",
    ] {
        let text = part.repeat(5_000) + "b";
        let nesting = super::super::depth::nesting(&text);
        assert!(nesting >= 5_000, "{part}: {nesting}");
    }
}

/// Nesting that hides behind what looks like a string or regular expression.
#[test]
fn hidden_nesting() {
    let open = "(".repeat(100_000);
    for text in [
        format!("if(a)/'/;{open}"),
        format!("{{}}/'/;{open}"),
        format!("x={{}}/'/;{open}"),
        format!("<p>'</p>;{open}"),
        format!("<p>`</p>;{open}"),
        format!("a\n/'/.test(b);{open}"),
        format!("a++/'/;{open}"),
        format!("`${{'`'}}`;{open}"),
        format!("x=a</'/;{open}"),
        format!("<!-- '\n{open}"),
        format!("#!'\n{open}"),
    ] {
        survives(&text[..20], "a.js", &text);
    }
}

/// Nesting that the estimate does not see. The bound of the stack protects the parser.
#[test]
fn hidden_nesting_from_the_estimate() {
    for (first, level) in [
        // The regular expression after a type looks like a division, and the strings close what is open.
        ("type A=B\n/'/;", "(\")\""),
        ("type A=B\n/'/;", "[\"]\","),
        ("type A=B\n/'/;", "x={a:\"}\",b:"),
        ("type A=B\n/`/;", "f(\")\","),
        ("let a:b\n/\"/;", "!(')',"),
        ("", "(<p>)</p>"),
        ("", "[<p>]</p>,"),
        ("", "<p>}{'}',"),
        ("<p>//</p>;", "(')',"),
        ("<p>/*</p>;", "(')',"),
        ("<p>'</p>;", "(\")\","),
        ("type A=B\n/'/;", "function f(a=')'){\"}\";"),
        ("type A=B\n/'/;", "class A{m(){\"}}\";"),
        ("type A=B\n/'/;", "`${\"}\"+"),
        ("", "if(a)<p>b;</p>;else "),
        ("", "if(a)<p>a if</p>;else "),
        ("", "a?<p>;</p>:"),
        ("", "a?<p>,</p>:"),
    ] {
        for path in ["a.ts", "a.tsx", "a.js"] {
            for count in [1_000, 8_000] {
                survives(level, path, &format!("{first}{}", level.repeat(count)));
            }
        }
    }
}

/// Quotes in regular expressions, templates and comments are no nesting, however often they come.
#[test]
fn ambiguous_text_is_not_deep() {
    let part = "const a# = seal(/^(?:(?:https?|ftp):|[^a-z]|[a-z+.\\-]+(?:[^'\"(a-z]|$))/i); // it's {\n\
                function f#(b) { if (b) /[({'`]/.test(b); return b / 2 } /* don't ( */ const c# = `${a#}' (`;\n";
    long("ambiguous", &repeat(3_000, part), 2.0);
}

/// A parser that may need more than the largest stack does not start.
#[test]
fn files_beyond_the_largest_stack() {
    let text = format!("type A=B\n/'/;{}", "(\")\"".repeat(200_000));
    let options = LowerOptions { max_stack: 300 << 20, ..LowerOptions::default() };
    assert_eq!(lower("a.ts", &text, &options).err(), Some(LowerError::NoStack));
    let options = LowerOptions { has_large_stack: true, ..options };
    assert_eq!(lower("a.ts", &text, &options).err(), Some(LowerError::NoStack));
}

#[test]
fn unbalanced_text() {
    for text in
        ["((((", "))))", "{[(", "`${", "'", "/*", "/", "\\", "\u{0}\u{1}", "<a", "<a b={", "class", "a?.", "…", "#!x"]
    {
        survives(text, "a.js", text);
    }
}

/// Time and size of a long file.
fn long(name: &str, text: &str, most_per_byte: f64) {
    let start = Instant::now();
    let module = match lower("a.js", text, &LowerOptions::default()) {
        Ok(module) => module,
        Err(error) => panic!("{name}: {error}"),
    };
    let per_byte = module.instructions.len() as f64 / text.len() as f64;
    assert!(per_byte < most_per_byte, "{name} has {per_byte} instructions per byte");
    assert!(start.elapsed() < Duration::from_secs(120), "{name} takes {:?}", start.elapsed());
    check(&module);
}

/// Text of numbered parts. `#` stands for the number.
fn repeat(count: usize, part: &str) -> String {
    let mut text = String::with_capacity(count * (part.len() + 4));
    for index in 0..count {
        text.push_str(&part.replace('#', &index.to_string()));
    }
    text
}

#[test]
fn many_statements() {
    const N: usize = 10_000;
    long("functions", &repeat(10 * N, "function f#(a){return a}\n"), 1.0);
    long("calls", &(repeat(N, "function f#(){f0()}\n") + &repeat(N, "f#();")), 1.0);
    long("variables", &repeat(N, "var v#=a.b(v0);"), 1.0);
    long("branches", &repeat(N, "if(a)v#=1;"), 2.0);
    long("changed branches", &format!("function f(a){{var v=1;{}}}", repeat(N, "if(a===#)v=a;")), 1.0);
    long("members", &repeat(N, "a.b#=a.c#;"), 1.0);
    long("assignments", &format!("function f(v){{{}}}", repeat(N, "v=#;")), 1.0);
    long("concat", &format!("x={}1", repeat(N, "a+'b#'+")), 1.0);
    long("sequence", &format!("x=(1{})", repeat(N, ",a#()")), 1.0);
    long("array", &format!("x=[{}]", repeat(N, "a#,")), 1.0);
    long("object", &format!("x={{{}}}", repeat(N, "a#:a,")), 1.0);
    long("arguments", &format!("f({}1)", repeat(N, "a#,")), 1.0);
    long("parameters", &format!("function f({}z){{}}", repeat(N, "a#,")), 1.0);
    long("cases", &format!("switch(a){{{}}}", repeat(N, "case #:f();break;")), 1.0);
    long("closures", &repeat(N, "var v#;(function(){return v#})();"), 1.0);
    long("strings", &format!("var s='';{}", repeat(N, "s+='x#';")), 1.0);
}

#[test]
fn many_statements_in_loops() {
    const N: usize = 10_000;
    long("breaks", &format!("function f(a,x){{while(a){{{}}}}}", repeat(N, "x=a.b;if(x)break;")), 1.0);
    long("continues", &format!("function f(a){{for(;;){{{}}}}}", repeat(N, "var v#=a;if(a)continue;")), 2.0);
    long("calls", &format!("function f(a){{for(;;){{{}}}}}", repeat(N, "if(a.b#)g(a);")), 1.0);
    long("tries", &format!("function f(a,x){{{}}}", repeat(N, "try{x=g(x)}catch(e){x=e}")), 1.0);
    long("loops", &format!("function f(a,x){{{}}}", repeat(N, "while(x)x=g(x);")), 1.0);
    long("labels", &format!("function f(a,x){{{}}}", repeat(N, "l:{if(a)break l;x=a}")), 1.0);
    let state = format!("function f(s,x){{for(;;)switch(s){{{}}}}}", repeat(N, "case #:x#=g(x);s=#;continue;"));
    long("state machine", &state, 1.0);
}

/// Text of minified code.
fn minified(bytes: usize) -> String {
    let part = "function a(t,e){var n=t.b||{},r=e&&e.c;return n.d=function(t){return r?t.e(n):null},\
                r&&!n.f?n.f=r:(n.g=1,e=2),t.h(function(i){for(var o=0;o<i.length;o++)n[o]=i[o]}),n}";
    format!("!function(){{{}}}();", part.repeat(bytes / part.len()))
}

#[test]
fn minified_file() {
    long("minified", &minified(1 << 20), 1.0);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn long_minified_file() {
    long("minified", &minified(10 << 20), 1.0);
}

/// Nesting that multiplies what a file expands to.
#[test]
fn expansion() {
    let many = repeat(400, "a#=c();");
    survives("loops", "a.js", &format!("{}{many}{}", "while(b()){".repeat(400), "}".repeat(400)));
    let text = format!("{}{}{}", "try{".repeat(900), repeat(3_000, "var v#=c();"), "}catch(e){}".repeat(900));
    assert_eq!(lower("a.js", &text, &LowerOptions::default()).err(), Some(LowerError::TooLong));
    long("tests", &format!("x={}1", repeat(20_000, "a#.b&&")), 1.0);
    long("true cases", &format!("switch(true){{{}}}", repeat(20_000, "case a#.b:f();break;")), 1.0);
    long("alternatives", &format!("function f(a){{{}b()}}", repeat(1_500, "if(a.x#)b(#);else ")), 1.0);
    long("data", &format!("x=[{}]", repeat(20_000, "{a:#,b:[1,'x']},")), 1.0);
}

#[test]
fn limits() {
    let options = LowerOptions { max_bytes: 10, ..LowerOptions::default() };
    assert_eq!(lower("a.js", "aaaaaaaaaaaaaaaaa", &options).err(), Some(LowerError::TooLong));
    let cancelled = || true;
    let options = LowerOptions { cancelled: Some(&cancelled), ..LowerOptions::default() };
    assert_eq!(lower("a.js", "a()", &options).err(), Some(LowerError::TimedOut));
    let options = LowerOptions { max_instructions: 100, ..LowerOptions::default() };
    assert_eq!(lower("a.js", &"a();".repeat(200), &options).err(), Some(LowerError::TooLong));
    let error = lower("a.js", "a\nb\nlet let = ;", &LowerOptions::default()).err();
    assert!(matches!(error, Some(LowerError::Syntax { line: 3, .. })), "{error:?}");
}
