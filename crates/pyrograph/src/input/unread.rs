//! Files that the scan does not analyse, although they may be code: machine code, bytecode, scripts of other languages.
//!
//! A comparison of releases must show that such a file is new or has other content, so each has a digest.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

use super::language::{file_name, has_extension};

/// Bytes of a digest in names of capabilities.
const DIGEST_BYTES: usize = 8;

/// Bytes that tell the kind of a file.
const HEAD_BYTES: u64 = 16;

/// Extensions of machine code.
const NATIVE: &[&str] = &["node", "so", "dll", "dylib", "pyd", "wasm", "exe", "com", "scr", "o", "a", "lib"];

/// Extensions of bytecode, and of scripts that a system runs by themselves.
const SCRIPTS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "fish",
    "ksh",
    "csh",
    "ps1",
    "psm1",
    "psd1",
    "bat",
    "cmd",
    "vbs",
    "vbe",
    "jse",
    "wsf",
    "wsh",
    "hta",
    "scpt",
    "applescript",
    "command",
    "pl",
    "pm",
    "rb",
    "php",
    "lua",
    "awk",
    "tcl",
    "jar",
    "class",
    "pyc",
    "pyo",
    "jsc",
    "reg",
    "lnk",
    "desktop",
    "service",
];

/// First bytes of machine code and bytecode.
const SIGNATURES: &[&[u8]] = &[
    b"\x7fELF",
    b"MZ",
    b"\0asm",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"!<arch>\n",
];

/// Kinds of files that are not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnreadKind {
    /// Machine code.
    Native,
    /// Scripts of other languages, and bytecode.
    Script,
    /// Anything else.
    Data,
}

/// A file that is not analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) kind: UnreadKind,
    /// First digits of the SHA-256 digest of the content.
    digest: String,
}

impl Unread {
    /// Reads a file.
    pub(crate) fn new(path: &str, mut content: impl Read) -> io::Result<Unread> {
        let mut head = Vec::with_capacity(HEAD_BYTES as usize);
        content.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let mut hasher = Sha256::new();
        hasher.update(&head);
        io::copy(&mut content, &mut hasher)?;
        let digest = hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
        let is_native = SIGNATURES.iter().any(|signature| head.starts_with(signature));
        let is_versioned = file_name(path).contains(".so.");
        let kind = if is_native || is_versioned || has_extension(path, NATIVE) {
            UnreadKind::Native
        } else if head.starts_with(b"#!") || has_extension(path, SCRIPTS) {
            UnreadKind::Script
        } else {
            UnreadKind::Data
        };
        Ok(Unread { kind, digest })
    }

    /// Name of the file with its digest.
    pub(crate) fn name(&self, path: &str) -> String {
        format!("{path} (sha256 {})", self.digest)
    }

    /// Name of a file that a program loads as a module. None: Node loads such files as data.
    pub(crate) fn loaded(&self, path: &str) -> Option<String> {
        (!has_extension(path, &["json", "node"])).then(|| format!("{} loaded as a module", self.name(file_name(path))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_names_tell_kinds() {
        for (path, bytes, kind) in [
            ("a/b.node", &b""[..], UnreadKind::Native),
            ("lib.so.1", b"", UnreadKind::Native),
            ("data.bin", b"\x7fELF\x02", UnreadKind::Native),
            ("logo.png", b"MZ\x90", UnreadKind::Native),
            ("run.SH", b"", UnreadKind::Script),
            ("run", b"#!/bin/sh\n", UnreadKind::Script),
            ("x.pyc", b"", UnreadKind::Script),
            ("a.txt", b"text", UnreadKind::Data),
        ] {
            assert_eq!(Unread::new(path, bytes).expect("bytes").kind, kind, "{path}");
        }
    }

    #[test]
    fn names_change_with_the_content() {
        let [one, other] = [&b"1"[..], b"2"].map(|bytes| Unread::new("a.sh", bytes).expect("bytes"));
        assert_eq!(one.name("a.sh"), "a.sh (sha256 6b86b273ff34fce1)");
        assert_ne!(one.name("a.sh"), other.name("a.sh"));
    }
}
