//! Transfer functions: ops that map the facts at the beginning of an edge to the facts at its end.

use std::fmt;
use std::sync::Arc;

use vyre_graph::CsrView;
use vyre_ir::build::{Body, Buffer, ProgramBuilder, call};
use vyre_ir::text::ParseErrors;
use vyre_ir::{
    BufferAccess, BufferDecl, DataType, Diagnostic, Event, Expr, Name, OpSignature, OpSpec, OpTable, Program,
    Traversal, text, validate,
};

/// Op id by which the programs of the engine call the function.
const ID: &str = "dataflow.transfer";

/// Transfer function of an edge.
///
/// It is an op: a program that stores one word to element 0 of its output. Its read-only inputs are, by ascending slot:
///
/// | Input | Meaning |
/// |---|---|
/// | 1 | source |
/// | 2 | node at the beginning of the edge |
/// | 3 | node at the end of the edge |
/// | 4 | metadata word |
/// | 5, optional | facts at the beginning of the edge, a set of up to 32 bits |
///
/// With four inputs, the result 0 blocks the edge for this source; with any other result, facts propagate unchanged. With five
/// inputs, the result is the set of facts that arrives at the end.
///
/// ```
/// use vyre_dataflow::Transfer;
///
/// // Blocks edges into nodes whose word is 7.
/// let transfer = Transfer::new(|_, edge| edge.metadata.ne(7u32))?;
/// assert!(!transfer.uses_source() && !transfer.carries_facts());
/// # Ok::<(), vyre_dataflow::TransferError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Transfer {
    program: Arc<Program>,
    table: Arc<OpTable>,
    uses_source: bool,
    carries_facts: bool,
    pub(crate) metadata: Metadata,
}

/// Source of the metadata word of an edge.
#[derive(Clone, Debug, Default)]
pub(crate) enum Metadata {
    /// Word of the node at the end of the edge, in the graph.
    #[default]
    NodeData,
    /// A word for each node. An edge has the word of the node at its end.
    Nodes(Arc<[u32]>),
    /// A word for each edge.
    Edges(Arc<[u32]>),
}

impl Metadata {
    /// Metadata words: one for each edge if [`is_by_edge`](Metadata::is_by_edge), else one for each node.
    pub(crate) fn words<'m>(&'m self, graph: CsrView<'m>) -> &'m [u32] {
        match self {
            Metadata::NodeData => graph.node_data,
            Metadata::Nodes(words) | Metadata::Edges(words) => words,
        }
    }

    /// Reports whether there is a word for each edge.
    pub(crate) fn is_by_edge(&self) -> bool {
        matches!(self, Metadata::Edges(_))
    }
}

/// Inputs of a transfer function that is built in Rust.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Source of the facts.
    pub source: Expr,
    /// Node at the beginning.
    pub current: Expr,
    /// Node at the end.
    pub target: Expr,
    /// Metadata word.
    pub metadata: Expr,
}

/// Error in a transfer function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransferError {
    /// The text is not a program.
    Syntax(Box<ParseErrors>),
    /// The number of inputs is not 4 or 5.
    Inputs {
        /// Number of inputs.
        found: usize,
    },
    /// The element type of an input or of the output is not `u32`.
    Type {
        /// Name of the buffer.
        buffer: Name,
        /// Element type of the buffer.
        found: DataType,
    },
    /// The program has no output.
    NoOutput,
    /// The program is not valid, or it cannot be inlined.
    Invalid(Box<Diagnostic>),
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransferError::Syntax(error) => error.fmt(f),
            TransferError::Invalid(diagnostic) => diagnostic.fmt(f),
            TransferError::Inputs { found } => write!(
                f,
                "a transfer function has 4 read-only inputs (source, current node, target node, metadata), or 5 with the facts; \
                 this one has {found}"
            ),
            TransferError::Type { buffer, found } => {
                write!(f, "the inputs and the output of a transfer function are u32; `{buffer}` is {found}")
            }
            TransferError::NoOutput => f.write_str("a transfer function stores its result to a buffer marked `output`"),
        }
    }
}

