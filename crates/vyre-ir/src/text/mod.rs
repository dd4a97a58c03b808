//! Text format (`.vyre`): the language of source files and of the test corpus.
//!
//! [`parse`] reads a program and the spans of its parts. [`print()`] writes a program in canonical form. [`format()`]
//! brings a text into canonical form and keeps its comments. `parse(&print(&p))` returns `p` for every program, valid
//! or not. The grammar is in `docs/text-format.md`.

mod error;
mod expression;
mod lexer;
mod original;
mod parser;
mod printer;
mod statement;
mod vocabulary;

pub use error::{ErrorKind, ParseError};
pub use printer::{format, indentation, name, print};
pub use statement::{Parsed, parse};

pub(crate) use printer::{print_expr, print_node};
pub(crate) use vocabulary::function_names;
