//! Modules of a folder that a program loads by names which it makes when it runs: `require("./commands/" + name)`.

use crate::flow::{Constant, FOLDER, Op, Span, ValueId};

use super::Lowerer;

/// Variable with the folder of the file.
const OWN_FOLDER: &str = "__dirname";

/// Part of a path.
enum Part {
    /// Folder of the file.
    Own,
    /// Constant text.
    Text(String),
    /// Anything else.
    Other,
}

impl Lowerer<'_, '_> {
    /// A module that a call loads, which may be any one of a constant folder.
    pub(super) fn or_module_of_folder(&mut self, loaded: ValueId, path: ValueId, span: Span) -> ValueId {
        match self.folder_of(path) {
            Some(folder) => {
                let module = self.import(&format!("{folder}{FOLDER}"), span);
                self.phi(&[loaded, module], span)
            }
            None => loaded,
        }
    }

    /// Constant folder of a path, relative to the file, whose last part is not constant.
    fn folder_of(&self, path: ValueId) -> Option<String> {
        let path = self.canon(path);
        let (values, separator) = match self.op(path) {
            Op::Concat(list) => (self.builder.module().list(list).to_vec(), ""),
            Op::Call(call) => {
                let call = &self.builder.module().calls[call.index()];
                let Op::LoadField(object, method) = self.op(self.canon(call.callee)) else { return None };
                let (specifier, _) = self.imported_value(object)?;
                let is_path = self.builder.text(specifier).trim_start_matches("node:") == "path";
                if !is_path || !matches!(self.builder.text(method), "join" | "resolve") {
                    return None;
                }
                (call.arguments.iter().map(|argument| argument.value).collect(), "/")
            }
            _ => return None,
        };
        let mut folder = String::new();
        let mut is_relative = false;
        for (position, &value) in values.iter().enumerate() {
            match self.part(value) {
                Part::Own if position == 0 => {
                    folder.push('.');
                    is_relative = true;
                }
                Part::Text(text) => {
                    is_relative |= position == 0 && separator.is_empty() && text.starts_with('.');
                    if position > 0 {
                        folder.push_str(separator);
                    }
                    folder.push_str(&text);
                }
                Part::Own | Part::Other => {
                    // The beginning of a name is no folder.
                    let end = if separator.is_empty() { folder.rfind('/')? } else { folder.len() };
                    folder.truncate(end);
                    return is_relative.then_some(folder);
                }
            }
        }
        None
    }

    fn part(&self, value: ValueId) -> Part {
        let value = self.canon(value);
        if let Some(Constant::String(text)) = self.constant(value) {
            return Part::Text(self.builder.text(text).to_owned());
        }
        match self.op(value) {
            Op::Global(name) if self.builder.text(name) == OWN_FOLDER => Part::Own,
            _ => Part::Other,
        }
    }
}
