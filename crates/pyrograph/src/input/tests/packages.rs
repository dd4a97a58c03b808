//! Packages: entries, programs, threat models.

use super::*;
use crate::input::Package;
use crate::knowledge::ThreatModel::{Application, Library};

/// Paths of files.
fn paths(input: &Input, files: &[u32]) -> Vec<String> {
    files.iter().map(|file| input.coverage.files[*file as usize].path.clone()).collect()
}

/// The package of a manifest beside the files `index.js`, `cli`, `lib/a.js`, `lib/b.mjs`, `lib/x/c.js`, `src/m.ts`.
fn package(manifest: &str) -> (Input, Package) {
    let input = read_texts(&[
        ("package.json", manifest),
        ("index.js", ""),
        ("cli", "alert(1)"),
        ("lib/a.js", ""),
        ("lib/a.d.ts", ""),
        ("lib/b.mjs", ""),
        ("lib/x/c.js", ""),
        ("src/m.ts", ""),
    ]);
    let package = input.packages.first().cloned().unwrap_or_default();
    (input, package)
}

#[test]
fn fields_name_entries() {
    for (manifest, entries) in [
        (r#"{"name": "p"}"#, &["index.js"][..]),
        (r#"{"main": "lib/a"}"#, &["lib/a.js"]),
        (r#"{"main": "./lib/a.js", "module": "lib/b.mjs"}"#, &["lib/a.js", "lib/b.mjs"]),
        (r#"{"main": ["lib/a"], "name": 3, "version": "1"}"#, &[]),
        (r#"{"exports": "./lib/a.js"}"#, &["lib/a.js"]),
        (
            r#"{"exports": {"types": "./lib/a.d.ts", "import": "./lib/b.mjs", "require": "./lib/a.js"}}"#,
            &["lib/a.js", "lib/b.mjs"],
        ),
        (r#"{"exports": {".": "./index.js", "./x/*": "./lib/x/*.js"}}"#, &["index.js", "lib/x/c.js"]),
        (r#"{"exports": {"./*": "./lib/*.js", "./x/*": null}}"#, &["lib/a.js"]),
        (r#"{"exports": {"./lib/": "./lib/"}}"#, &["lib/a.js", "lib/b.mjs", "lib/x/c.js"]),
        (r#"{"main": "dist/m.js"}"#, &["src/m.ts"]),
        (r#"{"main": "dist/missing.js"}"#, &["index.js"]),
        (r#"{"main": "../../outside.js"}"#, &["index.js"]),
        (r#"{"type": "module"}"#, &[]),
    ] {
        let (input, package) = package(manifest);
        assert_eq!(paths(&input, &package.entries), entries, "{manifest}");
    }
}

/// The files that scripts run are code, whatever their names are.
#[test]
fn scripts_run_files_of_any_name() {
    let files: [(&str, &[u8]); 5] = [
        ("package.json", br#"{"scripts": {"build": "tsc && node tools/y.bundle", "a": "cat z.bundle"}}"#),
        ("tools/y.bundle", b"alert(1)"),
        ("tools/x.bundle", b"alert(1)"),
        ("z.bundle", b"alert(1)"),
        ("index.js", b""),
    ];
    assert_eq!(sources(&read_files(&files)), ["index.js", "tools/y.bundle"]);
    assert_eq!(sources(&read_archive("a.tgz", &tgz(&files))), ["index.js", "tools/y.bundle"]);
}

#[test]
fn programs_may_lack_extension_and_first_line() {
    let (input, package) = package(r#"{"bin": {"x": "./cli", "y": "lib/x/c"}}"#);
    assert_eq!(paths(&input, &package.bins), ["cli", "lib/x/c.js"]);
    let (input, _) = self::package(r#"{"name": "p"}"#);
    assert!(!sources(&input).contains(&"cli"));
    let (input, package) = self::package(r#"{"directories": {"bin": "lib"}, "name": "p"}"#);
    assert_eq!(paths(&input, &package.bins), ["lib/a.js", "lib/b.mjs"]);
}

#[test]
fn manifests_imply_threat_models() {
    for (manifest, models) in [
        (r#"{"main": "lib/a"}"#, &[Library][..]),
        (r#"{"exports": {}}"#, &[Library]),
        (r#"{"name": "p"}"#, &[Library]),
        (r#"{"bin": "cli"}"#, &[Application, Library]),
        (r#"{"scripts": {"start": "node lib/a"}, "main": "lib/a"}"#, &[Application, Library]),
    ] {
        assert_eq!(package(manifest).1.models, models, "{manifest}");
    }
    let input = read_texts(&[("package.json", r#"{"bin": "cli.js"}"#), ("cli.js", "")]);
    assert_eq!(input.packages[0].models, [Application]);
    let input = read_texts(&[("package.json", r#"{"name": "x"}"#), ("cli.js", "")]);
    assert!(input.packages[0].models.is_empty());
}

#[test]
fn files_belong_to_the_nearest_package() {
    let input = read_texts(&[
        (
            "package.json",
            r#"{"name": "root", "dependencies": {"a": "^1", "b": "2"}, "devDependencies": {"a": "0", "c": "3"}}"#,
        ),
        ("packages/x/package.json", r#"{"name": "x", "dependencies": {"a": "^2"}}"#),
        ("packages/x/esm/package.json", r#"{"type": "module"}"#),
        ("packages/x/esm/i.js", ""),
        ("i.js", ""),
    ]);
    let file = |path: &str| input.sources.iter().find(|source| source.path == path).expect("source").file;
    let name = |path: &str| input.package_of(file(path)).and_then(|package| package.name.as_deref());
    assert_eq!(name("packages/x/esm/i.js"), Some("x"));
    assert_eq!(name("i.js"), Some("root"));
    let version = |path: &str, name: &str| input.dependency_version(file(path), name);
    assert_eq!(version("packages/x/esm/i.js", "a"), Some("^2"));
    assert_eq!(version("packages/x/esm/i.js", "b"), Some("2"));
    assert_eq!(version("i.js", "a"), Some("^1"));
    assert_eq!(version("i.js", "c"), Some("3"));
    assert_eq!(version("i.js", "d"), None);
    assert!(input.package_of(1_000_000).is_none());
}
