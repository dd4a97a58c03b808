//! Markdown tables.

use super::series::Series;

/// Columns of a Markdown table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(String, bool)>,
}

impl Table {
    /// Creates a table without columns.
    #[must_use]
    pub fn new() -> Table {
        Table::default()
    }

    /// Adds a column of text.
    #[must_use]
    pub fn text(mut self, title: impl Into<String>) -> Table {
        self.columns.push((title.into(), false));
        self
    }

    /// Adds a column of numbers, aligned to the right.
    #[must_use]
    pub fn number(mut self, title: impl Into<String>) -> Table {
        self.columns.push((title.into(), true));
        self
    }

    /// Adds columns of numbers.
    #[must_use]
    pub fn numbers<T: Into<String>>(self, titles: impl IntoIterator<Item = T>) -> Table {
        titles.into_iter().fold(self, Table::number)
    }

    /// Header of the table: two lines of Markdown.
    #[must_use]
    pub fn header(&self) -> String {
        let titles = row(self.columns.iter().map(|(title, _)| title));
        let marks: String =
            self.columns.iter().map(|&(_, is_number)| if is_number { "--:|" } else { "---|" }).collect();
        format!("{titles}\n|{marks}")
    }
}

/// One row of Markdown.
pub(super) fn row<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    cells.into_iter().fold("|".to_owned(), |row, cell| match cell.as_ref() {
        "" => row + "  |",
        cell => row + " " + cell + " |",
    })
}

/// Unit of times in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

impl Unit {
    /// Symbol of the unit in tables.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
        }
    }

    /// Number of units in `seconds`.
    #[must_use]
    pub fn from_seconds(self, seconds: f64) -> f64 {
        match self {
            Unit::Milliseconds => seconds * 1e3,
            Unit::Microseconds => seconds * 1e6,
        }
    }
}

/// Table of ratios of our times to those of a named peer.
///
/// Its columns are the labels of a row, the median of the peer, our median, the median of the ratios within an iteration, the
/// ratio of the minima, and further columns.
#[derive(Clone, Debug)]
pub struct RatioTable {
    labels: Table,
    peer: String,
    ours: String,
    unit: Unit,
    time_digits: usize,
    ratio_digits: usize,
}

impl RatioTable {
    /// Creates a table with the columns of `labels` on the left.
    pub fn new(labels: Table, peer: impl Into<String>, ours: impl Into<String>, unit: Unit) -> RatioTable {
        RatioTable { labels, peer: peer.into(), ours: ours.into(), unit, time_digits: 2, ratio_digits: 2 }
    }

    /// Sets the number of digits after the point of times and of ratios.
    #[must_use]
    pub fn with_digits(self, time_digits: usize, ratio_digits: usize) -> RatioTable {
        RatioTable { time_digits, ratio_digits, ..self }
    }

    /// The table, for the header; further columns may be added.
    #[must_use]
    pub fn table(&self) -> Table {
        let unit = self.unit.symbol();
        let titles = [format!("{}, {unit}", self.peer), format!("{}, {unit}", self.ours)];
        self.labels.clone().numbers(titles).numbers(["Ratio", "Ratio of minima"])
    }

    /// Cells of a row, from times in seconds.
    #[must_use]
    pub fn cells(&self, labels: &[&str], peer: &Series, ours: &Series) -> Vec<String> {
        let time = |series: &Series| format!("{:.*}", self.time_digits, self.unit.from_seconds(series.median()));
        let ratio = |ratio: f64| format!("{ratio:.*}", self.ratio_digits);
        let figures = [time(peer), time(ours), ratio(ours.ratio_to(peer)), ratio(ours.ratio_of_minima(peer))];
        labels.iter().map(|&label| label.to_owned()).chain(figures).collect()
    }
}

/// Cell that states if a goal is met.
#[must_use]
pub fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_markdown() {
        assert_eq!(Table::new().text("Name").number("Time").header(), "| Name | Time |\n|---|--:|");
        assert_eq!(row(["a", "", "1"]), "| a |  | 1 |");
    }

    #[test]
    fn ratios_are_ours_over_the_peer() {
        let table = RatioTable::new(Table::new().text("Task"), "native", "vyre", Unit::Milliseconds);
        assert!(table.table().header().starts_with("| Task | native, ms | vyre, ms | Ratio | Ratio of minima |"));
        let (native, vyre) = ([0.002, 0.004].into_iter().collect(), [0.003, 0.006].into_iter().collect());
        assert_eq!(table.cells(&["xor"], &native, &vyre), ["xor", "4.00", "6.00", "1.50", "1.50"]);
    }
}
