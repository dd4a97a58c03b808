//! Rules of taint analysis: which nodes are sources, sinks and sanitizers, and what transfer functions are told of nodes.
//!
//! [`Rules::parse`] reads a rules file, which `docs/rules.md` describes, and [`Rules::label`] gives the nodes of a graph
//! their roles and labels by names and attributes. Rules are inputs of an analysis; they change nothing of what programs
//! mean.
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

mod glob;
mod glob_set;
mod labelling;
mod matching;
mod problem;
mod read;
mod rule;
mod schema;
mod syntax;

use vyre_ir::source::{LineIndex, Span};
use vyre_ir::spelling::nearest;

pub use glob::GlobProblem;
pub use labelling::{Labelling, NodeTable, RuleMatches};
pub use problem::{Problem, RulesError, RulesProblem};
pub use rule::Transfer;
pub use schema::{RuleKind, Table};

use rule::Rule;

/// The rules of a file.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The file, for messages about graphs that do not fit.
    text: String,
    /// By kind, then in the order of the file.
    rules: Vec<Rule>,
    transfer: Transfer,
}

impl Rules {
    /// Reads a rules file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Rules, RulesError> {
        let (rules, transfer) = read::read(text)?;
        Ok(Rules { text: text.to_owned(), rules, transfer })
    }

    /// What the file says of transfer functions.
    #[must_use]
    pub fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    /// How many rules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Gives nodes the roles, labels, facts and words that rules have for them.
    ///
    /// Roles come together by [`Role::merged`](vyre_graph::Role::merged), also with those that nodes already have: a
    /// sanitizer stays one, whatever else it would be.
    ///
    /// # Errors
    ///
    /// Each rule that is about names or attributes which the nodes do not have.
    pub fn label(&self, nodes: &NodeTable<'_>) -> Result<Labelling, RulesError> {
        let problems = self.needs(nodes);
        if problems.is_empty() {
            Ok(Labelling::new(&self.rules, nodes))
        } else {
            Err(RulesError::new(&LineIndex::new(&self.text), problems))
        }
    }

    /// What rules need and the nodes do not have.
    fn needs(&self, nodes: &NodeTable<'_>) -> Vec<(Span, RulesProblem)> {
        let mut problems = Vec::new();
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
