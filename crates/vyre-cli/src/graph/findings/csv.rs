//! CSV format of findings: a header, and a row for each finding.

use std::io::{self, Write};

use csv::Writer;
use vyre::engine::dataflow::Finding;

use super::{FindingContext, FindingWriter, Totals};

/// Writes rows. Columns are permanent: append, never rename.
pub(super) struct CsvWriter<'o> {
    out: Writer<&'o mut dyn Write>,
    context: &'o FindingContext<'o>,
}

impl<'o> CsvWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> CsvWriter<'o> {
        CsvWriter { out: Writer::from_writer(out), context }
    }

    fn has_names(&self) -> bool {
        self.context.graph.view().names.is_some()
    }

    fn number(&mut self, number: u32) -> io::Result<()> {
        Ok(self.out.write_field(itoa::Buffer::new().format(number))?)
    }
}

impl FindingWriter for CsvWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let FindingContext { has_facts, has_witnesses, .. } = self.context;
        let columns = [
            (true, &["source", "sink", "depth", "source_index"][..]),
            (*has_facts, &["facts"]),
            (self.has_names(), &["source_name", "sink_name"]),
            (self.context.has_labels(), &["source_labels", "sink_labels"]),
            (*has_witnesses, &["path"]),
            (*has_witnesses && self.has_names(), &["path_names"]),
            (self.context.has_descriptions(), &["rule", "severity"]),
        ];
        let header = columns.iter().filter(|(is_present, _)| *is_present).flat_map(|(_, names)| *names);
        Ok(self.out.write_record(header)?)
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let Finding { source, sink, depth, source_index, facts } = *finding;
        let context = self.context;
        for number in [source, sink, depth, source_index] {
            self.number(number)?;
        }
        if context.has_facts {
            self.number(facts)?;
        }
        if self.has_names() {
            for node in [source, sink] {
                self.out.write_field(context.name(node).unwrap_or_default())?;
            }
        }
        if context.has_labels() {
            for labels in [context.source_labels(source), context.sink_labels(sink)] {
                self.out.write_field(labels.unwrap_or_default().join(","))?;
            }
        }
        if let Some(path) = path {
            let numbers: Vec<String> = path.iter().map(u32::to_string).collect();
            self.out.write_field(numbers.join(" "))?;
            if self.has_names() {
                let names: Vec<&str> = path.iter().filter_map(|&node| context.name(node)).collect();
                self.out.write_field(names.join(" -> "))?;
            }
        }
        if context.has_descriptions() {
            let description = context.description(finding).map(|(_, description)| description);
            self.out.write_field(description.map_or("", |description| &description.id))?;
            self.out.write_field(description.map_or("", |description| description.severity.name()))?;
        }
        Ok(self.out.write_record(None::<&[u8]>)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self, _: &Totals) -> io::Result<()> {
        self.out.flush()
    }
}
