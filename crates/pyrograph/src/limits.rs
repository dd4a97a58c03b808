//! Limits of the analysis: which part of a program they concern, and what it means that one was reached.

/// Work that the stages of an analysis may do, in percent of the usual work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub u32);

impl Effort {
    /// Limit of a stage.
    #[must_use]
    pub fn scale(self, limit: u64) -> u64 {
        limit.saturating_mul(u64::from(self.0)) / 100
    }
}

/// Part of the program that a limit concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// A stage of the analysis ended early. Everything may be concerned.
    Program,
    /// Single values, objects or calls: as many as the limit was reached times.
    Value,
}

impl LimitScope {
    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LimitScope::Program => "program",
            LimitScope::Value => "value",
        }
    }

    /// What it means for the findings, as the end of a sentence.
    #[must_use]
    pub fn effect(self) -> &'static str {
        match self {
            LimitScope::Program => {
                "this stage of the analysis ended early, and flows anywhere in the program may be missing"
            }
            LimitScope::Value => "the analysis kept a part of them, and flows through the rest may be missing",
        }
    }
}

/// Scope of a limit by its name. Limits of stages are named after the stage: `work of the points-to analysis`.
#[must_use]
pub fn limit_scope(limit: &str) -> LimitScope {
    let stages = ["the points-to analysis", "the value-flow graph", "the summaries", "the search"];
    if stages.iter().any(|stage| limit.ends_with(stage)) { LimitScope::Program } else { LimitScope::Value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_stages_concern_the_program() {
        for limit in ["work of the points-to analysis", "edges of the value-flow graph", "work of the summaries"] {
            assert_eq!(limit_scope(limit), LimitScope::Program, "{limit}");
        }
        for limit in ["objects of a value", "targets of a call", "depth of fields"] {
            assert_eq!(limit_scope(limit), LimitScope::Value, "{limit}");
        }
    }
}
