//! Hostile packages: every scan ends within bounds of time and memory, and each file has its line in the coverage.
//!
//! The sizes are small, so that the tests take seconds without optimisation. `HOSTILE_COUNT=100000` sets the full ones: 100,000
//! functions, nesting of 100,000, files of 10 MB.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use pyrograph::coverage::{FileOutcome, SkipReason};
use pyrograph::report::{self, ReportFormat, ReportOptions};
use pyrograph::scan::{ScanControl, ScanOptions, ScanReport, scan};
use vyre_jit::{JitDevice, JitOptions};

static DEVICE: LazyLock<Arc<JitDevice>> =
    LazyLock::new(|| Arc::new(JitDevice::new(&JitOptions::default()).expect("a CPU")));

/// Scans run one after the other, so that each has the machine for itself.
static TURN: Mutex<()> = Mutex::new(());

/// Longest scan. The machines of the tests differ, and the code is not optimised.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Largest memory of the process, in bytes.
const MAX_MEMORY: u64 = 4 << 30;

/// Scans files. Checks time and memory, that the report can be written, and that it has a line for each file.
fn scan_files(name: &str, files: &[(&str, Vec<u8>)]) -> ScanReport {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let mut options = ScanOptions::default();
    options.file_time_limit = MAX_TIME;
    let report = scan_folder(name, folder.path(), options);
    for (path, _) in files {
        let inside = format!("{path}!/");
        let has_line = report.coverage.files.iter().any(|file| file.path == *path || file.path.starts_with(&inside))
            || report.coverage.problems.iter().any(|problem| problem.path == *path);
        assert!(has_line, "{name}: {path} is in no line of the coverage");
    }
    report
}

fn scan_folder(name: &str, folder: &Path, options: ScanOptions) -> ScanReport {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let start = Instant::now();
    let report = scan(&[folder.to_owned()], &options, DEVICE.clone(), &ScanControl::default()).expect("a report");
    let time = start.elapsed();
    for format in ReportFormat::ALL {
        let mut out = Vec::new();
        report::write(&report, format, ReportOptions::default(), &mut out).expect("memory takes all bytes");
        out.flush().expect("memory");
    }
    let statistics = &report.statistics;
    println!(
        "{name}: {time:.1?}, {} findings, {} functions, {} instructions, {} nodes, {} edges, {:?}, {:?}, peak {} MB",
        report.findings.len(),
        statistics.functions,
        statistics.instructions,
        statistics.nodes,
        statistics.edges,
        statistics.seconds.iter().map(|(stage, seconds)| format!("{stage} {seconds:.2}")).collect::<Vec<_>>(),
        statistics.limits,
        peak_memory() >> 20,
    );
    assert!(time < MAX_TIME, "{name} took {time:?}");
    assert!(peak_memory() < MAX_MEMORY, "{name} took {} bytes", peak_memory());
    report
}

/// Peak of the memory of this process, or zero where the system does not tell.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) << 10
}

fn outcome<'r>(report: &'r ScanReport, path: &str) -> &'r FileOutcome {
    &report.coverage.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}")).outcome
}

fn rules(report: &ScanReport) -> Vec<&str> {
    report.findings.iter().map(|finding| report.knowledge.rules[finding.rule].id.as_str()).collect()
}

/// Text of numbered parts. `#` stands for the number, `%` for another number below the count.
fn repeat(count: usize, part: &str) -> String {
    let mut text = String::with_capacity(count * (part.len() + 8));
    for number in 0..count {
        let other = (number * 7919 + 17) % count;
        text.push_str(&part.replace('#', &number.to_string()).replace('%', &other.to_string()));
    }
    text
}

fn script(text: String) -> Vec<(&'static str, Vec<u8>)> {
    vec![("index.js", text.into_bytes())]
}

