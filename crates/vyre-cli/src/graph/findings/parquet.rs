//! Parquet format of findings: the columns of the CSV format, with lists for labels and paths.

use std::io::{self, Write};

use vyre::engine::dataflow::Finding;
use vyre::tables::{TableColumn, TableFormat, TableWriter, Value, ValueKind};

use super::{FindingContext, FindingWriter, Totals};
use crate::graph::table_cells::{table_column, table_io};

/// Writes rows. Columns are permanent: append, never rename.
pub(super) struct ParquetWriter<'o> {
    /// The output until the table begins.
    out: Option<&'o mut dyn Write>,
    table: Option<TableWriter<'o>>,
    context: &'o FindingContext<'o>,
}

impl<'o> ParquetWriter<'o> {
    pub(super) fn new(out: &'o mut dyn Write, context: &'o FindingContext<'o>) -> ParquetWriter<'o> {
        ParquetWriter { out: Some(out), table: None, context }
    }

    fn columns(&self) -> Vec<TableColumn> {
        let context = self.context;
        let has_names = context.graph.view().names.is_some();
        let groups: [(bool, &[(&str, ValueKind)]); 7] = [
            (
                true,
                &[
                    ("source", ValueKind::U32),
                    ("sink", ValueKind::U32),
                    ("depth", ValueKind::U32),
                    ("source_index", ValueKind::U32),
                ],
            ),
            (context.has_facts, &[("facts", ValueKind::U32)]),
            (has_names, &[("source_name", ValueKind::Text), ("sink_name", ValueKind::Text)]),
            (context.has_labels(), &[("source_labels", ValueKind::TextList), ("sink_labels", ValueKind::TextList)]),
            (context.has_witnesses, &[("path", ValueKind::U32List)]),
            (context.has_witnesses && has_names, &[("path_names", ValueKind::TextList)]),
            (context.has_descriptions(), &[("rule", ValueKind::Text), ("severity", ValueKind::Text)]),
        ];
        let present = groups.into_iter().filter(|(is_present, _)| *is_present).flat_map(|(_, columns)| columns);
        present.map(|(name, kind)| table_column(name, *kind)).collect()
    }
}

impl FindingWriter for ParquetWriter<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let columns = self.columns();
        if let Some(out) = self.out.take() {
            self.table = Some(table_io(TableWriter::new(out, TableFormat::Parquet, &columns, &[]))?);
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, path: Option<&[u32]>) -> io::Result<()> {
        let Finding { source, sink, depth, source_index, facts } = *finding;
        let context = self.context;
        let mut values: Vec<Value<'_>> = [source, sink, depth, source_index].map(Value::U32).to_vec();
        if context.has_facts {
            values.push(Value::U32(facts));
        }
        let has_names = context.graph.view().names.is_some();
        if has_names {
            values.extend([source, sink].map(|node| context.name(node).map_or(Value::Null, Value::Text)));
        }
        let labels = [context.source_labels(source), context.sink_labels(sink)];
        if context.has_labels() {
            values.extend(labels.iter().map(|found| found.as_deref().map_or(Value::Null, Value::TextList)));
        }
        let names: Vec<&str> = path.into_iter().flatten().filter_map(|&node| context.name(node)).collect();
        if context.has_witnesses {
            values.push(path.map_or(Value::Null, Value::U32List));
            if has_names {
                values.push(path.map_or(Value::Null, |_| Value::TextList(&names)));
            }
        }
        if context.has_descriptions() {
            let description = context.description(finding).map(|(_, description)| description);
            values.push(description.map_or(Value::Null, |description| Value::Text(&description.id)));
            values.push(description.map_or(Value::Null, |description| Value::Text(description.severity.name())));
        }
        self.table.as_mut().map_or(Ok(()), |table| table_io(table.row(&values)))
    }

    /// Rows go to the output in groups, so there is nothing to flush before the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: &Totals) -> io::Result<()> {
        self.table.take().map_or(Ok(()), |table| table_io(table.finish()))
    }
}
