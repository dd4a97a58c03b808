//! Reports: Markdown on standard output, and a page with a chart in a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::chart::{ChartSpec, chart_of_page};
use super::machine::Machine;
use super::table::{Table, row};

/// Options of all reports that say where results go.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OutputArgs {
    /// Also writes the page `DIR/NAME.md` and its chart `DIR/NAME.svg`, when the report is complete
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Report that is being written. Each line goes to standard output at once, so that an interrupted report keeps its figures.
pub struct Report {
    name: &'static str,
    title: &'static str,
    out: Option<PathBuf>,
    body: String,
    has_chart: bool,
    is_in_block: bool,
}

impl Report {
    /// Starts a report. `name` is that of its program and of its files.
    #[must_use]
    pub fn new(name: &'static str, title: &'static str, output: &OutputArgs) -> Report {
        let mut report =
            Report { name, title, out: output.out.clone(), body: String::new(), has_chart: false, is_in_block: false };
        report.paragraph(&format!("{}; {}.", Machine::current(), date(SystemTime::now())));
        report
    }

    /// Writes a heading of the second level.
    pub fn heading(&mut self, text: &str) {
        self.start_block();
        self.line(&format!("## {text}"));
    }

    /// Writes a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.start_block();
        self.line(text);
    }

    /// Draws the next table in the chart of the page.
    pub fn chart(&mut self, spec: &ChartSpec) {
        self.start_block();
        self.line(&spec.comment());
        self.has_chart = true;
    }

    /// Starts a table.
    pub fn table(&mut self, table: &Table) {
        self.start_block();
        self.line(&table.header());
    }

    /// Writes a row of the table that was started last.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.line(&row(cells));
    }

    /// Writes list items.
    pub fn list<T: AsRef<str>>(&mut self, items: impl IntoIterator<Item = T>) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_some() {
            self.start_block();
        }
        items.for_each(|item| self.line(&format!("- {}", item.as_ref())));
    }

    fn start_block(&mut self) {
        if self.is_in_block {
            self.line("");
        }
        self.is_in_block = true;
    }

    fn line(&mut self, line: &str) {
        println!("{line}");
        self.body.push_str(line);
        self.body.push('\n');
    }

    /// Writes the page and its chart, if a directory was given.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn finish(self) -> io::Result<()> {
        let Some(folder) = &self.out else { return Ok(()) };
        fs::create_dir_all(folder)?;
        let file = |extension: &str| folder.join(self.name).with_extension(extension);
        let page = self.page(&file("md"));
        fs::write(file("md"), &page)?;
        if self.has_chart {
            match chart_of_page(&page) {
                Ok(svg) => fs::write(file("svg"), svg)?,
                Err(error) => eprintln!("{}: no chart: {error}", self.name),
            }
        }
        Ok(())
    }

    fn page(&self, path: &Path) -> String {
        let Report { name, title, body, .. } = self;
        let arguments: Vec<String> = std::env::args().skip(1).map(|argument| quoted(&argument)).collect();
        let arguments = if arguments.is_empty() { String::new() } else { format!(" -- {}", arguments.join(" ")) };
        let command = format!("```sh\ncargo run --release -p vyre-benches --bin {name}{arguments}\n```");
        let chart = match self.has_chart {
            true => format!(
                "![Chart of this page]({name}.svg)\n\nThe chart is drawn from the tables below: `cargo run -p vyre-benches --bin \
                 chart -- {}`.\n\n",
                path.display()
            ),
            false => String::new(),
        };
        format!("# {title}\n\n{chart}{command}\n\n{body}")
    }
}

/// Argument as it is written in a shell.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+".contains(c);
    match argument.chars().all(is_plain) && !argument.is_empty() {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

/// Date in UTC as `2026-11-16`: days since 1970 in the proleptic Gregorian calendar, with years that begin in March.
fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (era * 400 + year_of_era, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (1_794_873_599, "2026-11-16")] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn a_page_and_its_chart_are_written() {
        let folder = tempfile::tempdir().expect("there is room");
        let output = OutputArgs { out: Some(folder.path().join("results")) };
        let mut report = Report::new("test_report", "A test", &output);
        report.chart(&ChartSpec::ratio("Times", &["Task"], "Ratio", "ours over theirs"));
        report.table(&Table::new().text("Task").number("Ratio"));
        report.row(["xor", "1.50"]);
        report.list(["One run each."]);
        report.finish().expect("it can be written");
        let page = fs::read_to_string(folder.path().join("results/test_report.md")).expect("there is a page");
        assert!(page.starts_with("# A test\n\n![Chart of this page](test_report.svg)\n"), "{page}");
        assert!(page.contains("| Task | Ratio |\n|---|--:|\n| xor | 1.50 |\n\n- One run each.\n"), "{page}");
        let svg = fs::read_to_string(folder.path().join("results/test_report.svg")).expect("there is a chart");
        assert_eq!(chart_of_page(&page), Ok(svg));
    }

    #[test]
    fn arguments_are_quoted_for_the_shell() {
        assert_eq!(quoted("--only=xor"), "--only=xor");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}
