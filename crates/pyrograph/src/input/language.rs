//! Languages of files: by extension, by the first line, by the `bin` entry of a package.

/// Languages with a front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// JavaScript, JSX included.
    JavaScript,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    TypeScriptJsx,
    /// Python 3.
    Python,
}

impl Language {
    /// Name in reports and rules: TypeScript is a dialect, and has its own name here only for statistics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::JavaScript => "javascript",
            Language::TypeScript | Language::TypeScriptJsx => "typescript",
            Language::Python => "python",
        }
    }

    /// Name of the language of which this is a dialect. Files of different ones do not import each other.
    #[must_use]
    pub fn family(self) -> &'static str {
        match self {
            Language::JavaScript | Language::TypeScript | Language::TypeScriptJsx => "javascript",
            Language::Python => "python",
        }
    }
}

/// Module systems of a file, as far as its name says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuleKind {
    /// The text decides: `import` and `export` make an ES module.
    #[default]
    Unknown,
    /// ES module: `.mjs`, `.mts`, scripts of components.
    Module,
    /// CommonJS: `.cjs`, `.cts`.
    CommonJs,
}

/// What a file name says about the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// Code.
    Code(Language, ModuleKind),
    /// Markup with inline scripts. True: a component, whose scripts are ES modules.
    Markup {
        /// `.vue`, `.svelte`.
        is_component: bool,
    },
    /// Notebook with cells of code.
    Notebook,
    /// Declarations without code.
    Declarations,
    /// Declarations of Python, whose annotations are hints for the module beside them.
    Stub,
    /// Code without a front end.
    UnsupportedCode,
    /// No code.
    Data,
    /// A file without an extension: its first line decides.
    Unknown,
}

/// Extensions of code without a front end.
const UNSUPPORTED: &[&str] = &[
    "rb",
    "php",
    "java",
    "kt",
    "kts",
    "scala",
    "go",
    "rs",
    "c",
    "h",
    "cc",
    "cpp",
    "cxx",
    "hpp",
    "hh",
    "m",
    "mm",
    "cs",
    "fs",
    "vb",
    "swift",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "pl",
    "pm",
    "lua",
    "r",
    "jl",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "clj",
    "dart",
    "coffee",
    "litcoffee",
    "ls",
    "elm",
    "re",
    "res",
    "groovy",
    "gradle",
    "sql",
    "zig",
    "nim",
    "astro",
    "ejs",
    "pug",
    "pyx",
    "pxd",
    "pxi",
];

/// Extensions of archives.
pub(crate) const ARCHIVES: &[&str] = &[
    "tgz", "tar", "gz", "zip", "whl", "vsix", "crx", "xpi", "jar", "war", "egg", "nupkg", "apk", "asar", "zst", "xz",
    "bz2", "lz4", "tbz", "tbz2", "txz", "tzst",
];
/// Extensions of data that is never an archive, so that its files need not be opened.
pub(crate) const PLAIN_DATA: &[&str] = &[
    "json", "md", "markdown", "txt", "css", "scss", "sass", "less", "styl", "map", "yml", "yaml", "toml", "lock",
    "xml", "png", "jpg", "jpeg", "gif", "webp", "ico", "woff", "woff2", "ttf", "eot", "otf", "flow", "snap", "csv",
    "graphql", "wasm", "node", "mp4", "mp3", "pdf",
];

/// What the name of a file says about its content.
pub(crate) fn name_kind(path: &str) -> NameKind {
    let name = file_name(path);
    let Some((stem, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return NameKind::Unknown;
    };
    let extension = extension.to_ascii_lowercase();
    let is_declaration = |stem: &str| {
        let stem = stem.to_ascii_lowercase();
        stem.ends_with(".d") || stem.rsplit_once(".d.").is_some_and(|(_, middle)| !middle.contains('.'))
    };
    match extension.as_str() {
        "js" | "jsx" | "es6" | "es" | "jsm" => NameKind::Code(Language::JavaScript, ModuleKind::Unknown),
        "mjs" => NameKind::Code(Language::JavaScript, ModuleKind::Module),
        "cjs" => NameKind::Code(Language::JavaScript, ModuleKind::CommonJs),
        "ts" | "mts" | "cts" if is_declaration(stem) => NameKind::Declarations,
        "ts" => NameKind::Code(Language::TypeScript, ModuleKind::Unknown),
        "mts" => NameKind::Code(Language::TypeScript, ModuleKind::Module),
        "cts" => NameKind::Code(Language::TypeScript, ModuleKind::CommonJs),
        "tsx" => NameKind::Code(Language::TypeScriptJsx, ModuleKind::Unknown),
        "py" | "pyw" => NameKind::Code(Language::Python, ModuleKind::Unknown),
        "pyi" => NameKind::Stub,
        "ipynb" => NameKind::Notebook,
        "html" | "htm" | "xhtml" | "svg" => NameKind::Markup { is_component: false },
        "vue" | "svelte" => NameKind::Markup { is_component: true },
        extension if UNSUPPORTED.contains(&extension) => NameKind::UnsupportedCode,
        _ => NameKind::Data,
    }
}

/// What the interpreter of the first line (`#!`) says about the content. None: there is none.
pub(crate) fn shebang(bytes: &[u8]) -> Option<NameKind> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.strip_prefix(b"#!")?;
    let end = line.iter().take(MAX_SHEBANG).position(|&byte| byte == b'\n').unwrap_or(line.len().min(MAX_SHEBANG));
    let line = std::str::from_utf8(&line[..end]).ok()?;
    let mut words = line.split_ascii_whitespace();
    let mut program = file_name(words.next()?);
    if program == "env" {
        // Options of `env`, such as `-S`, and assignments precede the program.
        program = file_name(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let version =
        |text: &str| text.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | '-'));
    Some(match program {
        "node" | "nodejs" | "iojs" | "bun" | "qjs" | "babel-node" | "zx" | "electron" | "phantomjs" | "casperjs" => {
            NameKind::Code(Language::JavaScript, ModuleKind::Unknown)
        }
        "deno" | "ts-node" | "ts-node-esm" | "ts-node-script" | "tsx" | "esno" | "sucrase-node" | "swc-node" => {
            NameKind::Code(Language::TypeScript, ModuleKind::Unknown)
        }
        // Launchers: the program is a later word.
        "npx" | "pnpx" | "bunx" if line.contains("ts-node") || line.contains("tsx") => {
            NameKind::Code(Language::TypeScript, ModuleKind::Unknown)
        }
        "npx" | "pnpx" | "bunx" => NameKind::Code(Language::JavaScript, ModuleKind::Unknown),
        program if program.strip_prefix("node").is_some_and(version) => {
            NameKind::Code(Language::JavaScript, ModuleKind::Unknown)
        }
        program if program.strip_prefix("python").or(program.strip_prefix("pypy")).is_some_and(version) => {
            NameKind::Code(Language::Python, ModuleKind::Unknown)
        }
        // `#!/bin/sh` with `exec node` on the next line is a shell script that contains JavaScript.
        "sh" | "bash" if is_polyglot(bytes) => NameKind::Code(Language::JavaScript, ModuleKind::Unknown),
        _ => NameKind::UnsupportedCode,
    })
}