/// Number of functions, depth of nesting, hundredth of the bytes of long files.
fn count() -> usize {
    std::env::var("HOSTILE_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(500)
}

const EXEC: &str = "\nconst { exec } = require('child_process');\n";

#[test]
fn functions_that_call_one_another_in_a_ring() {
    let text = repeat(count(), "function f#(x, n) { return n ? f%(x, n - 1) : x }\n");
    let report = scan_files("ring", &script(format!("{text}{EXEC}exec(f0(process.argv[2], 5));")));
    assert_eq!(rules(&report), ["command-injection"]);
}

#[test]
fn functions_that_call_many_others() {
    let calls: String = (1..=10).map(|step| format!("f{}(x);", step * 9973 % count())).collect();
    let text = repeat(count(), &format!("function f#(x) {{ {calls} return f%(f%(x)) || x }}\n"));
    let report = scan_files("mesh", &script(format!("{text}{EXEC}exec(f0(process.argv[2]));")));
    assert_eq!(rules(&report), ["command-injection"]);
}

#[test]
fn functions_that_call_all_others_from_a_table() {
    let text = repeat(count(), "t.push(function (x) { return t[x](t[x + 1](x)) || x });\n");
    scan_files("table", &script(format!("const t = [];\n{text}{EXEC}exec(t[0](process.argv[2]));")));
    let text = repeat(count(), "t.f# = function (x) { return t[x](t.f%(x)) || x };\n");
    scan_files("named table", &script(format!("const t = {{}};\n{text}{EXEC}exec(t.f0(process.argv[2]));")));
}

#[test]
fn methods_that_call_one_another() {
    let text = repeat(count(), "m#(x) { this.p% = x; return this.m%(this.p#) || x }\n");
    scan_files("methods", &script(format!("class C {{\n{text}}}\n{EXEC}exec(new C().m0(process.argv[2]));")));
}

#[test]
fn functions_that_get_functions() {
    let text = repeat(count(), "function f#(g, x) { return g(f%, x) || x }\n");
    scan_files("callbacks", &script(format!("{text}{EXEC}exec(f0(f1, process.argv[2]));")));
    let text = repeat(count(), "const f# = x => y => x(f%)(y) || y;\n");
    scan_files("curried", &script(format!("{text}{EXEC}exec(f0(f1)(process.argv[2]));")));
}

#[test]
fn functions_that_share_variables() {
    let text = repeat(count(), "function f#(x) { v# = v%; g = g || x; f%(g); return v# }\nvar v# = 0;\n");
    scan_files("variables", &script(format!("var g;{text}{EXEC}exec(f0(process.argv[2]));")));
}

#[test]
fn a_function_with_many_callers() {
    let text = repeat(count(), "r# = id(r%);\n");
    let text = format!("function id(x) {{ return x }}\n{text}{EXEC}r0 = id(process.argv[2]);exec(id(r0));");
    let report = scan_files("callers", &script(text));
    assert_eq!(rules(&report), ["command-injection"]);
    let text = repeat(count(), "function f#(x) { return id(x) }\n");
    let text = format!("function id(x) {{ return x }}\n{text}{EXEC}exec(f7(process.argv[2]));exec(f8('ls'));");
    let report = scan_files("callers in functions", &script(text));
    assert_eq!(rules(&report), ["command-injection"]);
}

#[test]
fn sources_and_sinks_without_end() {
    let text = repeat(count() / 10, "exec(process.argv[#] + process.env.A%);\n");
    let report = scan_files("sinks", &script(format!("{EXEC}{text}")));
    assert_eq!(report.findings.len(), count() / 10);
    let text = repeat(count() / 10, "exports.f# = (a, b) => { s += a + b; exec(s) };\n");
    scan_files("exports", &script(format!("{EXEC}let s = '';\n{text}")));
}

#[test]
fn a_minified_file_of_ten_megabytes() {
    let part = "function a(t,e){var n=t.b||{},r=e&&e.c;return n.d=function(t){return r?t.e(n):null},\
                r&&!n.f?n.f=r:(n.g=1,e=2),t.h(function(i){for(var o=0;o<i.length;o++)n[o]=i[o]}),n}";
    let text = format!(
        "!function(){{{}}}();{}",
        part.repeat((count() * 105) / part.len()),
        "require('child_process').exec(process.argv[2])"
    );
    let report = scan_files("minified", &script(text));
    assert_eq!(*outcome(&report, "index.js"), FileOutcome::Scanned);
    assert_eq!(rules(&report), ["command-injection"]);
}

/// Modules of a bundle in one file: an object of functions that get `module`, `exports` and `require`.
#[test]
fn a_bundle_of_ten_megabytes() {
    let module = "#:function(e,t,n){\"use strict\";var r=n(%),o=function(e){return e&&e.__esModule?e:{default:e}}(r);\
                  t.a#=function(e){return o.default.a%(e)||e.b},t.c#=class{constructor(e){this.p=e}q(e){return r.a%(this.p+e)}}},";
    let count = (count() * 105) / module.len();
    let text = format!(
        "!function(e){{var t={{}};function n(r){{if(t[r])return t[r].exports;var o=t[r]={{exports:{{}}}};\
         return e[r].call(o.exports,o,o.exports,n),o.exports}}n(0)}}({{{}}});{}",
        repeat(count, module),
        "require('child_process').exec(process.argv[2])"
    );
    let report = scan_files("bundle", &script(text));
    assert_eq!(*outcome(&report, "index.js"), FileOutcome::Scanned);
    assert_eq!(rules(&report), ["command-injection"]);
}

#[test]
fn deep_nesting_of_every_kind() {
    let kinds = [
        ("(", "a", ")"),
        ("[", "a", "]"),
        ("x={a:", "1", "}"),
        ("!", "a", ""),
        ("new ", "a", ""),
        ("", "a", ".b"),
        ("", "a", "()"),
        ("", "a", "[0]"),
        ("", "a", "?.b"),
        ("", "a", "``"),
        ("", "a", "+a"),
        ("", "a", "&&a"),
        ("", "a", ",a"),
        ("a=", "a", ""),
        ("a?a:", "a", ""),
        ("a=>", "a", ""),
        ("f(function(){", "a", "})"),
        ("`${", "a", "}`"),
        ("<a>", "b", "</a>"),
        ("{", "a", "}"),
        ("if(a)", "b", ""),
        ("if(a){}else ", "b", ""),
        ("for(;;)", "b", ""),
        ("do ", "b", " while(a)"),
        ("try{", "b", "}finally{}"),
        ("switch(a){case 1:", "b", "}"),
        ("a:", "b", ""),
        ("function f(){", "b", "}"),
        ("class A{m(){", "b", "}}"),
        ("x=class extends ", "a", "{}"),
        ("", "f", ".then(a)"),
        ("let [", "a", "]=b"),
    ];
    let files: Vec<(String, Vec<u8>)> = kinds
        .iter()
        .enumerate()
        .flat_map(|(number, (prefix, middle, suffix))| {
            [2_400, 100_000].map(|depth| {
                let text = prefix.repeat(depth) + middle + &suffix.repeat(depth);
                (format!("{number:02}-{depth}.jsx"), text.into_bytes())
            })
        })
        .collect();
    let mut files: Vec<(&str, Vec<u8>)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    files.push(("package.json", ["[".repeat(count()), "]".repeat(count())].concat().into_bytes()));
    files.push(("index.html", "<div>".repeat(100_000).into_bytes()));
    files.push(("index.js", format!("{EXEC}exec(process.argv[2])").into_bytes()));
    let report = scan_files("nesting", &files);
    assert_eq!(rules(&report), ["command-injection"], "the other files do not harm this one");
    assert!(report.coverage.is_incomplete());
    for file in &report.coverage.files {
        let is_deep = file.path.ends_with("-100000.jsx");
        match &file.outcome {
            FileOutcome::Scanned | FileOutcome::Skipped(_) => {}
            FileOutcome::Failed(message) => assert!(is_deep || !message.is_empty(), "{}: {message}", file.path),
            FileOutcome::TimedOut => panic!("{} takes too long", file.path),
        }
    }
}

#[test]
fn imports_in_cycles() {
    let count = count() / 10;
    let mut files = Vec::new();
    for number in 0..count {
        let (next, other) = ((number + 1) % count, (number * 7919 + 17) % count);
        files.push((
            format!("m{number}.mjs"),
            format!(
                "export * from './m{next}.mjs'; export * from './m{other}.mjs'; import * as n from './m{next}.mjs';\n\
                 import f, {{ f{other} as g }} from './m{other}.mjs';\n\
                 export function f{number}(x) {{ return g(x) || n.f{next}(x) || x }}\n\
                 export default x => f(f{number}(x));\n"
            ),
        ));
        files.push((
            format!("c{number}.js"),
            format!(
                "const n = require('./c{next}'), o = require('./c{other}.js');\n\
                 module.exports = Object.assign(x => n(o(x)) || x, n, o);\n"
            ),
        ));
    }
    files.push((
        "index.js".to_owned(),
        format!("{EXEC}const c = require('./c0');exec(c(process.argv[2]));require('./index');require('.')"),
    ));
    files.push((
        "self.mjs".to_owned(),
        "export * from './self.mjs'; export { a as b, b as a } from './self.mjs'".to_owned(),
    ));
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(path, text)| (path.as_str(), text.clone().into_bytes())).collect();
    let report = scan_files("cycles", &files);
    assert_eq!(rules(&report), ["command-injection"]);
}

