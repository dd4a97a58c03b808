//! Golden files: outputs that are compared byte by byte. `UPDATE_GOLDEN=1` rewrites them.

use std::fs;
use std::path::Path;

use crate::harness::{Run, Sandbox, finish, vyre};

/// Compares a text with a golden file.
pub(crate) fn compare(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, actual).expect("the golden file is written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        actual == expected,
        "{name} differs; if that is intended, run with UPDATE_GOLDEN=1. Actual output:\n{actual}"
    );
}

fn in_fixtures(args: &[&str]) -> Run {
    finish(vyre(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")).args(args))
}

#[test]
fn help_texts() {
    for (name, args) in [
        ("help.txt", &["--help"][..]),
        ("help_short.txt", &["-h"]),
        ("help_check.txt", &["check", "--help"]),
        ("help_fmt.txt", &["fmt", "--help"]),
        ("help_convert.txt", &["convert", "--help"]),
        ("help_lower.txt", &["lower", "--help"]),
        ("help_run.txt", &["run", "--help"]),
        ("help_graph.txt", &["graph", "--help"]),
        ("help_graph_info.txt", &["graph", "info", "--help"]),
        ("help_graph_convert.txt", &["graph", "convert", "--help"]),
        ("help_graph_generate.txt", &["graph", "generate", "--help"]),
        ("help_graph_generate_rmat.txt", &["graph", "generate", "rmat", "--help"]),
        ("help_graph_generate_calls.txt", &["graph", "generate", "calls", "--help"]),
        ("help_graph_bfs.txt", &["graph", "bfs", "--help"]),
        ("help_graph_reach.txt", &["graph", "reach", "--help"]),
        ("help_graph_taint.txt", &["graph", "taint", "--help"]),
        ("help_graph_components.txt", &["graph", "components", "--help"]),
        ("help_graph_scc.txt", &["graph", "scc", "--help"]),
        ("help_graph_dominators.txt", &["graph", "dominators", "--help"]),
        ("help_graph_kcore.txt", &["graph", "kcore", "--help"]),
        ("help_graph_triangles.txt", &["graph", "triangles", "--help"]),
        ("help_graph_simplify.txt", &["graph", "simplify", "--help"]),
        ("help_graph_subgraph.txt", &["graph", "subgraph", "--help"]),
        ("help_graph_toposort.txt", &["graph", "toposort", "--help"]),
        ("help_graph_path.txt", &["graph", "path", "--help"]),
        ("help_graph_pagerank.txt", &["graph", "pagerank", "--help"]),
        ("help_unpack.txt", &["unpack", "--help"]),
        ("help_scan.txt", &["scan", "--help"]),
        ("help_rules.txt", &["rules", "--help"]),
        ("help_rules_list.txt", &["rules", "list", "--help"]),
        ("help_rules_explain.txt", &["rules", "explain", "--help"]),
        ("help_rules_test.txt", &["rules", "test", "--help"]),
        ("help_scan_score.txt", &["scan-score", "--help"]),
        ("help_devices.txt", &["devices", "--help"]),
        ("help_conform.txt", &["conform", "--help"]),
        ("help_conform_verify.txt", &["conform", "verify", "--help"]),
        ("help_conform_show.txt", &["conform", "show", "--help"]),
        ("help_conform_repeat.txt", &["conform", "repeat", "--help"]),
        ("help_ops.txt", &["ops", "--help"]),
        ("help_explain.txt", &["explain", "--help"]),
        ("help_completions.txt", &["completions", "--help"]),
        ("help_man.txt", &["man", "--help"]),
    ] {
        let run = in_fixtures(args);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        compare(name, run.text());
    }
}

#[test]
fn human_report() {
    let run = in_fixtures(&["check", "mistakes.vyre", "valid.vyre", "syntax.vyre", "missing.vyre"]);
    assert_eq!(run.code, Some(2));
    compare("report.txt", &format!("{}--- standard error\n{}", run.text(), run.stderr));
}

#[test]
fn human_report_in_colour() {
    let run = in_fixtures(&["check", "--color", "always", "mistakes.vyre"]);
    compare("report_color.txt", run.text());
}

#[test]
fn json_report() {
    let run = in_fixtures(&["check", "--format", "json", "mistakes.vyre", "syntax.vyre"]);
    compare("report.json", run.text());
}

#[test]
fn explanation() {
    compare("explain_v010.txt", in_fixtures(&["explain", "V010"]).text());
}

#[test]
fn the_version_is_that_of_the_package() {
    let run = in_fixtures(&["-V"]);
    assert_eq!((run.code, run.text()), (Some(0), concat!("vyre ", env!("CARGO_PKG_VERSION"), "\n")));
    let run = in_fixtures(&["--version"]);
    let (version, backends) = run.text().split_once("\nbackends: ").expect("a line of backends");
    assert_eq!((run.code, version), (Some(0), concat!("vyre ", env!("CARGO_PKG_VERSION"))));
    let backends: Vec<&str> = backends.trim_end().split(", ").collect();
    assert_eq!(backends.contains(&"cpu"), cfg!(feature = "jit"), "{backends:?}");
    assert_eq!(backends.contains(&"wgpu"), cfg!(feature = "wgpu"), "{backends:?}");
    assert_eq!(backends.contains(&"cuda"), cfg!(feature = "cuda"), "{backends:?}");
    assert!(backends.contains(&"reference"), "{backends:?}");
}

#[test]
fn every_shell_has_a_completion_script() {
    let sandbox = Sandbox::new(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = sandbox.run(&["completions", shell]);
        assert_eq!(run.code, Some(0), "{shell}");
        for word in ["check", "convert", "--color"].map(|word| word.trim_start_matches('-')) {
            assert!(run.text().contains(word), "{shell} lacks {word}");
        }
    }
    assert!(sandbox.run(&["completions", "bash"]).text().contains("V010"));
    assert!(sandbox.run(&["completions", "bash"]).text().contains("primitive.math.add"));
    assert!(sandbox.run(&["completions", "bash"]).text().contains("dead-code"));
    assert_eq!(sandbox.run(&["completions", "tcsh"]).code, Some(2));
}
