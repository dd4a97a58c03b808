//! Streaming writer of a log with one run. Each element of a list is one line.

use std::io::{self, Write};

use serde::Serialize;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writer of a log with one run. Values are written as they come, so that a log need not fit the memory.
pub struct LogWriter<'o> {
    out: &'o mut dyn Write,
    /// True before the first field of the run.
    is_first_field: bool,
    /// True before the first element of the list that is being written.
    is_first_element: bool,
}

impl<'o> LogWriter<'o> {
    /// A writer that has written nothing yet.
    pub fn new(out: &'o mut dyn Write) -> LogWriter<'o> {
        LogWriter { out, is_first_field: true, is_first_element: true }
    }

    /// Begins the log and its run.
    ///
    /// # Errors
    ///
    /// Those of the output, as for all methods.
    pub fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "{{\n  \"$schema\": \"{SCHEMA}\",\n  \"version\": \"2.1.0\",\n  \"runs\": [{{")
    }

    /// Writes a field of the run.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn field(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.name(name)?;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }

    /// Begins a field of the run that is a list.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn begin_list(&mut self, name: &str) -> io::Result<()> {
        self.is_first_element = true;
        self.name(name)?;
        self.out.write_all(b"[")
    }

    /// Writes an element of the list.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn element(&mut self, value: &impl Serialize) -> io::Result<()> {
        let before: &[u8] = if std::mem::take(&mut self.is_first_element) { b"\n      " } else { b",\n      " };
        self.out.write_all(before)?;
        Ok(serde_json::to_writer(&mut *self.out, value)?)
    }

    /// Ends the list.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn end_list(&mut self) -> io::Result<()> {
        self.out.write_all(if self.is_first_element { b"]" } else { b"\n    ]" })
    }

    /// Writes a whole list.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn list(&mut self, name: &str, elements: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
        self.begin_list(name)?;
        for element in elements {
            self.element(&element)?;
        }
        self.end_list()
    }

    /// Flushes the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the run and the log.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n  }]\n}\n")
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        let before = if std::mem::take(&mut self.is_first_field) { "\n" } else { ",\n" };
        write!(self.out, "{before}    \"{name}\": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn fields_and_lists_make_a_log() {
        let mut out = Vec::new();
        let mut log = LogWriter::new(&mut out);
        let written = (|| {
            log.begin()?;
            log.list("results", [json!({"level": "note"}), json!({"level": "none"})].iter())?;
            log.list("artifacts", std::iter::empty::<Value>())?;
            log.field("tool", &json!({"driver": {"name": "x"}}))?;
            log.end()
        })();
        written.expect("a vector takes all");
        let value: Value = serde_json::from_slice(&out).expect("it is JSON");
        let run = &value["runs"][0];
        assert_eq!(value["version"], "2.1.0");
        assert_eq!(run["results"], json!([{"level": "note"}, {"level": "none"}]));
        assert_eq!((&run["artifacts"], &run["tool"]["driver"]["name"]), (&json!([]), &json!("x")));
        let lines = String::from_utf8(out).expect("it is UTF-8");
        assert!(
            lines.contains(
                "[\n      {\"level\":\"note\"},\n      {\"level\":\"none\"}\n    ],\n    \"artifacts\": [],\n"
            )
        );
    }
}
