//! `docs/common-mistakes.md` shows the actual output of the command, and its corrected programs are valid.

use std::path::{Path, PathBuf};
use std::process::Command;

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/common-mistakes.md")
}

/// Exit code and output of `vyre check` on a file with this text.
fn check(program: &str) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("mistake.vyre"), program).expect("the file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_vyre"))
        .args(["check", "--quiet", "--color", "never", "mistake.vyre"])
        .current_dir(directory.path())
        .output()
        .expect("the command runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("output is UTF-8"))
}

#[test]
fn the_page_shows_the_output_of_the_command() {
    let written = std::fs::read_to_string(page()).expect("the page can be read");
    let mut blocks = written.split("```vyre,broken\n");
    let mut actual = blocks.next().unwrap_or_default().to_owned();
    let mut mistakes = 0;
    for block in blocks {
        let (broken, rest) = block.split_once("```\n").expect("a closed program");
        let (_, rest) = rest.split_once("```text\n").expect("an output follows");
        let (_, rest) = rest.split_once("```\n").expect("a closed output");
        let (_, corrected) = rest.split_once("```vyre\n").expect("a corrected program follows");
        let (corrected, _) = corrected.split_once("```\n").expect("a closed program");

        let (code, output) = check(broken);
        assert_eq!(code, Some(1), "the mistake is reported\n{broken}");
        actual.push_str(&format!("```vyre,broken\n{broken}```\n\n```text\n{}\n```\n{rest}", output.trim_end()));
        let (code, output) = check(corrected);
        assert_eq!((code, output.as_str()), (Some(0), ""), "{corrected}");
        mistakes += 1;
    }
    assert!(mistakes >= 10, "{mistakes} mistakes");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(page(), &actual).expect("the page can be written");
    } else {
        assert!(written == actual, "docs/common-mistakes.md is out of date; run with UPDATE_DOCS=1");
    }
}
