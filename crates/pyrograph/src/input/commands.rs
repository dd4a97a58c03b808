//! Commands of the scripts of a package: which files they run as JavaScript.

use super::language::file_name;

/// Programs that run the file that is their first argument.
const RUNTIMES: &[&str] = &[
    "node",
    "nodejs",
    "bun",
    "deno",
    "ts-node",
    "tsx",
    "babel-node",
    "nodemon",
    "electron",
    "zx",
    "esno",
    "c8",
    "nyc",
];

/// Options of these programs that take the next word as their value.
const WITH_VALUE: &[&str] =
    &["-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-C", "--conditions"];

/// Options that take code instead of a file.
const WITH_CODE: &[&str] = &["-e", "--eval", "-p", "--print", "-pe"];

/// Files that a command runs, as the command writes them.
pub(crate) fn files(command: &str) -> Vec<&str> {
    let mut files = Vec::new();
    let is_end = |character| matches!(character, ';' | '&' | '|' | '\n' | '(' | ')');
    for part in command.split(is_end) {
        let mut words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        // Assignments, `npx`, `cross-env` and the like may precede the runtime.
        if words.by_ref().any(|word| RUNTIMES.contains(&file_name(word).trim_end_matches(".exe"))) {
            files.extend(file(words));
        }
    }
    files
}

/// The file among the arguments of a runtime.
fn file<'c>(mut words: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    while let Some(word) = words.next() {
        if WITH_CODE.contains(&word) {
            return None;
        }
        if WITH_VALUE.contains(&word) {
            words.next();
            continue;
        }
        // `c8 node x` and `deno run x` name the file later.
        let is_file = !word.starts_with('-') && !word.is_empty() && word != "run" && !RUNTIMES.contains(&word);
        if is_file {
            return Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::files;

    #[test]
    fn runtimes_run_files() {
        for (command, expected) in [
            ("node tools/y.bundle", vec!["tools/y.bundle"]),
            ("NODE_ENV=test node --no-warnings -r esm ./a.run --flag b", vec!["./a.run"]),
            ("tsc && node \"build/x.out\"; echo node", vec!["build/x.out"]),
            ("cross-env A=1 ./node_modules/.bin/ts-node a.script", vec!["a.script"]),
            ("c8 node x.bundle", vec!["x.bundle"]),
            ("deno run --allow-net main.program", vec!["main.program"]),
            ("node -e 'require(1)' x.data", vec![]),
            ("eslint . | cat a.bundle", vec![]),
            ("node", vec![]),
        ] {
            assert_eq!(files(command), expected, "{command}");
        }
    }
}
