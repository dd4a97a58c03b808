//! On-disk cache of machine code, one file per kernel.
//!
//! The payload of a file is the length of its key (8 bytes, little endian), the key, and the encoded machine code. The key is
//! the function in Cranelift's IR with everything else that decides the code: the versions of this crate and of Cranelift, the
//! processor with its features, and the flags of the code generator. The name of a file is a hash of its key.
//!
//! Files that another user could have changed are not read (`vyre_runtime::shell::artifact`). The folder is bounded: the oldest files
//! are deleted, and temporary files that killed processes left.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cranelift_codegen::Context as CompilerContext;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use vyre_runtime::Error;
use vyre_runtime::shell::artifact::{Magic, SealedFiles, hash128, is_hash_name, read_sealed, write_sealed};

use crate::machine_code::MachineCode;

/// First bytes of a file.
const MAGIC: Magic = *b"VYREMC01";

/// Extension of the files.
const EXTENSION: &str = "code";

/// The files of this store; the folder has files of other backends, too.
const FILES: SealedFiles = SealedFiles { magic: MAGIC, is_name: |name| is_hash_name(name, EXTENSION) };

/// Maximum size of a file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 24;

/// Maximum number and size of all files; deleting stops at three quarters of both.
const MAX_FILES: usize = 2_048;
const MAX_BYTES: u64 = 1 << 27;

/// Number of inserted files after which the size of the folder is checked again.
const INSERTIONS_PER_CHECK: u64 = 64;

/// Source of machine code: a folder, if there is one, and the compiler.
#[derive(Debug, Default)]
pub(crate) struct CodeStore {
    folder: Option<Folder>,
    compilations: AtomicU64,
}

impl CodeStore {
    pub(crate) fn new(folder: Option<&Path>) -> CodeStore {
        CodeStore { folder: folder.map(Folder::new), compilations: AtomicU64::new(0) }
    }

    /// Machine code of the function of a context: from the folder, otherwise from the compiler.
    pub(crate) fn machine_code(
        &self,
        context: &mut CompilerContext,
        isa: &dyn TargetIsa,
    ) -> Result<MachineCode, Error> {
        let key = self.folder.as_ref().map(|folder| (folder, Key::new(&context.func, isa)));
        if let Some(code) = key.as_ref().and_then(|(folder, key)| folder.get(key)) {
            return Ok(code);
        }
        self.compilations.fetch_add(1, Ordering::Relaxed);
        let code = MachineCode::compile(context, isa)?;
        if let Some((folder, key)) = key {
            folder.insert(&key, &code);
        }
        Ok(code)
    }

    /// Number of functions that were compiled.
    pub(crate) fn compilations(&self) -> u64 {
        self.compilations.load(Ordering::Relaxed)
    }
}

/// Folder of machine code.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    insertions: AtomicU64,
}

/// Key of a function.
struct Key(Vec<u8>);

impl Key {
    /// Key of a function for a target.
    fn new(function: &Function, isa: &dyn TargetIsa) -> Key {
        let mut text = format!(
            "vyre-jit {}, cranelift {}, {}\n{}",
            env!("CARGO_PKG_VERSION"),
            cranelift_codegen::VERSION,
            isa.triple(),
            isa.flags()
        );
        for flag in isa.isa_flags() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{flag}");
        }
        let _ = write!(text, "{}", function.display());
        Key(text.into_bytes())
    }
}

impl Folder {
    fn new(path: &Path) -> Folder {
        Folder { path: path.to_owned(), insertions: AtomicU64::new(0) }
    }

    /// Machine code of a key, if the folder has it.
    fn get(&self, key: &Key) -> Option<MachineCode> {
        let payload = read_sealed(&self.file(key), MAGIC, MAX_FILE_BYTES)?;
        let (length, rest) = payload.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (found, code) = rest.split_at_checked(length)?;
        if found == key.0 { MachineCode::decode(code) } else { None }
    }

    /// Writes machine code. A failure costs compile time in the next process and nothing else.
    fn insert(&self, key: &Key, code: &MachineCode) {
        let Some(code) = code.encode() else { return };
        let payload = [&(key.0.len() as u64).to_le_bytes(), &*key.0, &code].concat();
        if payload.len() as u64 >= MAX_FILE_BYTES {
            return;
        }
        let is_written = write_sealed(&self.file(key), MAGIC, &payload).is_ok();
        let number = self.insertions.fetch_add(1, Ordering::Relaxed);
        if is_written && number.is_multiple_of(INSERTIONS_PER_CHECK) {
            FILES.prune(&self.path, MAX_FILES, MAX_BYTES);
        }
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.path.join(format!("{:032x}.{EXTENSION}", hash128(&key.0)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn code() -> MachineCode {
        MachineCode { bytes: vec![0xc3; 5], alignment: 16, relocations: Vec::new(), stack_bytes: 32 }
    }

    fn key(text: &str) -> Key {
        Key(text.as_bytes().to_vec())
    }

    /// The only file of a store.
    fn only_file(folder: &Folder) -> PathBuf {
        let mut files = fs::read_dir(&folder.path).expect("the folder exists").flatten().map(|entry| entry.path());
        let file = files.next().expect("a file");
        assert_eq!(files.next(), None);
        file
    }

    #[test]
    fn every_damage_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder::new(&folder.path().join("within"));
        assert!(store.get(&key("key")).is_none());
        store.insert(&key("key"), &code());
        assert_eq!(store.get(&key("key")).map(|code| code.bytes), Some(code().bytes));
        assert!(store.get(&key("another")).is_none());
        let file = only_file(&store);
        let whole = fs::read(&file).expect("is read");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            fs::write(&file, &damaged).expect("is written");
            assert!(store.get(&key("key")).is_none(), "byte {at}");
            fs::write(&file, &whole[..at]).expect("is written");
            assert!(store.get(&key("key")).is_none(), "the first {at} bytes");
        }
        store.insert(&key("key"), &code());
        assert!(store.get(&key("key")).is_some(), "a damaged file is replaced");
    }

    #[test]
    fn a_file_of_another_key_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder::new(folder.path());
        store.insert(&key("key"), &code());
        fs::rename(only_file(&store), store.file(&key("another"))).expect("is renamed");
        assert!(store.get(&key("another")).is_none());
    }

    #[test]
    fn the_oldest_files_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Folder::new(folder.path());
        let keys: Vec<Key> = (0..9).map(|number| key(&number.to_string())).collect();
        for (age, key) in keys.iter().enumerate() {
            store.insert(key, &code());
            let file = fs::File::options().write(true).open(store.file(key)).expect("exists");
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(age as u64);
            file.set_modified(time).expect("the owner may set times");
        }
        let other = folder.path().join("other.bin");
        fs::write(&other, [0; 1_000]).expect("is written");
        let kept = || keys.iter().map(|key| store.get(key).is_some()).collect::<Vec<_>>();
        FILES.prune(&store.path, 9, 1 << 20);
        assert!(kept().iter().all(|kept| *kept));
        FILES.prune(&store.path, 8, 1 << 20);
        assert_eq!(kept(), [false, false, false, true, true, true, true, true, true]);
        FILES.prune(&store.path, 8, 1);
        assert!(!kept().contains(&true) && other.exists(), "files of other backends are kept");
    }
}
