//! ir
mod diagnostic;
mod name;
mod op_table;
mod operator;
pub mod source;
pub mod text;
mod tree;
pub mod types;
mod validate;
pub mod wire;
pub use diagnostic::{Diagnostic, Place, Related};
pub use name::Name;
pub use op_table::{DuplicateOp, OpDef, OpTable};
pub use operator::{AtomicOp, BinOp, ReduceOp, UnOp};
pub use tree::{BodyKind, BufferDecl, Collective, Event, Expr, Node, Program, Walk};
pub use types::{BufferAccess, Convention, DataType, OpSignature};
pub use validate::{
    MAX_CALL_DEPTH, MAX_NESTING_DEPTH, MAX_NODE_COUNT, ParseRuleError, Rule, RuleInfo, ValidProgram, Variable, validate,
};
