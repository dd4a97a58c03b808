//! Source lines of a program: its text, or the lines that the printer would write.

use std::sync::Arc;

use super::excerpt::{Excerpts, PrintedHead};
use crate::Program;
use crate::diagnostic::ProgramLocation;
use crate::source::{Frame, LineIndex, Location, SourceMap, Span};

/// Source lines of a program.
///
/// A program that was parsed shares its text. Of a program without a text only the statements at given locations are
/// kept; they are printed when a frame is asked for.
#[derive(Clone, Debug)]
pub struct Snippets(Lines);

#[derive(Clone, Debug)]
enum Lines {
    Text(Arc<str>),
    Printed(Arc<Excerpts>),
}

impl Snippets {
    /// Lines of a text. Frames are cut by their spans.
    #[must_use]
    pub fn of_text(text: impl Into<Arc<str>>) -> Snippets {
        Snippets(Lines::Text(text.into()))
    }

    /// Lines of the text of a parsed program. Frames are cut by their spans.
    #[must_use]
    pub fn of_source(source_map: &SourceMap) -> Snippets {
        Snippets(Lines::Text(Arc::clone(&source_map.text)))
    }

    /// Lines of a program as [`print`](crate::text::print()) writes it. Frames are cut by their locations in the
    /// program, which must be among `locations`.
    ///
    /// Takes time and memory in proportion to the program before the last location, and no more memory than the
    /// statements at the locations need. A statement whose text would exceed 4 MiB has no frame.
    #[must_use]
    pub fn of_program(program: &Program, locations: impl IntoIterator<Item = ProgramLocation>) -> Snippets {
        Snippets(Lines::Printed(Arc::new(Excerpts::new(program, locations))))
    }

    /// Cutter of frames. It indexes the lines of a text once.
    #[must_use]
    pub fn frames(&self) -> Frames<'_> {
        match &self.0 {
            Lines::Text(text) => Frames(Cutter::Text(LineIndex::new(text))),
            Lines::Printed(excerpts) => Frames(Cutter::Printed { excerpts, cached: [None, None] }),
        }
    }
}

impl Default for Snippets {
    fn default() -> Snippets {
        Snippets::of_text("")
    }
}

/// Cutter of code frames.
#[derive(Debug)]
pub struct Frames<'s>(Cutter<'s>);

#[derive(Debug)]
enum Cutter<'s> {
    Text(LineIndex<'s>),
    /// `cached` are the two statements that were printed last, the newer one first: those of an error and of its
    /// related location.
    Printed {
        excerpts: &'s Excerpts,
        cached: [Option<PrintedHead>; 2],
    },
}

impl Frames<'_> {
    /// Line and column of a span, if the program has a text.
    #[must_use]
    pub fn position(&self, span: Option<Span>) -> Option<Location> {
        match &self.0 {
            Cutter::Text(index) => span.map(|span| index.location(span.start)),
            Cutter::Printed { .. } => None,
        }
    }

    /// Frame of a location. A program with a text needs the span, any other program the location.
    pub fn frame(&mut self, location: Option<ProgramLocation>, span: Option<Span>) -> Option<Frame> {
        match &mut self.0 {
            Cutter::Text(index) => span.map(|span| index.frame(span)),
            Cutter::Printed { excerpts, cached } => match location? {
                ProgramLocation::WorkgroupSize(axis) => excerpts.workgroup_size_frame(axis),
                ProgramLocation::Buffer(position) => excerpts.buffer_frame(position),
                ProgramLocation::Node(ordinal) => {
                    let is_cached = |head: &Option<PrintedHead>| head.as_ref().is_some_and(|it| it.contains(ordinal));
                    if !is_cached(&cached[0]) {
                        cached.swap(0, 1);
                    }
                    if !is_cached(&cached[0]) {
                        cached[0] = Some(excerpts.print(ordinal)?);
                    }
                    cached[0].as_ref().and_then(|head| head.frame(ordinal))
                }
            },
        }
    }
}
