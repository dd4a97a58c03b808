//! Charts of recorded pages: which columns of which table become bars.
//!
//! A page names its chart in comments of this form, each directly before the table that it refers to:
//!
//! ```text
//! <!-- chart title="Speed" label="Graph + Sources" value="Ratio" axis="ratio to naive" better="higher" only="Side=vyre" -->
//! ```
//!
//! | Key | Meaning | Required |
//! |---|---|---|
//! | `title` | heading of the panel | yes |
//! | `label` | columns that label a bar, separated by ` + ` | yes |
//! | `value` | column of the length of a bar | yes |
//! | `axis` | meaning of the value; 1 is the peer | yes |
//! | `better` | `lower` or `higher` | yes |
//! | `only` | conditions `Column=cell`, separated by semicolons; `Column=*` is any cell that is not empty | no |
//!
//! Each comment is one panel. Rows whose value is not a number are left out.

use std::fmt;

use super::svg::{Bar, Panel, draw};

/// Columns of one table that become one panel of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartSpec {
    /// Heading of the panel.
    pub title: String,
    /// Columns that label a bar.
    pub labels: Vec<String>,
    /// Column of the length of a bar.
    pub value: String,
    /// Meaning of the value.
    pub axis: String,
    /// True if smaller values are better.
    pub lower_is_better: bool,
    /// Columns and the cell that a row must have there; `*` is any cell that is not empty.
    pub only: Vec<(String, String)>,
}

/// Page without a chart, or with one that its tables do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChartError {
    /// The page has no chart comment.
    NoChart,
    /// A chart comment lacks a key or has a wrong value.
    Comment {
        /// The key.
        key: &'static str,
    },
    /// No table follows a chart comment.
    NoTable {
        /// Title of the panel.
        title: String,
    },
    /// The table has no such column.
    NoColumn {
        /// The column.
        column: String,
    },
    /// No row of the table fits.
    NoRow {
        /// Title of the panel.
        title: String,
    },
}

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChartError::NoChart => write!(f, "the page has no `<!-- chart ... -->` comment"),
            ChartError::Comment { key } => write!(f, "a chart comment has no valid `{key}`"),
            ChartError::NoTable { title } => write!(f, "no table follows the chart comment `{title}`"),
            ChartError::NoColumn { column } => write!(f, "the table of the chart has no column `{column}`"),
            ChartError::NoRow { title } => write!(f, "no row of the table fits the chart comment `{title}`"),
        }
    }
}

impl std::error::Error for ChartError {}

const COMMENT: &str = "<!-- chart ";

impl ChartSpec {
    /// Creates a panel whose value is our time over that of the peer: smaller is better.
    #[must_use]
    pub fn ratio(title: &str, labels: &[&str], value: &str, axis: &str) -> ChartSpec {
        ChartSpec {
            title: title.to_owned(),
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            value: value.to_owned(),
            axis: axis.to_owned(),
            lower_is_better: true,
            only: Vec::new(),
        }
    }

    /// Creates a panel whose value is the time of the peer over ours: larger is better.
    #[must_use]
    pub fn speed(title: &str, labels: &[&str], value: &str, axis: &str) -> ChartSpec {
        ChartSpec { lower_is_better: false, ..ChartSpec::ratio(title, labels, value, axis) }
    }

    /// Keeps the rows that have `cell` in `column`.
    #[must_use]
    pub fn only(mut self, column: &str, cell: &str) -> ChartSpec {
        self.only.push((column.to_owned(), cell.to_owned()));
        self
    }

    /// Comment of the page.
    #[must_use]
    pub fn comment(&self) -> String {
        let better = if self.lower_is_better { "lower" } else { "higher" };
        let only: Vec<String> = self.only.iter().map(|(column, cell)| format!("{column}={cell}")).collect();
        let only = if only.is_empty() { String::new() } else { format!(" only=\"{}\"", only.join("; ")) };
        format!(
            "{COMMENT}title=\"{}\" label=\"{}\" value=\"{}\" axis=\"{}\" better=\"{better}\"{only} -->",
            self.title,
            // Titles of columns have commas themselves.
            self.labels.join(" + "),
            self.value,
            self.axis,
        )
    }

