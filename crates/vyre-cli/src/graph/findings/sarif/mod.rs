//! SARIF 2.1.0 format of findings (OASIS), for code scanners and editors. The log is written with the parts of the scanner's.
//!
//! Results are written one at a time, so the log need not fit the memory. The rules and the notifications follow the results.

mod place;
mod result;
mod rules;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use vyre::engine::dataflow::Finding;
use vyre::pyrograph::report::sarif::{Descriptors, LogWriter, MAX_RESULTS};

use super::{FindingContext, FindingWriter, Totals};
use crate::output::counted;

pub(crate) use place::source_folder;

use place::Places;
use result::Entry;
use rules::RuleTable;

/// Kinds of notifications. Identifiers are permanent: append, never rename.
const KINDS: Descriptors = Descriptors(&[
    ("line-ignored", "An attribute `line` that is no line number, so that locations lack it."),
    ("many-results", "More results than code scanners accept."),
]);

/// Maximum number of notifications about lines.
const MAX_LINES: usize = 100;

/// Writes the results, then the rules that they refer to.
pub(super) struct SarifWriter<'o> {
    log: LogWriter<'o>,
    context: &'o FindingContext<'o>,
    places: Places<'o>,
    rules: RuleTable<'o>,
    results: usize,
    /// Files and values of the lines that are no numbers, with the nodes that have them.
    ignored_lines: BTreeMap<u32, (&'o str, &'o str)>,
}

impl<'o> SarifWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> SarifWriter<'o> {
        SarifWriter {
            log: LogWriter::new(out),
            context,
            places: Places::new(context),
            rules: RuleTable::new(context),
            results: 0,
            ignored_lines: BTreeMap::new(),
        }
    }

    fn tool(&self) -> Value {
        json!({"driver": {
            "name": "vyre",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": self.rules.metadata(),
            "notifications": KINDS.values(),
        }})
    }

    fn notifications(&self) -> Vec<Value> {
        let mut notes = Vec::new();
        for (&node, (file, line)) in self.ignored_lines.iter().take(MAX_LINES) {
            let message = format!("The line `{line}` of {} is no line number.", self.context.display_name(node));
            let artifact = json!({"uri": self.places.uri(file)});
            notes.push(KINDS.notification("line-ignored", "warning", &message, Some(artifact)));
        }
        if let Some(more @ 1..) = self.ignored_lines.len().checked_sub(MAX_LINES) {
            let message = format!("{} like these.", counted(more, "more line"));
            notes.push(KINDS.notification("line-ignored", "warning", &message, None));
        }
        if self.results > MAX_RESULTS {
            let message = format!("The log has {} results; code scanners accept {MAX_RESULTS}.", self.results);
            notes.push(KINDS.notification("many-results", "warning", &message, None));
        }
        notes
    }
}

impl FindingWriter for SarifWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        self.log.begin()?;
        self.log.begin_list("results")
    }

    fn lists_suppressed(&self) -> bool {
        true
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let rule = self.rules.rule_of(finding);
        self.results += 1;
        for &node in path.unwrap_or(&[finding.source, finding.sink]) {
            if let Some(ignored) = self.context.ignored_line(node) {
                self.ignored_lines.insert(node, ignored);
            }
        }
        self.log.element(&Entry::new(self.context, &self.places, self.rules.get(rule), rule, finding, path))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.log.flush()
    }

    fn end(&mut self, _: &Totals) -> io::Result<()> {
        self.log.end_list()?;
        self.log.field("tool", &self.tool())?;
        let mut invocation = json!({"executionSuccessful": true});
        let notes = self.notifications();
        if !notes.is_empty() {
            invocation["toolExecutionNotifications"] = notes.into();
        }
        self.log.field("invocations", &[invocation])?;
        self.log.end()
    }
}
