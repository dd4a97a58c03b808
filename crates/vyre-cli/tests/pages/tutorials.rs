//! The README, tutorials and how-to pages work as written. A page is read from top to bottom, in a folder with the examples of the repository:
//!
//! - a block with `file=NAME`, such as ` ```js,file=app/index.js `, is a file that the reader writes;
//! - each line of an `sh` block is a command; `# exit code 1` at its end is the expected exit code;
//! - a block `text,output` is the standard output of the command before it, or its standard error if that is all it prints;
//! - commands that begin with `cargo` are not run here: CI runs these examples.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::{check_page, root};

/// Folder with the examples.
fn folder() -> TempDir {
    let folder = TempDir::new().expect("a temporary directory");
    let target = folder.path().join("examples");
    copy(&root().join("examples"), &target);
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("examples") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).expect("a file can be copied");
        }
    }
}

/// Splits a command at spaces outside single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in command.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            other => words.last_mut().expect("a word").push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs a line of a block. Returns its output.
fn run(page: &str, line: &str, folder: &Path) -> String {
    let (command, comment) = line.split_once(" #").unwrap_or((line, ""));
    let expected = comment.split_once("exit code ").map_or(0, |(_, code)| {
        code.split(|c: char| !c.is_ascii_digit()).next().and_then(|code| code.parse().ok()).expect("an exit code")
    });
    let mut words = words(command).into_iter();
    match words.next().as_deref() {
        Some("vyre") => {}
        Some("cargo") => return String::new(),
        _ => panic!("{page}: `{line}` is no command of the tutorial"),
    }
    let mut vyre = Command::new(env!("CARGO_BIN_EXE_vyre"));
    vyre.args(words).current_dir(folder).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
    let output = vyre.output().expect("the command runs");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(output.status.code(), Some(expected), "{page}: {line}\n{stdout}{stderr}");
    if stdout.is_empty() { stderr } else { stdout }
}

/// Follows a page. Returns the page with the outputs of its commands, and the number of commands.
fn follow(page: &str, text: &str, is_run: impl Fn(&str) -> bool) -> (String, usize) {
    let folder = folder();
    let (mut actual, mut output, mut count) = (String::new(), None, 0);
    let mut rest = text;
    while let Some((before, block)) = rest.split_once("```") {
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        let (body, after) = body.split_once("```").unwrap_or_else(|| panic!("{page}: a block does not end"));
        writeln!(actual, "{before}```{info}").expect("a string");
        if let Some((_, name)) = info.split_once("file=") {
            let path = folder.path().join(name.trim());
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, body).expect("a file can be written");
        }
        if info == "sh" {
            for line in body.lines().filter(|line| !line.is_empty()) {
                count += 1;
                output = is_run(line).then(|| run(page, line, folder.path()));
            }
        }
        match (&output, info) {
            (Some(output), "text,output") => write!(actual, "{}\n```", output.trim_end()).expect("a string"),
            _ => write!(actual, "{body}```").expect("a string"),
        }
        rest = after;
    }
    (actual + rest, count)
}

/// Follows the pages of a folder below `docs`.
fn follow_pages(below: &str, min_commands: usize, is_run: impl Fn(&str) -> bool + Copy) {
    let mut pages: Vec<String> = fs::read_dir(root().join("docs").join(below))
        .expect("a folder of pages")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{below}/{name}"))
        .collect();
    pages.sort();
    let mut commands = 0;
    for page in pages {
        let text = fs::read_to_string(root().join(&page)).expect("a readable page");
        let (actual, count) = follow(&page, &text, is_run);
        commands += count;
        check_page(&page, &actual);
    }
    assert!(commands >= min_commands, "the pages have {commands} commands");
}

fn needs_gpu(command: &str) -> bool {
    command.contains("--backend wgpu") || command.contains("--backend cuda")
}

#[test]
fn tutorials_work_as_written() {
    follow_pages("tutorial", 20, |command| !needs_gpu(command));
}

#[test]
fn how_to_pages_work_as_written() {
    follow_pages("how-to", 8, |command| !needs_gpu(command));
}

#[test]
fn the_readme_works_as_written() {
    let text = fs::read_to_string(root().join("README.md")).expect("a readable page");
    let (actual, _) = follow("README.md", &text, |command| command.starts_with("vyre "));
    assert_eq!(actual.matches("```text,output").count(), 4, "the tour has four commands");
    check_page("README.md", &actual);
}

/// The commands of the tutorial that need a GPU or a software driver.
#[cfg(feature = "wgpu")]
#[test]
fn on_gpu_the_tutorial_runs() {
    let page = "docs/tutorial/gpu.md";
    let text = fs::read_to_string(root().join(page)).expect("a readable page");
    let (_, count) = follow(page, &text, |command| !command.contains("--backend cuda"));
    assert!(count >= 3, "{count} commands");
}