    fn parse(line: &str) -> Result<ChartSpec, ChartError> {
        let value_of = |key: &'static str| {
            let start = line.find(&format!(" {key}=\""))? + key.len() + 3;
            let value = &line[start..];
            Some(value[..value.find('"')?].to_owned())
        };
        let required = |key| value_of(key).ok_or(ChartError::Comment { key });
        let condition = |condition: &str| {
            let (column, cell) = condition.split_once('=')?;
            Some((column.trim().to_owned(), cell.trim().to_owned()))
        };
        let only = value_of("only").unwrap_or_default();
        let only = only.split(';').filter(|condition| !condition.trim().is_empty()).map(condition);
        Ok(ChartSpec {
            title: required("title")?,
            labels: required("label")?.split(" + ").map(|label| label.trim().to_owned()).collect(),
            value: required("value")?,
            axis: required("axis")?,
            lower_is_better: match required("better")?.as_str() {
                "lower" => true,
                "higher" => false,
                _ => return Err(ChartError::Comment { key: "better" }),
            },
            only: only.collect::<Option<_>>().ok_or(ChartError::Comment { key: "only" })?,
        })
    }

    fn panel(&self, table: &[Vec<String>]) -> Result<Panel, ChartError> {
        let [header, rows @ ..] = table else { return Err(ChartError::NoTable { title: self.title.clone() }) };
        let column = |title: &String| {
            let found = header.iter().position(|cell| cell == title);
            found.ok_or_else(|| ChartError::NoColumn { column: title.clone() })
        };
        let value = column(&self.value)?;
        let labels = self.labels.iter().map(column).collect::<Result<Vec<usize>, _>>()?;
        let only = self.only.iter().map(|(title, cell)| Ok((column(title)?, cell.as_str())));
        let only = only.collect::<Result<Vec<(usize, &str)>, ChartError>>()?;
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let fits = |row: &&Vec<String>| {
            only.iter().all(|&(column, wanted)| match (cell(row, column), wanted) {
                (found, "*") => !found.is_empty(),
                (found, wanted) => found == wanted,
            })
        };
        let bar = |row: &Vec<String>| {
            let text = cell(row, value);
            let number = text.trim_end_matches('%').trim().replace(',', "").parse::<f64>().ok()?;
            let label = labels.iter().map(|&column| label_part(&header[column], &cell(row, column)));
            let label: Vec<String> = label.filter(|part| !part.is_empty()).collect();
            (number > 0.0 && number.is_finite()).then(|| Bar { label: label.join(", "), value: number, text })
        };
        let bars: Vec<Bar> = rows.iter().filter(fits).filter_map(bar).collect();
        if bars.is_empty() {
            return Err(ChartError::NoRow { title: self.title.clone() });
        }
        let (title, axis) = (self.title.clone(), self.axis.clone());
        Ok(Panel { title, axis, lower_is_better: self.lower_is_better, bars })
    }
}

/// Part of a label: a cell without its remark in parentheses; a number is followed by the title of its column.
fn label_part(title: &str, cell: &str) -> String {
    let cell = cell.split(" (").next().unwrap_or_default();
    if cell.is_empty() || !cell.bytes().all(|byte| byte.is_ascii_digit()) {
        return cell.to_owned();
    }
    let title = title.to_lowercase();
    let unit = if cell == "1" { title.trim_end_matches('s') } else { &title };
    format!("{cell} {unit}")
}

/// Cells of the first table in some lines, header first, without the marks of emphasis and code.
fn first_table<'p>(lines: impl Iterator<Item = &'p str>) -> Vec<Vec<String>> {
    let rows = lines.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let row = row.trim().trim_start_matches('|').trim_end_matches('|');
        row.split('|').map(|cell| cell.replace("**", "").replace('`', "").trim().to_owned()).collect()
    };
    // The second line has the alignment of columns.
    rows.enumerate().filter(|&(line, _)| line != 1).map(|(_, row)| cells(row)).collect()
}

