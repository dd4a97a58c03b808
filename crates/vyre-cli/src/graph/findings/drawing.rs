//! Drawings of findings: one graph of all witnesses, as SVG or DOT.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use vyre::engine::dataflow::Finding;
use vyre::graph::drawing::{DrawingError, MAX_NODES};
use vyre::graph::{Format, GraphView, Role, WriteError, to_csr, write_graph};

use super::{FindingContext, FindingWriter, Totals};
use crate::graph::drawing::{names_of, svg};
use crate::output::quantity;

/// Collects witnesses and draws them at the end.
pub(super) struct DrawingWriter<'o> {
    out: &'o mut dyn Write,
    context: &'o FindingContext<'o>,
    form: Form,
    /// Nodes of witnesses, with their roles in findings.
    roles: BTreeMap<u32, Role>,
    edges: BTreeSet<(u32, u32)>,
}

/// Form of a drawing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Dot,
    Svg,
}

impl<'o> DrawingWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>, form: Form) -> DrawingWriter<'o> {
        DrawingWriter { out, context, form, roles: BTreeMap::new(), edges: BTreeSet::new() }
    }

    fn add_role(&mut self, node: u32, role: Role) {
        let merged = self.roles.entry(node).or_insert(Role::Normal);
        *merged = merged.merged(role);
    }
}

impl FindingWriter for DrawingWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let path = path.unwrap_or_default();
        path.iter().for_each(|&node| self.add_role(node, Role::Normal));
        self.edges.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
        self.add_role(finding.source, Role::Source);
        self.add_role(finding.sink, Role::Sink);
        match self.roles.len() {
            found if self.form == Form::Svg && found > MAX_NODES => {
                Err(io::Error::other(DrawingError::Nodes { found }))
            }
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, totals: &Totals) -> io::Result<()> {
        let nodes: Vec<u32> = self.roles.keys().copied().collect();
        let place = |node: &u32| nodes.binary_search(node).unwrap_or_default() as u32;
        let edges: Vec<(u32, u32)> = self.edges.iter().map(|(from, to)| (place(from), place(to))).collect();
        let mut graph = to_csr(nodes.len() as u32, &edges);
        graph.node_data = self.roles.values().map(|role| role.word()).collect();
        let whole = self.context.graph.view();
        let names = names_of(whole, &nodes).map_err(io::Error::other)?;
        let view = GraphView { csr: graph.view(), weights: None, names: Some(names.view()) };
        match self.form {
            Form::Svg => {
                let findings = quantity(totals.findings, "finding");
                let title = format!("Witnesses of {findings} in {}", self.context.graph.name);
                self.out.write_all(svg(view, &title).map_err(io::Error::other)?.as_bytes())
            }
            Form::Dot => write_graph(Format::DOT, view, &mut *self.out, &()).map_err(|error| match error {
                WriteError::Io { source } => source,
                error => io::Error::other(error),
            }),
        }?;
        self.out.flush()
    }
}
