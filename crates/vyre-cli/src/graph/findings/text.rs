//! Text format of findings: a line for each finding, followed by its witness.

use std::io::{self, Write};

use vyre::engine::dataflow::Finding;

use super::{FindingContext, FindingWriter, Totals};
use crate::output::visible;

/// Writes `source -> sink (depth N)`.
pub(super) struct TextWriter<'o> {
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
}

impl<'o> TextWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> TextWriter<'o> {
        TextWriter { out, context }
    }

    fn node(&mut self, node: u32) -> io::Result<()> {
        match self.context.name(node) {
            Some(name) => self.out.write_all(visible(name).as_bytes()),
            None => self.out.write_all(itoa::Buffer::new().format(node).as_bytes()),
        }
    }

    fn labels(&mut self, labels: Option<Vec<&str>>) -> io::Result<()> {
        match labels.filter(|labels| !labels.is_empty()) {
            Some(labels) => write!(self.out, " [{}]", visible(&labels.join(", "))),
            None => Ok(()),
        }
    }
}

impl FindingWriter for TextWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let context = self.context;
        self.node(finding.source)?;
        self.labels(context.source_labels(finding.source))?;
        self.out.write_all(b" -> ")?;
        self.node(finding.sink)?;
        self.labels(context.sink_labels(finding.sink))?;
        write!(self.out, " (depth {}", finding.depth)?;
        if context.has_facts {
            write!(self.out, ", facts {:#x}", finding.facts)?;
        }
        self.out.write_all(b")\n")?;
        for &node in path.unwrap_or_default() {
            self.out.write_all(b"    ")?;
            self.node(node)?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self, _: &Totals) -> io::Result<()> {
        Ok(())
    }
}
