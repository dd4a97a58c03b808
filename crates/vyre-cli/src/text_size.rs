//! Size of the text form of a program, computed without printing it.
//!
//! The wire form refers to names by number and has no indentation, so the text of a small file can exceed the memory. Text
//! with many short statements in nested braces has the same effect on the formatter.

use vyre::ir::{Event, Program, Traversal, text};

use crate::input::MAX_BYTES;

/// Reports whether the text form of a program would exceed the input limit.
pub(crate) fn text_is_too_large(program: &Program) -> bool {
    !fits(program, MAX_BYTES)
}

/// Reports whether names and indentation take at most `limit` bytes. All other text is proportional to the input.
fn fits(program: &Program, limit: u64) -> bool {
    let mut total: u64 = program.buffers.iter().map(|buffer| buffer.name.len() as u64).sum();
    let mut depth: usize = 0;
    for event in Traversal::new(program) {
        total += match event {
            Event::Expr(expr) => expr.name().map_or(1, |name| name.len() as u64),
            Event::Statement(node) => text::indentation(depth) as u64 + node.name().map_or(1, |name| name.len() as u64),
            Event::EnterBody(_) => {
                depth += 1;
                1
            }
            Event::LeaveBody(_) => {
                depth -= 1;
                text::indentation(depth) as u64
            }
        };
        if total > limit {
            return false;
        }
    }
    total <= limit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(source: &str) -> Program {
        text::parse(source).map(|parsed| parsed.program).expect("a program")
    }

    #[test]
    fn indentation_of_nested_bodies_counts() {
        let nested = |depth: usize| format!("workgroup_size 1; entry {}{}", "{".repeat(depth), "}".repeat(depth));
        for depth in [60, 150, 1000] {
            let program = parse(&nested(depth));
            let printed = text::print(&program).len() as u64;
            assert!(fits(&program, printed), "{depth}");
            assert!(!fits(&program, printed / 4), "{depth}");
        }
    }

    #[test]
    fn every_occurrence_of_a_name_counts() {
        let name = "n".repeat(1000);
        let program = parse(&format!("workgroup_size 1; entry {{ {} }}", format!("let _ = {name};").repeat(50)));
        assert!(fits(&program, 60_000) && !fits(&program, 50_000));
    }
}
