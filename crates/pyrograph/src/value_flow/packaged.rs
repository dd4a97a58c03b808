//! Paths of files that a package brings along.

use super::build::Builder;
use crate::flow::Op;
use crate::points_to::NodeIndex;

/// Largest number of calls inside one another that are looked at.
const MAX_DEPTH: u32 = 4;

/// Parts of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Constants.
    Constant,
    /// The folder of the code, and constants.
    Own,
}

impl Builder<'_> {
    /// True if a value is the path of a file of the package itself: `path.join(__dirname, "data.json")`. Such a file is as trusted as
    /// the code beside it.
    pub(super) fn is_packaged(&self, node: NodeIndex) -> bool {
        self.own_part(node, 0) == Some(Part::Own)
    }

    /// Kind of a part of a path. None: anything else.
    fn own_part(&self, node: NodeIndex, depth: u32) -> Option<Part> {
        let node = self.resolved(node);
        if node >= self.program.value_count || depth > MAX_DEPTH {
            return None;
        }
        let module = self.program.module_of_value(node);
        let all = |parts: Vec<NodeIndex>| {
            let mut parts = parts.into_iter();
            parts.try_fold(Part::Constant, |known, part| Some(known.max(self.own_part(part, depth + 1)?)))
        };
        match module.instruction(node).op {
            Op::Constant(_) => Some(Part::Constant),
            Op::Global(name) if matches!(module.flow.text(name), "__dirname" | "__filename" | "__file__") => {
                Some(Part::Own)
            }
            Op::Concat(list) => all(module.flow.list(list).iter().map(|&part| module.value(part)).collect()),
            Op::Call(call) => {
                let is_path = |path: &str| {
                    matches!(
                        path,
                        "path.join" | "path.resolve" | "path.dirname" | "path.normalize" | "global.require.resolve"
                    )
                };
                let libraries = self.points_to.library_calls_of(node);
                let is_path = |path| is_path(self.points_to.paths.text(path));
                if libraries.is_empty() || !libraries.iter().all(|library| library.path.is_some_and(is_path)) {
                    return None;
                }
                let arguments = &module.flow.calls[call.index()].arguments;
                if arguments.iter().any(|argument| argument.is_spread) {
                    return None;
                }
                all(arguments.iter().map(|argument| module.value(argument.value)).collect())
            }
            _ => None,
        }
    }
}
