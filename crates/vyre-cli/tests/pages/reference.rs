//! Reference pages, made by the command itself.

use std::fmt::Write as _;
use std::process::Command;

use crate::check_page;

const NOTICE: &str =
    "<!-- This page is generated: UPDATE_DOCS=1 cargo test -p vyre-cli --test pages. Do not edit it. -->\n";

/// Output of the command.
fn vyre(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_vyre"))
        .args(args)
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .output()
        .expect("the command runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "vyre {}: {stderr}", args.join(" "));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Names of the subcommands in a help text.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Continued descriptions are indented further.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_page_of_commands_is_current() {
    let mut page = format!("{NOTICE}\n# Commands\n\nThe help texts of all commands, as `--help` prints them.\n");
    let mut waiting = vec![vec![]];
    let mut count = 0;
    while let Some(path) = waiting.pop() {
        let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
        args.push("--help");
        let help = vyre(&args);
        let name = ["vyre"].into_iter().chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end()).expect("a string");
        let below = subcommands(&help).into_iter().rev().map(|name| [&path[..], &[name]].concat());
        waiting.extend(below);
        count += 1;
    }
    assert!(count >= 30, "{count} commands");
    check_page("docs/reference/commands.md", &page);
}

#[test]
fn the_page_of_scan_rules_is_current() {
    let list = vyre(&["rules", "list"]);
    let mut page = format!(
        "{NOTICE}\n# Rules of scans\n\nThe rules of `vyre scan`, as `vyre rules list` and `vyre rules explain` print them.\n"
    );
    write!(page, "\n```text\n{}\n```\n", list.trim_end()).expect("a string");
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut count = 0;
    for id in ids {
        let output = Command::new(env!("CARGO_BIN_EXE_vyre"))
            .args(["rules", "explain", id])
            .env_remove("COLUMNS")
            .output()
            .expect("it runs");
        // Lines that continue the row of a rule begin with no rule.
        if output.status.success() {
            let text = String::from_utf8(output.stdout).expect("output is UTF-8");
            write!(page, "\n## {id}\n\n```text\n{}\n```\n", text.trim_end()).expect("a string");
            count += 1;
        }
    }
    assert!(count >= 20, "{count} rules");
    check_page("docs/reference/scan-rules.md", &page);
}

#[test]
fn the_page_of_ops_is_current() {
    let list = vyre(&["ops"]);
    let mut page = format!(
        "{NOTICE}\n# Ops\n\nThe ops that programs can call, as `vyre ops` lists them. `vyre ops ID` prints the laws and the program of one.\n"
    );
    write!(page, "\n```text\n{}\n```\n", list.trim_end()).expect("a string");
    assert!(list.lines().count() >= 40, "{list}");
    check_page("docs/reference/ops.md", &page);
}
