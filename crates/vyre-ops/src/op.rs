//! What an op is.

use vyre_ir::{DataType, OpDef, OpSignature, Program};

use crate::{Law, Value, ValueError};

/// What an op means, in Rust: arguments to result. Arguments that do not fit the signature are an error.
pub type Reference = fn(&[Value]) -> Result<Value, ValueError>;

/// A function with a permanent id that programs can call.
#[derive(Clone, Debug)]
pub struct Op {
    /// The permanent id, such as `primitive.math.add`.
    pub id: &'static str,
    /// The version of its meaning.
    pub version: u32,
    /// What it computes, in one line.
    pub summary: &'static str,
    /// The types of its arguments.
    pub inputs: &'static [DataType],
    /// The type of its result.
    pub output: DataType,
    /// What holds for all arguments.
    pub laws: &'static [Law],
    /// Whether it can be called as an expression.
    pub inlinable: bool,
    /// Builds the program that callers get.
    pub canonical: fn() -> Program,
    /// The programs that a host runs in turn, for ops that are more than one program. The canonical one is among them.
    pub stages: &'static [ProgramVariant],
    /// Other programs with the same result.
    pub alternatives: &'static [ProgramVariant],
    /// The meaning, written without the programs. Ops over buffers have none here: their references have arguments of their own
    /// and are functions of their module.
    pub reference: Option<Reference>,
}

/// One of the programs of an op. All programs of an op give the same result.
#[derive(Clone, Copy, Debug)]
pub struct ProgramVariant {
    /// Its name, unique within the op.
    pub name: &'static str,
    /// Builds it.
    pub build: fn() -> Program,
}

impl ProgramVariant {
    /// The name of the canonical program.
    pub const CANONICAL: &'static str = "canonical";

    /// The program.
    #[must_use]
    pub fn program(&self) -> Program {
        (self.build)()
    }
}

impl Op {
    /// The types of its arguments and of its result.
    #[must_use]
    pub fn signature(&self) -> OpSignature {
        OpSignature { inputs: self.inputs.to_vec(), output: self.output }
    }

    /// The canonical program. Its inputs are read-only buffers in the order of the arguments; the result is element 0
    /// of its output buffer.
    #[must_use]
    pub fn program(&self) -> Program {
        (self.canonical)()
    }

    /// All programs: the canonical one, or the stages where there are several, and then the alternatives.
    pub fn programs(&self) -> impl Iterator<Item = ProgramVariant> {
        let canonical = ProgramVariant { name: ProgramVariant::CANONICAL, build: self.canonical };
        let canonical = self.stages.is_empty().then_some(canonical);
        canonical.into_iter().chain(self.stages.iter().copied()).chain(self.alternatives.iter().copied())
    }

    /// The result according to the host reference.
    ///
    /// # Errors
    ///
    /// The number or the types of the arguments do not fit the signature, or the op is one over buffers.
    pub fn call(&self, arguments: &[Value]) -> Result<Value, ValueError> {
        self.reference.map_or(Err(ValueError::OverBuffers), |reference| reference(arguments))
    }

    /// The op as validation sees it.
    #[must_use]
    pub fn definition(&self) -> OpDef {
        OpDef {
            id: self.id.into(),
            version: self.version,
            signature: self.signature(),
            inlinable: self.inlinable,
            program: self.program(),
        }
    }
}

/// An op over buffers: it cannot be called as an expression, and its reference has arguments of its own.
pub(crate) const OVER_BUFFERS: Op = Op {
    id: "",
    version: 1,
    summary: "",
    inputs: &[DataType::Bytes],
    output: DataType::Bytes,
    laws: &[],
    inlinable: false,
    canonical: no_program,
    stages: &[],
    alternatives: &[],
    reference: None,
};

fn no_program() -> Program {
    Program { buffers: Vec::new(), workgroup_size: [1, 1, 1], entry: Vec::new() }
}
