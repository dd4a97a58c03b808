//! Comparison of the findings of a unit with its annotations.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Location};
use crate::knowledge::Knowledge;
use crate::lines::LineIndex;
use crate::scan::ScanReport;

use super::annotation::{self, Annotation, Annotations};
use super::mapping::{RuleMap, folder_cwe};
use super::outcome::Outcome;
use super::result::{Score, ScoredLine};
use super::units::Unit;

/// Expectations about the files of a unit.
pub(super) struct Expectations {
    /// By position of the file in the unit.
    files: Vec<FileExpectations>,
}

struct FileExpectations {
    expectations: Vec<Expectation>,
    sources: Vec<(String, u32)>,
    /// Rules that the file tests, in order.
    tested: BTreeSet<String>,
    /// CWE entry of the folder.
    cwe: Option<u32>,
    /// First CWE entry of each rule that the file tests.
    rule_cwe: BTreeMap<String, u32>,
}

/// An expectation: any of the rules counts.
struct Expectation {
    line: u32,
    is_positive: bool,
    rules: Vec<String>,
    annotated: Option<String>,
    source: Option<String>,
    spans_lines: bool,
}

/// A finding at lines of a file of the unit.
struct Place<'f> {
    rule: &'f str,
    first_line: u32,
    last_line: u32,
    sources: Vec<(usize, u32)>,
    is_used: bool,
}

impl Place<'_> {
    fn is_at(&self, expectation: &Expectation) -> bool {
        let last = if expectation.spans_lines { self.last_line } else { self.first_line };
        (self.first_line..=last).contains(&expectation.line)
    }
}

impl Expectations {
    /// Reads the annotations of a unit and maps their rules. What cannot be mapped is added to the score.
    pub(super) fn new(unit: &Unit, map: &RuleMap, knowledge: &Knowledge, score: &mut Score) -> Expectations {
        let mut files = Vec::new();
        for file in &unit.files {
            let Annotations { expectations, sources } = annotation::read(&file.text);
            let full = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
            let folder_rules = map.folder_rules(&full, knowledge);
            let named = rules_of_names(&expectations, map, knowledge);
            let unnamed_rules = folder_rules.clone().or_else(|| Some(named).filter(|rules| !rules.is_empty()));
            let named_lines: BTreeSet<(u32, bool)> =
                expectations.iter().filter(|it| it.rule.is_some()).map(|it| (it.line, it.is_positive)).collect();
            let mut mapped = Vec::new();
            let mut has_unnamed = false;
            for annotation in expectations {
                let rules = match &annotation.rule {
                    Some(rule) => map.rules(rule, knowledge),
                    // The line has the same annotation with a name.
                    None if named_lines.contains(&(annotation.line, annotation.is_positive)) => continue,
                    None => unnamed_rules.clone(),
                };
                match (rules, &annotation.rule) {
                    (Some(rules), _) if rules.is_empty() => {}
                    (Some(rules), _) => mapped.push(Expectation {
                        line: annotation.line,
                        is_positive: annotation.is_positive,
                        rules,
                        annotated: annotation.rule,
                        source: annotation.source,
                        spans_lines: annotation.spans_lines,
                    }),
                    (None, Some(rule)) => *score.unmapped.entry(rule.clone()).or_insert(0) += 1,
                    (None, None) => has_unnamed = true,
                }
            }
            if has_unnamed {
                score.files_without_rule.push(file.name.clone());
            }
            let mut tested: BTreeSet<String> = mapped.iter().flat_map(|it| it.rules.iter().cloned()).collect();
            tested.extend(folder_rules.into_iter().flatten());
            let first_cwe = |id: &String| {
                let rule = knowledge.rules.iter().find(|rule| rule.id == *id)?;
                Some((id.clone(), *rule.cwe.first()?))
            };
            let rule_cwe = tested.iter().filter_map(first_cwe).collect();
            files.push(FileExpectations { expectations: mapped, sources, tested, cwe: folder_cwe(&full), rule_cwe });
        }
        Expectations { files }
    }

