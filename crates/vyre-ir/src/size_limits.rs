//! Limits on the size of a program that apply while it is read.

use crate::limits::{DEFAULT_MAX_NESTING_DEPTH, DEFAULT_MAX_NODE_COUNT};
use crate::postfix::PostfixCode;
use crate::validate::{excess_of_nesting, excess_of_nodes};
use crate::{BodyKind, Diagnostic, Program};

/// Limits on the size of a program that apply while it is parsed or decoded.
///
/// Validation limits the number of nodes and the nesting of a program, but it needs the whole tree. With these limits
/// the reader reports the same diagnostics, V019 and V018, without building a tree beyond the limit. Only the nodes of
/// the program itself count, so validation still checks the expansion of calls.
///
/// ```
/// use vyre_ir::text::{ErrorKind, ParseOptions, parse_with};
/// use vyre_ir::{Rule, SizeLimits};
///
/// let source = format!("workgroup_size 1; entry {{ let x = {}1; }}", "~".repeat(1_000_000));
/// let options = ParseOptions::default().with_limits(SizeLimits::of_validation());
/// let errors = parse_with(&source, &options).unwrap_err();
/// assert!(matches!(&errors[0].kind, ErrorKind::LimitExceeded(diagnostic) if diagnostic.rule == Rule::V019));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizeLimits {
    /// Maximum number of statements and expressions; unlimited if `None`.
    pub max_nodes: Option<u64>,
    /// Maximum nesting depth of bodies; the entry has depth 0; unlimited if `None`.
    pub max_nesting: Option<u64>,
}

impl SizeLimits {
    /// The limits of the rules V019 and V018. Every program that exceeds one of them is invalid.
    #[must_use]
    pub const fn of_validation() -> SizeLimits {
        SizeLimits { max_nodes: Some(DEFAULT_MAX_NODE_COUNT), max_nesting: Some(DEFAULT_MAX_NESTING_DEPTH) }
    }

    /// Sets the maximum number of statements and expressions.
    #[must_use]
    pub const fn with_max_nodes(mut self, max_nodes: Option<u64>) -> SizeLimits {
        self.max_nodes = max_nodes;
        self
    }

    /// Sets the maximum nesting depth of bodies.
    #[must_use]
    pub const fn with_max_nesting(mut self, max_nesting: Option<u64>) -> SizeLimits {
        self.max_nesting = max_nesting;
        self
    }
}

/// Comparison of a growing program with its limits.
#[derive(Debug)]
pub(crate) struct SizeGuard {
    limits: SizeLimits,
    max_nodes: u64,
    /// Bound on the nodes of an unfinished statement together with those before it.
    max_unfinished: u64,
    max_nesting: u64,
    deepest: u64,
    too_deep: Option<Diagnostic>,
}

/// State of a program whose number of nodes exceeds the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// The last statement is complete, apart from its bodies.
    InStatements,
    /// The statement that would begin at this position is incomplete and is not in the code.
    InExpression,
}

impl SizeGuard {
    pub(crate) fn new(limits: SizeLimits) -> SizeGuard {
        let max_nodes = limits.max_nodes.unwrap_or(u64::MAX);
        SizeGuard {
            limits,
            max_nodes,
            max_unfinished: max_nodes.saturating_mul(2),
            max_nesting: limits.max_nesting.unwrap_or(u64::MAX),
            deepest: 0,
            too_deep: None,
        }
    }

    /// True if a program with this number of nodes after a statement exceeds the limit.
    pub(crate) fn is_exceeded(&self, nodes: u64) -> bool {
        nodes > self.max_nodes
    }

    /// True if reading must stop inside of a statement. A statement may exceed the limit by as many nodes as the limit
    /// allows, so that the diagnostic names the node that validation would name.
    pub(crate) fn is_far_exceeded(&self, nodes: u64) -> bool {
        nodes > self.max_unfinished
    }

    /// True if a body at this depth is the first that exceeds the limit.
    pub(crate) fn enters_excess(&mut self, depth: u64) -> bool {
        self.deepest = self.deepest.max(depth);
        depth > self.max_nesting && self.too_deep.is_none()
    }

    /// Records the last statement of the code, whose body exceeds the limit of nesting.
    pub(crate) fn note_excess(&mut self, code: &mut PostfixCode<'_>, open: impl Iterator<Item = BodyKind>) {
        let program = code.with_closed_bodies(open, PostfixCode::to_program);
        self.too_deep = Some(excess_of_nesting(&program, (code.nodes - 1) as u32, self.deepest, self.max_nesting));
    }

    /// True if no tree will be built and no limit on nodes bounds the code, so that it need not be kept.
    pub(crate) fn discards(&self) -> bool {
        self.too_deep.is_some() && self.limits.max_nodes.is_none()
    }

    /// Diagnostic of a program with too many nodes.
    pub(crate) fn node_excess(
        &self,
        code: &mut PostfixCode<'_>,
        open: impl Iterator<Item = BodyKind>,
        excess: Excess,
    ) -> Diagnostic {
        let ordinal = match excess {
            Excess::InStatements => self.max_nodes as u32,
            Excess::InExpression => {
                code.push_placeholder();
                (code.nodes - 1) as u32
            }
        };
        let program = code.with_closed_bodies(open, PostfixCode::to_program);
        excess_of_nodes(&program, ordinal, self.max_nodes)
    }

    /// Diagnostic of a complete program whose nesting exceeds the limit.
    pub(crate) fn nesting_excess(self) -> Option<Diagnostic> {
        let SizeGuard { deepest, max_nesting, too_deep, .. } = self;
        let Diagnostic { location, path, .. } = too_deep?;
        // The message names the greatest depth, which is known only now.
        let complete = excess_of_nesting(&Program::new(Vec::new(), [1; 3], Vec::new()), 0, deepest, max_nesting);
        Some(Diagnostic { location, path, ..complete })
    }
}
