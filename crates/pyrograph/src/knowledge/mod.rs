//! Knowledge about libraries and rules, compiled for look-up by API path.
//!
//! An *API path* names a value of a library by how a program gets it, as in CodeQL's API graphs:
//!
//! | Path | Value |
//! |---|---|
//! | `fs` | exports of the module `fs` (`node:fs` too) |
//! | `global.process` | global variable `process` |
//! | `fs.readFile` | field |
//! | `express()` | result of a call |
//! | `pg.Client.new()` | object made by `new` |
//! | `fs.readFile:1:0` | parameter 0 of the function that is argument 1 of a call of `fs.readFile` |
//! | `express.Request` | type: a model gives this name to other paths |
//!
//! A model declares types: a path that is listed under a type has the name of the type, in this place and as the beginning of
//! longer paths. So `express().get:1:0` becomes `express.Application.get:1:0`, and that `express.Request`.

mod builder;
mod builtin;
pub mod describe;
mod endpoint;
mod guard;
mod library;
mod load;
mod lookup;
mod own;
mod path;
mod problem;
mod read;
mod regex_shape;
mod types;
mod version;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use vyre_dataflow::rules::Glob;

pub use endpoint::{Condition, ConditionKind, Endpoint, EndpointProblem, Root, Step};
pub use guard::{Shown, TestFacts};
pub use library::{Library, LibraryKind};
pub use load::UnknownRule;
pub(crate) use own::{OwnEntry, OwnPattern};
pub(crate) use path::{PathPattern, expand};
pub use problem::Problem;
pub use version::VersionRange;
pub use vyre_dataflow::rules::Severity;

/// Set of rules, as bits by position in [`Knowledge::rules`].
pub type RuleMask = u64;

/// Largest number of rules of a scan.
pub const MAX_RULES: usize = 64;

type Table<T> = HashMap<Box<str>, T, FixedState>;

/// Rules and models of a scan.
#[derive(Debug, Default)]
pub struct Knowledge {
    /// Rules. A rule is a class of its own: sanitizers and guards apply to the rules that list them.
    pub rules: Vec<Rule>,
    /// Kinds of sources.
    pub sources: Vec<SourceKind>,
    /// Files of which it was made: name, text.
    files: Vec<(String, String)>,
    /// Rules that were selected. None: all.
    selected: Option<Vec<String>>,
    /// The same rules with what concerns other languages, made when first used.
    others: std::sync::Mutex<BTreeMap<String, Arc<Knowledge>>>,
    /// Notes about entries that a scan does not use.
    notes: Vec<String>,
    /// What concerns each rule, for explanations.
    details: Vec<RuleDetails>,
    libraries: Vec<Library>,
    /// Position in `libraries` by package.
    packages: Table<usize>,
    /// Names of types by path.
    types: Table<Box<str>>,
    calls: Matchers<ApiModel>,
    /// Calls with a constant first argument, by `path(event)` and `name(event)`.
    events: Matchers<ApiModel>,
    members: Matchers<MemberModel>,
    conventions: Vec<Convention>,
    parameter_sources: Table<Vec<SourceIndex>>,
    decorator_sources: Table<Vec<SourceIndex>>,
    decorator_types: Table<Box<str>>,
    export_sources: Vec<SourceIndex>,
    guards: Vec<guard::Guard>,
    /// Entries of files that are not built in.
    own_entries: Vec<OwnEntry>,
    /// Beginnings of all paths that entries name, made when first used.
    prefixes: std::sync::OnceLock<HashSet<Box<str>, FixedState>>,
}

/// Entries by path, by name, and by pattern.
#[derive(Debug)]
struct Matchers<T> {
    exact: Table<Arc<T>>,
    /// Entries `*.name`.
    names: Table<Arc<T>>,
    globs: Vec<(Glob, Arc<T>)>,
}

impl<T> Default for Matchers<T> {
    fn default() -> Matchers<T> {
        Matchers { exact: Table::default(), names: Table::default(), globs: Vec::new() }
    }
}

