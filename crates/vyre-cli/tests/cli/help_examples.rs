//! Examples of help texts: every command has some, and those that need neither a GPU nor a network nor another program work.
#![cfg(feature = "jit")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::harness::{Sandbox, finish, vyre};

/// A command with its help.
struct Help {
    /// Names of the command, without `vyre`.
    command: Vec<String>,
    text: String,
}

/// Help texts of all commands, found in the lists of commands.
fn helps() -> Vec<Help> {
    let sandbox = Sandbox::new(&[]);
    let mut helps = Vec::new();
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(command) = commands.pop() {
        let args: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let text = sandbox.run(&args).text().to_owned();
        let list = text.split_once("\nCommands:\n").map_or("", |(_, list)| list);
        let names = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
        for name in names.filter(|name| *name != "help") {
            commands.push(command.iter().cloned().chain([name.to_owned()]).collect());
        }
        helps.push(Help { command, text });
    }
    helps
}

/// Examples of a help text, without comments, with continued lines joined.
fn examples(help: &str) -> Vec<String> {
    let section = help.split_once("\nExamples:\n").map_or("", |(_, section)| section);
    let mut examples = Vec::new();
    let mut is_continued = false;
    for line in section.lines() {
        let line = line.trim();
        let command = line.split("  ").next().unwrap_or_default();
        let (command, goes_on) = command.strip_suffix('\\').map_or((command, false), |command| (command, true));
        if is_continued {
            let last: &mut String = examples.last_mut().expect("a line before");
            last.push_str(command);
        } else if command.split(' ').any(|word| word == "vyre") {
            examples.push(command.to_owned());
        }
        is_continued = goes_on;
    }
    examples
}

/// Splits a command at blanks outside single quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(position, part)| match position % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    words.collect()
}

fn examples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Files of the examples, by the names that the help texts use.
fn files() -> Sandbox {
    let sandbox = Sandbox::new(&[
        ("ids.txt", "1\n2\n3\n"),
        ("sources.txt", "0 source\n17 source\n"),
        ("book.txt", &"A line of a book.\n".repeat(1000)),
    ]);
    for (example, names) in [
        ("prefix_sum.vyre", &["sum.vyre", "a.vyre", "programs/sum.vyre", "src/sum.vyre"][..]),
        ("byte_histogram.vyre", &["count.vyre"]),
        ("not_blocked.vyre", &["typed.vyre"]),
        ("calls.csv", &["calls.csv", "links.csv"]),
        ("calls-roles.csv", &["roles.csv"]),
        ("calls-rules.toml", &["rules.toml"]),
        ("calls-attributes.csv", &["places.csv"]),
        ("builds.txt", &["builds.txt"]),
        ("shop/package-lock.json", &["package-lock.json"]),
        ("shop/GHSA-ww39-953v-wcq6.json", &["advisories/GHSA-ww39-953v-wcq6.json"]),
        ("package.zip", &["package.tgz", "app.jar", "upload.zip", "wheel.whl"]),
    ] {
        let contents = fs::read(examples_folder().join(example)).expect("an example");
        names.iter().for_each(|name| sandbox.write(name, &contents));
    }
    sandbox.write("Cargo.lock", b"[[package]]\nname = \"app\"\nversion = \"1.0.0\"\n");
    sandbox.write("builds.csv", b"compile,link\nlink,test\n");
    let page = fs::read_to_string(examples_folder().join("../docs/tutorial/rule.md")).expect("a page");
    let rules = page.split_once("file=company.toml\n").and_then(|(_, rest)| rest.split_once("```"));
    sandbox.write("company.toml", rules.expect("rules").0.as_bytes());
    for command in [
        "convert sum.vyre -o sum.vir",
        "graph generate calls --nodes 2000 --program 200 --seed 1 --roles 2 -o generated.vgr",
        "graph convert generated.vgr --nodes sources.txt -o calls.vgr",
        "graph convert calls.vgr -o calls.txt --nodes-out roles.txt",
        "graph convert calls.vgr -o roads.mtx",
        "graph convert calls.vgr -o links.txt",
        "graph convert calls.vgr -o links.vgr",
        "graph convert builds.txt -o builds.vgr",
    ] {
        let run = sandbox.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{command}: {}", run.stderr);
    }
    let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    compressed.write_all(&sandbox.read("links.txt")).expect("a vector");
    sandbox.write("links.txt.gz", &compressed.finish().expect("a vector"));
    sandbox
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a file can be copied");
        }
    }
}

/// True for examples that need a GPU, a network, other programs, a corpus or much time. Scans and the conformance suite have tests of
/// their own.
fn is_left_out(example: &str) -> bool {
    !example.starts_with("vyre ")
        || ["vyre scan", "vyre conform", "--backend wgpu", "--backend cuda", "devices", "--nodes 1000000"]
            .iter()
            .any(|part| example.contains(part))
        || example == "vyre rules test"
}

#[test]
fn every_command_has_examples() {
    for Help { command, text } in helps() {
        assert!(!examples(&text).is_empty(), "the help of `vyre {}` has no example", command.join(" "));
    }
}

#[test]
fn examples_of_help_texts_work() {
    let files = files();
    let mut count = 0;
    for Help { command, text } in helps() {
        for example in examples(&text).into_iter().filter(|example| !is_left_out(example)) {
            count += 1;
            // Examples may replace files.
            let sandbox = Sandbox::new(&[]);
            copy(files.root(), sandbox.root());
            let first = example.split(" | ").next().unwrap_or(&example).split(" && ").next().unwrap_or(&example);
            let (first, input) = first.split_once(" < ").unwrap_or((first, ""));
            let input = input.split(' ').next().filter(|file| !file.is_empty()).map(|file| sandbox.path(file));
            let first = first.split(" > ").next().unwrap_or(first);
            let mut vyre = vyre(sandbox.root());
            vyre.args(words(first).into_iter().skip(1));
            if let Some(input) = input {
                vyre.stdin(fs::File::open(input).expect("the input of the example"));
            }
            let run = finish(&mut vyre);
            // Findings, cycles and missing paths have exit code 1.
            let is_good = matches!(run.code, Some(0 | 1));
            assert!(is_good, "help of `vyre {}`: {example}\n{}", command.join(" "), run.stderr);
        }
    }
    assert!(count > 70, "only {count} examples were found");
}
