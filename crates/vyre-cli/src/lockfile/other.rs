//! Lock files of other package managers, which a scan does not read.

use std::path::Path;

use anyhow::bail;

/// Advice for packages of npm.
const NPM: &str = "`npm install --package-lock-only` makes a `package-lock.json` from `package.json`; \
                   or install the packages and run `vyre scan . --dependencies`";

/// Advice for packages of Python.
const PYTHON: &str = "install the packages and scan their folder, as in `vyre scan venv/lib/python3.12/site-packages \
                      --dependencies`, or scan one package with `vyre scan pypi:NAME==VERSION`";

/// Names of lock files, with the program that writes them and advice.
const OTHERS: [(&str, &str, &str); 8] = [
    ("yarn.lock", "Yarn", NPM),
    ("pnpm-lock.yaml", "pnpm", NPM),
    ("bun.lock", "Bun", NPM),
    ("bun.lockb", "Bun", NPM),
    ("poetry.lock", "Poetry", PYTHON),
    ("Pipfile.lock", "Pipenv", PYTHON),
    ("uv.lock", "uv", PYTHON),
    ("requirements.txt", "pip", PYTHON),
];

/// Refuses a lock file of another package manager, by its name.
pub(crate) fn refuse_other(file: &Path) -> anyhow::Result<()> {
    let name = file.file_name().unwrap_or_default();
    if let Some((_, program, advice)) = OTHERS.iter().find(|(known, ..)| name == *known) {
        bail!(
            "it is a file of {program}, and --lockfile reads `package-lock.json` and `npm-shrinkwrap.json` only; {advice}"
        );
    }
    Ok(())
}
