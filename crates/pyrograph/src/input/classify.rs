//! Classification of files: code, markup, manifest, data.

use std::ops::Range;
use std::sync::Arc;

use vyre_ir::spelling::counted;
use xxhash_rust::xxh3::xxh3_64;

use super::cookie::{PythonText, decode_python};
use super::decode::{Decoded, NotText, decode, has_utf16_mark};
use super::html;
use super::language::{
    ARCHIVES, Language, ModuleKind, NameKind, PLAIN_DATA, file_name, has_extension, name_kind, shebang,
};
use super::python_manifest;
use crate::coverage::SkipReason;
use crate::lang::python::notebook::{self, NotebookError};
use crate::lines::count_lines;

/// Length of the longest manifest that is read.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 4 << 20;
/// Length of the longest file of an unknown kind that is kept until the programs of packages are known.
pub(crate) const MAX_CANDIDATE_BYTES: usize = 1 << 20;

/// Classification of a file.
#[derive(Debug)]
pub(crate) enum Class {
    /// Not analysed.
    Skipped(SkipReason),
    /// Code that cannot be analysed.
    Failed(String),
    /// Code for which no time is left.
    TimedOut,
    /// Code.
    Code(Code),
    /// Manifest: its text.
    Manifest(Arc<str>),
    /// Stub: its text.
    Stub(Arc<str>),
    /// Code that a pattern leaves out, although its name does not say that it is code.
    LeftOut(SkipReason),
    /// Text of an unknown kind: code, if a package names it as a program.
    Candidate(Vec<u8>),
}

/// Code of a file.
#[derive(Debug)]
pub(crate) struct Code {
    /// Text of the front end.
    pub(crate) text: Arc<str>,
    /// Text of the file; the same, except for markup.
    pub(crate) original: Arc<str>,
    pub(crate) language: Language,
    pub(crate) module: ModuleKind,
    /// Ranges of the scripts, for markup.
    pub(crate) scripts: Vec<Range<usize>>,
    pub(crate) lines: u64,
    /// Hash of the bytes of the file.
    pub(crate) digest: u64,
    /// Note about the encoding.
    pub(crate) note: Option<String>,
}

impl Code {
    /// Bytes of memory.
    pub(crate) fn memory(&self) -> u64 {
        let original = if Arc::ptr_eq(&self.text, &self.original) { 0 } else { self.original.len() };
        (self.text.len() + original) as u64
    }
}

/// True for names of files that a scan reads for more than their first bytes: code, pages, manifests and archives.
#[must_use]
pub fn is_read_by_name(path: &str) -> bool {
    match path_kind(path) {
        PathKind::Manifest => true,
        kind @ PathKind::Name(_) => {
            kind.is_code()
                || has_extension(path, ARCHIVES)
                || matches!(file_name(path), "vyre.toml" | "package-lock.json")
        }
    }
}

/// Kinds of files by name, with manifests apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// `package.json`, `tsconfig.json`, `pyproject.toml`, `binding.gyp`.
    Manifest,
    /// Anything else.
    Name(NameKind),
}

/// Kind of a file by name.
pub(crate) fn path_kind(path: &str) -> PathKind {
    let name = file_name(path);
    let is_config = |prefix: &str| name.starts_with(prefix) && name.ends_with(".json");
    let is_manifest = name == "package.json" || is_config("tsconfig") || is_config("jsconfig") || is_install_file(path);
    if is_manifest || python_manifest::is_manifest(path) { PathKind::Manifest } else { PathKind::Name(name_kind(path)) }
}

/// True for files without code of a known language that an installation, or each start of Python, evaluates.
pub(crate) fn is_install_file(path: &str) -> bool {
    file_name(path) == "binding.gyp" || has_extension(path, &["gypi", "pth"])
}

impl PathKind {
    /// True if the name says that the file has code, so that its loss makes a scan incomplete.
    pub(crate) fn is_code(self) -> bool {
        matches!(self, PathKind::Name(NameKind::Code(..) | NameKind::Markup { .. } | NameKind::Notebook))
    }
}

