//! The report: a table for readers, and a list of all mutants with what became of them.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::children::{Ending, FAILED, PAST_DEADLINE, SURVIVED};
use crate::list::{Arguments, Mutant, flat};

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// A test failed, or the process crashed.
    Killed,
    /// All tests ran, and none failed.
    Survived,
    /// No test failed until the time for the mutant was over, and some did not run.
    Cut,
    /// No test failed, and none can: the argument is in `equivalent.tsv`.
    Equivalent,
    /// No test failed, because no device of this program shows the difference: the argument is in `invisible.tsv`.
    Invisible,
    /// A program ran past its deadline, or a test did not end, as in a loop without end.
    TimedOut,
    /// No test executes the place of the mutant.
    NotReached,
    /// The time of the whole run was over before, tests were left out, or the process ended without a result.
    NotJudged,
}

impl Fate {
    const ALL: [Fate; 8] = [
        Fate::Killed,
        Fate::TimedOut,
        Fate::Equivalent,
        Fate::Invisible,
        Fate::Survived,
        Fate::Cut,
        Fate::NotReached,
        Fate::NotJudged,
    ];

    /// The fates that tests decide, with the most evidence first.
    const OF_TESTS: [Fate; 6] =
        [Fate::Killed, Fate::TimedOut, Fate::Survived, Fate::Cut, Fate::NotReached, Fate::NotJudged];

    pub fn name(self) -> &'static str {
        match self {
            Fate::Killed => "killed",
            Fate::Survived => "survived",
            Fate::Cut => "cut",
            Fate::Equivalent => "equivalent",
            Fate::Invisible => "invisible",
            Fate::TimedOut => "timed out",
            Fate::NotReached => "not reached",
            Fate::NotJudged => "not judged",
        }
    }
}

/// Judgement of a mutant.
#[derive(Clone, Debug)]
pub struct Judgement {
    pub mutant: Mutant,
    /// What its tests said.
    of_tests: Fate,
    /// The test that failed, with its message; or how many did not.
    message: String,
    /// For a survivor: why it is one, and whether a test could tell.
    argument: Option<(Fate, String)>,
    seconds: f64,
}

impl Judgement {
    pub fn new(mutant: &Mutant, ending: &Ending, seconds: f64) -> Judgement {
        let message = match ending {
            Ending::Message(message) => message.clone(),
            Ending::Signal(signal) => format!("signal {signal}"),
            Ending::OutOfMemory => "out of memory".to_owned(),
            Ending::TimedOut => String::new(),
        };
        Judgement { mutant: mutant.clone(), of_tests: fate_of(ending), message, argument: None, seconds }
    }

    /// The judgement of a run that left tests out: only its kills are certain.
    pub fn of_some_tests(mut self) -> Judgement {
        self.of_tests = match self.of_tests {
            Fate::Survived => Fate::Cut,
            Fate::NotReached => Fate::NotJudged,
            other => other,
        };
        self
    }

    /// A kill of one run counts more than a survival in another, and that more than one of fewer tests.
    fn evidence(&self) -> usize {
        Fate::OF_TESTS.into_iter().rev().position(|fate| fate == self.of_tests).unwrap_or(0)
    }

    /// What became of the mutant: an argument counts if the tests do not tell.
    fn fate(&self) -> Fate {
        self.argument.as_ref().map_or(self.of_tests, |(fate, _)| *fate)
    }

    fn reason(&self) -> &str {
        self.argument.as_ref().map_or(&self.message, |(_, argument)| argument)
    }

    fn is_killed(&self) -> bool {
        matches!(self.of_tests, Fate::Killed | Fate::TimedOut)
    }

    /// With the argument, if there is one, for a mutant that tests have run without a failure, or that no test reaches.
    pub fn explained(mut self, equivalents: &Arguments, invisible: &Arguments) -> Judgement {
        if !matches!(self.of_tests, Fate::Survived | Fate::Cut | Fate::NotReached) {
            return self;
        }
        let lists = [(equivalents, Fate::Equivalent), (invisible, Fate::Invisible)];
        let found = lists.into_iter().find_map(|(list, fate)| Some((fate, list.argument(&self.mutant)?.to_owned())));
        self.argument = found;
        self
    }

    /// A judgement without a run.
    pub fn without_run(mutant: &Mutant, fate: Fate) -> Judgement {
        Judgement { mutant: mutant.clone(), of_tests: fate, message: String::new(), argument: None, seconds: 0.0 }
    }

    /// An entry of `mutants.json`.
    fn entry(&self) -> serde_json::Value {
        let Mutant { number, file, line, function, kind, original, text, position } = &self.mutant;
        json!({
            "number": number, "file": file, "line": line, "function": function, "kind": kind,
            "original": original, "mutant": text, "position": position, "fate": self.fate().name(),
            "of_tests": self.of_tests.name(), "message": self.message,
            "argument": self.argument.as_ref().map(|(_, argument)| argument), "seconds": self.seconds,
        })
    }

