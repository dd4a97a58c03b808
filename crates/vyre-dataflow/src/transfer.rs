//! Transfer functions: ops that decide whether and how facts go along an edge.

use std::fmt;
use std::sync::Arc;

use vyre_ir::build::{Body, Buffer, ProgramBuilder, call};
use vyre_ir::{
    BufferAccess, BufferDecl, DataType, Event, Expr, Name, OpDef, OpSignature, OpTable, Program, Traversal, text,
    validate,
};

/// The id by which the programs of the engine call the function.
const ID: &str = "dataflow.transfer";

/// Decides whether and how facts go along an edge.
///
/// It is an op: a program whose read-only inputs are, by ascending slot, the source, the node at the beginning of the edge, the
/// node at its end and a word of metadata, and which stores a word to element 0 of its output. 0 blocks the edge for this
/// source, anything else lets facts through as they are. A function with a fifth input is given the facts at the beginning of
/// the edge, a set of up to 32 bits, and its result is the set of facts that arrives at the end.
///
/// ```
/// use vyre_dataflow::Transfer;
///
/// // Flow into nodes whose word is 7 is blocked.
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

/// What a transfer function is told of an edge beside its ends.
#[derive(Clone, Debug, Default)]
pub(crate) enum Metadata {
    /// The word of the node at its end.
    #[default]
    NodeData,
    /// A word for each node, of which that at the end counts.
    Nodes(Arc<[u32]>),
    /// A word for each edge.
    Edges(Arc<[u32]>),
}

/// The inputs of a transfer function that is built in Rust.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The source whose facts go along the edge.
    pub source: Expr,
    /// The node at the beginning.
    pub current: Expr,
    /// The node at the end.
    pub target: Expr,
    /// The metadata.
    pub metadata: Expr,
}

/// Why a program cannot be a transfer function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransferError {
    /// The text is not a program.
    Syntax(String),
    /// The number of inputs is not 4 or 5.
    Inputs {
        /// How many there are.
        found: usize,
    },
    /// An input or the output is not of words.
    Type {
        /// Its name.
        buffer: Name,
        /// Its type.
        found: DataType,
    },
    /// There is no output.
    NoOutput,
    /// The program is not valid, or it is, but cannot be inlined into others.
    Invalid(String),
}

impl fmt::Display for TransferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransferError::Syntax(message) | TransferError::Invalid(message) => message.fmt(f),
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
    /// A function that lets facts through an edge where the expression is not 0.
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

    /// A function that is given the facts at the beginning of an edge, and gives those at its end.
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

    /// The function of a `.vyre` text.
    ///
    /// # Errors
    ///
    /// A text that is not a program, or a program that is no transfer function.
    pub fn parse(source: &str) -> Result<Transfer, TransferError> {
        let parsed = text::parse(source).map_err(|error| TransferError::Syntax(error.to_string()))?;
        Transfer::from_program(parsed.program)
    }

    /// The function that a program computes. It may call ops of the library.
    ///
    /// # Errors
    ///
    /// A program that is no transfer function.
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
        let op = OpDef { id: ID.into(), version: 1, signature, inlinable: true, program: program.clone() };
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

    /// The same with a word of metadata for each node; the function sees that of the node at the end of the edge. Without this,
    /// it sees the word of the node in the graph, in which the role is.
    #[must_use]
    pub fn with_node_words(mut self, words: impl Into<Arc<[u32]>>) -> Transfer {
        self.metadata = Metadata::Nodes(words.into());
        self
    }

    /// The same with a word of metadata for each edge, in the order of the graph's edges.
    #[must_use]
    pub fn with_edge_words(mut self, words: impl Into<Arc<[u32]>>) -> Transfer {
        self.metadata = Metadata::Edges(words.into());
        self
    }

    /// Whether the result may depend on the source. If it does not, the function is applied once to each edge, for all sources.
    #[must_use]
    pub fn uses_source(&self) -> bool {
        self.uses_source
    }

    /// Whether facts are transformed on their way.
    #[must_use]
    pub fn carries_facts(&self) -> bool {
        self.carries_facts
    }

    /// The program of the function.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The ops of the library, and this one.
    pub(crate) fn table(&self) -> &OpTable {
        &self.table
    }

    /// A call of the function.
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

/// Fails where the program is not valid or cannot be called.
fn check(program: &Program, table: &OpTable, inputs: usize) -> Result<(), TransferError> {
    let library = vyre_ops::table();
    let mut p = ProgramBuilder::new([1, 1, 1]);
    let out = p.output("out", DataType::U32);
    let caller = p.entry(|b| b.store(&out, 0u32, call(ID, vec![Expr::from(0u32); inputs])));
    let problems = [validate(program, &library).err(), validate(&caller, table).err()];
    match problems.into_iter().flatten().flatten().next() {
        Some(problem) => Err(TransferError::Invalid(problem.to_string())),
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
    fn what_a_function_uses_is_seen() {
        let plain = parse("buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { r[0] = m[0] != u[0]; }");
        let plain = plain.expect("is a function");
        assert!(!plain.uses_source() && !plain.carries_facts());
        let by_source = parse("buffer m: read u32 @3; buffer r: read_write u32 @4 output; entry { r[0] = s[0] & 1; }");
        assert!(by_source.expect("is a function").uses_source());
        let facts = Transfer::of_facts(|_, edge, facts| facts & edge.metadata).expect("is a function");
        assert!(facts.carries_facts() && !facts.uses_source());
    }

    #[test]
    fn what_is_no_function_is_refused() {
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
