//! What the environment says about a run of the tests.
//!
//! | Variable | Says |
//! |---|---|
//! | `VYRE_CORPUS` | where the corpus lies, for a machine without the repository |
//! | `VYRE_FIRST_SEED` | the seed of the first generated program; 0 without it |
//! | `VYRE_CASES` | how many generated programs there are |
//! | `VYRE_TRACE` | that each generated program is named before it runs, for drivers that take the process with them |
//! | `VYRE_GPU` | the position of the GPU in `vyre devices`, among those of the backend that is tested; 0 without it |

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A directory of the corpus, such as `run`.
#[must_use]
pub fn corpus(name: &str) -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    std::env::var_os("VYRE_CORPUS").map_or_else(here, PathBuf::from).join(name)
}

/// The seed of the first generated program.
#[must_use]
pub fn first_seed() -> u64 {
    number("VYRE_FIRST_SEED").unwrap_or(0)
}

/// How many generated programs there are, unless the environment says something else.
#[must_use]
pub fn cases(otherwise: u64) -> u64 {
    number("VYRE_CASES").unwrap_or(otherwise)
}

/// Whether each generated program is named before it runs.
#[must_use]
pub fn is_traced() -> bool {
    std::env::var_os("VYRE_TRACE").is_some()
}

/// The position of the GPU that is tested among those of its backend.
#[must_use]
pub fn gpu() -> usize {
    number("VYRE_GPU").unwrap_or(0) as usize
}

fn number(variable: &str) -> Option<u64> {
    parse(variable, std::env::var_os(variable))
}

/// Another number than the one that was meant would be tested without a word, so there is no default for a mistake.
fn parse(variable: &str, value: Option<OsString>) -> Option<u64> {
    let value = value?;
    let number = value.to_str().and_then(|value| value.trim().parse().ok());
    Some(number.unwrap_or_else(|| panic!("{variable} is to be a number, and it is {value:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        assert_eq!(parse("N", None), None);
        assert_eq!(parse("N", Some("5000".into())), Some(5_000));
    }

    #[test]
    #[should_panic(expected = "N is to be a number, and it is \"1e6\"")]
    fn mistakes_are_not_passed_over() {
        let _ = parse("N", Some("1e6".into()));
    }

    #[test]
    fn the_corpus_is_found() {
        assert!(corpus("run").join("ops").is_dir());
    }
}
