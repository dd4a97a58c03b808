//! Environment variables of the tests.
//!
//! | Variable | Meaning |
//! |---|---|
//! | `VYRE_CORPUS` | directory of the corpus, for a machine without the repository |
//! | `VYRE_FIRST_SEED` | seed of the first generated program, by default 0 |
//! | `VYRE_CASES` | number of generated programs |
//! | `VYRE_CASES_PERCENT` | share of the usual number of generated programs and graphs, if `VYRE_CASES` is not set |
//! | `VYRE_TRACE` | prints the seed of each generated program before it runs, for drivers that crash the process |
//! | `VYRE_GPU` | position of the GPU in `vyre devices` among those of the tested backend, by default 0 |

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A directory of the corpus, such as `run`.
#[must_use]
pub fn corpus(name: &str) -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    std::env::var_os("VYRE_CORPUS").map_or_else(here, PathBuf::from).join(name)
}

/// Seed of the first generated program.
#[must_use]
pub fn first_seed() -> u64 {
    number("VYRE_FIRST_SEED").unwrap_or(0)
}

/// Number of generated programs, by default `default`.
#[must_use]
pub fn cases(default: u64) -> u64 {
    number("VYRE_CASES").unwrap_or(default)
}

/// Number of seeds of a test with random programs or graphs, by default `default`. A share of them is at least ten seeds, or all
/// if the test has fewer.
#[must_use]
pub fn seeds(default: u64) -> u64 {
    number("VYRE_CASES").unwrap_or_else(|| share(default, number("VYRE_CASES_PERCENT").unwrap_or(100)))
}

fn share(default: u64, percent: u64) -> u64 {
    (default.saturating_mul(percent) / 100).max(default.min(10))
}

/// Reports whether the seed of each generated program is printed before it runs.
#[must_use]
pub fn is_traced() -> bool {
    std::env::var_os("VYRE_TRACE").is_some()
}

/// Position of the tested GPU among those of its backend.
#[must_use]
pub fn gpu() -> usize {
    number("VYRE_GPU").unwrap_or(0) as usize
}

fn number(variable: &str) -> Option<u64> {
    parse(variable, std::env::var_os(variable))
}

/// Parses a number. A malformed value panics, because a silent default would test something else.
fn parse(variable: &str, value: Option<OsString>) -> Option<u64> {
    let value = value?;
    let number = value.to_str().and_then(|value| value.trim().parse().ok());
    Some(number.unwrap_or_else(|| panic!("{variable} must be a number, but is {value:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parsed() {
        assert_eq!(parse("N", None), None);
        assert_eq!(parse("N", Some("5000".into())), Some(5_000));
    }

    #[test]
    #[should_panic(expected = "N must be a number, but is \"1e6\"")]
    fn malformed_numbers_panic() {
        let _ = parse("N", Some("1e6".into()));
    }

    #[test]
    fn a_share_of_seeds_has_a_minimum() {
        assert_eq!(share(500, 100), 500);
        assert_eq!(share(500, 30), 150);
        assert_eq!(share(20, 30), 10);
        assert_eq!(share(4, 30), 4);
    }

    #[test]
    fn the_corpus_is_found() {
        assert!(corpus("run").join("ops").is_dir());
    }
}
