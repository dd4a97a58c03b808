//! `--time`: times of stages and the peak memory, on standard error.

use super::on_examples;

#[test]
fn every_command_prints_its_stages() {
    for command in [
        "info calls.csv --names",
        "convert roads.mtx",
        "generate calls --nodes 20 --program 5 --seed 1",
        "bfs calls.csv --names --nodes calls-roles.csv",
        "reach builds.txt --sources 0",
        "taint calls.csv --names --nodes calls-roles.csv",
        "components roads.mtx",
        "scc roads.mtx",
        "toposort builds.txt",
        "path roads.mtx --from 0",
        "pagerank roads.mtx",
        "dominators builds.txt --from 0",
        "kcore roads.mtx",
        "triangles roads.mtx",
        "simplify roads.mtx",
        "subgraph roads.mtx --around 0 --to svg",
    ] {
        let without = on_examples(&format!("{command} --quiet"));
        let run = on_examples(&format!("{command} --quiet --time"));
        assert_eq!((run.code, run.text()), (without.code, without.text()), "{command}: {}", run.stderr);
        assert_eq!(without.stderr, "", "{command}");
        let lines: Vec<&str> = run.stderr.lines().collect();
        let times = lines.iter().position(|line| line.contains("time: read ")).unwrap_or_else(|| panic!("{lines:?}"));
        assert!(lines[times].contains(", total "), "{command}: {lines:?}");
        assert_eq!(lines[times..].iter().any(|line| line.contains("memory: at most ")), cfg!(unix), "{command}");
    }
}

#[test]
fn stages_are_read_build_analysis_and_output() {
    let run = on_examples("kcore builds.txt --time");
    for stage in ["read ", ", build ", ", analysis ", ", output "] {
        assert!(run.stderr.contains(stage), "no {stage:?} in {}", run.stderr);
    }
}

#[test]
fn commands_of_the_host_explain_their_algorithm() {
    for (command, method) in [
        ("info calls.csv --names", "degrees"),
        ("convert roads.mtx", "a counting sort"),
        ("generate calls --nodes 20 --program 5 --seed 1", "random calls"),
        ("generate rmat --scale 3 --edge-factor 2 --seed 1", "R-MAT"),
        ("dominators builds.txt --from 0", "Lengauer and Tarjan"),
        ("kcore roads.mtx", "removal of nodes"),
        ("triangles roads.mtx", "intersection"),
        ("simplify roads.mtx", "a sort of each row"),
        ("subgraph roads.mtx --around 0", "a breadth-first search"),
    ] {
        let without = on_examples(&format!("{command} --quiet"));
        let run = on_examples(&format!("{command} --quiet --explain"));
        assert_eq!((run.code, run.text()), (without.code, without.text()), "{command}: {}", run.stderr);
        let lines: Vec<&str> = run.stderr.lines().collect();
        let [explained, stages] = lines[..] else { panic!("{command}: {lines:?}") };
        assert!(
            explained.starts_with(&format!("method: {method}")) && explained.ends_with(", on the host"),
            "{explained}"
        );
        assert!(stages.starts_with("stages: read ") && stages.contains(", total "), "{stages}");
        let both = on_examples(&format!("{command} --quiet --explain --time"));
        assert!(both.stderr.contains("\ntime: read ") && both.stderr.starts_with("method: "), "{}", both.stderr);
    }
}
