//! Text format (`.vyre`): the language of source files and of the test corpus.
//!
//! [`parse`] reads a program and the spans of its parts, or returns its syntax errors. [`print()`] writes a program in
//! canonical form. [`format()`] brings a text into canonical form and keeps its comments. `parse(&print(&p))` returns `p`
//! for every program, valid or not. The grammar is in `docs/text-format.md`.
//!
//! The parser writes postfix code, from which the tree is built; the formatter prints that code and needs no tree. The
//! parser continues after a syntax error and reports one error for each mistake.

mod declaration;
mod error;
mod expression;
mod foreign;
mod layout;
mod lexer;
mod parse;
mod parsed;
mod parser;
mod printer;
mod recovery;
mod statement;
mod trivia;
mod vocabulary;

pub use error::{ErrorKind, ParseError, ParseErrors};
pub use parse::{ParseOptions, parse, parse_with};
pub use parsed::Parsed;
pub use printer::{format, indentation, name, print};

pub(crate) use foreign::{function as foreign_function, variable as foreign_variable};
pub(crate) use parse::parse_to_code;
pub(crate) use printer::{format_within, print_code, print_expr, print_node};
pub(crate) use vocabulary::function_names;
