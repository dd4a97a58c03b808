//! `vyre scan --lockfile`.
#![cfg(unix)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha512};

use super::fetch::{archive, program, scan};
use crate::harness::{Sandbox, archive_of};

const VULNERABLE: &str = "const { exec } = require('child_process');\nexec(process.argv[2]);\n";

/// An archive and its checksum.
fn packed(code: &str) -> (Vec<u8>, String) {
    let archive = archive(code);
    let checksum = format!("sha512-{}", STANDARD.encode(Sha512::digest(&archive)));
    (archive, checksum)
}

/// A script that stands for npm: it copies archives of the folder `registry` and names them as npm does.
const NPM: &str = r#"while [ "$1" != --pack-destination ]; do shift; done
folder=$2
while [ "$1" != -- ]; do shift; done
shift
for spec in "$@"; do
  name=${spec%@*}
  file=$(printf '%s' "${name#@}-${spec##*@}.tgz" | tr / -)
  cp "ROOT/registry/$(printf '%s' "$spec" | tr /@ __)" "$folder/$file" 2> /dev/null || { echo "npm error 404 $spec" >&2; exit 1; }
done
"#;

/// Name of an archive in the folder `registry`.
fn stored(name: &str) -> String {
    format!("registry/{}_1.0.0", name.replace(['/', '@'], "_"))
}

/// A project with this code, whose lockfile has packages with code of their own.
fn project_with(code: &str, packages: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new(&[("app/index.js", code)]);
    program(&sandbox, "npm", &NPM.replace("ROOT", &sandbox.root().display().to_string()));
    let mut entries = vec!["\"\": {\"name\": \"app\"}".to_owned()];
    for (name, code) in packages {
        let (archive, checksum) = packed(code);
        sandbox.write(&stored(name), &archive);
        entries.push(format!("\"node_modules/{name}\": {{\"version\": \"1.0.0\", \"integrity\": \"{checksum}\"}}"));
    }
    let text = format!("{{\"lockfileVersion\": 3, \"packages\": {{{}}}}}", entries.join(","));
    sandbox.write("app/package-lock.json", text.as_bytes());
    sandbox
}

/// A project that imports `a`, which imports `@s/b`; nothing imports `c`.
fn project() -> Sandbox {
    project_with("require('a');\n", &[("a", "require('@s/b');\n"), ("@s/b", VULNERABLE), ("c", VULNERABLE)])
}

