//! Kinds of notifications.

use serde_json::{Value, json};

use super::message::escaped;

/// Kinds of notifications of a tool: identifiers with descriptions.
#[derive(Clone, Copy, Debug)]
pub struct Descriptors(pub &'static [(&'static str, &'static str)]);

impl Descriptors {
    /// Descriptors of the notifications, for the tool.
    #[must_use]
    pub fn values(self) -> Vec<Value> {
        self.0.iter().map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}})).collect()
    }

    /// A notification of a kind, at an artifact if it concerns one.
    #[must_use]
    pub fn notification(self, kind: &str, level: &str, message: &str, artifact: Option<Value>) -> Value {
        let index = self.0.iter().position(|(id, _)| *id == kind);
        let mut notification = json!({
            "descriptor": {"id": kind, "index": index},
            "level": level,
            "message": {"text": escaped(message)},
        });
        if let Some(artifact) = artifact {
            notification["locations"] = json!([{"physicalLocation": {"artifactLocation": artifact}}]);
        }
        notification
    }
}