    /// Reads an entry of `mutants.json`, without its argument, since arguments are looked up again.
    fn read(entry: &serde_json::Value) -> Result<Judgement, Box<dyn Error>> {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let fate = text("of_tests");
        let of_tests = Fate::OF_TESTS.into_iter().find(|known| known.name() == fate);
        let of_tests = of_tests.ok_or_else(|| format!("tests do not say `{fate}` about a mutant"))?;
        let mutant = Mutant {
            number: 0,
            file: text("file"),
            line: entry["line"].as_u64().unwrap_or(0),
            function: text("function"),
            kind: text("kind"),
            original: text("original"),
            text: text("mutant"),
            position: entry["position"].as_u64().unwrap_or(0) as usize,
        };
        let seconds = entry["seconds"].as_f64().unwrap_or(0.0);
        Ok(Judgement { mutant, of_tests, message: text("message"), argument: None, seconds })
    }
}

/// What the end of a child says about its mutant.
fn fate_of(ending: &Ending) -> Fate {
    match ending {
        Ending::Message(message) if message.starts_with(FAILED) => Fate::Killed,
        Ending::Message(message) if message.starts_with(PAST_DEADLINE) => Fate::TimedOut,
        Ending::Message(message) => match message.strip_prefix(SURVIVED) {
            Some(tests) if tests.starts_with(" all ") => Fate::Survived,
            Some(tests) if !tests.starts_with(" 0 ") => Fate::Cut,
            _ => Fate::NotJudged,
        },
        // The system stops a process for want of memory, or the process aborts, which is no result.
        Ending::OutOfMemory | Ending::Signal(libc::SIGKILL) => Fate::NotJudged,
        Ending::Signal(_) => Fate::Killed,
        Ending::TimedOut => Fate::TimedOut,
    }
}

/// Judgements of earlier runs, from their `mutants.json`. The one with the most evidence counts.
///
/// A mutant is the same if its text and its place are, because its number changes with the sources.
pub struct Earlier(HashMap<[String; 6], Judgement>);

impl Earlier {
    pub fn load(paths: &[PathBuf]) -> Result<Earlier, Box<dyn Error>> {
        let mut found: HashMap<[String; 6], Judgement> = HashMap::new();
        for path in paths {
            let document: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
            for entry in document["mutants"].as_array().into_iter().flatten() {
                let new = Judgement::read(entry)?;
                let known = found.entry(key(&new.mutant)).or_insert_with(|| new.clone());
                if new.evidence() > known.evidence() {
                    *known = new;
                }
            }
        }
        Ok(Earlier(found))
    }

    /// The judgement of a mutant that was killed.
    pub fn kill(&self, mutant: &Mutant) -> Option<Judgement> {
        self.judgement(mutant).filter(Judgement::is_killed)
    }

    pub fn judgement(&self, mutant: &Mutant) -> Option<Judgement> {
        self.0.get(&key(mutant)).map(|earlier| Judgement { mutant: mutant.clone(), ..earlier.clone() })
    }
}

fn key(mutant: &Mutant) -> [String; 6] {
    let Mutant { file, line, function, original, text, position, .. } = mutant;
    [file.clone(), line.to_string(), function.clone(), original.clone(), text.clone(), position.to_string()]
}

/// Writes `mutants.json` and `mutants.md`. Returns the tables.
pub fn write(
    out: &Path,
    all: &[Mutant],
    judgements: &[Judgement],
    seed: u64,
    time: Duration,
) -> Result<String, Box<dyn Error>> {
    let list: Vec<serde_json::Value> = judgements.iter().map(Judgement::entry).collect();
    let document = json!({ "all": all.len(), "sample": list.len(), "seed": seed, "mutants": list });
    std::fs::write(out.join("mutants.json"), serde_json::to_string_pretty(&document)?)?;

    let mut text = format!(
        "{} mutants of {}, drawn with seed {seed}, {:.0} s.\n\n",
        judgements.len(),
        all.len(),
        time.as_secs_f64()
    );
    let of_crate = |judgement: &Judgement| {
        let mut parts = judgement.mutant.file.split('/');
        parts.nth(1).unwrap_or_default().to_owned()
    };
    table(&mut text, "Crate", judgements, &of_crate);
    table(&mut text, "Kind", judgements, &|judgement| judgement.mutant.kind.clone());
    let tables = text.clone();
    for fate in Fate::ALL.into_iter().filter(|fate| *fate != Fate::Killed) {
        let _ = writeln!(text, "## {}\n", fate.name());
        for judgement in judgements.iter().filter(|judgement| judgement.fate() == fate) {
            let Mutant { number, file, line, function, kind, original, text: mutant, .. } = &judgement.mutant;
            let (original, mutant) = (flat(original), flat(mutant));
            let _ = writeln!(
                text,
                "- {number} {file}:{line} {function}, {kind}: `{:.120}` -> `{:.120}` {}",
                original,
                mutant,
                judgement.reason()
            );
        }
        text.push('\n');
    }
    std::fs::write(out.join("mutants.md"), text)?;
    Ok(tables)
}

