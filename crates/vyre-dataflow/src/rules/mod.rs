//! Rules of taint analysis, which derive roles, labels and metadata of nodes from names and attributes.
//!
//! [`Rules::parse`] reads a rules file, whose format `docs/rules.md` describes. [`Rules::label`] applies the rules to the nodes
//! of a graph. Rules are inputs of an analysis; they do not change the semantics of programs.
//!
//! ```
//! use vyre_dataflow::rules::{NodeTable, Rules};
//! use vyre_graph::{NodeNames, Role, role_of};
//!
//! let rules = Rules::parse(
//!     r#"
//!     format = 1
//!     [[source]]
//!     label = "http-input"
//!     names = ["flask.request.*"]
//!     [[sink]]
//!     label = "sql"
//!     names = ["*.execute"]
//!     "#,
//! )?;
//! let names: NodeNames = ["flask.request.args", "main", "cursor.execute"].into_iter().collect();
//! let nodes = NodeTable { node_data: &[0; 3], names: Some(names.view()), attributes: None };
//! let labelling = rules.label(&nodes)?;
//! assert_eq!(labelling.sources, [0]);
//! assert_eq!(role_of(labelling.node_data[2]), Role::Sink);
//! assert!(labelling.sink_labels(2).eq(["sql"]));
//! # Ok::<(), vyre_dataflow::rules::RulesError>(())
//! ```

mod description;
mod glob;
mod glob_set;
mod labelling;
mod matching;
mod node_table;
mod problem;
mod read;
mod read_descriptions;
pub mod reader;
mod rule;
mod schema;
mod severity;
mod suppression;
mod syntax;

use vyre_ir::source::{LineIndex, Span};
use vyre_ir::spelling::nearest;

pub use description::RuleDescription;
pub use glob::{Glob, GlobProblem};
pub use labelling::{Labelling, RuleMatches};
pub use node_table::NodeTable;
pub use problem::{Problem, RulesError, RulesProblem, shown};
pub use rule::TransferSettings;
pub use schema::{RuleKind, Table};
pub use severity::Severity;

use read::RulesFile;
use rule::Rule;
use suppression::Suppression;

/// Rules of a file.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Text of the file, for messages about graphs that do not fit.
    text: String,
    /// Rules by kind, then in the order of the file.
    rules: Vec<Rule>,
    transfer: TransferSettings,
    descriptions: Vec<RuleDescription>,
    suppressions: Vec<Suppression>,
    /// Lines of the tables that only scans use.
    scan_lines: Vec<u32>,
}

impl Rules {
    /// Reads a rules file.
    ///
    /// # Errors
    ///
    /// All problems of the file.
    pub fn parse(text: &str) -> Result<Rules, RulesError> {
        let RulesFile { rules, transfer, descriptions, suppressions, scan_lines } = read::read(text)?;
        Ok(Rules { text: text.to_owned(), rules, transfer, descriptions, suppressions, scan_lines })
    }

    /// Lines of the tables that concern scans of source code only. They match no node.
    #[must_use]
    pub fn scan_lines(&self) -> &[u32] {
        &self.scan_lines
    }

    /// Descriptions of the rules that entries for nodes select, in the order of the file.
    #[must_use]
    pub fn descriptions(&self) -> &[RuleDescription] {
        &self.descriptions
    }

    /// Line and reason of each suppression, in the order of the file.
    pub fn suppressions(&self) -> impl ExactSizeIterator<Item = (u32, &str)> {
        self.suppressions.iter().map(|suppression| (suppression.line, &*suppression.reason))
    }

    /// Table `[transfer]` of the file.
    #[must_use]
    pub fn transfer(&self) -> &TransferSettings {
        &self.transfer
    }

    /// Number of rules.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Reports whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Applies the rules to nodes: their roles, labels, facts and metadata words.
    ///
    /// [`Role::merged`](vyre_graph::Role::merged) merges the roles of several rules and the role that a node already has. The
    /// role sanitizer overrides all others.
    ///
    /// # Errors
    ///
    /// All rules that match names or attributes which the nodes do not have.
    pub fn label(&self, nodes: &NodeTable<'_>) -> Result<Labelling, RulesError> {
        let problems = self.unmet_requirements(nodes);
        if problems.is_empty() {
            Ok(Labelling::new(&self.rules, &self.descriptions, &self.suppressions, nodes))
        } else {
            Err(RulesError::new(&LineIndex::new(&self.text), problems))
        }
    }

    /// Names and attributes that rules match and nodes do not have.
    fn unmet_requirements(&self, nodes: &NodeTable<'_>) -> Vec<(Span, RulesProblem)> {
        let mut problems = Vec::new();
        let by_name = self.suppressions.iter().filter(|it| !(it.sources.is_empty() && it.sinks.is_empty()));
        if nodes.names.is_none() {
            problems.extend(by_name.map(|suppression| (suppression.names_span, RulesProblem::NoNames)));
        }
        for rule in &self.rules {
            if !rule.names.is_empty() && nodes.names.is_none() {
                problems.push((rule.names_span, RulesProblem::NoNames));
            }
            let Some(attributes) = nodes.attributes else {
                problems.extend(rule.conditions.first().map(|first| (first.span, RulesProblem::NoAttributes)));
                continue;
            };
            for condition in &rule.conditions {
                if attributes.column(&condition.attribute).is_none() {
                    let known = attributes.columns().map(|column| column.name());
                    let nearest = nearest(&condition.attribute, known).map(|nearest| problem::shown(nearest, 60));
                    let attribute = problem::shown(&condition.attribute, 60);
                    problems.push((condition.span, RulesProblem::UnknownAttribute { attribute, nearest }));
                }
            }
        }
        problems
    }
}