#[test]
fn files_that_are_not_what_they_claim() {
    let text = format!("{EXEC}exec(process.argv[2])").into_bytes();
    let invalid = [&b"// \xff\xfe\xc3\x28\xed\xa0\x80 \xf8\x88 these bytes are no UTF-8\n"[..], &text].concat();
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.iter().flat_map(|&byte| [byte, 0])).collect();
    let elf = [&b"\x7fELF\x02\x01\x01"[..], &[0; 1000]].concat();
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[7; 1000]].concat();
    let files = [
        ("invalid.js", invalid),
        ("utf16.js", utf16),
        ("elf.js", elf.clone()),
        ("png.jsx", png),
        ("zeros.js", vec![0; 100_000]),
        ("noise.ts", (0..100_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect()),
        ("empty.js", Vec::new()),
        ("json.js", b"{\"a\": [1, 2, 3], \"b\": null}".to_vec()),
        ("html.js", b"<!doctype html><html><body>404</body></html>".to_vec()),
        ("python.js", b"import os\ndef f(x):\n    return os.system(x)\n".to_vec()),
        ("text.tgz", b"no archive at all".to_vec()),
        ("cut.zip", b"PK\x03\x04\x14\0\0\0\x08\0".to_vec()),
        ("script.html", elf),
        ("package.json", b"[[[[{\"main\": \"\\ud800\", \"bin\": {\"\": 7}}".to_vec()),
        (
            "tsconfig.json",
            b"{\"extends\": \"./tsconfig.json\", \"compilerOptions\": {\"paths\": {\"*\": [\"*\"]}}}".to_vec(),
        ),
        ("tool", [b"#!/usr/bin/env node\n", &text[..]].concat()),
        ("types.d.ts", b"export declare function f(x: string): void;".to_vec()),
        ("line.js", [vec![b'a'; 1 << 20], b";".to_vec(), text.clone()].concat()),
        ("lines.js", [vec![b'\n'; 1 << 20], text].concat()),
    ];
    let report = scan_files("claims", &files);
    for path in ["elf.js", "zeros.js", "noise.ts"] {
        assert!(matches!(outcome(&report, path), FileOutcome::Failed(_)), "{path}: {:?}", outcome(&report, path));
    }
    assert_eq!(*outcome(&report, "empty.js"), FileOutcome::Scanned);
    assert_eq!(*outcome(&report, "types.d.ts"), FileOutcome::Skipped(SkipReason::Declarations));
    let found: Vec<&str> = report
        .findings
        .iter()
        .map(|finding| report.coverage.files[finding.sink().file as usize].path.as_str())
        .collect();
    assert_eq!(found, ["invalid.js", "line.js", "lines.js", "tool", "utf16.js"]);
}

