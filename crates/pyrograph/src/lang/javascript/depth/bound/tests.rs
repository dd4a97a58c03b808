//! Measures the stack that the parser takes, and compares it with the bound.

use std::fmt::Write as _;

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use super::stack_bound;

/// Constructs that nest: what goes before all levels, and the beginning of a level.
const LEVELS: &[(&str, &str)] = &[
    ("", "("),
    ("", "["),
    ("x=", "{a:"),
    ("x=", "[{a:"),
    ("", "!"),
    ("", "- "),
    ("", "typeof "),
    ("", "new "),
    ("", "await "),
    ("", "yield "),
    ("", "a="),
    ("", "a?a:"),
    ("", "a?"),
    ("", "a=>"),
    ("", "(a)=>"),
    ("", "async a=>"),
    ("", "async(a)=>"),
    ("", "(a="),
    ("", "f("),
    ("", "f(function(){"),
    ("", "!function(){"),
    ("x=", "function(){return "),
    ("", "`${"),
    ("", "a`${"),
    ("", "import("),
    ("", "[..."),
    ("x=", "{a(){return "),
    ("x=", "{get a(){return "),
    ("x=", "{["),
    ("x=", "class extends "),
    ("x=", "class{a="),
    ("x=", "class{["),
    ("x=", "class{static{x="),
    ("", "<a>"),
    ("", "<a b={"),
    ("", "<a b=<a>"),
    ("", "<a {..."),
    ("", "<>"),
    ("", "(()=>{"),
    ("", "a["),
    ("", "a**"),
    ("", "a||b&&c|d^e&f==g<h<<i+j*k**("),
    ("", "a+!("),
    ("", "{"),
    ("", "if(a)"),
    ("", "if(a){}else "),
    ("", "for(;;)"),
    ("", "for(a of b)"),
    ("", "do "),
    ("", "try{"),
    ("", "try{}catch(e){"),
    ("", "switch(a){case 1:"),
    ("", "a:"),
    ("", "function f(){"),
    ("", "function f(a="),
    ("", "class A{m(){"),
    ("", "class A{static{"),
    ("", "export default class{static{"),
    ("let ", "["),
    ("let ", "{a:"),
    ("let ", "[a="),
    ("", "var a=()=>{"),
    ("type T=", "A<"),
    ("type T=", "("),
    ("type T=", "["),
    ("type T=", "{a:"),
    ("type T=", "{a(x:"),
    ("type T=", "keyof "),
    ("type T=", "A extends B?C:"),
    ("type T=", "()=>"),
    ("type T=", "(a:"),
    ("type T=", "new()=>"),
    ("type T=", "<T extends "),
    ("type T=", "`${"),
    ("type T=", "import('a').b<"),
    ("type T=", "asserts x is "),
    ("type T=", "[a?:"),
    ("type T=", "{[k in "),
    ("type T=", "{new(a:"),
    ("", "<any>"),
    ("", "<T>("),
    ("", "<T,>(a)=>"),
    ("", "(a):b=>"),
    ("", "a<"),
    ("", "a<b>("),
    ("", "namespace A{"),
    ("", "declare module 'a'{"),
    ("", "class A{constructor(private a="),
    ("", "new ("),
    ("", "a?.("),
    ("", "@a("),
    ("", "@("),
    ("", "a as ("),
];

/// Parts of random levels.
const PARTS: &[&str] = &[
    "(",
    "[",
    "{",
    "}",
    ")",
    "]",
    "<",
    ">",
    "a",
    "b",
    "1",
    "'c'",
    "`",
    "${",
    "/",
    "/a/",
    "=",
    "=>",
    "?",
    ":",
    ",",
    ";",
    ".",
    "?.",
    "...",
    "!",
    "-",
    "++",
    "**",
    "+",
    "&&",
    "|",
    "@",
    "#a",
    "\n",
    " ",
    " function ",
    " class ",
    " extends ",
    " async ",
    " await ",
    " yield ",
    " new ",
    " if(a)",
    " else ",
    " for(",
    " do ",
    " while(",
    " try{",
    " return ",
    " import ",
    " export ",
    " default ",
    " type T=",
    " as ",
    " is ",
    " keyof ",
    " infer ",
    " typeof ",
    " abstract ",
    " let ",
    " static ",
    " get ",
    " namespace A",
    " enum A",
    " interface A",
    " in ",
    " of ",
    " asserts ",
    "<a>",
    "</a>",
    "<a b=",
    "/>",
    "(a)=>",
    "a:",
    "A<",
    "x=",
    "case ",
    "switch(a){",
    " declare ",
    " satisfies ",
];

/// Memory of the stack of this thread that is in use, or has been.
fn used_stack() -> u64 {
    let local = 0_u8;
    let address = std::ptr::from_ref(std::hint::black_box(&local)).addr();
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let mut is_here = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        if let Some((start, end)) = range
            && let (Ok(start), Ok(end)) = (usize::from_str_radix(start, 16), usize::from_str_radix(end, 16))
        {
            is_here = (start..end).contains(&address);
        }
        if is_here && let Some(rest) = line.strip_prefix("Rss:") {
            return rest.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") << 10;
        }
    }
    panic!("the stack is in no mapping");
}

/// Checks the bound of a text in every dialect.
fn check(text: &str) -> Result<(), String> {
    let mut most = 0;
    for dialect in [SourceType::unambiguous().with_jsx(true), SourceType::ts(), SourceType::tsx()] {
        let used = std::thread::scope(|scope| {
            let work = || {
                let before = used_stack();
                let allocator = Allocator::default();
                let options = ParseOptions { preserve_parens: false, ..ParseOptions::default() };
                drop(Parser::new(&allocator, text, dialect).with_options(options).parse());
                used_stack() - before
            };
            let thread = std::thread::Builder::new().stack_size(2 << 30).spawn_scoped(scope, work);
            thread.expect("a thread").join().expect("a parser that ends")
        });
        let bound = stack_bound(text);
        most = most.max(used * 100 / bound);
        if used > bound {
            let start: String = text.chars().take(100).collect();
            return Err(format!("{start:?} takes {used} bytes of the stack, the bound is {bound}"));
        }
    }
    println!("{most}% of the bound: {:?}", text.chars().take(60).collect::<String>());
    Ok(())
}

#[test]
fn the_bound_is_above_the_stack_of_every_construct() {
    let mut problems = String::new();
    for (first, level) in LEVELS {
        if let Err(problem) = check(&format!("{first}{}", level.repeat(200))) {
            writeln!(problems, "{problem}").expect("a string");
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn the_bound_is_above_the_stack_of_random_levels() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let count = std::env::var("STACK_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    let mut problems = String::new();
    for _ in 0..count {
        let (first, level) = LEVELS[next(LEVELS.len())];
        let mut part = level.to_owned();
        for _ in 0..=next(4) {
            part.push_str(PARTS[next(PARTS.len())]);
        }
        if next(2) == 0 {
            part.push_str(LEVELS[next(LEVELS.len())].1);
        }
        if let Err(problem) = check(&format!("{first}{}", part.repeat(150))) {
            writeln!(problems, "{problem}").expect("a string");
        }
    }
    assert!(problems.is_empty(), "{problems}");
}
