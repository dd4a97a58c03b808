//! Exit codes of `vyre graph taint`: limits, errors, Ctrl-C, and atomic output files.

use vyre::engine::dataflow::Strategy;

use super::super::{BACKENDS, fails};
use super::{finds, sandbox, search};
use crate::harness::Sandbox;

#[test]
fn too_many_findings_are_an_error_with_their_count() {
    let sandbox = sandbox();
    for format in ["text", "json", "csv", "sarif"] {
        let run = search(&sandbox, &["--max-findings", "2", "--format", format]);
        fails(&run, "3 findings where at most 2 may be: none is given; see --max-findings");
    }
    fails(&search(&sandbox, &["--max-findings", "2", "--count"]), "3 findings where at most 2 may be");
    let run = search(&sandbox, &["--max-findings", "3", "--count"]);
    finds(&run, "3\n");
    finds(&search(&sandbox, &["--max-findings", "1", "--max-depth", "1"]), "5 -> 4 (depth 1)\n");
}

/// Messages name the bytes that are needed. A strategy may need more than the check that all strategies share.
#[test]
fn memory_is_limited_or_the_analysis_fails() {
    let sandbox = sandbox();
    let strategies = Strategy::ALL.iter().map(|strategy| vec!["--strategy", strategy.name()]);
    let transfers = [vec!["--transfer", "open.vyre"], vec!["--transfer", "facts.vyre"]];
    for options in strategies.chain(transfers).chain([Vec::new()]) {
        let run = |memory: &str| search(&sandbox, &[&options[..], &["--memory", memory]].concat());
        fails(&run("0"), " bytes; the limit is 0; see --memory");
        let mut memory = 1;
        while let limited = run(&memory.to_string())
            && limited.code != Some(1)
        {
            fails(&limited, &format!(" bytes; the limit is {memory}; see --memory"));
            let needed = limited.stderr.split(" takes ").nth(1).and_then(|text| text.split(' ').next());
            let needed: u64 = needed.and_then(|number| number.parse().ok()).expect("a number of bytes");
            assert!(needed > memory && needed < 1 << 20, "{options:?}: {}", limited.stderr);
            memory = needed;
        }
        finds(&run(&memory.to_string()), search(&sandbox, &options).text());
    }
}

#[test]
fn output_files_are_replaced_only_on_success() {
    let sandbox = sandbox();
    sandbox.write("out.json", b"old");
    let before = sandbox.names();
    // Also without memory for buffered findings.
    for memory in ["1", "1MiB"] {
        let limits = ["--max-findings", "2", "--findings-memory", memory];
        fails(&search(&sandbox, &[&limits[..], &["--format", "json", "-o", "out.json"]].concat()), "3 findings");
        assert_eq!((sandbox.read_text("out.json"), sandbox.names()), ("old".to_owned(), before.clone()));
    }
    let run = search(&sandbox, &["--format", "csv", "-o", "out.json"]);
    assert_eq!((run.code, run.text(), &*run.stderr), (Some(1), "", ""));
    assert_eq!(sandbox.read_text("out.json"), "source,sink,depth,source_index\n0,3,2,0\n0,4,3,0\n5,4,1,1\n");
    for input in ["a.txt", "roles.txt", "open.vyre"] {
        fails(&search(&sandbox, &["--transfer", "open.vyre", "-o", input]), "is the input itself");
    }
}

#[test]
fn notes_report_the_backend_and_the_count() {
    let sandbox = sandbox();
    let run = sandbox.run(&["graph", "taint", "a.txt", "--nodes", "roles.txt", "--backend", "reference", "--explain"]);
    assert_eq!(run.code, Some(1));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.first(), Some(&"running on backend `reference`: reference interpreter"));
    assert!(lines.last().is_some_and(|line| line.starts_with("3 findings of 2 sources in ")), "{}", run.stderr);
}

#[test]
fn invalid_nodes_and_arguments_are_rejected() {
    let sandbox = sandbox();
    for (args, message) in [
        (&["--sources", "6"][..], "--sources: there is no node `6` in the graph of 6 nodes"),
        (&["--sources", "random:3"], "is not of the form random:K:SEED"),
        (&["--sources", "-", "--transfer", "-"], "standard input can be read only once"),
        (&["--transfer", "gone.vyre"], "cannot read gone.vyre: "),
    ] {
        fails(&search(&sandbox, args), message);
    }
    fails(&sandbox.run(&["graph", "taint", "a.txt"]), "no node has the role source, so there is nowhere to begin");
    for (args, message) in [
        (&["--format", "xml"][..], "possible values: text, json, csv"),
        (&["--witness", "--no-witness"], "cannot be used with"),
        (&["--prune", "maybe"], "possible values: on, off"),
        (&["--findings-memory", "1TB"], "write a number of bytes"),
    ] {
        let run = search(&sandbox, args);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert!(run.stderr.contains(message), "no {message:?} in {}", run.stderr);
    }
}

#[test]
fn errors_of_transfer_functions_have_locations() {
    let sandbox = sandbox();
    for (text, location, message) in [
        (
            "workgroup_size 1;\nentry {\n    let x = ;\n}\n",
            "--> f.vyre:3:13",
            "f.vyre is no transfer function: 1 error",
        ),
        (
            "workgroup_size 1;\nbuffer a: read u32 @0;\nentry {\n    a[0] = 1;\n}\n",
            "--> f.vyre:4:5",
            "f.vyre is no transfer function: 1 error",
        ),
        (
            "workgroup_size 1;\nbuffer a: read_write u32 @0 output;\nentry {\n    a[0] = 1;\n}\n",
            "",
            "f.vyre: a transfer function has 4 read-only inputs",
        ),
    ] {
        sandbox.write("f.vyre", text.as_bytes());
        let run = search(&sandbox, &["--transfer", "f.vyre"]);
        fails(&run, message);
        assert!(run.stderr.contains(location), "no {location:?} in {}", run.stderr);
    }
}

#[test]
fn an_expired_deadline_is_a_failure() {
    for backend in BACKENDS {
        let sandbox = sandbox();
        let base_args =
            ["graph", "taint", "a.txt", "--nodes", "roles.txt", "--timeout", "0", "-q", "--backend", backend];
        let run = sandbox.run(&base_args);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("deadline exceeded"), "{}", run.stderr);
    }
}

/// Ctrl-C during a search: the output file is unchanged and no temporary file remains.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_the_output_file_unchanged() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Command, Stdio};

    use crate::harness::vyre;

    let sandbox = Sandbox::new(&[("out.csv", "old")]);
    let seeds = ["--seed", "1", "--roles", "2", "-q", "-o", "a.vgr"];
    let made =
        sandbox.run(&[&["graph", "generate", "rmat", "--scale", "14", "--edge-factor", "16"], &seeds[..]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let mut command = vyre(sandbox.root());
    command.args(["graph", "taint", "a.vgr", "--sources", "random:500:1", "--backend", "reference"]);
    command.args(["--witness", "--format", "csv", "-o", "out.csv"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("a line");
    assert!(line.starts_with("running on backend `reference`"), "{line}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    let status = child.wait().expect("the binary ends");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    assert_eq!(status.code(), Some(130), "{rest}");
    // A thread prints the note. A command that ends first does not wait for it.
    let note = "interrupted; press Ctrl-C again to end at once\n";
    let error = "error: ended by a signal: the findings are not complete\n";
    assert_eq!(rest.strip_prefix(note).unwrap_or(&rest), error);
    assert_eq!(
        (sandbox.read_text("out.csv"), sandbox.names()),
        ("old".to_owned(), vec!["a.vgr".into(), "out.csv".into()])
    );
}
