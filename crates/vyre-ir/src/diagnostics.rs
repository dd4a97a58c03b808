//! Collection of the diagnostics of a program, an error that prints code frames.

use std::fmt;
use std::ops::Deref;

use crate::diagnostic::{Diagnostic, ProgramLocation, Related};
use crate::render::{Block, Frames, Place, Snippets};
use crate::source::Span;

/// The diagnostics of a program, at least one, in the order of their locations.
///
/// These are all of them for a program with at most 10,000. Of more, the first 10,000 that validation finds are kept and the
/// others [counted](Diagnostics::omitted).
///
/// `Display` and `Debug` print every diagnostic: its permanent text, the source line with the location marked, the
/// suggestion, and the related location; then the number of those that are not kept. The source lines are those of the text that the program was parsed from, or
/// those that [`print`](crate::text::print()) writes. They are printed on demand; until then the collection holds no
/// more than the statements with diagnostics, or a reference to the text.
///
/// ```
/// use vyre_ir::{OpTable, text};
///
/// let source = "\
/// workgroup_size 64;
/// buffer out: read_write u32 @0;
/// entry {
///     let index = invocation_id.x;
///     out[indx] = 1;
/// }
/// ";
/// let errors = text::parse(source)?.validate(&OpTable::default()).map(|_| ()).unwrap_err();
/// assert_eq!(errors.len(), 1);
/// let expected = "\
/// error[V006]: vyre IR validation: reference to undeclared variable `indx`. Fix: add `let indx = ...;` before this use.
///   --> 5:9
///    |
///  5 |     out[indx] = 1;
///    |         ^^^^
///    = help: did you mean `index`?";
/// assert_eq!(errors.to_string(), expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    omitted: usize,
    snippets: Snippets,
}

impl Diagnostics {
    pub(crate) fn new(list: Vec<Diagnostic>, omitted: usize, snippets: Snippets) -> Diagnostics {
        Diagnostics { list, omitted, snippets }
    }

    /// Number of further diagnostics that were found and are not kept.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Source lines of the program.
    #[must_use]
    pub fn snippets(&self) -> &Snippets {
        &self.snippets
    }

    /// The diagnostics as a list.
    #[must_use]
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.list
    }

    /// Formats the diagnostics as `Display` does, with the name of a file before every location.
    #[must_use]
    pub fn in_file<'d>(&'d self, name: &'d str) -> impl fmt::Display + 'd {
        Rendered { diagnostics: self, file: Some(name) }
    }
}

/// Text of the diagnostics, with the name of the file if there is one.
struct Rendered<'d> {
    diagnostics: &'d Diagnostics,
    file: Option<&'d str>,
}

impl Rendered<'_> {
    fn place(&self, frames: &mut Frames<'_>, location: ProgramLocation, path: &str, span: Option<Span>) -> Place {
        let position = frames.position(span);
        let name = match (self.file, position) {
            (Some(file), Some(position)) => format!("{file}:{position}"),
            (Some(file), None) => format!("{file}: {path}"),
            (None, Some(position)) => position.to_string(),
            (None, None) => path.to_owned(),
        };
        Place::new(name, frames.frame(Some(location), span))
    }
}

impl fmt::Display for Rendered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostics { list, omitted, snippets } = self.diagnostics;
        let mut frames = snippets.frames();
        for (position, diagnostic) in list.iter().enumerate() {
            let place = self.place(&mut frames, diagnostic.location, &diagnostic.path, diagnostic.span);
            let mut block = Block::new(diagnostic.rule.code(), diagnostic.message(), place);
            if let Some(help) = &diagnostic.help {
                block = block.with_note("help", help.as_str());
            }
            if let Some(Related { label, location, path, span }) = &diagnostic.related {
                block = block.with_related(label, self.place(&mut frames, *location, path, *span));
            }
            let separator = if position == 0 { "" } else { "\n\n" };
            write!(f, "{separator}{block}")?;
        }
        match omitted {
            0 => Ok(()),
            1 => f.write_str("\n\n1 more error"),
            _ => write!(f, "\n\n{omitted} more errors"),
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Rendered { diagnostics: self, file: None }.fmt(f)
    }
}

/// Prints what `Display` prints, since `main` and `expect` show errors with `Debug`.
impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Diagnostics {}

impl Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.list
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Diagnostics> for Vec<Diagnostic> {
    fn from(diagnostics: Diagnostics) -> Vec<Diagnostic> {
        diagnostics.list
    }
}
