//! Rules that cannot have findings, because the scanned code has no sources or no sinks of them.

use super::analysed::Analysed;
use crate::coverage::{Coverage, FileOutcome};
use crate::knowledge::{Check, Knowledge, RuleMask};

/// Rules with sources and with sinks in the programs of a scan.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RuleEnds {
    sources: RuleMask,
    sinks: RuleMask,
}

impl RuleEnds {
    /// Adds the sources and sinks of a program.
    pub(super) fn add(&mut self, analysed: &Analysed, knowledge: &Knowledge) {
        for source in &analysed.roles.sources {
            let Some(kind) = knowledge.sources.get(usize::from(source.kind)) else { continue };
            if analysed.has_requests || analysed.models.contains(&kind.model) {
                self.sources |= kind.rules;
            }
        }
        for sink in &analysed.roles.sinks {
            self.sinks |= sink.rules;
        }
        // Prototype pollution has no calls as sinks, but stores by computed keys.
        if !analysed.roles.keys.is_empty() {
            for (position, rule) in knowledge.rules.iter().enumerate() {
                if rule.check == Check::PrototypePollution {
                    self.sinks |= 1 << position;
                }
            }
        }
    }

    /// Warnings about rules that the user asks for and that cannot have findings.
    pub(super) fn warnings(self, knowledge: &Knowledge) -> Vec<String> {
        let mut warnings = Vec::new();
        for position in knowledge.requested_rules() {
            let id = &knowledge.rules[position].id;
            for (rules, what) in [(self.sources, "source"), (self.sinks, "sink")] {
                if rules >> position & 1 == 0 {
                    warnings.push(format!("the rule `{id}` has no findings, because the code has no {what} of it"));
                }
            }
        }
        warnings
    }

    /// Notes about code that cannot have findings of any rule.
    pub(super) fn notes(self, coverage: &Coverage) -> Vec<String> {
        if !coverage.files.iter().any(|file| file.outcome == FileOutcome::Scanned) {
            return Vec::new();
        }
        let mut notes = Vec::new();
        for (rules, what, meaning) in [
            (self.sources, "sources", "no untrusted input that a rule or model names"),
            (self.sinks, "sinks", "no dangerous call that a rule or model names"),
        ] {
            if rules == 0 {
                notes.push(format!("the code has no {what}: {meaning}"));
            }
        }
        notes
    }
}
