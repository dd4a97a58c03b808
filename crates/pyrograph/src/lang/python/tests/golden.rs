//! Programs and their text forms, one file for each area of the language.
//!
//! `golden/name.py` has programs, `golden/name.flow` what they are lowered to. With `VYRE_UPDATE=1` the tests write the
//! second.

use std::path::Path;

use super::module;

/// Compares the text form of a file with the expected one.
fn golden(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang/python/tests/golden");
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(!text.is_empty(), "{} is missing", path.display());
    let actual = module(&text).to_string();
    let expected_path = path.with_extension("flow");
    if std::env::var_os("VYRE_UPDATE").is_some() {
        assert!(std::fs::write(&expected_path, &actual).is_ok());
    }
    let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
    for (line, (actual, expected)) in actual.lines().zip(expected.lines()).enumerate() {
        assert_eq!(actual, expected, "{}:{}", expected_path.display(), line + 1);
    }
    assert_eq!(actual.lines().count(), expected.lines().count());
}

macro_rules! golden {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            golden($file);
        })*
    };
}

golden! {
    functions: "functions.py",
    classes: "classes.py",
    branches: "branches.py",
    containers: "containers.py",
    modules: "modules.py",
    statements: "statements.py",
}