#[test]
fn dependencies_are_fetched_and_scanned() {
    let run = scan(&project(), &["--lockfile", "app/package-lock.json"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stderr, run.text());
    assert_eq!(
        run.text(),
        "@s/b 1.0.0  reachable      1 critical\n\
         a 1.0.0     reachable      no findings\n\
         c 1.0.0     not reachable  1 critical\n\
         3 packages, 3 scanned, 2 with findings\n\
         imports of the project lead to 1 of those with findings\n\
         `vyre scan npm:NAME@VERSION` shows the findings of a package\n"
    );
}

#[test]
fn json_has_one_object_for_each_package() {
    let sandbox = project();
    let run = scan(&sandbox, &["--lockfile", "app/package-lock.json", "--format", "json"]);
    let report: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(report["schema"], "pyrograph-lockfile-1");
    assert_eq!(report["is_complete"], true);
    let first = &report["packages"][0];
    assert_eq!((&first["name"], &first["severities"]["critical"]), (&Value::from("@s/b"), &Value::from(1)));
    assert_eq!((&first["is_verified"], &first["reach"]), (&Value::from(true), &Value::from("reachable")));
    assert_eq!(run.stderr, "3 packages, 2 with findings\n");
    // Nothing of the archives is left.
    assert_eq!(sandbox.names(), ["app", "bin", "registry"]);
}

#[test]
fn packages_that_cannot_be_verified_or_fetched_are_failures() {
    let sandbox = project();
    sandbox.write(&stored("c"), &archive("console.log('another archive');\n"));
    std::fs::remove_file(sandbox.path(&stored("@s/b"))).expect("an archive");
    let arguments = ["--lockfile", "app/package-lock.json"];
    let run = scan(&sandbox, &arguments);
    assert_eq!(run.code, Some(2), "{}", run.text());
    for part in [
        "@s/b 1.0.0  reachable      not scanned: `npm pack` failed with exit code 1:",
        "npm error 404 @s/b@1.0.0",
        "c 1.0.0     unknown        not scanned: the archive does not have the checksum of the lockfile: it is sha512-",
        "incomplete: 2 packages are not scanned, or not as a whole\n",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert!(run.stderr.contains("2 packages could not be fetched or analysed"), "{}", run.stderr);
    assert_eq!(scan(&sandbox, &[&arguments[..], &["--allow-incomplete"]].concat()).code, Some(0));
}

#[test]
fn packages_whose_archives_have_one_name_are_told_apart() {
    let sandbox = project_with("", &[("@s/b", VULNERABLE), ("s-b", "console.log(1);\n")]);
    let run = scan(&sandbox, &["--lockfile", "app/package-lock.json"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stderr, run.text());
    let start = "@s/b 1.0.0  not reachable  1 critical\ns-b 1.0.0   not reachable  no findings\n";
    assert!(run.text().starts_with(start), "{}", run.text());
}

#[test]
fn bundled_packages_must_be_in_the_archive_of_their_owner() {
    let sandbox = project_with("require('a');\n", &[]);
    let files: [(&str, &[u8]); 3] = [
        ("package/index.js", b"require('b');\n"),
        ("package/node_modules/b/package.json", b"{\"name\": \"b\", \"version\": \"1.0.0\"}\n"),
        ("package/node_modules/b/index.js", b"exports.b = 1;\n"),
    ];
    sandbox.write(&stored("a"), &archive_of(files));
    let lockfile = |bundled: &str| {
        let text = format!(
            "{{\"lockfileVersion\": 3, \"packages\": {{\"node_modules/a\": {{\"version\": \"1.0.0\"}}, {bundled}}}}}"
        );
        sandbox.write("app/package-lock.json", text.as_bytes());
        scan(&sandbox, &["--lockfile", "app/package-lock.json"])
    };
    let entry = |path: &str, version: &str| {
        format!("\"node_modules/a/{path}\": {{\"version\": \"{version}\", \"inBundle\": true}}")
    };
    let run = lockfile(&entry("node_modules/b", "1.0.0"));
    assert_eq!(run.code, Some(0), "{}{}", run.stderr, run.text());
    assert!(run.text().contains("1 package is part of other packages and scanned with them\n"), "{}", run.text());
    let run = lockfile(&[entry("node_modules/b", "2.0.0"), entry("node_modules/b/node_modules/c", "1.0.0")].join(", "));
    assert_eq!(run.code, Some(2), "{}", run.text());
    for part in [
        "not scanned: the archive of a 1.0.0 has version 1.0.0 of it\n",
        "not scanned: it is part of a 1.0.0, whose archive does not contain it\n",
        "3 packages, 1 scanned, 0 with findings\n",
        "incomplete: 2 packages are not scanned, or not as a whole\n",
    ] {
        assert!(run.text().contains(part), "{part} is missing:\n{}", run.text());
    }
    assert!(!run.text().contains("scanned with them"), "{}", run.text());
    // The owner is not there.
    std::fs::remove_file(sandbox.path(&stored("a"))).expect("an archive");
    let run = lockfile(&entry("node_modules/b", "1.0.0"));
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(run.text().contains("not scanned: it is part of a 1.0.0, which was not scanned\n"), "{}", run.text());
}

#[test]
fn packages_of_repositories_are_not_fetched() {
    let sandbox = project();
    let text = "{\"lockfileVersion\": 3, \"packages\": {\"node_modules/g\": {\"version\": \"1.0.0\", \"resolved\": \"git+ssh://git@example.com/g.git#1\"}}}";
    sandbox.write("app/package-lock.json", text.as_bytes());
    let run = scan(&sandbox, &["--lockfile", "app/package-lock.json"]);
    assert_eq!(run.code, Some(2), "{}", run.text());
    assert!(
        run.text().contains("not scanned: it is not from a registry: git+ssh://git@example.com/g.git#1\n"),
        "{}",
        run.text()
    );
}

#[test]
fn mistakes_of_lockfiles_are_named() {
    let sandbox = Sandbox::new(&[("package-lock.json", "{}"), ("a.js", "")]);
    let run = scan(&sandbox, &["--lockfile", "package-lock.json"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (
            Some(2),
            "error: cannot read the lockfile package-lock.json: it has no `lockfileVersion`, so it is no lockfile of npm\n"
        )
    );
    let run = scan(&sandbox, &["--lockfile", "none.json"]);
    assert!(run.code == Some(2) && run.stderr.contains("none.json"), "{}", run.stderr);
    let run = scan(&sandbox, &["--lockfile", "package-lock.json", "--format", "sarif"]);
    assert_eq!(run.stderr, "error: --lockfile writes the formats `text` and `json`\n");
    assert_eq!(scan(&sandbox, &["a.js", "--lockfile", "package-lock.json"]).code, Some(2));
}