/// Classifies a file by name and bytes. `is_named`: the user names the file, so text without an extension is code.
pub(crate) fn classify(path: &str, bytes: &[u8], max_bytes: u64, is_named: bool) -> Class {
    let too_long = || Class::Failed(too_long(bytes.len() as u64, max_bytes));
    let is_too_long = bytes.len() as u64 > max_bytes;
    match path_kind(path) {
        PathKind::Manifest if bytes.len() as u64 > MAX_MANIFEST_BYTES => Class::Skipped(SkipReason::NotCode),
        PathKind::Manifest => match decode(bytes) {
            Ok(decoded) => Class::Manifest(decoded.text.into()),
            Err(_) => Class::Skipped(SkipReason::NotCode),
        },
        PathKind::Name(NameKind::Code(..) | NameKind::Markup { .. } | NameKind::Notebook) if is_too_long => too_long(),
        PathKind::Name(NameKind::Code(language, module)) => code(bytes, language, module),
        PathKind::Name(NameKind::Markup { is_component }) => markup(bytes, is_component),
        PathKind::Name(NameKind::Notebook) => notebook(bytes),
        PathKind::Name(NameKind::Stub) if !is_too_long => match decode_python(bytes) {
            Ok(decoded) => Class::Stub(decoded.text.into()),
            Err(_) => Class::Skipped(SkipReason::Declarations),
        },
        PathKind::Name(NameKind::Declarations | NameKind::Stub) => Class::Skipped(SkipReason::Declarations),
        PathKind::Name(NameKind::UnsupportedCode) => Class::Skipped(SkipReason::UnsupportedLanguage),
        PathKind::Name(NameKind::Data) if is_plain_data(path) => Class::Skipped(SkipReason::NotCode),
        PathKind::Name(NameKind::Data) => match first_line(bytes) {
            Some(NameKind::Code(..)) if is_too_long => too_long(),
            Some(NameKind::Code(language, module)) => code(bytes, language, module),
            _ => candidate(bytes),
        },
        PathKind::Name(NameKind::Unknown) => match first_line(bytes) {
            Some(NameKind::Code(..)) if is_too_long => too_long(),
            Some(NameKind::Code(language, module)) => code(bytes, language, module),
            Some(_) => Class::Skipped(SkipReason::UnsupportedLanguage),
            None if is_named && is_too_long => too_long(),
            None if is_named => code(bytes, Language::JavaScript, ModuleKind::Unknown),
            None => candidate(bytes),
        },
    }
}

/// Classifies a file that is left out for a reason. `is_named`: the user names the file.
pub(crate) fn left_out(path: &str, bytes: &[u8], is_named: bool, reason: SkipReason) -> Class {
    let kind = path_kind(path);
    let is_unknown = kind == PathKind::Name(NameKind::Unknown);
    let may_be_program = is_unknown || kind == PathKind::Name(NameKind::Data) && !is_plain_data(path);
    let is_program = may_be_program && is_program(bytes);
    let is_named_text = is_unknown && is_named && decode(bytes).is_ok();
    if is_program || is_named_text { Class::LeftOut(reason) } else { Class::Skipped(reason) }
}

/// True for files whose extension says that they are neither code nor archives.
pub(crate) fn is_plain_data(path: &str) -> bool {
    has_extension(path, PLAIN_DATA) || has_extension(path, ARCHIVES)
}

/// Classifies a file of an unknown kind.
fn candidate(bytes: &[u8]) -> Class {
    if bytes.len() <= MAX_CANDIDATE_BYTES && !bytes.is_empty() && decode(bytes).is_ok() {
        Class::Candidate(bytes.to_vec())
    } else {
        Class::Skipped(SkipReason::NotCode)
    }
}

/// True if the first line names an interpreter of a language with a front end.
pub(crate) fn is_program(bytes: &[u8]) -> bool {
    matches!(first_line(bytes), Some(NameKind::Code(..)))
}

/// What the interpreter of the first line says about the content.
fn first_line(bytes: &[u8]) -> Option<NameKind> {
    if has_utf16_mark(bytes) {
        return decode(bytes).ok().and_then(|decoded| shebang(decoded.text.as_bytes()));
    }
    shebang(bytes)
}

