//! Text format of findings: a line for each finding, followed by its witness with locations and source lines.

use std::io::{self, Write};

use anstyle::Style;
use vyre::engine::dataflow::Finding;

use super::{FindingContext, FindingWriter, Totals};
use crate::output::{ERROR, GUTTER, STRONG, UNUSUAL, visible};

/// Writes `source -> sink (depth N)`.
pub(super) struct TextWriter<'o> {
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
    styles: Styles,
}

/// Styles of the parts of a finding.
#[derive(Clone, Copy, Default)]
struct Styles {
    source: Style,
    sink: Style,
    strong: Style,
    gutter: Style,
}

impl<'o> TextWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> TextWriter<'o> {
        let styles = if context.has_colors {
            Styles { source: UNUSUAL.bold(), sink: ERROR, strong: STRONG, gutter: GUTTER }
        } else {
            Styles::default()
        };
        TextWriter { out, context, styles }
    }

    fn node(&mut self, node: u32, style: Style) -> io::Result<()> {
        write!(self.out, "{style}")?;
        match self.context.name(node) {
            Some(name) => self.out.write_all(visible(name).as_bytes())?,
            None => self.out.write_all(itoa::Buffer::new().format(node).as_bytes())?,
        }
        write!(self.out, "{style:#}")
    }

    /// Writes the location of a node, if it has one.
    fn location(&mut self, node: u32) -> io::Result<()> {
        match self.context.location(node) {
            Some((file, Some(line))) => write!(self.out, "  ({}:{line})", visible(file)),
            Some((file, None)) => write!(self.out, "  ({})", visible(file)),
            None => Ok(()),
        }
    }

    /// Writes the source line of a node, if it is known.
    fn snippet(&mut self, node: u32) -> io::Result<()> {
        let Some((file, Some(line))) = self.context.location(node) else { return Ok(()) };
        let mut snippets = self.context.snippets.borrow_mut();
        let Some(text) = snippets.as_mut().and_then(|snippets| snippets.line(file, line)) else { return Ok(()) };
        let gutter = self.styles.gutter;
        writeln!(self.out, "      {gutter}{line:>5} |{gutter:#} {text}")
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
        let Styles { source, sink, strong, .. } = self.styles;
        self.node(finding.source, source)?;
        self.labels(context.source_labels(finding.source))?;
        self.out.write_all(if context.is_reversed { b" <- " } else { b" -> " })?;
        self.node(finding.sink, sink)?;
        self.labels(context.sink_labels(finding.sink))?;
        write!(self.out, " (depth {}", finding.depth)?;
        if context.has_facts {
            write!(self.out, ", facts {:#x}", finding.facts)?;
        }
        self.out.write_all(b")\n")?;
        if let (Some((_, rule)), Some(message)) = (context.description(finding), context.message(finding)) {
            writeln!(self.out, "    {} [{}]: {}", rule.severity.name(), rule.id, visible(&message))?;
        }
        // Without a witness the two ends have locations, with one every step.
        let ends = [finding.source, finding.sink];
        let has_witness = path.is_some();
        let kinds = path.and_then(|path| context.dependency_kinds(path)).unwrap_or_default();
        for (position, &node) in path.unwrap_or(&ends).iter().enumerate() {
            if !has_witness && context.location(node).is_none() {
                continue;
            }
            self.out.write_all(b"    ")?;
            self.node(node, strong)?;
            self.location(node)?;
            // What the package before needs this one for. Most are needed at run time.
            if let Some(kind) =
                position.checked_sub(1).and_then(|before| kinds.get(before)).filter(|kind| **kind != "runtime")
            {
                write!(self.out, "  ({kind})")?;
            }
            self.out.write_all(b"\n")?;
            self.snippet(node)?;
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
