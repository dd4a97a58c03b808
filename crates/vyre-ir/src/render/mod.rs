//! Renderer of error reports: for each error a headline, a code frame and notes, in the layout of compilers.
//!
//! [`Snippets`] has the source lines of a program, [`Frames`] cuts code frames from them, and a [`Block`] is one error
//! as text. [`Diagnostics`](crate::Diagnostics) prints itself with them; a program that reports errors of its own, or
//! in colours, builds its own blocks.

mod excerpt;
mod snippets;

pub use snippets::{Frames, Snippets};

use std::fmt;

use crate::source::{Frame, visible};

/// One error as text.
///
/// ```
/// use vyre_ir::render::{Block, Place};
/// use vyre_ir::source::{LineIndex, Span};
///
/// let frame = LineIndex::new("let x = y;").frame(Span { start: 8, end: 9 });
/// let block = Block::new("E1", "no such name", Place::new("a.txt:1:9", Some(frame))).with_note("help", "use `x`");
/// let expected = "\
/// error[E1]: no such name
///   --> a.txt:1:9
///    |
///  1 | let x = y;
///    |         ^
///    = help: use `x`";
/// assert_eq!(block.to_string(), expected);
/// ```
#[derive(Clone, Debug)]
pub struct Block {
    code: String,
    headline: String,
    place: Place,
    notes: Vec<Note>,
}

/// Location of an error: its name, and its source line.
#[derive(Clone, Debug)]
pub struct Place {
    name: String,
    frame: Option<Frame>,
}

impl Place {
    /// Location with this name, such as `program.vyre:7:9`.
    #[must_use]
    pub fn new(name: impl Into<String>, frame: Option<Frame>) -> Place {
        Place { name: name.into(), frame }
    }

    fn line(&self) -> Option<u32> {
        self.frame.as_ref().map(|frame| frame.line)
    }
}

/// A line below the code frame.
#[derive(Clone, Debug)]
struct Note {
    label: &'static str,
    text: String,
    place: Option<Place>,
}

/// Styles of the parts of a block. `{}` of a style begins it and `{:#}` ends it, as those of the crate `anstyle` do.
#[derive(Clone, Copy)]
pub struct Styles<'s> {
    error: &'s dyn fmt::Display,
    gutter: &'s dyn fmt::Display,
    strong: &'s dyn fmt::Display,
}

impl Styles<'static> {
    /// No styles.
    #[must_use]
    pub fn plain() -> Styles<'static> {
        Styles { error: &"", gutter: &"", strong: &"" }
    }
}

impl<'s> Styles<'s> {
    /// Styles of the error and of the carets, of the frame around source lines, and of the headline and labels.
    #[must_use]
    pub fn new(error: &'s dyn fmt::Display, gutter: &'s dyn fmt::Display, strong: &'s dyn fmt::Display) -> Styles<'s> {
        Styles { error, gutter, strong }
    }
}

impl fmt::Debug for Styles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Styles").finish_non_exhaustive()
    }
}

impl Block {
    /// An error with this code, headline and location.
    #[must_use]
    pub fn new(code: impl Into<String>, headline: impl Into<String>, place: Place) -> Block {
        Block { code: code.into(), headline: headline.into(), place, notes: Vec::new() }
    }

    /// Adds a line with a label below the code frame.
    #[must_use]
    pub fn with_note(mut self, label: &'static str, text: impl Into<String>) -> Block {
        self.notes.push(Note { label, text: text.into(), place: None });
        self
    }

    /// Adds a line about a second location. Its source line follows, unless it is the line of the error.
    #[must_use]
    pub fn with_related(mut self, relation: &str, place: Place) -> Block {
        let text = format!("{relation}: {}", place.name);
        self.notes.push(Note { label: "note", text, place: Some(place) });
        self
    }

    /// Writes the block in these styles, without a line break at its end. Characters that a terminal does not show are
    /// escaped.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn fmt::Write, styles: &Styles<'_>) -> fmt::Result {
        let Styles { error, gutter, strong } = styles;
        let Block { code, headline, place, notes } = self;
        let places = notes.iter().filter_map(|note| note.place.as_ref());
        let last_line = places.chain([place]).filter_map(Place::line).max().unwrap_or(0);
        let digits = last_line.to_string().len();

        writeln!(out, "{error}error[{code}]{error:#}{strong}: {}{strong:#}", visible(headline))?;
        write!(out, " {:digits$}{gutter}-->{gutter:#} {}", "", visible(&place.name))?;
        if let Some(frame) = &place.frame {
            write_frame(out, frame, digits, styles)?;
        }
        for Note { label, text, place: second } in notes {
            write!(out, "\n {:digits$} {gutter}={gutter:#} {strong}{label}{strong:#}: {}", "", visible(text))?;
            let second = second.as_ref().filter(|second| second.line() != place.line());
            if let Some(frame) = second.and_then(|second| second.frame.as_ref()) {
                write_frame(out, frame, digits, styles)?;
            }
        }
        Ok(())
    }
}

/// Writes a source line and the line that marks a part of it.
fn write_frame(out: &mut dyn fmt::Write, frame: &Frame, digits: usize, styles: &Styles<'_>) -> fmt::Result {
    let Styles { error, gutter, strong: _ } = styles;
    let Frame { line, text, padding, width } = frame;
    write!(out, "\n {:digits$} {gutter}|{gutter:#}", "")?;
    write!(out, "\n {gutter}{line:digits$} |{gutter:#} {}", text.trim_end())?;
    write!(out, "\n {:digits$} {gutter}|{gutter:#} {:padding$}{error}{}{error:#}", "", "", "^".repeat(*width))
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &Styles::plain())
    }
}
