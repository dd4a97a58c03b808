//! Module resolution.

use super::*;

/// Checks what specifiers in files stand for.
fn check(files: &[(&str, &str)], cases: &[(&str, &str, &str)]) {
    let input = read_texts(files);
    for (from, specifier, expected) in cases {
        assert_eq!(resolve(&input, from, specifier), *expected, "{specifier} in {from}");
    }
}

#[test]
fn relative_paths_are_files_and_folders() {
    check(
        &[
            ("a.js", ""),
            ("a.json", "{}"),
            ("b.ts", ""),
            ("c.tsx", ""),
            ("d/index.js", ""),
            ("d.js", ""),
            ("e/package.json", r#"{"main": "lib/main"}"#),
            ("e/lib/main.js", ""),
            ("f/package.json", r#"{"main": "lib"}"#),
            ("f/lib/index.ts", ""),
            ("g.mts", ""),
            ("h.d.ts", ""),
            ("i.js", ""),
            ("i.ts", ""),
            ("x/y.js", ""),
            ("j.vue", "<script>1</script>"),
            ("index.js", ""),
        ],
        &[
            ("x/y.js", "../a", "a.js"),
            ("x/y.js", "../a.js", "a.js"),
            ("x/y.js", "../a.json", "a.json"),
            ("x/y.js", "../b", "b.ts"),
            ("x/y.js", "../b.js", "b.ts"),
            ("x/y.js", "../c.js", "c.tsx"),
            ("x/y.js", "../d", "d.js"),
            ("x/y.js", "../d/", "d/index.js"),
            ("x/y.js", "..", "index.js"),
            ("x/y.js", "../e", "e/lib/main.js"),
            ("x/y.js", "../f", "f/lib/index.ts"),
            ("x/y.js", "../g.mjs", "g.mts"),
            ("x/y.js", "../h", "none"),
            ("x/y.js", "../i", "i.js"),
            ("x/y.ts", "../i", "i.ts"),
            ("x/y.js", "../j.vue", "j.vue"),
            ("x/y.js", "../../a", "none"),
            ("x/y.js", "./missing", "none"),
            ("x/y.js", "/a", "a.js"),
            ("x/y.js", "../a.js?raw", "a.js"),
            ("x/y.js", "raw-loader!../a.js", "a.js"),
            ("x/y.js", "", "none"),
            ("x/y.js", "https://x.org/a.js", "none"),
            ("y.js", ".", "index.js"),
            ("y.js", "./", "index.js"),
        ],
    );
}

#[test]
fn packages_are_outside_or_inside() {
    check(
        &[
            (
                "package.json",
                r##"{"name": "own", "exports": {".": "./lib/i.js", "./sub/*": "./lib/*.js"},
                "imports": {"#in/*": "./lib/*.js", "#dep": "dep/x", "#fs": "node:fs"}}"##,
            ),
            ("lib/i.js", ""),
            ("lib/a.js", ""),
            ("node_modules/dep/index.js", ""),
            ("packages/x/package.json", r#"{"name": "@s/x", "main": "dist/index.js"}"#),
            ("packages/x/src/index.ts", ""),
            ("packages/y/package.json", r#"{"name": "y", "main": "./m"}"#),
            ("packages/y/m.js", ""),
            ("packages/y/lib/n.js", ""),
        ],
        &[
            ("lib/i.js", "fs", "package fs"),
            ("lib/i.js", "node:fs/promises", "package fs/promises"),
            ("lib/i.js", "fs/promises", "package fs/promises"),
            ("lib/i.js", "lodash", "package lodash"),
            ("lib/i.js", "lodash/fp", "package lodash/fp"),
            ("lib/i.js", "@a/b/c/d", "package @a/b/c/d"),
            ("lib/i.js", "punycode/", "package punycode"),
            ("lib/i.js", "npm:express@4", "package express"),
            ("lib/i.js", "npm:@a/b@1.2/c", "package @a/b/c"),
            ("lib/i.js", "dep", "package dep"),
            ("lib/i.js", "own", "lib/i.js"),
            ("lib/i.js", "own/sub/a", "lib/a.js"),
            ("lib/i.js", "own/lib/a.js", "lib/a.js"),
            ("lib/i.js", "#in/a", "lib/a.js"),
            ("lib/i.js", "#dep", "package dep/x"),
            ("lib/i.js", "#fs", "package fs"),
            ("lib/i.js", "#none", "none"),
            ("packages/y/m.js", "@s/x", "packages/x/src/index.ts"),
            ("packages/x/src/index.ts", "y", "packages/y/m.js"),
            ("packages/x/src/index.ts", "y/lib/n", "packages/y/lib/n.js"),
            ("packages/x/src/index.ts", "y/package.json", "packages/y/package.json"),
            ("packages/x/src/index.ts", "y/none", "package y/none"),
            ("lib/i.js", "@/a", "none"),
            ("lib/i.js", "@", "none"),
        ],
    );
}

#[test]
fn scanned_dependencies_are_files() {
    let folder = folder(&[
        ("a/b.js", b""),
        ("node_modules/dep/package.json", br#"{"name": "dep", "main": "x.js"}"#),
        ("node_modules/dep/x.js", b""),
        ("node_modules/dep/node_modules/inner/index.js", b""),
        ("a/node_modules/dep/index.js", b""),
        ("node_modules/@s/p/index.js", b""),
    ]);
    let options = ScanOptions { dependencies: true, ..ScanOptions::default() };
    let input = try_read(&[folder.path().to_owned()], &options).expect("input");
    for (from, specifier, expected) in [
        ("a/b.js", "dep", "a/node_modules/dep/index.js"),
        ("c.js", "dep", "node_modules/dep/x.js"),
        ("node_modules/dep/x.js", "inner", "node_modules/dep/node_modules/inner/index.js"),
        ("a/b.js", "@s/p", "node_modules/@s/p/index.js"),
        ("a/b.js", "inner", "package inner"),
    ] {
        assert_eq!(resolve(&input, from, specifier), expected, "{specifier} in {from}");
    }
}

#[test]
fn path_maps_of_typescript_are_used() {
    check(
        &[
            (
                "tsconfig.json",
                "{ // comment\n \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@app/*\": [\"src/app/*\"]}}}",
            ),
            ("src/app/a.ts", ""),
            ("src/b.ts", ""),
            ("shared/c.ts", ""),
        ],
        &[
            ("src/b.ts", "@app/a", "src/app/a.ts"),
            ("src/b.ts", "shared/c", "shared/c.ts"),
            ("src/b.ts", "@app/none", "package @app/none"),
            ("src/b.ts", "react", "package react"),
            ("src/b.ts", "@/b", "src/b.ts"),
            ("src/b.ts", "fs", "package fs"),
        ],
    );
}

#[test]
fn archives_are_islands() {
    let inner = zip(&[("package.json", br#"{"name": "z", "main": "m.js"}"#), ("m.js", b""), ("x/n.js", b"")]);
    let input = read_files(&[("a.zip", &inner), ("b.js", b"")]);
    assert_eq!(resolve(&input, "a.zip!/x/n.js", "../m"), "a.zip!/m.js");
    assert_eq!(resolve(&input, "a.zip!/x/n.js", "../../b"), "none");
    assert_eq!(resolve(&input, "a.zip!/x/n.js", "z"), "a.zip!/m.js");
    assert_eq!(resolve(&input, "a.zip!/x/n.js", "/m.js"), "a.zip!/m.js");
}

#[test]
fn threads_may_share_a_resolver() {
    fn is_shared<T: Send + Sync>(_: &T) {}
    let input = read_texts(&[("a.js", "")]);
    is_shared(&Resolver::new(&input));
}
