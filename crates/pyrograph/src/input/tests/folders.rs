//! Folders, single files, several paths, patterns, limits.

use super::*;
use crate::coverage::SkipReason;

#[test]
fn folders_are_read_in_order_of_paths() {
    let input = read_files(&[
        ("b.js", b"b"),
        ("a/z.ts", b"z"),
        ("a.js", b"a"),
        ("a/b/c.mjs", b"c"),
        ("node_modules/x/index.js", b"x"),
        ("x.rb", b"x"),
        ("data.json", b"{}"),
        (".git/HEAD", b"ref"),
        ("script", b"#!/usr/bin/env -S node --x\n1"),
        ("LICENSE", b"MIT"),
    ]);
    assert_eq!(sources(&input), ["a.js", "a/b/c.mjs", "a/z.ts", "b.js", "script"]);
    let skipped = |path: &str| match outcome(&input, path) {
        FileOutcome::Skipped(reason) => *reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(skipped("node_modules/x/index.js"), SkipReason::Dependency);
    assert_eq!(skipped("x.rb"), SkipReason::UnsupportedLanguage);
    assert_eq!(skipped("data.json"), SkipReason::NotCode);
    assert_eq!(skipped(".git/HEAD"), SkipReason::NotCode);
    assert_eq!(skipped("LICENSE"), SkipReason::NotCode);
    assert!(input.coverage.files.is_sorted_by_key(|record| record.path.as_bytes()));
    assert!(!input.coverage.is_incomplete());
}

#[test]
fn folders_of_dependencies_count_below_the_scanned_path_only() {
    let folder = folder(&[("node_modules/x/index.js", b"x"), ("node_modules/x/node_modules/y/index.js", b"y")]);
    let input = read_path(&folder.path().join("node_modules/x"));
    assert_eq!(sources(&input), ["index.js"]);
    let options = ScanOptions { dependencies: true, ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    assert_eq!(input.sources.len(), 2);
}

#[test]
fn several_paths_have_prefixes() {
    let folder =
        folder(&[("a/x.js", b"1"), ("b/x.js", b"2"), ("c.tgz", &tgz(&[("package/i.js", b"3")])), ("d.js", b"4")]);
    let path = |name: &str| folder.path().join(name);
    let root = crate::input::display(folder.path());
    let read = |names: &[&str]| {
        let paths: Vec<PathBuf> = names.iter().map(|name| path(name)).collect();
        let input = try_read(&paths, &ScanOptions::default()).expect("input");
        sources(&input).iter().map(|path| path.replace(&root, "")).collect::<Vec<_>>()
    };
    let expected = ["/a/x.js", "/b/x.js", "/c.tgz!/package/i.js", "/d.js"];
    assert_eq!(read(&["a", "b", "c.tgz", "d.js"]), expected);
    assert_eq!(read(&["d.js", "c.tgz", "b", "a"]), expected, "any order");
    assert_eq!(read(&["", "a", "a/x.js", "d.js"]), expected, "overlaps count once");
    assert_eq!(read(&["a", "a/"]), ["x.js"], "the same path twice is one path");
    assert_eq!(read(&["d.js"]), ["d.js"]);
}

#[test]
fn a_named_file_without_extension_is_code() {
    let folder = folder(&[("x/tool", b"alert(1)"), ("x/README.md", b"# x")]);
    assert_eq!(sources(&read_path(&folder.path().join("x/tool"))), ["tool"]);
    let input = read_path(&folder.path().join("x/README.md"));
    assert_eq!(outcomes(&input), [("README.md", &FileOutcome::Skipped(SkipReason::NotCode))]);
}

/// A pattern that leaves out a program without an extension leaves out code.
#[test]
fn programs_without_extension_that_are_left_out_are_missed() {
    let program: &[u8] = b"#!/usr/bin/env node\nalert(1)";
    let files: [(&str, &[u8]); 3] = [("cli", program), ("LICENSE", b"MIT"), ("a.tgz", &tgz(&[("bin/cli", program)]))];
    let folder = folder(&files);
    let read = |path: &str, exclude: &str| {
        let options = ScanOptions { exclude: vec![exclude.to_owned()], ..ScanOptions::default() };
        try_read(&[folder.path().join(path)], &options).expect("input").coverage
    };
    for (path, exclude, is_incomplete) in [
        ("cli", "cli", true),
        ("", "cli", true),
        ("a.tgz", "bin", true),
        ("LICENSE", "x", false),
        ("", "LICENSE", false),
    ] {
        let coverage = read(path, exclude);
        assert_eq!(coverage.is_incomplete(), is_incomplete, "{path} without {exclude}: {:?}", coverage.problems);
    }
}

/// Text in UTF-16 with a mark is read; without one it is reported.
#[test]
fn utf16_is_never_misread() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let marked = |text: &str| [b"\xff\xfe".to_vec(), wide(text)].concat();
    let input = read_files(&[
        ("a.js", &marked("run(1)")),
        ("b.js", &wide("run(1)")),
        ("c.html", &wide("<p><script>run(1)</script>")),
        ("d.html", &marked("<p><script>run(1)</script>")),
        ("e.html", &wide("<p>no code</p>")),
        ("tool", &marked("#!/usr/bin/env node\nrun(1)")),
        ("f.js", b"\xfe\xffrun(1)"),
    ]);
    assert_eq!(sources(&input), ["a.js", "d.html", "f.js", "tool"]);
    assert_eq!(&*input.sources[2].text, "run(1)");
    for path in ["b.js", "c.html"] {
        assert!(matches!(outcome(&input, path), FileOutcome::Failed(_)), "{path}");
    }
    assert_eq!(*outcome(&input, "e.html"), FileOutcome::Skipped(SkipReason::NotCode));
}

#[test]
fn patterns_select_files() {
    let folder = folder(&[
        ("src/a.js", b""),
        ("src/a.test.js", b""),
        ("test/b.js", b""),
        ("lib.zip", &zip(&[("c.js", b""), ("d.md", b"")])),
        ("package.json", b"{\"name\": \"p\"}"),
    ]);
    let read = |include: &[&str], exclude: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let options = ScanOptions { include: own(include), exclude: own(exclude), ..ScanOptions::default() };
        let input = try_read(&[folder.path().to_owned()], &options).expect("input");
        sources(&input).iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(read(&[], &["*.test.js", "test"]), ["lib.zip!/c.js", "src/a.js"]);
    assert_eq!(read(&["src"], &[]), ["src/a.js", "src/a.test.js"]);
    assert_eq!(read(&["c.js"], &[]), ["lib.zip!/c.js"]);
    assert_eq!(read(&[], &["lib.zip"]), ["src/a.js", "src/a.test.js", "test/b.js"]);
    let options = ScanOptions { include: vec!["*.js".to_owned()], ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    assert_eq!(input.packages.len(), 1, "manifests are read whatever is included");
    let options = ScanOptions { exclude: vec!["lib.zip".to_owned()], ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    assert_eq!(*outcome(&input, "lib.zip"), FileOutcome::Skipped(SkipReason::Excluded));
}

#[test]
fn limits_make_files_fail() {
    let folder =
        folder(&[("a.js", b"12345678"), ("b.js", b"123456789"), ("b.md", b"123456789"), ("c.js", b"12345678")]);
    let options = ScanOptions { max_file_bytes: 8, ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    assert_eq!(sources(&input), ["a.js", "c.js"]);
    let FileOutcome::Failed(message) = outcome(&input, "b.js") else { panic!() };
    assert!(message.contains("exceeds the limit"), "{message}");
    assert!(input.coverage.is_incomplete());
    let options = ScanOptions { memory: 70, ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    assert_eq!(sources(&input), ["a.js", "b.js"]);
    let FileOutcome::Failed(message) = outcome(&input, "c.js") else { panic!() };
    assert!(message.contains("memory limit"), "{message}");
}

#[test]
fn markup_has_scripts() {
    let html = "<html>\n<script>alert(1)</script></html>";
    let vue = "<template/>\n<script lang=ts>let a: string</script>";
    let input = read_texts(&[("a.html", html), ("b.vue", vue), ("c.htm", "<p>")]);
    assert_eq!(sources(&input), ["a.html", "b.vue"]);
    let record = &input.coverage.files[0];
    assert_eq!(record.text.as_deref(), Some(html));
    assert_eq!(input.sources[0].text.len(), html.len());
    assert_eq!(input.sources[0].text.find("alert"), html.find("alert"));
    assert_eq!(input.coverage.files[1].language, Some("typescript"));
}

#[test]
fn cancelled_input_is_marked() {
    let folder = folder(&[("a.js", b"1"), ("x.tgz", &tgz(&[("b.js", b"")]))]);
    for path in [folder.path().to_owned(), folder.path().join("x.tgz")] {
        let input = read(&[path], &ScanOptions::default(), &|| true, &|_| {}).expect("input");
        assert!(input.coverage.is_interrupted && input.coverage.is_incomplete());
        assert!(input.sources.is_empty());
    }
}

#[test]
fn files_of_a_cancelled_input_are_listed() {
    let files: [(&str, &[u8]); 5] =
        [("a.js", b"1"), ("b/c.py", b"2"), ("node_modules/d.js", b"3"), ("e.md", b"4"), ("b/f.js", b"5")];
    let folder = folder(&files);
    let options = ScanOptions { exclude: vec!["f.js".to_owned(), "nothing".to_owned()], ..ScanOptions::default() };
    let input = read(&[folder.path().to_owned()], &options, &|| true, &|_| {}).expect("input");
    let expected = [
        ("a.js", &FileOutcome::TimedOut),
        ("b/c.py", &FileOutcome::TimedOut),
        ("b/f.js", &FileOutcome::Skipped(SkipReason::Excluded)),
        ("e.md", &FileOutcome::Skipped(SkipReason::NotCode)),
        ("node_modules/d.js", &FileOutcome::Skipped(SkipReason::Dependency)),
    ];
    assert_eq!(outcomes(&input), expected);
    assert!(input.warnings.is_empty(), "{:?}", input.warnings);
    let archive = folder.path().join("x.tgz");
    fs::write(&archive, tgz(&files)).expect("a file");
    let input = read(&[archive], &options, &|| true, &|_| {}).expect("input");
    assert_eq!(outcome(&input, "a.js"), &FileOutcome::TimedOut);
    assert!(input.sources.is_empty());
}

#[test]
fn first_lines_count_for_unknown_extensions() {
    let mut long = b"#!/usr/bin/env node\n".to_vec();
    long.resize(2 << 20, b' ');
    let input = read_files(&[
        ("tool.cmd.in", b"#!/usr/bin/env node\nx()"),
        ("run.x", b"#!/usr/bin/python3\nx()"),
        ("long.x", &long),
        ("other.x", b"#!/bin/sh\nx"),
        ("text.x", b"x()"),
        ("data.json", b"#!/usr/bin/env node\nx()"),
    ]);
    assert_eq!(sources(&input), ["long.x", "run.x", "tool.cmd.in"]);
    assert!(!input.coverage.is_incomplete());
}

#[test]
fn images_have_scripts() {
    let input = read_files(&[
        ("a.svg", b"<svg xmlns='x'><script href='b.js'/><script><![CDATA[a()]]></script><g onclick='b()'/></svg>"),
        ("b.svg", b"<svg><path d='M0'/></svg>"),
    ]);
    assert_eq!(sources(&input), ["a.svg"]);
    let text = &input.sources[0].text;
    assert!(text.contains("a()") && text.contains("b()") && !text.contains("script"), "{text}");
    assert_eq!(outcome(&input, "b.svg"), &FileOutcome::Skipped(SkipReason::NotCode));
}

#[test]
fn progress_counts_files() {
    let folder = folder(&[("a.js", b"123"), ("b.md", b"12")]);
    let last = std::sync::Mutex::new(None);
    let progress = |progress| *last.lock().expect("lock") = Some(progress);
    read(&[folder.path().to_owned()], &ScanOptions::default(), &|| false, &progress).expect("input");
    let last = last.lock().expect("lock").expect("progress");
    assert_eq!((last.files, last.bytes), (2, 5));
}

#[test]
fn missing_paths_are_errors() {
    let missing = PathBuf::from("does/not/exist");
    assert!(matches!(try_read(&[missing], &ScanOptions::default()), Err(InputError::Read { .. })));
    assert!(matches!(try_read(&[], &ScanOptions::default()), Err(InputError::NoPath)));
}

#[test]
fn patterns_that_match_nothing_are_reported() {
    let folder = folder(&[("src/a.js", b"a"), ("test/b.js", b"b"), ("package.json", b"{}")]);
    let read = |include: &[&str], exclude: &[&str]| {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let options = ScanOptions { include: own(include), exclude: own(exclude), ..ScanOptions::default() };
        try_read(&[folder.path().to_owned()], &options).expect("input")
    };
    let input = read(&["src", "package.json"], &["test"]);
    assert!(input.warnings.is_empty() && !input.coverage.is_incomplete(), "{:?}", input.warnings);
    let input = read(&["src", "scr"], &["tests/**", "*.js.map"]);
    assert_eq!(sources(&input), ["src/a.js"]);
    let patterns = ["`scr` of --include", "`tests/**` of --exclude", "`*.js.map` of --exclude"];
    assert_eq!(input.warnings, patterns.map(|pattern| format!("the pattern {pattern} matches no path")));
    // Nothing is left to scan.
    for input in [read(&["scr"], &[]), read(&[], &["*.js"])] {
        assert!(input.sources.is_empty() && input.coverage.is_incomplete());
        assert!(input.coverage.problems[0].message.starts_with("no file is left to scan: "));
    }
}

#[test]
fn an_input_without_code_is_complete_but_not_silent() {
    let input = read_files(&[("README.md", b"# a"), ("a.d.ts", b"export {}")]);
    assert!(!input.coverage.is_incomplete());
    assert_eq!(input.warnings, ["no file was scanned: the input has no code of JavaScript, TypeScript or Python"]);
    let input = read_files(&[("node_modules/a/index.js", b"a")]);
    assert!(input.coverage.is_incomplete() && input.warnings.is_empty());
}
