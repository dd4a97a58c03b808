//! Choice of the columns of edge tables by their titles.

use std::fmt;

use super::header_words::EdgeColumn;
use super::text_error::shown;

/// Maximum number of titles in an error.
const MAX_LISTED: usize = 12;

/// Titles of columns of an edge list, a CSV file or a table of edges. A column without one here is found by its usual titles, or else by
/// its position.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct ColumnTitles {
    /// Title of the column of the nodes at which edges begin.
    pub source: Option<String>,
    /// Title of the column of the nodes at which edges end.
    pub target: Option<String>,
    /// Title of the column of weights.
    pub weight: Option<String>,
}

/// Error of titles that a table does not have, or that name no single column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnTitleError {
    /// No column has the title.
    Missing {
        /// The title.
        title: String,
        /// Titles of the first columns.
        found: Vec<String>,
        /// Number of columns.
        columns: usize,
    },
    /// Several columns have the title.
    Repeated {
        /// The title.
        title: String,
    },
    /// A column has two meanings.
    Shared {
        /// Its title.
        title: String,
    },
}

impl ColumnTitles {
    /// True if no column has a title here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.each().into_iter().all(|(_, title)| title.is_none())
    }

    /// Columns of the source, the target and the weight in a table with these titles: by the titles here, otherwise by usual ones. None:
    /// no column has such a title.
    ///
    /// # Errors
    ///
    /// A title here belongs to no column or to several, or a column has two meanings.
    pub fn choose(&self, titles: &[&[u8]]) -> Result<[Option<usize>; 3], ColumnTitleError> {
        let mut chosen = [None; 3];
        for (index, (_, title)) in self.each().into_iter().enumerate() {
            let Some(title) = title else { continue };
            let column = find(titles, title)?;
            if chosen.contains(&Some(column)) {
                return Err(ColumnTitleError::Shared { title: shown(title.as_bytes()) });
            }
            chosen[index] = Some(column);
        }
        for (index, (meaning, _)) in self.each().into_iter().enumerate() {
            if chosen[index].is_none() {
                let is_usual = |column: &usize| {
                    EdgeColumn::of_title(titles[*column]) == Some(meaning) && !chosen.contains(&Some(*column))
                };
                chosen[index] = (0..titles.len()).find(is_usual);
            }
        }
        Ok(chosen)
    }

    fn each(&self) -> [(EdgeColumn, Option<&str>); 3] {
        [
            (EdgeColumn::Source, self.source.as_deref()),
            (EdgeColumn::Target, self.target.as_deref()),
            (EdgeColumn::Weight, self.weight.as_deref()),
        ]
    }
}

/// The only column with this title.
fn find(titles: &[&[u8]], title: &str) -> Result<usize, ColumnTitleError> {
    let mut columns = (0..titles.len()).filter(|&column| titles[column] == title.as_bytes());
    match (columns.next(), columns.next()) {
        (Some(column), None) => Ok(column),
        (Some(_), Some(_)) => Err(ColumnTitleError::Repeated { title: shown(title.as_bytes()) }),
        (None, _) => Err(ColumnTitleError::Missing {
            title: shown(title.as_bytes()),
            found: titles.iter().take(MAX_LISTED).map(|title| shown(title)).collect(),
            columns: titles.len(),
        }),
    }
}

impl fmt::Display for ColumnTitleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnTitleError::Missing { title, found, columns } => {
                write!(f, "no column has the title `{title}`; the titles are `{}`", found.join("`, `"))?;
                match columns.saturating_sub(found.len()) {
                    0 => Ok(()),
                    more => write!(f, ", and {more} more"),
                }
            }
            ColumnTitleError::Repeated { title } => write!(f, "several columns have the title `{title}`"),
            ColumnTitleError::Shared { title } => write!(f, "the column `{title}` can have only one meaning"),
        }
    }
}

impl std::error::Error for ColumnTitleError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(source: Option<&str>, target: Option<&str>, weight: Option<&str>) -> ColumnTitles {
        let owned = |title: Option<&str>| title.map(str::to_owned);
        ColumnTitles { source: owned(source), target: owned(target), weight: owned(weight) }
    }

    #[test]
    fn given_titles_come_before_usual_ones() {
        let table: [&[u8]; 5] = [b"weight", b"source", b"dst", b"target", b"bytes"];
        for (wanted, chosen) in [
            (titles(None, None, None), [Some(1), Some(2), Some(0)]),
            (titles(Some("dst"), None, Some("bytes")), [Some(2), Some(3), Some(4)]),
            (titles(Some("target"), Some("source"), None), [Some(3), Some(1), Some(0)]),
            (titles(Some("weight"), None, None), [Some(0), Some(2), None]),
        ] {
            assert_eq!(wanted.choose(&table), Ok(chosen), "{wanted:?}");
        }
    }

    #[test]
    fn titles_name_one_column_each() {
        let table: [&[u8]; 4] = [b"a", b"b", b"a", b"Source"];
        for (wanted, message) in [
            (titles(Some("a"), None, None), "several columns have the title `a`"),
            (titles(Some("b"), Some("b"), None), "the column `b` can have only one meaning"),
            (
                titles(None, Some("source"), None),
                "no column has the title `source`; the titles are `a`, `b`, `a`, `Source`",
            ),
        ] {
            assert_eq!(wanted.choose(&table).expect_err("wrong").to_string(), message);
        }
        let many = vec![&b"x"[..]; 20];
        let error = titles(Some("y"), None, None).choose(&many).expect_err("wrong").to_string();
        assert!(error.ends_with("`x`, and 8 more"), "{error}");
    }
}
