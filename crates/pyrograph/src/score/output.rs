//! Scores as a table and as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::counts::Counts;
use super::outcome::Outcome;
use super::result::{Score, ScoredLine};

/// Writes a table by rule and by CWE entry, then what was not scored. With `lists`, each line that counts as wrong.
///
/// # Errors
///
/// Those of `out`.
pub fn write_text(score: &Score, lists: bool, out: &mut dyn Write) -> io::Result<()> {
    let rules = score.rules.iter().map(|(rule, counts)| (rule.clone(), *counts));
    let cwe = score.cwe.iter().map(|(cwe, counts)| (format!("CWE-{cwe}"), *counts));
    let width = score.rules.keys().map(String::len).max().unwrap_or(0).max("rule".len()).max("CWE-1234".len());
    header(out, "rule", width)?;
    rules.into_iter().try_for_each(|(name, counts)| row(out, &name, width, &counts))?;
    writeln!(out)?;
    header(out, "cwe", width)?;
    cwe.into_iter().try_for_each(|(name, counts)| row(out, &name, width, &counts))?;
    writeln!(out)?;
    row(out, "total", width, &score.total)?;
    if lists {
        write_lines(score, Outcome::FalseNegative, "not found", out)?;
        write_lines(score, Outcome::FalsePositive, "wrongly found", out)?;
        write_lines(score, Outcome::TruePositive, "found with another source", out)?;
    }
    write_rest(score, out)
}

fn header(out: &mut dyn Write, name: &str, width: usize) -> io::Result<()> {
    writeln!(
        out,
        "{name:width$}  {:>6} {:>6} {:>6} {:>6}  {:>9} {:>6} {:>6} {:>6}",
        "TP", "FP", "FN", "TN", "precision", "recall", "F1", "Youden"
    )
}

fn row(out: &mut dyn Write, name: &str, width: usize, counts: &Counts) -> io::Result<()> {
    let Counts { tp, fp, fn_, tn } = counts;
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    let (precision, recall) = (share(counts.precision()), share(counts.recall()));
    let (f1, youden) = (share(counts.f1()), share(counts.youden()));
    writeln!(out, "{name:width$}  {tp:>6} {fp:>6} {fn_:>6} {tn:>6}  {precision:>9} {recall:>6} {f1:>6} {youden:>6}")
}

fn write_lines(score: &Score, outcome: Outcome, title: &str, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<&ScoredLine> =
        score.lines.iter().filter(|line| line.outcome == outcome && line.reason.is_some()).collect();
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}:")?;
    for ScoredLine { path, line, rule, annotated, reason, .. } in lines {
        let annotated = annotated.as_ref().filter(|annotated| *annotated != rule);
        let annotated = annotated.map_or_else(String::new, |annotated| format!(" ({annotated})"));
        let reason = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        writeln!(out, "  {path}:{line}: {rule}{annotated}{reason}")?;
    }
    Ok(())
}

fn write_rest(score: &Score, out: &mut dyn Write) -> io::Result<()> {
    if score.wrong_sources > 0 {
        writeln!(out, "\nfound with another source than the annotated one: {}", score.wrong_sources)?;
    }
    let counts = [
        ("annotations of rules that no mapping covers", &score.unmapped),
        ("findings of rules that their file does not test", &score.unscored),
    ];
    for (title, counts) in counts {
        if !counts.is_empty() {
            writeln!(out, "\n{title}:")?;
            counts.iter().try_for_each(|(rule, count)| writeln!(out, "  {rule}: {count}"))?;
        }
    }
    if !score.files_without_rule.is_empty() {
        writeln!(out, "\nfiles whose annotations name no rule, and whose folder has none:")?;
        score.files_without_rule.iter().try_for_each(|file| writeln!(out, "  {file}"))?;
    }
    if !score.failures.is_empty() {
        writeln!(out, "\nunits that were not scanned completely:")?;
        score.failures.iter().try_for_each(|(unit, reason)| writeln!(out, "  {unit}: {reason}"))?;
    }
    Ok(())
}

/// Counts with their measures as JSON. Fields are permanent: append, never rename.
#[derive(Serialize)]
struct CountFields<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'s str>,
    tp: u64,
    fp: u64,
    #[serde(rename = "fn")]
    fn_: u64,
    tn: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
    youden: Option<f64>,
}

#[derive(Serialize)]
struct LineFields<'s> {
    outcome: &'static str,
    path: &'s str,
    line: u32,
    rule: &'s str,
    annotated: Option<&'s str>,
    reason: Option<&'s str>,
}

#[derive(Serialize)]
struct FailureFields<'s> {
    unit: &'s str,
    reason: &'s str,
}

#[derive(Serialize)]
struct ScoreFields<'s> {
    total: CountFields<'s>,
    rules: Vec<CountFields<'s>>,
    cwe: Vec<CountFields<'s>>,
    units: Vec<CountFields<'s>>,
    lines: Vec<LineFields<'s>>,
    unmapped: &'s std::collections::BTreeMap<String, u64>,
    unscored: &'s std::collections::BTreeMap<String, u64>,
    files_without_rule: &'s [String],
    wrong_sources: u64,
    failures: Vec<FailureFields<'s>>,
}

/// Writes a score as one JSON object. With `lists`, it has every line that was compared.
///
/// # Errors
///
/// Those of `out`.
pub fn write_json(score: &Score, lists: bool, out: &mut dyn Write) -> io::Result<()> {
    let cwe: Vec<(String, Counts)> = score.cwe.iter().map(|(cwe, counts)| (format!("CWE-{cwe}"), *counts)).collect();
    let named = |(name, counts): (&'_ String, &Counts)| (name.clone(), *counts);
    let rules: Vec<(String, Counts)> = score.rules.iter().map(named).collect();
    let units: Vec<(String, Counts)> = score.units.iter().map(named).collect();
    let fields = ScoreFields {
        total: count_fields(None, &score.total),
        rules: rules.iter().map(|(name, counts)| count_fields(Some(name), counts)).collect(),
        cwe: cwe.iter().map(|(name, counts)| count_fields(Some(name), counts)).collect(),
        units: units.iter().map(|(name, counts)| count_fields(Some(name), counts)).collect(),
        lines: if lists { score.lines.iter().map(line_fields).collect() } else { Vec::new() },
        unmapped: &score.unmapped,
        unscored: &score.unscored,
        files_without_rule: &score.files_without_rule,
        wrong_sources: score.wrong_sources,
        failures: score.failures.iter().map(|(unit, reason)| FailureFields { unit, reason }).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &fields)?;
    writeln!(out)
}

fn count_fields<'s>(name: Option<&'s str>, counts: &Counts) -> CountFields<'s> {
    let Counts { tp, fp, fn_, tn } = *counts;
    CountFields {
        name,
        tp,
        fp,
        fn_,
        tn,
        precision: counts.precision(),
        recall: counts.recall(),
        f1: counts.f1(),
        youden: counts.youden(),
    }
}

fn line_fields(line: &ScoredLine) -> LineFields<'_> {
    let outcome = match line.outcome {
        Outcome::TruePositive => "tp",
        Outcome::FalsePositive => "fp",
        Outcome::FalseNegative => "fn",
        Outcome::TrueNegative => "tn",
    };
    let ScoredLine { path, line: number, rule, annotated, reason, .. } = line;
    LineFields { outcome, path, line: *number, rule, annotated: annotated.as_deref(), reason: reason.as_deref() }
}
