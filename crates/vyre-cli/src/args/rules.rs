//! Arguments of `vyre rules`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::scan::ScanRunArgs;

/// List, explain and test the rules of `vyre scan`
///
/// A rule names the calls that untrusted inputs must not reach, what makes a value safe for them, how bad a flow is, and what to
/// do about it. Rules are TOML files; the built-in ones are part of the command.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  vyre rules list                           list all rules
  vyre rules explain command-injection      explain one
  vyre rules test company.toml              check the examples of your own rules")]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

/// A command about rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    List(RulesListArgs),
    Explain(RulesExplainArgs),
    Test(RulesTestArgs),
}

/// List the rules: identifier, severity, CWE entries and title
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  listed
  2  failure: a file cannot be read, or has mistakes

Examples:
  vyre rules list                           list the built-in rules
  vyre rules list --rules company.toml      list them with your own")]
pub(crate) struct RulesListArgs {
    /// File with more rules; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,
}

/// Explain a rule: what it finds, how to repair it, what it matches, and examples
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  explained
  2  failure: there is no such rule, or a file has mistakes

Examples:
  vyre rules explain path-traversal         explain a built-in rule
  vyre rules explain queue-injection --rules company.toml
                                            explain one of your own")]
pub(crate) struct RulesExplainArgs {
    /// Identifier of the rule
    pub(crate) id: String,

    /// File with more rules; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,
}

/// Test rules with their examples
///
/// Scans the examples of each rule: a bad one must have a finding of the rule, and a good one must have none. Without files, tests
/// the built-in rules; with files, the rules of these files.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Exit codes:
  0  all examples are as they should be
  1  some example is not
  2  failure: a file cannot be read, or has mistakes

Examples:
  vyre rules test company.toml              test your own rules
  vyre rules test                           test the built-in rules")]
pub(crate) struct RulesTestArgs {
    /// Files with rules
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Print no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) running: ScanRunArgs,
}
