//! Descriptors of ops.

use vyre_ir::{DataType, OpSignature, OpSpec, Program};

use crate::{Law, Value, ValueError};

/// Host reference of an op: arguments to result. Arguments that do not match the signature are an error.
pub type Reference = fn(&[Value]) -> Result<Value, ValueError>;

/// A function with a permanent id that programs can call.
#[derive(Clone, Debug)]
pub struct Op {
    /// Permanent id, such as `primitive.math.add`.
    pub id: &'static str,
    /// Version of the semantics; see [`Op::version`].
    pub version: u32,
    /// One-line description of the result.
    pub summary: &'static str,
    /// Types of the arguments.
    pub inputs: &'static [DataType],
    /// Type of the result.
    pub output: DataType,
    /// Laws that hold for all arguments.
    pub laws: &'static [Law],
    /// Results that follow from the specification by hand. Every op with a [`reference`](Op::reference) has some.
    pub examples: &'static [Example],
    /// True if the op can be called as an expression.
    pub inlinable: bool,
    /// Builder of the program that replaces calls.
    pub canonical: fn() -> Program,
    /// Programs that a host runs in sequence, for ops of more than one program. The canonical one is among them.
    pub stages: &'static [ProgramVariant],
    /// Other programs with the same result.
    pub alternatives: &'static [ProgramVariant],
    /// Semantics in Rust, independent of the programs. Ops over buffers have none here: their references have other arguments
    /// and are public functions.
    pub reference: Option<Reference>,
}

/// Arguments of an op on words, and the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The arguments.
    pub arguments: &'static [u32],
    /// The result.
    pub result: u32,
}

impl Example {
    /// The example with these arguments and this result.
    #[must_use]
    pub const fn new(arguments: &'static [u32], result: u32) -> Example {
        Example { arguments, result }
    }
}

/// One of the programs of an op. All programs of an op but its stages have the same result.
#[derive(Clone, Copy, Debug)]
pub struct ProgramVariant {
    /// Name, unique within the op.
    pub name: &'static str,
    /// Builder of the program.
    pub build: fn() -> Program,
}

impl ProgramVariant {
    /// Name of the canonical program.
    pub const CANONICAL: &'static str = "canonical";

    /// Builds the program.
    #[must_use]
    pub fn program(&self) -> Program {
        (self.build)()
    }
}

impl Op {
    /// Version of the semantics. It begins with 1, and every change of the semantics increments it.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Types of the arguments and of the result.
    #[must_use]
    pub fn signature(&self) -> OpSignature {
        OpSignature { inputs: self.inputs.to_vec(), output: self.output }
    }

    /// Builds the canonical program. Its inputs are read-only buffers in the order of the arguments. The result is element 0 of
    /// its output buffer.
    #[must_use]
    pub fn program(&self) -> Program {
        (self.canonical)()
    }

    /// All programs: the canonical one, or the stages of an op that has any, and then the alternatives.
    pub fn programs(&self) -> impl Iterator<Item = ProgramVariant> {
        let canonical = ProgramVariant { name: ProgramVariant::CANONICAL, build: self.canonical };
        let canonical = self.stages.is_empty().then_some(canonical);
        canonical.into_iter().chain(self.stages.iter().copied()).chain(self.alternatives.iter().copied())
    }

    /// Evaluates the host reference.
    ///
    /// # Errors
    ///
    /// The number or the types of the arguments do not match the signature, or the op is an op over buffers.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, ValueError> {
        self.reference.map_or(Err(ValueError::OverBuffers), |reference| reference(arguments))
    }

    /// Specification of the op for the validator.
    #[must_use]
    pub fn spec(&self) -> OpSpec {
        OpSpec {
            id: self.id.into(),
            version: self.version,
            signature: self.signature(),
            inlinable: self.inlinable,
            program: self.program(),
        }
    }
}

/// Template of an op over buffers. Such an op cannot be called as an expression, and its reference has other arguments.
pub(crate) const BUFFER_OP: Op = Op {
    id: "",
    version: 1,
    summary: "",
    inputs: &[DataType::Bytes],
    output: DataType::Bytes,
    laws: &[],
    examples: &[],
    inlinable: false,
    canonical: no_program,
    stages: &[],
    alternatives: &[],
    reference: None,
};

fn no_program() -> Program {
    Program { buffers: Vec::new(), workgroup_size: [1, 1, 1], entry: Vec::new() }
}