/// Message about a file beyond the limit.
pub(crate) fn too_long(bytes: u64, max_bytes: u64) -> String {
    format!("the file has {bytes} bytes, which exceeds the limit of {max_bytes}")
}

/// Classifies the bytes of a file that has code.
pub(crate) fn code(bytes: &[u8], language: Language, module: ModuleKind) -> Class {
    if language == Language::Python {
        return python(bytes, module);
    }
    let Decoded { text, note } = match decode(bytes) {
        Ok(decoded) => decoded,
        // Neither is meant as code: archivers of macOS write such metadata, and `.ts` is an extension of videos too.
        Err(NotText::Metadata | NotText::Signature("an MPEG transport stream")) => {
            return Class::Skipped(SkipReason::NotCode);
        }
        Err(reason) => return Class::Failed(reason.message()),
    };
    // Translations of Qt have the extension of TypeScript.
    if language == Language::TypeScript && (text.starts_with("<?xml") || text.starts_with("<!DOCTYPE TS")) {
        return Class::Skipped(SkipReason::NotCode);
    }
    plain_code(bytes, text.into(), language, module, note)
}

/// Classifies the bytes of a Python file.
fn python(bytes: &[u8], module: ModuleKind) -> Class {
    match decode_python(bytes) {
        Ok(Decoded { text, note }) => plain_code(bytes, text.into(), Language::Python, module, note),
        Err(PythonText::NotText(NotText::Metadata)) => Class::Skipped(SkipReason::NotCode),
        Err(reason) => Class::Failed(reason.message()),
    }
}

/// Code that is the whole text of a file.
fn plain_code(bytes: &[u8], text: Arc<str>, language: Language, module: ModuleKind, note: Option<String>) -> Class {
    Class::Code(Code {
        lines: count_lines(&text),
        original: Arc::clone(&text),
        text,
        language,
        module,
        scripts: Vec::new(),
        digest: xxh3_64(bytes),
        note,
    })
}

/// Classifies the bytes of a notebook. The text of its cells stands for the file.
fn notebook(bytes: &[u8]) -> Class {
    let text = match decode(bytes) {
        Ok(decoded) => decoded.text,
        Err(NotText::Metadata) => return Class::Skipped(SkipReason::NotCode),
        Err(reason) => return Class::Failed(reason.message()),
    };
    let notebook = match notebook::notebook(&text) {
        Ok(notebook) => notebook,
        Err(NotebookError::OtherLanguage) => return Class::Skipped(SkipReason::UnsupportedLanguage),
        Err(NotebookError::Malformed(message)) => return Class::Failed(message),
    };
    let note = (notebook.commands > 0)
        .then(|| format!("{} of the notebook are no Python and left out", counted(notebook.commands as u64, "line")));
    plain_code(bytes, notebook.text.into(), Language::Python, ModuleKind::Unknown, note)
}

/// Classifies the bytes of a file with inline scripts.
fn markup(bytes: &[u8], is_component: bool) -> Class {
    let Decoded { text, note } = match decode(bytes) {
        Ok(decoded) => decoded,
        // Pages in old encodings matter only if they have scripts.
        Err(reason @ (NotText::Nul | NotText::Encoding)) if has_script_tag(bytes) => {
            return Class::Failed(reason.message());
        }
        Err(_) => return Class::Skipped(SkipReason::NotCode),
    };
    let Some(scripts) = html::scripts(&text, is_component) else { return Class::Skipped(SkipReason::NotCode) };
    Class::Code(Code {
        text: scripts.text.into(),
        original: text.into(),
        language: scripts.language,
        module: scripts.module,
        scripts: scripts.parts,
        lines: scripts.lines,
        digest: xxh3_64(bytes),
        note,
    })
}

/// True if bytes of any encoding have the tag of a script.
fn has_script_tag(bytes: &[u8]) -> bool {
    let text: Vec<u8> = bytes.iter().filter(|byte| **byte != 0).map(u8::to_ascii_lowercase).collect();
    memchr::memmem::find(&text, b"<script").is_some()
}