/// Files around the code: a long `package.json`, a long source map, a page with many scripts.
#[test]
fn long_files_around_the_code() {
    let dependencies = repeat(count() * 4, "\"package-#\": \"^1.0.%\",");
    let exports = repeat(count() * 4, "\"./a#\": {\"import\": \"./b%.mjs\", \"require\": [\"./b#.js\", null]},");
    let package = format!(
        "{{\"main\": \"index.js\", \"bin\": \"index.js\", \"dependencies\": {{{dependencies}\"z\": \"*\"}}, \"exports\": {{{exports}\".\": \"./index.js\"}}}}"
    );
    let map = format!(
        "{{\"version\": 3, \"sources\": [{}\"z\"], \"mappings\": \"{}\"}}",
        repeat(count() * 4, "\"webpack://a/#.js\","),
        "AAAA,CAAC;".repeat(count() * 20)
    );
    let page = repeat(count(), "<script>var v# = v%; function f#() { return f%(v#) }</script>\n");
    let files = [
        ("package.json", package.into_bytes()),
        ("index.js", format!("{EXEC}exec(process.argv[2])\n//# sourceMappingURL=index.js.map\n").into_bytes()),
        ("index.js.map", map.into_bytes()),
        ("page.html", format!("<!doctype html>{page}").into_bytes()),
    ];
    let report = scan_files("around", &files);
    let found =
        report.findings.iter().filter(|finding| report.coverage.files[finding.sink().file as usize].path == "index.js");
    assert_eq!(found.count(), 1);
}

