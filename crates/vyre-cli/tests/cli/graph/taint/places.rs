//! Locations, source lines and colours of the text format.

use super::super::on_examples;
use crate::golden::compare;
use crate::harness::{Run, Sandbox};

const COMMAND: &str = "taint calls.csv --names --rules calls-rules.toml --attributes calls-attributes.csv --quiet \
                       --backend reference";

#[test]
fn findings_have_places_and_source_lines() {
    let mut transcript = String::new();
    for more in ["", " --witness", " --source-root calls-source", " --witness --source-root calls-source"] {
        let run = on_examples(&format!("{COMMAND}{more}"));
        assert_eq!((run.code, &*run.stderr), (Some(1), ""));
        transcript.push_str(&format!("$ vyre graph {COMMAND}{more}\n{}", run.text()));
    }
    let run = on_examples(&format!("{COMMAND} --witness --source-root calls-source --color always"));
    transcript.push_str(&format!("$ in colours\n{}", run.text()));
    compare("graph_taint_places.txt", &transcript);
}

/// Searches a graph of two nodes with this location of the sink, in a folder beside a secret.
fn search_with(file: &str, line: &str, more: &[&str]) -> Run {
    let sandbox = Sandbox::new(&[
        ("a.txt", "0 1\n"),
        ("roles.txt", "0 source\n1 sink\n"),
        ("places.csv", &format!("node,file,line\n1,{file},{line}\n")),
        ("root/a.py", "first\n\tsecond \u{1b}[31mred\n"),
        ("secret", "secret\n"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("root/link")).expect("a link");
    let args =
        ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "--attributes", "places.csv"];
    sandbox.run(&[&args, more].concat())
}

#[test]
fn only_files_beneath_the_folder_are_read() {
    let with_root = ["--source-root", "root"];
    let run = search_with("a.py", "2", &with_root);
    assert!(run.text().contains("\n          2 | second \u{fffd}[31mred\n"), "{:?}", run.text());
    for (file, line) in [("../secret", "1"), ("link", "1"), ("no.py", "1"), ("a.py", "9"), ("root", "1")] {
        let run = search_with(file, line, &with_root);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.text().contains(&format!("({file}:{line})\n")) && !run.text().contains(" | "), "{}", run.text());
        let note = format!("such as {file}:{line}\n");
        assert!(
            run.stderr.contains("1 source line is not in files beneath ") && run.stderr.contains(&note),
            "{}",
            run.stderr
        );
    }
    let run = search_with("a.py", "2", &["--source-root", "nowhere"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cannot open the folder nowhere of --source-root"), "{}", run.stderr);
    let run = search_with("a.py", "2", &["--source-root", "secret"]);
    assert!(run.stderr.contains("secret is no folder; see --source-root"), "{}", run.stderr);
}

#[test]
fn a_file_has_no_colours() {
    let sandbox = Sandbox::new(&[("a.txt", "0 1\n"), ("roles.txt", "0 source\n1 sink\n")]);
    let args = ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "-q", "--color", "always"];
    let run = sandbox.run(&[&args[..], &["-o", "out"]].concat());
    assert_eq!((run.code, &*sandbox.read_text("out")), (Some(1), "0 -> 1 (depth 1)\n"));
    assert!(sandbox.run(&args).text().contains("\u{1b}["));
}
