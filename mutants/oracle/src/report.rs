//! The report: a table for readers, and a list of all mutants with what became of them.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use crate::children::Ending;
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
    /// The tests took too long, as in a loop without end.
    TimedOut,
    /// No test executes the place of the mutant.
    NotReached,
    /// The time of the whole run was over before, or the process ended without a result.
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
    fate: Fate,
    /// The test that failed, with its message.
    reason: String,
    seconds: f64,
}

impl Judgement {
    pub fn new(mutant: &Mutant, fate: Fate, ending: &Ending, seconds: f64) -> Judgement {
        let reason = match ending {
            Ending::Message(message) => message.clone(),
            Ending::Signal(signal) => format!("signal {signal}"),
            Ending::TimedOut => String::new(),
        };
        Judgement { mutant: mutant.clone(), fate, reason, seconds }
    }

    fn is_killed(&self) -> bool {
        matches!(self.fate, Fate::Killed | Fate::TimedOut)
    }

    /// A survivor for which there is an argument.
    pub fn explained(mut self, equivalents: &Arguments, invisible: &Arguments) -> Judgement {
        if !matches!(self.fate, Fate::Survived | Fate::Cut | Fate::NotReached) {
            return self;
        }
        for (arguments, fate) in [(equivalents, Fate::Equivalent), (invisible, Fate::Invisible)] {
            if let Some(argument) = arguments.argument(&self.mutant) {
                self.fate = fate;
                self.reason = argument.to_owned();
                break;
            }
        }
        self
    }

    /// A judgement without a run.
    pub fn without_run(mutant: &Mutant, fate: Fate) -> Judgement {
        Judgement { mutant: mutant.clone(), fate, reason: String::new(), seconds: 0.0 }
    }
}

/// Judgements of earlier runs, from their `mutants.json`. A kill of one run counts more than a survival in another.
///
/// A mutant is the same if its text and its place are, because its number changes with the sources.
pub struct Earlier(HashMap<[String; 6], Judgement>);

impl Earlier {
    pub fn load(paths: &[PathBuf]) -> Result<Earlier, Box<dyn Error>> {
        let mut found: HashMap<[String; 6], Judgement> = HashMap::new();
        for path in paths {
            let document: serde_json::Value = serde_json::from_slice(&std::fs::read(path)?)?;
            for entry in document["mutants"].as_array().into_iter().flatten() {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                let fate = text("fate");
                // Arguments are looked up again.
                let of_run = [Fate::Killed, Fate::TimedOut, Fate::Survived, Fate::Cut, Fate::NotReached];
                let fate = of_run.into_iter().find(|known| known.name() == fate).unwrap_or(Fate::NotReached);
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
                let new = Judgement { mutant, fate, reason: text("reason"), seconds };
                let known = found.entry(key(&new.mutant)).or_insert_with(|| new.clone());
                if !known.is_killed() && (new.is_killed() || known.fate == Fate::NotReached) {
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
    let list: Vec<serde_json::Value> = judgements
        .iter()
        .map(|judgement| {
            let Mutant { number, file, line, function, kind, original, text, position } = &judgement.mutant;
            json!({
                "number": number, "file": file, "line": line, "function": function, "kind": kind,
                "original": original, "mutant": text, "position": position, "fate": judgement.fate.name(), "reason": judgement.reason,
                "seconds": judgement.seconds,
            })
        })
        .collect();
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
        for judgement in judgements.iter().filter(|judgement| judgement.fate == fate) {
            let Mutant { number, file, line, function, kind, original, text: mutant, .. } = &judgement.mutant;
            let (original, mutant) = (flat(original), flat(mutant));
            let _ = writeln!(
                text,
                "- {number} {file}:{line} {function}, {kind}: `{:.120}` -> `{:.120}` {}",
                original, mutant, judgement.reason
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
        *rows.entry(key(judgement)).or_default().entry(judgement.fate).or_default() += 1;
        *rows.entry("~all".to_owned()).or_default().entry(judgement.fate).or_default() += 1;
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