/// Types of consecutive parameters with usual names, such as `req, res`.
#[derive(Debug)]
struct Convention {
    /// Names of each parameter.
    parameters: Vec<Vec<String>>,
    /// Type of each parameter. None: not typed.
    types: Vec<Option<String>>,
}

/// What concerns a rule, as texts for explanations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleDetails {
    /// Sources: label and what matches.
    pub sources: Vec<String>,
    /// Sinks.
    pub sinks: Vec<String>,
    /// Sanitizers.
    pub sanitizers: Vec<String>,
    /// Guards.
    pub guards: Vec<String>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Identifier, such as `command-injection`.
    pub id: String,
    /// One line for lists.
    pub title: String,
    /// Severity of flows from sources of the application model.
    pub severity: Severity,
    /// Severity of flows from parameters of exports.
    pub library_severity: Severity,
    /// Numbers of CWE entries.
    pub cwe: Vec<u32>,
    /// Message of a finding. `{source}` and `{sink}` are replaced by their texts.
    pub message: String,
    /// Explanation and advice, in Markdown.
    pub help: String,
    /// Programs with and without a finding.
    pub examples: Vec<Example>,
    /// Special check after the search.
    pub check: Check,
    /// Languages, such as `javascript`.
    pub languages: Vec<String>,
}

/// Special checks of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// A flow from a source to a sink is a finding.
    #[default]
    Flow,
    /// Prototype pollution: a store `base[key] = value`, where the key is tainted, and the base was itself loaded by a tainted key.
    PrototypePollution,
    /// Paths of files: a parameter of an export counts only where it is not the beginning of the path.
    Path,
}

/// Example of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The rule finds something in this program.
    pub is_bad: bool,
    /// File name; the extension selects the language.
    pub file: String,
    /// Source text.
    pub code: String,
    /// Threat model of the example.
    pub model: ThreatModel,
    /// Place in the file of rules: `name:line`.
    pub place: String,
}

/// Threat models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ThreatModel {
    /// Inputs of a running program: requests, arguments, environment, files.
    Application,
    /// Parameters of exported functions.
    Library,
}

/// A kind of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceKind {
    /// Label, such as `http-request`.
    pub label: String,
    /// Threat model in which it counts.
    pub model: ThreatModel,
    /// Rules for which it counts.
    pub rules: RuleMask,
}

/// Position in [`Knowledge::sources`].
pub type SourceIndex = u16;

/// Knowledge about a call or member: what happens there. Merged from all models and rules that match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApiModel {
    /// Flows of a call. Empty with `is_modelled`: nothing flows.
    pub flows: Vec<(Endpoint, Endpoint)>,
    /// A model describes the flows of this call, so the default of unknown calls does not apply.
    pub is_modelled: bool,
    /// Type of a result or parameter that a model names: endpoint (a return or parameter), API path.
    pub types: Vec<(Endpoint, String)>,
    /// Sources: the value at the endpoint is untrusted.
    pub sources: Vec<(Endpoint, SourceIndex)>,
    /// Sources of calls for which all conditions hold.
    pub conditional_sources: Vec<(Endpoint, SourceIndex, Vec<Condition>)>,
    /// Sinks: the value at the endpoint must not be tainted. The bits are rules.
    pub sinks: Vec<(Endpoint, RuleMask)>,
    /// Sinks of calls for which all conditions hold.
    pub conditional_sinks: Vec<(Endpoint, RuleMask, Vec<Condition>)>,
    /// Rules for which the result (or the endpoint that the model names) is clean. `Return` is the usual endpoint.
    pub sanitizes: Vec<(Endpoint, RuleMask)>,
    /// Rules for which the result is clean if all conditions hold.
    pub conditional_sanitizes: Vec<(RuleMask, Vec<Condition>)>,
    /// Rules for which arguments are clean where the result of the call is the bool: true results, false results.
    pub guards: Vec<(Endpoint, bool, RuleMask)>,
}

/// Knowledge about a member: load or store of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemberModel {
    /// Source, if a program loads it.
    pub sources: Vec<SourceIndex>,
    /// Rules whose sink is a store to it.
    pub store_sinks: RuleMask,
}