    /// True if no file of the unit tests a rule.
    pub(super) fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.tested.is_empty())
    }

    /// Compares with the findings of a scan. None: nothing was found.
    pub(super) fn compare(&self, unit: &Unit, report: Option<&ScanReport>, score: &mut Score) {
        let files = report.map(|report| FileMatch::new(unit, report));
        let mut places: Vec<Vec<Place<'_>>> = unit.files.iter().map(|_| Vec::new()).collect();
        if let (Some(report), Some(files)) = (report, &files) {
            for finding in &report.findings {
                let Some((file, place)) = files.place(report, finding) else { continue };
                if let Some(places) = places.get_mut(file) {
                    places.push(place);
                }
            }
        }
        for (position, expected) in self.files.iter().enumerate() {
            let Some(places) = places.get_mut(position) else { continue };
            self.compare_file(unit, position, expected, places, score);
        }
    }

    fn compare_file(
        &self,
        unit: &Unit,
        position: usize,
        expected: &FileExpectations,
        places: &mut [Place<'_>],
        score: &mut Score,
    ) {
        let Some(file) = unit.files.get(position) else { return };
        let mut lines = Vec::new();
        for expectation in &expected.expectations {
            let mut found = None;
            for place in places.iter_mut() {
                if place.is_at(expectation) && expectation.rules.iter().any(|rule| rule == place.rule) {
                    place.is_used = true;
                    found = found.or(Some((place.rule.to_owned(), place.sources.clone())));
                }
            }
            let outcome = match (expectation.is_positive, &found) {
                (true, Some(_)) => Outcome::TruePositive,
                (true, None) => Outcome::FalseNegative,
                (false, Some(_)) => Outcome::FalsePositive,
                (false, None) => Outcome::TrueNegative,
            };
            let mut reason = match (outcome, &found) {
                (Outcome::FalseNegative, _) => Some(missing_reason(expectation, places)),
                (Outcome::FalsePositive, Some((_, sources))) => Some(source_text(unit, sources)),
                _ => None,
            };
            if let (true, Some((_, sources)), Some(name)) = (expectation.is_positive, &found, &expectation.source)
                && !self.is_source(name, sources)
            {
                score.wrong_sources += 1;
                reason = Some(format!("{}, not the annotated source `{name}`", source_text(unit, sources)));
            }
            let first = || expectation.rules.first().cloned().unwrap_or_default();
            let rule = found.map_or_else(first, |(rule, _)| rule);
            let annotated = expectation.annotated.clone();
            let (path, line) = (file.name.clone(), expectation.line);
            lines.push(ScoredLine { outcome, path, line, rule, annotated, reason });
        }
        for place in places.iter().filter(|place| !place.is_used) {
            if expected.tested.contains(place.rule) {
                let (rule, line) = (place.rule.to_owned(), place.first_line);
                let (outcome, path) = (Outcome::FalsePositive, file.name.clone());
                let reason = Some(format!("the line has no annotation; {}", source_text(unit, &place.sources)));
                lines.push(ScoredLine { outcome, path, line, rule, annotated: None, reason });
            } else {
                *score.unscored.entry(place.rule.to_owned()).or_insert(0) += 1;
            }
        }
        lines.sort_by(|a, b| (a.line, &a.rule, a.outcome).cmp(&(b.line, &b.rule, b.outcome)));
        for line in lines {
            score.total.add(line.outcome);
            score.rules.entry(line.rule.clone()).or_default().add(line.outcome);
            score.units.entry(unit.name.clone()).or_default().add(line.outcome);
            if let Some(cwe) = expected.cwe.or_else(|| expected.rule_cwe.get(&line.rule).copied()) {
                score.cwe.entry(cwe).or_default().add(line.outcome);
            }
            score.lines.push(line);
        }
    }

    /// Reports whether one of the sources is at an annotation with this name.
    fn is_source(&self, name: &str, sources: &[(usize, u32)]) -> bool {
        sources.iter().any(|(file, line)| {
            let annotated = self.files.get(*file).map_or(&[][..], |file| &file.sources);
            annotated.iter().any(|(known, at)| known == name && at == line)
        })
    }
}