impl std::error::Error for TransferError {}

impl Transfer {
    /// Builds a function that blocks an edge if the expression is 0.
    ///
    /// # Errors
    ///
    /// An expression that is not valid.
    pub fn new(build: impl FnOnce(&mut Body<'_>, Edge) -> Expr) -> Result<Transfer, TransferError> {
        let (p, inputs, out) = declare(&["source", "current", "target", "metadata"]);
        let program = p.entry(|b| {
            let edge = edge(&inputs);
            let result = build(b, edge);
            b.store(&out, 0u32, result);
        });
        Transfer::from_program(program)
    }

    /// Builds a function from the facts at the beginning of an edge to the facts at its end.
    ///
    /// # Errors
    ///
    /// An expression that is not valid.
    pub fn of_facts(build: impl FnOnce(&mut Body<'_>, Edge, Expr) -> Expr) -> Result<Transfer, TransferError> {
        let (p, inputs, out) = declare(&["source", "current", "target", "metadata", "facts"]);
        let program = p.entry(|b| {
            let edge = edge(&inputs);
            let result = build(b, edge, inputs[4].load(0u32));
            b.store(&out, 0u32, result);
        });
        Transfer::from_program(program)
    }

    /// Parses a function from `.vyre` text.
    ///
    /// # Errors
    ///
    /// A text that is not a program, or a program that is not a transfer function.
    pub fn parse(source: &str) -> Result<Transfer, TransferError> {
        let parsed = text::parse(source).map_err(|error| TransferError::Syntax(Box::new(error)))?;
        Transfer::from_program(parsed.program)
    }

    /// Makes a function from a program. It may call ops of the library.
    ///
    /// # Errors
    ///
    /// A program that is not a transfer function.
    pub fn from_program(program: Program) -> Result<Transfer, TransferError> {
        let mut inputs: Vec<&BufferDecl> = program
            .buffers
            .iter()
            .filter(|buffer| matches!(buffer.access, BufferAccess::ReadOnly | BufferAccess::Uniform))
            .collect();
        inputs.sort_by_key(|buffer| buffer.binding);
        if !matches!(inputs.len(), 4 | 5) {
            return Err(TransferError::Inputs { found: inputs.len() });
        }
        let output = program.output().ok_or(TransferError::NoOutput)?;
        for buffer in inputs.iter().copied().chain([output]) {
            if buffer.element != DataType::U32 {
                return Err(TransferError::Type { buffer: buffer.name.clone(), found: buffer.element });
            }
        }
        let carries_facts = inputs.len() == 5;
        let source_input = inputs[0].name.clone();
        let uses_source = Traversal::new(&program).any(|event| match event {
            Event::Expr(Expr::Load { buffer, .. }) => *buffer == source_input,
            _ => false,
        });
        let signature = OpSignature { inputs: vec![DataType::U32; inputs.len()], output: DataType::U32 };
        let op = OpSpec { id: ID.into(), version: 1, signature, inlinable: true, program: program.clone() };
        let table = OpTable::new(vyre_ops::table().iter().cloned().chain([op])).expect("the library has no such op");
        check(&program, &table, inputs.len())?;
        Ok(Transfer {
            program: Arc::new(program),
            table: Arc::new(table),
            uses_source,
            carries_facts,
            metadata: Metadata::default(),
        })
    }

    /// Sets a metadata word for each node; the function receives the word of the node at the end of the edge. The default is the
    /// word of the node in the graph, which contains its role.
    #[must_use]
    pub fn with_node_words(mut self, words: impl Into<Arc<[u32]>>) -> Transfer {
        self.metadata = Metadata::Nodes(words.into());
        self
    }

    /// Sets a metadata word for each edge, in the order of the edges of the graph.
    #[must_use]
    pub fn with_edge_words(mut self, words: impl Into<Arc<[u32]>>) -> Transfer {
        self.metadata = Metadata::Edges(words.into());
        self
    }

    /// Reports whether the result may depend on the source. Otherwise the engine applies the function once to each edge.
    #[must_use]
    pub fn uses_source(&self) -> bool {
        self.uses_source
    }

    /// Reports whether the function transforms facts.
    #[must_use]
    pub fn carries_facts(&self) -> bool {
        self.carries_facts
    }

    /// Program of the function.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Ops of the library and this function.
    pub(crate) fn table(&self) -> &OpTable {
        &self.table
    }

    /// Expression that calls the function.
    pub(crate) fn call(&self, edge: Edge, facts: Expr) -> Expr {
        let Edge { source, current, target, metadata } = edge;
        let facts = self.carries_facts.then_some(facts);
        call(ID, [source, current, target, metadata].into_iter().chain(facts))
    }
}

fn declare(names: &[&str]) -> (ProgramBuilder, Vec<Buffer>, Buffer) {
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let inputs = names.iter().map(|&name| p.read(name, DataType::U32)).collect();
    let out = p.output("result", DataType::U32);
    (p, inputs, out)
}

fn edge(inputs: &[Buffer]) -> Edge {
    let input = |position: usize| inputs[position].load(0u32);
    Edge { source: input(0), current: input(1), target: input(2), metadata: input(3) }
}

/// Checks that the program is valid and can be inlined.
fn check(program: &Program, table: &OpTable, inputs: usize) -> Result<(), TransferError> {
    let library = vyre_ops::table();
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let out = p.output("out", DataType::U32);
    let caller = p.entry(|b| b.store(&out, 0u32, call(ID, vec![Expr::from(0u32); inputs])));
    let problems = [validate(program, &library).err(), validate(&caller, table).err()];
    match problems.into_iter().flatten().flatten().next() {
        Some(diagnostic) => Err(TransferError::Invalid(Box::new(diagnostic))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "workgroup_size 1; buffer s: read u32 @0; buffer u: read u32 @1; buffer v: read u32 @2;";

    fn parse(rest: &str) -> Result<Transfer, TransferError> {
        Transfer::parse(&format!("{HEADER} {rest}"))
    }

    #[test]
    fn inputs_that_a_function_loads_are_detected() {
        let plain = parse("buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { r[0] = m[0] != u[0]; }");
        let plain = plain.expect("is a function");
        assert!(!plain.uses_source() && !plain.carries_facts());
        let by_source = parse("buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { r[0] = s[0] & 1; }");
        assert!(by_source.expect("is a function").uses_source());
        let facts = Transfer::of_facts(|_, edge, facts| facts & edge.metadata).expect("is a function");
        assert!(facts.carries_facts() && !facts.uses_source());
    }

    #[test]
    fn programs_that_are_not_transfer_functions_are_rejected() {
        let three = parse("buffer r: read_write u32 @4 output; entry { r[0] = 1; }");
        assert_eq!(three.err(), Some(TransferError::Inputs { found: 3 }));
        let typed = parse("buffer m: read i32 @3; buffer r: read_write u32 @4 output; entry { r[0] = 1; }");
        assert_eq!(typed.err(), Some(TransferError::Type { buffer: "m".into(), found: DataType::I32 }));
        let no_output = parse("buffer m: read u32 @3; buffer r: read_write u32 @4; entry { r[0] = 1; }");
        assert_eq!(no_output.err(), Some(TransferError::NoOutput));
        let atomic =
            "buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { let x = atomic_add(r[0], 1); }";
        assert!(matches!(parse(atomic).err(), Some(TransferError::Invalid(_))));
        let unknown = "buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { r[0] = nothing; }";
        assert!(matches!(parse(unknown).err(), Some(TransferError::Invalid(_))));
        assert!(matches!(Transfer::parse("?").err(), Some(TransferError::Syntax(_))));
    }
}
