//! Asks which sinks untrusted input reaches, with a transfer function of one's own.

use vyre::engine::dataflow::{Dataflow, Options, Transfer};
use vyre::graph::{Role, try_to_csr};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 0 is a request, 4 a query of a database. 1 checks a type, 2 and 3 pass things on.
    let mut graph = try_to_csr(5, &[(0, 1), (0, 2), (1, 4), (2, 3), (3, 4)])?;
    graph.node_data[4] = Role::Sink.word();

    // A word for each edge tells what it does; 7 is a call that turns text into a number.
    let transfer = Transfer::new(|_, edge| edge.metadata.ne(7u32))?.with_edge_words(vec![0, 0, 7, 0, 0]);
    let options = Options::default().with_transfer(transfer);

    let engine = Dataflow::new(vyre::any_device()?);
    let graph = engine.load(graph.view())?;
    let (findings, summary) = graph.taint(&[0], &options)?;
    let ways = graph.witnesses(&findings, &options)?;
    assert_eq!(ways, [[0, 2, 3, 4]]);
    println!("{}", summary.explanation);
    for (finding, way) in findings.iter().zip(ways) {
        println!("{} reaches {} at depth {}: {way:?}", finding.source, finding.sink, finding.depth);
    }
    Ok(())
}
