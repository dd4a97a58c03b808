//! Methods that texts, arrays, functions and promises have.

use crate::program::{Name, Names};

/// Names of methods that most programs call on values of the language itself.
///
/// An object with computed keys may have them too: `app[method] = ...`. But a call such as `text.slice(1)` on a value that the
/// analysis knows badly would then call every function that is stored by a computed key.
const METHODS: &[&str] = &[
    "apply",
    "at",
    "bind",
    "call",
    "catch",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "endsWith",
    "every",
    "fill",
    "filter",
    "finally",
    "find",
    "findIndex",
    "flat",
    "flatMap",
    "forEach",
    "hasOwnProperty",
    "includes",
    "indexOf",
    "join",
    "lastIndexOf",
    "localeCompare",
    "map",
    "match",
    "matchAll",
    "normalize",
    "padEnd",
    "padStart",
    "pop",
    "push",
    "reduce",
    "reduceRight",
    "replace",
    "replaceAll",
    "reverse",
    "shift",
    "slice",
    "some",
    "sort",
    "splice",
    "split",
    "startsWith",
    "substr",
    "substring",
    "test",
    "then",
    "toFixed",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
    "trimEnd",
    "trimStart",
    "unshift",
    "valueOf",
];

/// Numbers of the names, sorted.
pub(super) fn builtin_methods(names: &Names) -> Vec<Name> {
    let mut methods: Vec<Name> = METHODS.iter().filter_map(|method| names.get(method)).collect();
    methods.sort_unstable();
    methods
}
