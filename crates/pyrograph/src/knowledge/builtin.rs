//! Built-in rules and models.

/// Embeds files of the crate with their names.
macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $name)))),*]
    };
}

/// Language of the entries that a scan uses, unless it asks for another one.
pub(super) const LANGUAGE: &str = "javascript";

/// Language of the entries of a file. None: all languages.
pub(super) fn language_of(name: &str) -> Option<&str> {
    let (_, builtin) = FILES.iter().find_map(|&(known, _)| (known == name).then(|| known.split_once('/')))??;
    builtin.split_once('/').map(|(language, _)| language)
}

/// Files: name, text.
pub(super) const FILES: &[(&str, &str)] = embed![
    "rules/javascript/command-injection.toml",
    "rules/javascript/code-injection.toml",
    "rules/javascript/path-traversal.toml",
    "rules/javascript/sql-injection.toml",
    "rules/javascript/nosql-injection.toml",
    "rules/javascript/xss.toml",
    "rules/javascript/ssrf.toml",
    "rules/javascript/prototype-pollution.toml",
    "rules/javascript/unsafe-deserialization.toml",
    "rules/javascript/regex-injection.toml",
    "rules/javascript/open-redirect.toml",
    "rules/javascript/log-injection.toml",
    "rules/javascript/zip-slip.toml",
    "rules/javascript/xpath-injection.toml",
    "rules/javascript/sources.toml",
    "rules/javascript/guards.toml",
    "models/javascript/language.toml",
    "models/javascript/node.toml",
    "models/javascript/web.toml",
    "models/javascript/sockets.toml",
    "models/javascript/services.toml",
    "models/javascript/frontend.toml",
    "models/javascript/database.toml",
    "models/javascript/clients.toml",
    "models/javascript/utilities.toml",
    "models/javascript/packages.toml",
    "models/javascript/validation.toml",
    "rules/python/sources.toml",
    "rules/python/guards.toml",
    "rules/python/injection.toml",
    "rules/python/more.toml",
    "rules/python/examples.toml",
    "models/python/language.toml",
    "models/python/library.toml",
    "models/python/web.toml",
];
