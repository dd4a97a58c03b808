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

/// Survivors that are equivalent to the original, with the argument.
///
/// A line has the file, the function, the original, the mutant and the argument, with tabs between. `*` is any text. White space
/// counts as one space.
pub struct Equivalents(Vec<[String; 5]>);

impl Equivalents {
    /// Reads a file, or the list in this program.
    pub fn load(path: Option<&Path>) -> Result<Equivalents, Box<dyn Error>> {
        let text = path.map(std::fs::read_to_string).transpose()?;
        let text = text.as_deref().unwrap_or(include_str!("../equivalent.tsv"));
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let fields = lines.map(|line| {
            let mut fields = line.splitn(5, '\t').map(str::to_owned);
            std::array::from_fn(|_| fields.next().unwrap_or_default())
        });
        Ok(Equivalents(fields.collect()))
    }

    /// The argument for a mutant.
    pub fn argument(&self, mutant: &Mutant) -> Option<&str> {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (original, text) = (flat(&mutant.original), flat(&mutant.text));
        let fits = |pattern: &str, found: &str| pattern == "*" || pattern == found;
        let line = self.0.iter().find(|[file, function, from, to, _]| {
            mutant.file.ends_with(file.as_str())
                && fits(function, &mutant.function)
                && fits(from, &original)
                && fits(to, &text)
        });
        line.map(|[.., argument]| argument.as_str())
    }
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
