//! The mutants and corpora in this program.

use std::error::Error;
use std::path::Path;

/// A mutant.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub number: u32,
    pub file: String,
    pub line: u64,
    pub function: String,
    pub kind: String,
    pub original: String,
    pub text: String,
}

/// All mutants.
pub fn mutants() -> Result<Vec<Mutant>, Box<dyn Error>> {
    let list: Vec<(u32, String, u64, String, String, String, String)> =
        serde_json::from_str(include_str!("../mutants.json"))?;
    let mutant = |(number, file, line, function, kind, original, text)| Mutant {
        number,
        file,
        line,
        function,
        kind,
        original,
        text,
    };
    Ok(list.into_iter().map(mutant).collect())
}

/// Writes the corpora to a folder.
pub fn unpack_corpora(folder: &Path) -> Result<(), Box<dyn Error>> {
    let files: Vec<(String, String)> = serde_json::from_str(include_str!("../corpora.json"))?;
    for (path, text) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)?;
    }
    Ok(())
}