fn table(text: &mut String, title: &str, judgements: &[Judgement], key: &dyn Fn(&Judgement) -> String) {
    let mut rows: BTreeMap<String, BTreeMap<Fate, usize>> = BTreeMap::new();
    for judgement in judgements {
        *rows.entry(key(judgement)).or_default().entry(judgement.fate()).or_default() += 1;
        *rows.entry("~all".to_owned()).or_default().entry(judgement.fate()).or_default() += 1;
    }
    let names: Vec<&str> = Fate::ALL.iter().map(|fate| fate.name()).collect();
    let _ = writeln!(text, "| {title} | mutants | {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for (name, row) in rows {
        let counts: Vec<usize> = Fate::ALL.iter().map(|fate| row.get(fate).copied().unwrap_or(0)).collect();
        let cells: Vec<String> = counts.iter().map(usize::to_string).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            name.trim_start_matches('~'),
            counts.iter().sum::<usize>(),
            cells.join(" | ")
        );
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant() -> Mutant {
        let [function, original, text] = ["f", "0", "1"].map(str::to_owned);
        let (file, kind) = ("crates/vyre-ops/src/x.rs".to_owned(), "constant".to_owned());
        Mutant { number: 1, file, line: 1, function, kind, original, text, position: 1 }
    }

    fn message(text: &str) -> Ending {
        Ending::Message(text.to_owned())
    }

    #[test]
    fn only_failures_and_crashes_are_kills() {
        assert_eq!(fate_of(&message("failed: a test: it differs")), Fate::Killed);
        assert_eq!(fate_of(&Ending::Signal(libc::SIGSEGV)), Fate::Killed);
        assert_eq!(fate_of(&message("past the deadline: a test: it took longer")), Fate::TimedOut);
        assert_eq!(fate_of(&Ending::TimedOut), Fate::TimedOut);
        assert_eq!(fate_of(&message("survived all 3 tests")), Fate::Survived);
        assert_eq!(fate_of(&message("survived 2 of 3 tests")), Fate::Cut);
        for ending in ["survived 0 of 3 tests", "a panic outside of tests", "it ended early"].map(message) {
            assert_eq!(fate_of(&ending), Fate::NotJudged, "{ending:?}");
        }
        assert_eq!(fate_of(&Ending::OutOfMemory), Fate::NotJudged);
        assert_eq!(fate_of(&Ending::Signal(libc::SIGKILL)), Fate::NotJudged);
    }

    #[test]
    fn arguments_do_not_replace_what_tests_say() {
        let list = Arguments::parse("x.rs\tf\t0\t1\twhy").expect("a list");
        let none = Arguments::parse("").expect("a list");
        for (of_tests, fate) in [
            (Fate::Killed, Fate::Killed),
            (Fate::TimedOut, Fate::TimedOut),
            (Fate::Survived, Fate::Equivalent),
            (Fate::Cut, Fate::Equivalent),
            (Fate::NotReached, Fate::Equivalent),
            (Fate::NotJudged, Fate::NotJudged),
        ] {
            let explained = Judgement::without_run(&mutant(), of_tests).explained(&list, &none);
            assert_eq!(explained.fate(), fate);
            let read = Judgement::read(&explained.entry()).expect("an entry");
            assert_eq!((read.of_tests, read.fate()), (of_tests, of_tests));
            let invisible = read.explained(&none, &list).fate();
            assert_eq!(invisible == Fate::Invisible, fate == Fate::Equivalent);
        }
        let mut unknown = Judgement::without_run(&mutant(), Fate::Survived).entry();
        unknown["of_tests"] = "equivalent".into();
        assert!(Judgement::read(&unknown).is_err());
    }

    #[test]
    fn some_tests_prove_no_survival() {
        let of_some = |fate| Judgement::without_run(&mutant(), fate).of_some_tests().fate();
        assert_eq!(of_some(Fate::Survived), Fate::Cut);
        assert_eq!(of_some(Fate::NotReached), Fate::NotJudged);
        assert_eq!(of_some(Fate::Killed), Fate::Killed);
    }

    #[test]
    fn the_judgement_with_the_most_evidence_counts() {
        let evidence = |fate| Judgement::without_run(&mutant(), fate).evidence();
        assert!(evidence(Fate::Killed) > evidence(Fate::Survived));
        assert!(evidence(Fate::Survived) > evidence(Fate::Cut));
        assert!(evidence(Fate::NotReached) > evidence(Fate::NotJudged));
    }
}
