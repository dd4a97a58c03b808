//! Notebooks: the code of their cells is one module.

use serde_json::Value;

/// Code of a notebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notebook {
    /// Code of all cells.
    pub text: String,
    /// Number of lines that are commands of the notebook, which are blank in the text.
    pub commands: usize,
}

/// Cells with these first lines are Python too.
const PYTHON_CELLS: [&str; 4] = ["%%time", "%%timeit", "%%capture", "%%prun"];

/// Reasons why a file has no notebook of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotebookError {
    /// Its cells have another language.
    OtherLanguage,
    /// It is damaged: a description.
    Malformed(String),
}

/// Reads a notebook.
///
/// # Errors
///
/// The text is no notebook, or not one of Python.
pub fn notebook(text: &str) -> Result<Notebook, NotebookError> {
    if text.trim().is_empty() {
        // Editors create empty files for notebooks without cells.
        return Ok(Notebook { text: String::new(), commands: 0 });
    }
    let malformed = |message: &str| NotebookError::Malformed(format!("the notebook cannot be read: {message}"));
    let document: Value = serde_json::from_str(text).map_err(|error| malformed(&error.to_string()))?;
    let language =
        document.pointer("/metadata/language_info/name").or(document.pointer("/metadata/kernelspec/language"));
    let is_python = |language: &str| {
        let language = language.to_ascii_lowercase();
        matches!(language.as_str(), "python" | "python3" | "ipython" | "ipython3" | "")
    };
    if language.and_then(Value::as_str).is_some_and(|language| !is_python(language)) {
        return Err(NotebookError::OtherLanguage);
    }
    let mut notebook = Notebook { text: String::new(), commands: 0 };
    let lists: Vec<&Value> = match (document.get("cells"), document.get("worksheets").and_then(Value::as_array)) {
        (Some(cells), _) => vec![cells],
        // Version 3 of the format has sheets.
        (None, Some(sheets)) => sheets.iter().filter_map(|sheet| sheet.get("cells")).collect(),
        (None, None) => return Err(malformed("it has no cells")),
    };
    for list in lists {
        for cell in list.as_array().ok_or_else(|| malformed("its cells are no list"))? {
            if cell.get("cell_type").and_then(Value::as_str) != Some("code") {
                continue;
            }
            let source = match cell.get("source").or(cell.get("input")) {
                Some(Value::String(source)) => source.clone(),
                Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
                None => continue,
                Some(_) => return Err(malformed("the code of a cell is no text")),
            };
            notebook.add(&source);
        }
    }
    Ok(notebook)
}

impl Notebook {
    fn add(&mut self, source: &str) {
        let first = source.lines().next().unwrap_or_default().trim_start();
        let is_other =
            first.starts_with("%%") && !PYTHON_CELLS.contains(&first.split_whitespace().next().unwrap_or_default());
        let mut previous = "";
        for line in source.lines() {
            // A line of an open text or of a continued expression is no command.
            let is_command =
                is_other || line.trim_start().starts_with(['%', '!', '?']) && !previous.ends_with(['\\', ',', '(']);
            if is_command {
                self.commands += 1;
                // A block of commands only would be empty.
                let indentation = line.len() - line.trim_start().len();
                if indentation > 0 && !is_other {
                    self.text.push_str(&line[..indentation]);
                    self.text.push_str("pass");
                }
            } else {
                self.text.push_str(line);
            }
            self.text.push('\n');
            previous = line.trim_end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NotebookError, notebook};

    #[test]
    fn cells_are_one_module_without_commands() {
        let text = r#"{"cells": [
            {"cell_type": "markdown", "source": "title"},
            {"cell_type": "code", "source": ["import os\n", "%matplotlib inline\n", "!ls\n", "x = 5 %\\\n", "3"]},
            {"cell_type": "code", "source": "%%bash\necho"},
            {"cell_type": "code", "source": "if x:\n    !ls"}
        ], "metadata": {"language_info": {"name": "python"}}}"#;
        let notebook = notebook(text).expect("a notebook");
        assert_eq!(notebook.text, "import os\n\n\nx = 5 %\\\n3\n\n\nif x:\n    pass\n");
        assert_eq!(notebook.commands, 5);
    }

    #[test]
    fn other_languages_and_damaged_notebooks_differ() {
        let other = notebook(r#"{"cells": [], "metadata": {"language_info": {"name": "R"}}}"#);
        assert_eq!(other, Err(NotebookError::OtherLanguage));
        for text in ["{", "[]", "{}", r#"{"cells": 1}"#, r#"{"cells": [{"cell_type": "code", "source": 1}]}"#] {
            assert!(matches!(notebook(text), Err(NotebookError::Malformed(_))), "{text}");
        }
        assert_eq!(notebook(" ").map(|notebook| notebook.text), Ok(String::new()));
    }
}
