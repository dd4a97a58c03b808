//! Text for people: findings with code frames step by step, and a summary.

mod end;

use std::fmt;
use std::io::{self, Write};

use vyre_ir::source::{Frame, visible};
use vyre_ir::spelling::counted;

use crate::finding::{Finding, Location, WitnessStep};
use crate::knowledge::ThreatModel;
use crate::scan::ScanReport;

use super::options::ReportOptions;
use super::places::Places;
use super::styles::Styles;
use super::summary::{rule_cwe, rule_id};

/// Maximum number of steps of a witness that are shown: half from its beginning, half from its end.
const MAX_STEPS: usize = 60;

/// Maximum number of other sources and copies that are shown.
const MAX_LOCATIONS: usize = 5;

/// Writes the findings and the summary.
pub(super) fn write(report: &ScanReport, options: ReportOptions, out: &mut dyn Write) -> io::Result<()> {
    let styles = Styles::new(options.colors);
    let writer = FindingWriter { report, places: Places::new(&report.coverage), styles };
    for finding in &report.findings {
        writer.write(finding, out)?;
        writeln!(out)?;
    }
    end::write(report, options, &styles, out)
}

/// Summary without findings and colours, for other formats.
pub(super) fn summary(report: &ScanReport, options: ReportOptions) -> io::Result<String> {
    let mut text = Vec::new();
    end::write(report, options, &Styles::default(), &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writer of findings.
struct FindingWriter<'r> {
    report: &'r ScanReport,
    places: Places<'r>,
    styles: Styles,
}

impl FindingWriter<'_> {
    fn write(&self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let Styles { gutter, strong, .. } = self.styles;
        let severity = self.styles.severity(finding.severity);
        let (name, rule) = (finding.severity.name(), rule_id(self.report, finding.rule));
        let state = self.report.state(finding).map_or_else(String::new, |state| format!(" ({})", state.name()));
        writeln!(
            out,
            "{severity}{name}[{}]{severity:#}{state}{strong}: {}{strong:#}",
            visible(rule),
            visible(&finding.message)
        )?;
        writeln!(out, "  {gutter}-->{gutter:#} {}", self.name(finding.sink()))?;
        let inputs = match finding.model {
            ThreatModel::Application => "input of the program",
            ThreatModel::Library => "parameter of an export",
        };
        let (label, model) = (visible(&finding.source_label), finding.model.name());
        self.note(out, "source", format_args!("{label}, {inputs} ({model})"))?;
        let cwe: Vec<String> = rule_cwe(self.report, finding.rule).iter().map(|cwe| format!("CWE-{cwe}")).collect();
        if !cwe.is_empty() {
            self.note(out, "weakness", cwe.join(", "))?;
        }
        self.witness(&finding.witness, out)?;
        self.locations(out, "other sources", &finding.other_sources, finding.omitted_sources)?;
        self.locations(out, "copies of the code", &finding.copies, 0)
    }

    fn name(&self, location: Location) -> String {
        visible(&self.places.name(location)).into_owned()
    }

    fn note(&self, out: &mut dyn Write, label: &str, text: impl fmt::Display) -> io::Result<()> {
        let Styles { gutter, strong, .. } = self.styles;
        writeln!(out, "   {gutter}={gutter:#} {strong}{label}{strong:#}: {text}")
    }

    fn locations(&self, out: &mut dyn Write, label: &str, locations: &[Location], omitted: usize) -> io::Result<()> {
        if locations.is_empty() && omitted == 0 {
            return Ok(());
        }
        let mut names: Vec<String> = locations.iter().take(MAX_LOCATIONS).map(|&place| self.name(place)).collect();
        let rest = locations.len().saturating_sub(MAX_LOCATIONS) + omitted;
        if rest > 0 {
            names.push(format!("{rest} more"));
        }
        self.note(out, label, names.join(", "))
    }

    fn witness(&self, witness: &[WitnessStep], out: &mut dyn Write) -> io::Result<()> {
        let frames: Vec<Option<Frame>> = witness.iter().map(|step| self.places.frame(step.location)).collect();
        let last_line = frames.iter().flatten().map(|frame| frame.line).max().unwrap_or(0);
        let digits = last_line.to_string().len();
        let left_out = witness.len().saturating_sub(MAX_STEPS);
        let gap = if left_out > 0 { MAX_STEPS / 2..MAX_STEPS / 2 + left_out } else { 0..0 };
        let mut previous = None;
        for (position, (step, frame)) in witness.iter().zip(&frames).enumerate() {
            if gap.contains(&position) {
                if position == gap.start {
                    writeln!(out, "   ... {} left out; --format json has them", counted(left_out, "step"))?;
                }
                continue;
            }
            self.step(position + 1, step, out)?;
            if let Some(frame) = frame
                && previous != Some(step.location)
            {
                self.frame(frame, digits, step.location, out)?;
            }
            previous = Some(step.location);
        }
        Ok(())
    }

    fn step(&self, number: usize, step: &WitnessStep, out: &mut dyn Write) -> io::Result<()> {
        let Styles { strong, .. } = self.styles;
        let place = self.name(step.location);
        writeln!(out, "   {strong}{number}.{strong:#} {}  ({place})", visible(&step.reason))
    }

    /// Writes a source line and the line that marks a part of it.
    fn frame(&self, frame: &Frame, digits: usize, location: Location, out: &mut dyn Write) -> io::Result<()> {
        let Styles { gutter, high, .. } = self.styles;
        let Frame { line, text, padding, width } = frame;
        let goes_on = self.places.region(location).is_some_and(|region| region.end_line > region.line);
        let dots = if goes_on { "..." } else { "" };
        writeln!(out, "      {gutter}{line:digits$} |{gutter:#} {}", text.trim_end())?;
        let carets = "^".repeat(*width);
        writeln!(out, "      {:digits$} {gutter}|{gutter:#} {:padding$}{high}{carets}{dots}{high:#}", "", "")
    }
}
