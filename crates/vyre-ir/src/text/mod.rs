//! The text format (`.vyre`): a language that people type and review, and the language of the test corpus.
//!
//! [`parse`] turns a text into a program and the spans of its parts, [`print()`] a program into its canonical text, and
//! [`format()`] brings a text into canonical form without losing its comments. `parse(&print(&p))` gives `p` for every
//! program, valid or not. The grammar is in `docs/text-format.md`.

mod error;
mod expression;
mod lexer;
mod original;
mod parser;
mod printer;
mod vocabulary;

pub use error::{ErrorKind, ParseError};
pub use parser::{Parsed, parse};
pub use printer::{format, indentation, name, print};

pub(crate) use printer::{print_expr, print_node};
pub(crate) use vocabulary::function_names;
