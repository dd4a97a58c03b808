//! Draws the charts of recorded pages.
//!
//! `cargo run -p vyre-benches --bin chart -- benches/results/*.md`

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use vyre_benches::harness::{chart_of_page, exit_code};

/// Draws the chart of each page as SVG, from the tables of the page.
///
/// PAGE.md gets the chart PAGE.svg beside it. A page names the columns to draw in comments before its tables; a page without such a
/// comment is an error. Nothing is measured: the same page always gives the same chart.
#[derive(Debug, Parser)]
#[command(name = "chart", after_help = AFTER_HELP)]
struct Options {
    /// Pages in Markdown
    #[arg(value_name = "PAGE.md", required = true)]
    pages: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
A chart comment stands before its table, on one line:
  <!-- chart title=\"TITLE\" label=\"COLUMN + COLUMN\" value=\"COLUMN\" axis=\"MEANING\" better=\"lower\" only=\"COLUMN=CELL\" -->

  label   columns that label a bar
  value   column of the length of a bar; 1 is the peer
  better  lower or higher
  only    optional: conditions on rows, separated by `;`; COLUMN=* is any cell that is not empty

Example:
  chart benches/results/cpu_report.md";

fn main() -> ExitCode {
    exit_code("chart", Options::parse().pages.iter().try_for_each(|page| draw(page)))
}

fn draw(path: &Path) -> Result<(), Box<dyn Error>> {
    let located = |error: &dyn Error| format!("{}: {error}", path.display());
    let page = fs::read_to_string(path).map_err(|error| located(&error))?;
    let svg = chart_of_page(&page).map_err(|error| located(&error))?;
    let chart = path.with_extension("svg");
    fs::write(&chart, svg).map_err(|error| located(&error))?;
    eprintln!("{}", chart.display());
    Ok(())
}