/// Draws the chart of a page as SVG.
///
/// # Errors
///
/// The page has no chart, or its tables lack what the chart needs.
pub fn chart_of_page(page: &str) -> Result<String, ChartError> {
    let lines: Vec<&str> = page.lines().collect();
    let mut panels = Vec::new();
    for (position, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with(COMMENT)) {
        let spec = ChartSpec::parse(line)?;
        panels.push(spec.panel(&first_table(lines[position + 1..].iter().copied()))?);
    }
    if panels.is_empty() { Err(ChartError::NoChart) } else { Ok(draw(&panels)) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn page(spec: &ChartSpec) -> String {
        format!(
            "# Title\n\n{}\n\n| Graph | Side, ms | Ratio | |\n|---|---|--:|---|\n| G1 | **vyre** | 1.25 | met |\n\
             | G2 | `vyre` | 0.50 |  |\n| G2 | peer |  | met |\n\n| Other |\n|---|\n| 7 |\n",
            spec.comment()
        )
    }

    #[test]
    fn rows_of_the_next_table_become_bars() {
        let spec = ChartSpec::ratio("Time", &["Graph", "Side, ms"], "Ratio", "time over peer");
        assert_eq!(ChartSpec::parse(&spec.comment()).expect("it is whole"), spec);
        let svg = chart_of_page(&page(&spec)).expect("the page has a chart");
        for text in ["G1, vyre", "G2, vyre", ">1.25<", ">0.50<", "time over peer"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("peer,") && !svg.contains(">7<"));
    }

    #[test]
    fn conditions_select_rows() {
        let spec = ChartSpec::speed("Time", &["Graph"], "Ratio", "time").only("Side, ms", "vyre").only("Graph", "G2");
        let svg = chart_of_page(&page(&spec)).expect("the page has a chart");
        assert!(svg.contains(">0.50<") && !svg.contains(">1.25<"));
    }

    #[test]
    fn labels_name_the_columns_of_numbers_and_leave_out_remarks() {
        assert_eq!(label_part("Sources", "1024"), "1024 sources");
        assert_eq!(label_part("Threads", "1"), "1 thread");
        assert_eq!(label_part("Graph", "G2 (16 edges)"), "G2");
        assert_eq!(label_part("Edges", ""), "");
    }

    #[test]
    fn mistakes_in_a_page_are_named() {
        assert_eq!(chart_of_page("# Title\n"), Err(ChartError::NoChart));
        let spec = ChartSpec::ratio("Time", &["Nodes"], "Ratio", "time");
        assert_eq!(chart_of_page(&page(&spec)), Err(ChartError::NoColumn { column: "Nodes".to_owned() }));
        let spec = ChartSpec::ratio("Time", &["Graph"], "Ratio", "time").only("Graph", "G3");
        assert_eq!(chart_of_page(&page(&spec)), Err(ChartError::NoRow { title: "Time".to_owned() }));
        let comment = "<!-- chart title=\"a\" label=\"b\" value=\"c\" axis=\"d\" better=\"red\" -->";
        assert_eq!(chart_of_page(comment), Err(ChartError::Comment { key: "better" }));
    }

    #[test]
    fn recorded_charts_are_those_of_their_pages() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let files =
            fs::read_dir(results).expect("there are results").map(|entry| entry.expect("it can be read").path());
        let pages: Vec<PathBuf> = files.filter(|path| path.to_string_lossy().ends_with("_report.md")).collect();
        assert_eq!(pages.len(), 10);
        for page in pages {
            let text = fs::read_to_string(&page).expect("it can be read");
            let svg = chart_of_page(&text).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
            let recorded = fs::read_to_string(page.with_extension("svg")).expect("the page has a chart");
            assert!(
                svg == recorded,
                "draw the chart of {} again: `cargo run -p vyre-benches --bin chart`",
                page.display()
            );
        }
    }
}