/// Rules that the annotations of a file name, without repetition. They count for its annotations without a name, such as `NOT OK`,
/// if the folder has no rules.
fn rules_of_names(expectations: &[Annotation], map: &RuleMap, knowledge: &Knowledge) -> Vec<String> {
    let names: BTreeSet<&String> = expectations.iter().filter_map(|annotation| annotation.rule.as_ref()).collect();
    let rules: BTreeSet<String> = names.into_iter().filter_map(|name| map.rules(name, knowledge)).flatten().collect();
    rules.into_iter().collect()
}

/// Why an expected finding is missing: what is found instead.
fn missing_reason(expectation: &Expectation, places: &[Place<'_>]) -> String {
    if let Some(place) = places.iter().find(|place| place.is_at(expectation)) {
        return format!("the line has a finding of {}", place.rule);
    }
    let distance = |place: &&Place<'_>| (place.first_line.abs_diff(expectation.line), place.first_line);
    let same_rule = places.iter().filter(|place| expectation.rules.iter().any(|rule| rule == place.rule));
    match same_rule.min_by_key(distance) {
        Some(place) => format!("no finding on the line; the nearest of the rule is on line {}", place.first_line),
        None if places.is_empty() => "no finding in the file".to_owned(),
        None => "no finding of the rule in the file".to_owned(),
    }
}

/// The nearest source of a finding.
fn source_text(unit: &Unit, sources: &[(usize, u32)]) -> String {
    match sources.first().and_then(|(file, line)| Some((unit.files.get(*file)?, line))) {
        Some((file, line)) => format!("the source is {}:{line}", file.name),
        None => "the source is in another file".to_owned(),
    }
}

/// Files of a report as positions in the unit, with their lines.
struct FileMatch<'u> {
    /// By position in the report.
    positions: Vec<Option<usize>>,
    /// Lines, by position in the unit.
    lines: Vec<LineIndex<'u>>,
}

impl<'u> FileMatch<'u> {
    fn new(unit: &'u Unit, report: &ScanReport) -> FileMatch<'u> {
        let position = |path: &str| {
            if let [_] = unit.files.as_slice()
                && unit.files.iter().any(|file| file.path == unit.path)
            {
                return Some(0);
            }
            let full = unit.path.join(path);
            let exact = unit.files.iter().position(|file| file.path == full);
            exact.or_else(|| unit.files.iter().position(|file| file.path.ends_with(path)))
        };
        FileMatch {
            positions: report.coverage.files.iter().map(|file| position(&file.path)).collect(),
            lines: unit.files.iter().map(|file| LineIndex::new(&file.text)).collect(),
        }
    }

    fn place<'f>(&self, report: &'f ScanReport, finding: &'f Finding) -> Option<(usize, Place<'f>)> {
        let sink = finding.sink();
        let (file, first_line) = self.line(sink, sink.span.start)?;
        let (_, last_line) = self.line(sink, sink.span.end.max(sink.span.start))?;
        let all_sources = std::iter::once(finding.source()).chain(finding.other_sources.iter().copied());
        let sources = all_sources.filter_map(|source| self.line(source, source.span.start)).collect();
        let rule = report.knowledge.rules.get(finding.rule)?.id.as_str();
        Some((file, Place { rule, first_line, last_line, sources, is_used: false }))
    }

    /// Position of the file in the unit, and line of an offset.
    fn line(&self, location: Location, offset: u32) -> Option<(usize, u32)> {
        let file = self.positions.get(location.file as usize).copied().flatten()?;
        let line = self.lines.get(file)?.line(offset as usize);
        Some((file, u32::try_from(line).unwrap_or(u32::MAX)))
    }
}
