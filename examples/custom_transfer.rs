//! Finds the sinks that untrusted input reaches, with a custom transfer function.

use vyre::engine::dataflow::{Dataflow, Options, Transfer};
use vyre::graph::{Role, try_to_csr};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 0 is a request, 4 a database query. 1 checks a type, 2 and 3 forward their input.
    let mut graph = try_to_csr(5, &[(0, 1), (0, 2), (1, 4), (2, 3), (3, 4)])?;
    graph.node_data[4] = Role::Sink.word();

    // Each edge has a metadata word; 7 marks a call that converts text to a number.
    let transfer = Transfer::new(|_, edge| edge.metadata.ne(7u32))?.with_edge_words(vec![0, 0, 7, 0, 0]);
    let options = Options::default().with_transfer(transfer);

    let engine = Dataflow::new(vyre::any_device()?);
    let graph = engine.load(graph.view())?;
    let (findings, summary) = graph.taint(&[0], &options)?;
    let witnesses = graph.witnesses(&findings, &options)?;
    assert_eq!(witnesses, [[0, 2, 3, 4]]);
    println!("{}", summary.explanation);
    for (finding, path) in findings.iter().zip(witnesses) {
        println!("{} reaches {} at depth {}: {path:?}", finding.source, finding.sink, finding.depth);
    }
    Ok(())
}
