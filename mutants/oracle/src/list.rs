//! The mutants and corpora in this program.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt::Write as _;
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
    /// Position, from 1, among the mutants of the function with the same texts.
    pub position: usize,
}

impl Mutant {
    /// Line of the mutant in a list: file, function with the position, original and mutant, with tabs between.
    fn line_of_list(&self) -> String {
        let Mutant { file, function, position, .. } = self;
        format!("{file}\t{function}#{position}\t{}\t{}", flat(&self.original), flat(&self.text))
    }
}

/// Text with one space for each stretch of white space.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A list of mutants that [`find_all`] reads. It stays valid when numbers and lines change.
pub fn list_of(mutants: &[Mutant]) -> String {
    let mut lines: Vec<String> = mutants.iter().map(Mutant::line_of_list).collect();
    lines.sort();
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

/// The mutants of a list, and the lines whose mutant is no longer there.
pub fn find_all(all: &[Mutant], list: &str) -> (Vec<Mutant>, Vec<String>) {
    let mut lines: HashSet<&str> = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let mut found = all.to_vec();
    found.retain(|mutant| lines.remove(mutant.line_of_list().as_str()));
    let mut missing: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    missing.sort();
    (found, missing)
}

/// All mutants.
pub fn mutants() -> Result<Vec<Mutant>, Box<dyn Error>> {
    let list: Vec<(u32, String, u64, String, String, String, String)> =
        serde_json::from_str(include_str!("../mutants.json"))?;
    let mut positions = HashMap::new();
    let mutant = |(number, file, line, function, kind, original, text): (_, String, _, String, _, String, String)| {
        let same = (file.clone(), function.clone(), original.clone(), text.clone());
        let position = positions.entry(same).and_modify(|position| *position += 1).or_insert(1);
        Mutant { number, file, line, function, kind, original, text, position: *position }
    };
    Ok(list.into_iter().map(mutant).collect())
}

/// Survivors with an argument: those that are equivalent to the original, or those that no device of this program can show.
///
/// A line has the file, the function, the original, the mutant and the argument, with tabs between. `*` is any text, but not for both
/// the original and the mutant. White space counts as one space. `function#2` is the second mutant of the function with these texts.
pub struct Arguments(Vec<[String; 5]>);

impl Arguments {
    /// The equivalent mutants of a file, or of this program.
    pub fn of_equivalents(path: Option<&Path>) -> Result<Arguments, Box<dyn Error>> {
        Arguments::load(path, include_str!("../equivalent.tsv"))
    }

    /// The mutants whose effect the tests do not see, of a file or of this program.
    pub fn of_invisible(path: Option<&Path>) -> Result<Arguments, Box<dyn Error>> {
        Arguments::load(path, include_str!("../invisible.tsv"))
    }

    fn load(path: Option<&Path>, own: &str) -> Result<Arguments, Box<dyn Error>> {
        let text = path.map(std::fs::read_to_string).transpose()?;
        Arguments::parse(text.as_deref().unwrap_or(own))
    }

    /// # Errors
    ///
    /// Fails on a line without an argument, and on one that is about all mutants of a function.
    pub fn parse(text: &str) -> Result<Arguments, Box<dyn Error>> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let fields = lines.map(|line| {
            let mut fields = line.splitn(5, '\t').map(str::to_owned);
            let fields: [String; 5] = std::array::from_fn(|_| fields.next().unwrap_or_default());
            let [_, _, from, to, argument] = &fields;
            match argument.is_empty() || from == "*" && to == "*" {
                true => Err(format!("an argument must be about one change: {line}").into()),
                false => Ok(fields),
            }
        });
        Ok(Arguments(fields.collect::<Result<_, Box<dyn Error>>>()?))
    }

    /// The argument for a mutant.
    pub fn argument(&self, mutant: &Mutant) -> Option<&str> {
        let names = Names::of(mutant);
        self.0.iter().find(|line| names.fit(line)).map(|[.., argument]| argument.as_str())
    }

    /// The lines that fit none of these mutants.
    pub fn without_mutant(&self, mutants: &[Mutant]) -> Vec<String> {
        let names: Vec<Names<'_>> = mutants.iter().map(Names::of).collect();
        let dead = self.0.iter().filter(|line| !names.iter().any(|names| names.fit(line)));
        dead.map(|[file, function, from, to, _]| format!("{file}\t{function}\t{from}\t{to}")).collect()
    }
}

/// The texts of a mutant that a line of [`Arguments`] names.
struct Names<'m> {
    mutant: &'m Mutant,
    numbered: String,
    original: String,
    text: String,
}

impl Names<'_> {
    fn of(mutant: &Mutant) -> Names<'_> {
        let numbered = format!("{}#{}", mutant.function, mutant.position);
        Names { mutant, numbered, original: flat(&mutant.original), text: flat(&mutant.text) }
    }

    fn fit(&self, [file, function, from, to, _]: &[String; 5]) -> bool {
        let fits = |pattern: &str, found: &str| pattern == "*" || pattern == found;
        self.mutant.file.ends_with(file.as_str())
            && (fits(function, &self.mutant.function) || *function == self.numbered)
            && fits(from, &self.original)
            && fits(to, &self.text)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(function: &str, original: &str, text: &str) -> Mutant {
        let (file, kind) = ("crates/vyre-jit/src/plan/mod.rs".to_owned(), String::new());
        let [function, original, text] = [function, original, text].map(str::to_owned);
        Mutant { number: 1, file, line: 1, function, kind, original, text, position: 2 }
    }

    #[test]
    fn lines_name_mutants_by_their_texts_and_positions() {
        let list = "# comment\nplan/mod.rs\tf\ta + b\ta - b\tone\nplan/mod.rs\tg#1\t0\t1\ttwo\nplan/mod.rs\tg#2\t*\t1\tthree\n";
        let arguments = Arguments::parse(list).expect("a list");
        assert_eq!(arguments.argument(&mutant("f", "a +\n    b", "a - b")), Some("one"));
        assert_eq!(arguments.argument(&mutant("g", "0", "1")), Some("three"));
        assert_eq!(arguments.argument(&mutant("h", "0", "1")), None);
        let all = [mutant("f", "a + b", "a - b"), mutant("g", "0", "1")];
        assert_eq!(arguments.without_mutant(&all), ["plan/mod.rs\tg#1\t0\t1"]);
    }

    #[test]
    fn lines_about_whole_functions_and_without_an_argument_are_refused() {
        for line in ["plan/mod.rs\tf\t*\t*\twhy", "plan/mod.rs\tf\t0\t1"] {
            assert!(Arguments::parse(line).is_err(), "{line}");
        }
    }
}
