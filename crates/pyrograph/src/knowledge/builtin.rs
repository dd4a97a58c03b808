//! Built-in rules and models.

/// Embeds files of the crate with their names.
macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $name)))),*]
    };
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
    "models/javascript/database.toml",
    "models/javascript/clients.toml",
    "models/javascript/utilities.toml",
    "models/javascript/packages.toml",
];
