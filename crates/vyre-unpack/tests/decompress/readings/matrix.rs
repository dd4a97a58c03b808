//! The readings table as a test: real tools unpack the crafted archives, and every file that any of them writes must be an
//! entry here. Where two tools write different files, a problem must be reported.
//!
//! Tools are found at run time. A missing tool is printed as skipped: `cargo test ... matrix -- --nocapture`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use vyre_unpack::{EntryKind, Options};

use super::crafted::{Crafted, tars, zips};
use crate::collect::{Collected, open_with};

/// Object that a tool wrote at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Written {
    File(Vec<u8>),
    Link(String),
}

type Tree = BTreeMap<String, Written>;

/// Unpacks an archive to a directory. Returns whether the tool reports success.
type Unpack = dyn Fn(&Path, &Path) -> bool;

/// A tool that unpacks archives.
struct Tool {
    name: &'static str,
    run: Box<Unpack>,
}

/// Runs a command. Its output is ignored.
fn succeeds(program: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The program of this name in the search path.
fn program(names: &[&str]) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths)
        .flat_map(|path| names.iter().map(move |name| path.join(name)))
        .find(|path| path.is_file())
}

/// A tool that is a program, with its arguments before `archive` and `directory`.
fn command(name: &'static str, programs: &[&str], arguments: fn(&str, &str) -> Vec<String>) -> Option<Tool> {
    let Some(program) = program(programs) else {
        println!("{name}: skipped, it is not installed");
        return None;
    };
    let run = move |archive: &Path, directory: &Path| {
        let arguments = arguments(archive.to_str().unwrap(), directory.to_str().unwrap());
        succeeds(&program, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    Some(Tool { name, run: Box::new(run) })
}

fn owned(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&argument| argument.to_owned()).collect()
}

/// node-tar, as npm has it.
fn npm() -> Option<Tool> {
    let found = program(&["node"]).zip(program(&["npm"])).and_then(|(node, npm)| {
        let root = Command::new(npm).args(["root", "-g"]).output().ok()?;
        let module = PathBuf::from(String::from_utf8(root.stdout).ok()?.trim()).join("npm/node_modules/tar");
        module.is_dir().then_some((node, module))
    });
    let Some((node, module)) = found else {
        println!("npm: skipped, it is not installed");
        return None;
    };
    let script = format!(
        "require({:?}).x({{file: process.argv[1], cwd: process.argv[2], sync: true}})",
        module.to_str().unwrap()
    );
    let run = move |archive: &Path, directory: &Path| {
        succeeds(&node, &["-e", &script, archive.to_str().unwrap(), directory.to_str().unwrap()])
    };
    Some(Tool { name: "npm", run: Box::new(run) })
}

/// The libraries of Go, in a program that is compiled once. The directory must exist as long as the tools.
fn go(directory: &Path) -> [Option<Tool>; 2] {
    let source = directory.join("unpack.go");
    let unpack = directory.join("unpack");
    fs::write(&source, include_str!("unpack.go")).unwrap();
    let Some(go) = program(&["go"]) else {
        println!("Go: skipped, it is not installed");
        return [None, None];
    };
    assert!(succeeds(&go, &["build", "-o", unpack.to_str().unwrap(), source.to_str().unwrap()]), "unpack.go compiles");
    ["tar", "zip"].map(|format| {
        let unpack = unpack.clone();
        let run = move |archive: &Path, directory: &Path| {
            succeeds(&unpack, &[format, archive.to_str().unwrap(), directory.to_str().unwrap()])
        };
        Some(Tool { name: "Go", run: Box::new(run) })
    })
}

const PYTHON_TAR: &str = "import sys, tarfile
archive = tarfile.open(sys.argv[1])
archive.extractall(sys.argv[2], filter='data')";
const PYTHON_ZIP: &str = "import sys, zipfile
zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";

fn tar_tools(go: Option<Tool>) -> Vec<Tool> {
    let rust = |archive: &Path, directory: &Path| {
        tar::Archive::new(fs::File::open(archive).unwrap()).unpack(directory).is_ok()
    };
    let tools = [
        command("GNU tar", &["gtar", "tar"], |archive, directory| owned(&["-xf", archive, "-C", directory])),
        command("bsdtar", &["bsdtar"], |archive, directory| owned(&["-xf", archive, "-C", directory])),
        command("Python", &["python3"], |archive, directory| owned(&["-c", PYTHON_TAR, archive, directory])),
        npm(),
        command("7-Zip", &["7zz", "7z"], |archive, directory| {
            owned(&["x", "-y", "-ttar", &format!("-o{directory}"), archive])
        }),
        go,
        Some(Tool { name: "cargo", run: Box::new(rust) }),
    ];
    tools.into_iter().flatten().collect()
}

fn zip_tools(go: Option<Tool>) -> Vec<Tool> {
    let rust = |archive: &Path, directory: &Path| {
        zip::ZipArchive::new(fs::File::open(archive).unwrap())
            .and_then(|mut archive| archive.extract(directory))
            .is_ok()
    };
    let tools = [
        command("unzip", &["unzip"], |archive, directory| owned(&["-o", "-q", "-P", "x", archive, "-d", directory])),
        command("bsdtar", &["bsdtar"], |archive, directory| owned(&["-xf", archive, "-C", directory])),
        command("Python", &["python3"], |archive, directory| owned(&["-c", PYTHON_ZIP, archive, directory])),
        command("7-Zip", &["7zz", "7z"], |archive, directory| {
            owned(&["x", "-y", "-tzip", "-px", &format!("-o{directory}"), archive])
        }),
        go,
        Some(Tool { name: "Rust", run: Box::new(rust) }),
    ];
    tools.into_iter().flatten().collect()
}

/// Files and links below a directory.
fn tree(root: &Path) -> Tree {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if metadata.is_symlink() {
                found.insert(name, Written::Link(fs::read_link(&path).unwrap().to_string_lossy().into_owned()));
            } else if metadata.is_dir() {
                pending.push(path);
            } else if metadata.is_file() {
                found.insert(name, Written::File(fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found
}

/// Forms of a name under which tools write it.
fn forms(name: &[u8]) -> Vec<String> {
    let name = String::from_utf8_lossy(name).into_owned();
    let join = |name: &str, drops_parents: bool| {
        let parts =
            name.split('/').filter(|part| !part.is_empty() && *part != "." && !(drops_parents && *part == ".."));
        parts.collect::<Vec<_>>().join("/")
    };
    let cut = name.split('\0').next().unwrap_or_default().to_owned();
    vec![join(&name, false), join(&name, true), join(&name.replace('\\', "/"), true), join(&cut, true)]
}

/// True if an entry is what a tool wrote.
fn has(collected: &Collected, path: &str, written: &Written) -> bool {
    collected.entries.iter().any(|entry| {
        let names = forms(entry.path.names.last().unwrap());
        let content = |bytes: &[u8]| match &entry.kind {
            EntryKind::File => &entry.bytes[..] == bytes,
            // A hard link has the content of its target.
            EntryKind::Hardlink { .. } => true,
            _ => false,
        };
        names.iter().any(|name| name == path)
            && match (written, &entry.kind) {
                (Written::File(bytes), _) => content(bytes),
                (Written::Link(target), EntryKind::Symlink { target: own }) => target.as_bytes() == &own[..],
                (Written::Link(_), _) => false,
            }
    })
}

/// Unpacks each archive with each tool and compares.
fn check(archives: Vec<Crafted>, tools: &[Tool]) -> Vec<String> {
    let mut failures = Vec::new();
    for Crafted { name, format, bytes, is_agreed } in archives {
        let (collected, summary) = open_with("x", bytes.clone(), Options::default());
        let is_reported = !summary.is_ok_and(|summary| summary.is_clean())
            || collected.entries.iter().any(|entry| forms(&entry.path.names[0])[0].starts_with(".."));
        let mut trees: Vec<(Tree, Vec<&str>)> = Vec::new();
        for tool in tools {
            let folder = TempDir::new().unwrap();
            let archive = folder.path().join(format!("archive.{format}"));
            let directory = folder.path().join("out");
            fs::write(&archive, &bytes).unwrap();
            fs::create_dir(&directory).unwrap();
            let is_success = (tool.run)(&archive, &directory);
            let found = tree(&directory);
            for (path, written) in &found {
                // A tool that fails may leave a file without content, and 7-Zip makes up a name for a file without one.
                let is_empty = matches!(written, Written::File(bytes) if bytes.iter().all(|&byte| byte == 0));
                let is_made_up = path == "archive";
                let counts = (is_success || !is_empty) && !is_made_up;
                if counts && !has(&collected, path, written) {
                    failures.push(format!("{format}, {name}: {} writes {path}: {written:?}", tool.name));
                }
            }
            if is_success {
                match trees.iter_mut().find(|(other, _)| *other == found) {
                    Some((_, names)) => names.push(tool.name),
                    None => trees.push((found, vec![tool.name])),
                }
            }
        }
        let groups: Vec<String> = trees.iter().map(|(_, names)| names.join(", ")).collect();
        println!("{format}, {name}: {}{}", groups.join(" | "), if is_reported { "; reported" } else { "" });
        if trees.len() > 1 && !is_reported {
            failures.push(format!("{format}, {name}: not reported, although tools differ: {}", groups.join(" | ")));
        }
        if is_agreed && (trees.len() > 1 || is_reported) {
            failures.push(format!("{format}, {name}: reported, or tools differ: {}", groups.join(" | ")));
        }
    }
    failures
}

#[test]
fn every_file_that_a_tool_writes_is_an_entry() {
    let (tars, zips) = (tars(), zips());
    assert!(tars.len() + zips.len() >= 60);
    let folder = TempDir::new().unwrap();
    let [go_tar, go_zip] = go(folder.path());
    let mut failures = check(tars, &tar_tools(go_tar));
    failures.extend(check(zips, &zip_tools(go_zip)));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
