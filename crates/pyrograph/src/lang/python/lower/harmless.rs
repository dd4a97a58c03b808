//! Calls that change no object of the program, as far as their names say.

use crate::flow::{Op, ValueId};

use super::Lowerer;

impl Lowerer<'_, '_> {
    pub(super) fn is_harmless(&self, callee: ValueId, receiver: Option<ValueId>) -> bool {
        match self.op(self.canon(callee)) {
            Op::Global(name) => matches!(
                self.builder.text(name),
                "abs"
                    | "all"
                    | "any"
                    | "ascii"
                    | "bin"
                    | "bool"
                    | "bytes"
                    | "chr"
                    | "dict"
                    | "enumerate"
                    | "float"
                    | "format"
                    | "frozenset"
                    | "hasattr"
                    | "hash"
                    | "hex"
                    | "id"
                    | "int"
                    | "isinstance"
                    | "issubclass"
                    | "iter"
                    | "len"
                    | "list"
                    | "max"
                    | "min"
                    | "oct"
                    | "open"
                    | "ord"
                    | "pow"
                    | "print"
                    | "range"
                    | "repr"
                    | "reversed"
                    | "round"
                    | "set"
                    | "sorted"
                    | "str"
                    | "sum"
                    | "tuple"
                    | "type"
                    | "zip"
            ),
            Op::LoadField(object, method) => {
                let is_pure_module = match self.op(self.canon(object)) {
                    Op::Import(module) => matches!(
                        self.builder.text(module),
                        "base64"
                            | "copy"
                            | "hashlib"
                            | "html"
                            | "json"
                            | "math"
                            | "os"
                            | "os.path"
                            | "re"
                            | "shlex"
                            | "sys"
                            | "time"
                            | "urllib.parse"
                    ),
                    // `os.path.join`.
                    Op::LoadField(outer, name) => {
                        self.is_import(outer, "os") && self.builder.text(name) == "path"
                            || self.is_import(outer, "urllib") && self.builder.text(name) == "parse"
                    }
                    _ => false,
                };
                is_pure_module
                    || receiver.is_some()
                        && matches!(
                            self.builder.text(method),
                            "capitalize"
                                | "casefold"
                                | "count"
                                | "decode"
                                | "encode"
                                | "endswith"
                                | "find"
                                | "format"
                                | "fullmatch"
                                | "get"
                                | "getlist"
                                | "group"
                                | "index"
                                | "isalnum"
                                | "isalpha"
                                | "isdecimal"
                                | "isdigit"
                                | "isidentifier"
                                | "islower"
                                | "isnumeric"
                                | "isspace"
                                | "isupper"
                                | "items"
                                | "join"
                                | "keys"
                                | "ljust"
                                | "lower"
                                | "lstrip"
                                | "match"
                                | "partition"
                                | "replace"
                                | "rfind"
                                | "rindex"
                                | "rjust"
                                | "rpartition"
                                | "rsplit"
                                | "rstrip"
                                | "search"
                                | "split"
                                | "splitlines"
                                | "startswith"
                                | "strip"
                                | "swapcase"
                                | "title"
                                | "translate"
                                | "upper"
                                | "values"
                                | "zfill"
                        )
            }
            _ => false,
        }
    }
}