/// Maximum length of a first line.
const MAX_SHEBANG: usize = 4096;

/// True if the second line of a shell script is the usual `':' //; exec node "$0" "$@"`, which JavaScript reads as a string and
/// a comment.
fn is_polyglot(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(MAX_SHEBANG)];
    let Some(second) = start.split(|&byte| byte == b'\n').nth(1) else { return false };
    (second.starts_with(b"':' //") || second.starts_with(b"\":\" //") || second.starts_with(b"':'; //"))
        && memchr::memmem::find(second, b"node").is_some()
}

/// True if the path has one of the extensions.
pub(crate) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Part of a path after the last `/`.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const JS: NameKind = NameKind::Code(Language::JavaScript, ModuleKind::Unknown);
    const TS: NameKind = NameKind::Code(Language::TypeScript, ModuleKind::Unknown);

    #[test]
    fn extensions_select_languages() {
        for (path, kind) in [
            ("a/b.js", JS),
            ("a/b.JS", JS),
            ("a.min.js", JS),
            ("b.jsx", JS),
            ("b.mjs", NameKind::Code(Language::JavaScript, ModuleKind::Module)),
            ("b.cts", NameKind::Code(Language::TypeScript, ModuleKind::CommonJs)),
            ("b.ts", TS),
            ("b.tsx", NameKind::Code(Language::TypeScriptJsx, ModuleKind::Unknown)),
            ("b.d.ts", NameKind::Declarations),
            ("b.d.mts", NameKind::Declarations),
            ("b.d.css.ts", NameKind::Declarations),
            ("d.ts", TS),
            ("x.html", NameKind::Markup { is_component: false }),
            ("x.svg", NameKind::Markup { is_component: false }),
            ("x.vue", NameKind::Markup { is_component: true }),
            ("x.py", NameKind::Code(Language::Python, ModuleKind::Unknown)),
            ("x.pyi", NameKind::Stub),
            ("x.ipynb", NameKind::Notebook),
            ("x.rb", NameKind::UnsupportedCode),
            ("x.json", NameKind::Data),
            ("bin/cli", NameKind::Unknown),
            (".npmrc", NameKind::Unknown),
            ("a.js/README", NameKind::Unknown),
        ] {
            assert_eq!(name_kind(path), kind, "{path}");
        }
    }

    #[test]
    fn first_lines_select_languages() {
        for (line, kind) in [
            ("#!/usr/bin/env node\nx", Some(JS)),
            ("#!/usr/bin/node --harmony", Some(JS)),
            ("#! /usr/bin/env -S node --no-warnings\n", Some(JS)),
            ("#!/usr/bin/env -S NODE_ENV=x bun run\n", Some(JS)),
            ("#!/usr/bin/env deno run\r\n", Some(TS)),
            ("#!/usr/bin/env ts-node\n", Some(TS)),
            ("#!/usr/bin/env npx tsx\n", Some(TS)),
            ("#!/usr/local/bin/node18\n", Some(JS)),
            ("#!/bin/sh\n':' //; exec \"$(command -v node || command -v nodejs)\" \"$0\" \"$@\"\n", Some(JS)),
            ("#!/bin/sh\necho\n", Some(NameKind::UnsupportedCode)),
            ("#!/usr/bin/env python3\n", Some(NameKind::Code(Language::Python, ModuleKind::Unknown))),
            ("#!/usr/bin/python2.7\n", Some(NameKind::Code(Language::Python, ModuleKind::Unknown))),
            ("#!/usr/bin/env ruby\n", Some(NameKind::UnsupportedCode)),
            ("\u{feff}#!/usr/bin/env node\n", Some(JS)),
            ("#!", None),
            ("#!/usr/bin/env", None),
            ("node", None),
        ] {
            assert_eq!(shebang(line.as_bytes()), kind, "{line}");
        }
    }
}