/// Files that hide their nesting from the estimate.
#[test]
fn nesting_that_hides() {
    let text = |first: &str, level: &str| format!("{first}{}", level.repeat(count() * 8)).into_bytes();
    let files = [
        ("comment.jsx", text("<p>//</p>;", "(')',")),
        ("text.jsx", text("", "(<p>)</p>")),
        ("expression.ts", text("type A=B\n/'/;", "(\")\"")),
        ("template.ts", text("type A=B\n/`/;", "[\"]\",")),
        ("index.js", format!("{EXEC}exec(process.argv[2])").into_bytes()),
    ];
    let report = scan_files("hiding", &files);
    assert_eq!(rules(&report), ["command-injection"]);
    for (path, _) in &files[..4] {
        assert!(matches!(outcome(&report, path), FileOutcome::Failed(_)), "{path}: {:?}", outcome(&report, path));
    }
}

#[test]
fn a_scan_ends_at_its_time_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let calls: String = (1..=40).map(|step| format!("t[f{}](x);", step * 9973 % count())).collect();
    let text = repeat(count(), &format!("function f#(x) {{ {calls} t.push(f%, x); return x }}\n"));
    fs::write(folder.path().join("index.js"), format!("const t = [];{text}")).expect("a file");
    let mut options = ScanOptions::default();
    options.time_limit = Some(Duration::ZERO);
    let start = Instant::now();
    let report = scan_folder("time limit", folder.path(), options);
    assert!(start.elapsed() < Duration::from_secs(60), "the scan took {:?}", start.elapsed());
    assert!(report.coverage.is_interrupted);
}

#[test]
fn a_scan_keeps_its_memory_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..4 {
        fs::write(folder.path().join(format!("{number}.js")), repeat(10_000, "f#(a, b%);\n")).expect("a file");
    }
    let mut options = ScanOptions::default();
    options.memory = 20 << 20;
    let report = scan_folder("memory limit", folder.path(), options);
    assert!(report.coverage.is_incomplete());
    let failed = report.coverage.files.iter().filter(|file| matches!(file.outcome, FileOutcome::Failed(_))).count();
    assert!(failed > 0 && failed < 4, "{failed} files failed");
}

/// Scans files with a part of the usual work.
fn scan_with_effort(files: &[(&str, String)], effort: u32) -> ScanReport {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, content) in files {
        fs::write(folder.path().join(path), content).expect("a file");
    }
    let mut options = ScanOptions::default();
    options.effort = effort;
    scan_folder("effort", folder.path(), options)
}

#[test]
fn a_program_beyond_a_limit_takes_no_other_one_with_it() {
    let server = "const { exec } = require('child_process');\n\
                  module.exports = (req, res) => { exec(req.query.name); };\n";
    // Each function calls all functions of a table.
    let big = format!("const t = [];\n{}", repeat(2000, "t.push(function (a, b) { return t[b](a, #); });\n"));
    let files = [("big.js", big.clone()), ("server.js", server.to_owned())];
    let report = scan_with_effort(&files, 1);
    let problems: Vec<_> = report.coverage.problems.iter().collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].path, "big.js");
    assert!(problems[0].is_incomplete && problems[0].message.contains("--effort"), "{problems:?}");
    assert_eq!(rules(&report), ["command-injection"], "the flow of the other program is found");
    // Files that import each other are one program.
    let linked = [("big.js", big), ("server.js", format!("require('./big');\n{server}"))];
    let report = scan_with_effort(&linked, 1);
    assert!(report.coverage.is_incomplete());
    assert!(report.coverage.problems[0].message.contains("and of 1 file"), "{:?}", report.coverage.problems);
    // With the usual work nothing is missing.
    let report = scan_with_effort(&linked, 100);
    assert!(!report.coverage.is_incomplete(), "{:?}", report.coverage.problems);
    assert_eq!(rules(&report), ["command-injection"]);
}
