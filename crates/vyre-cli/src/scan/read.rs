//! Reading of files of rules and configurations.

use std::path::Path;

use anyhow::{Context as _, anyhow};

use crate::input::Input;
use crate::output::visible;

/// Reads a file of rules or a map.
pub(crate) fn read_text(file: &Path) -> anyhow::Result<String> {
    let input = Input::new(file);
    let name = visible(&input.name()).into_owned();
    String::from_utf8(input.read()?)
        .map_err(|error| anyhow!("at byte {}", error.utf8_error().valid_up_to()))
        .with_context(|| format!("{name} is not UTF-8"))
}
