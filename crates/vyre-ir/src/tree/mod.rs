//! Abstract syntax tree of programs: boxed expressions, statements and declarations, with names.

mod expr;
mod node;
mod program;
mod traversal;

pub use expr::{Collective, Expr};
pub(crate) use node::push_statement;
pub use node::{BodyKind, Node};
pub use program::{BufferDecl, Program};
pub use traversal::{Event, Traversal};
