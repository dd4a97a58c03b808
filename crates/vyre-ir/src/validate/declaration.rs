//! Buffer declarations in the words of the text format, for suggestions.

use crate::diagnostic::code;
use crate::text;
use crate::{BufferAccess, BufferDecl, Program};

/// Suggestion of this declaration.
pub(super) fn in_text_format(buffer: BufferDecl) -> String {
    let printed = text::print(&Program::new(vec![buffer], [1; 3], Vec::new()));
    // The workgroup size and a blank line come first.
    format!("in the text format: {}", code(printed.lines().nth(2).unwrap_or_default()))
}

/// Suggestion of this buffer as a read-write one. A workgroup buffer, which has no slot, gets the next free one.
pub(super) fn read_write(buffer: &BufferDecl, program: &Program) -> String {
    let binding = match buffer.access {
        BufferAccess::Workgroup => free_binding(program),
        BufferAccess::ReadOnly | BufferAccess::ReadWrite | BufferAccess::Uniform => buffer.binding,
    };
    in_text_format(BufferDecl { access: BufferAccess::ReadWrite, binding, count: 0, ..buffer.clone() })
}

/// Slot after the last one that is in use.
pub(super) fn free_binding(program: &Program) -> u32 {
    let bound = program.buffers.iter().filter(|buffer| buffer.access != BufferAccess::Workgroup);
    bound.map(|buffer| buffer.binding.saturating_add(1)).max().unwrap_or(0)
}
