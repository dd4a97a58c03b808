//! Flows between programs that are analysed together.
//!
//! Small programs are analysed together, although they exchange no values. Values of libraries are the same for all of them, so that
//! the analysis may find a flow through such a value from one program to another. Then the programs are analysed one by one.

use super::analysed::Analysed;
use super::findings::Describer;
use crate::finding::FileIndex;
use crate::search::Flow;

/// True if a flow begins in one program and ends in another.
pub(super) fn crosses_programs(analysed: &Analysed, flows: &[Flow]) -> bool {
    if flows.is_empty() {
        return false;
    }
    let modules = analysed.program.modules.iter().zip(analysed.program.parts());
    let mut parts: Vec<(FileIndex, u32)> = modules.map(|(module, part)| (module.file, part)).collect();
    parts.sort_unstable();
    parts.dedup();
    // A file with several scripts is in several programs.
    let of = |file: FileIndex| {
        let start = parts.partition_point(|&(each, _)| each < file);
        parts[start..].iter().take_while(move |&&(each, _)| each == file).map(|&(_, part)| part)
    };
    let describer = Describer::new(analysed);
    flows.iter().any(|flow| {
        let source = describer.source_location(&flow.source).file;
        let sink = describer.value_location(flow.sink.value).file;
        source != sink && !of(source).any(|part| of(sink).any(|other| other == part))
    })
}
