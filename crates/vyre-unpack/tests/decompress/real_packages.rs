//! Real packages: the crates in the registry cache, and the packages of `benches/fetch-packages`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use lzzzz::lz4f::BlockMode;
use vyre_unpack::{EntryKind, HostReason, Options, Route};

use crate::collect::{Collected, open_with};
use crate::device::{lz4, on_device};

/// The crates in the registry cache.
fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let Some(cache) = home.map(|home| home.join("registry/cache")) else { return Vec::new() };
    let registries = fs::read_dir(cache).into_iter().flatten().flatten();
    let files = registries.flat_map(|registry| fs::read_dir(registry.path()).into_iter().flatten().flatten());
    let mut crates: Vec<PathBuf> =
        files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "crate")).collect();
    crates.sort();
    crates
}

type Files = BTreeMap<Vec<u8>, Vec<u8>>;

/// The files of a tar archive, by another reader.
fn tar_files(archive: impl Read) -> Files {
    let mut files = Files::new();
    for entry in tar::Archive::new(archive).entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(entry.path_bytes().into_owned(), bytes);
        }
    }
    files
}

/// The files of a zip archive, by another reader.
fn zip_files(archive: &[u8]) -> Files {
    let mut reader = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut files = Files::new();
    for index in 0..reader.len() {
        let mut entry = reader.by_index(index).unwrap();
        if entry.is_file() {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(entry.name_raw().to_vec(), bytes);
        }
    }
    files
}

/// The files that the engine emits.
fn files_of(collected: &Collected) -> Files {
    let files = collected.entries.iter().filter(|entry| entry.kind == EntryKind::File);
    files.map(|entry| (entry.path.names[0].clone(), entry.bytes.to_vec())).collect()
}

/// The packages of `benches/packages.tsv`: file names, with the bytes of those that were fetched.
fn packages() -> Vec<(String, Option<Vec<u8>>)> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(std::env::home_dir()?.join(".cache"))).unwrap_or_default();
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/packages.tsv");
    let table = fs::read_to_string(table).expect("the table of packages exists");
    let table = table.lines().filter(|line| !line.starts_with('#'));
    let files = table.filter_map(|line| line.split('\t').nth(3));
    files.map(|file| (file.to_owned(), fs::read(cache.join("vyre/packages").join(file)).ok())).collect()
}

/// Every file of every package equals that of other readers.
#[test]
fn fetched_packages_agree_with_other_readers() {
    let (mut opened, mut files) = (0, 0);
    for (name, archive) in packages() {
        let Some(archive) = archive else {
            println!("skipped: {name} was not fetched");
            continue;
        };
        let is_zip = archive.starts_with(b"PK");
        let expected =
            if is_zip { zip_files(&archive) } else { tar_files(flate2::read::MultiGzDecoder::new(&archive[..])) };
        let (collected, result) = open_with(&name, archive, Options::default().with_nested(false));
        let summary = result.unwrap();
        assert!(summary.is_clean(), "{name}: {:?}", summary.problems);
        assert!(files_of(&collected) == expected, "{name}");
        opened += 1;
        files += expected.len();
    }
    println!("{files} files of {opened} packages");
}

/// Packages in LZ4 frames of independent blocks are decoded on the device, which refuses no block.
#[test]
fn packages_in_lz4_frames_on_the_jit() {
    let mut blocks = 0;
    let files = ["lodash-4.17.21.tgz", "regex-automata-0.4.18.crate", "tokio-1.54.1.crate", "py4j0.10.9.9.jar"];
    for (name, package) in packages().into_iter().filter(|(name, _)| files.contains(&name.as_str())) {
        let Some(package) = package else {
            println!("skipped: {name} was not fetched");
            continue;
        };
        // The package itself, which is incompressible, and its content, which is not.
        let (collected, summary) = on_device("package.lz4", lz4(&package, BlockMode::Independent), Route::Device);
        assert_eq!(summary.blocks.host.get(&HostReason::RefusedByDevice), None, "{name}");
        // The gzip stream, or the members of the zip archive, are decoded there too.
        assert!(summary.blocks.device > package.len().div_ceil(64 << 10) as u64, "{name}: {summary:?}");
        blocks += summary.blocks.device;
        let is_zip = package.starts_with(b"PK");
        let expected =
            if is_zip { zip_files(&package) } else { tar_files(flate2::read::MultiGzDecoder::new(&package[..])) };
        assert!(files_of(&collected) == expected, "{name}");
        if is_zip {
            continue;
        }
        let mut tar = Vec::new();
        flate2::read::MultiGzDecoder::new(&package[..]).read_to_end(&mut tar).unwrap();
        let (collected, summary) = on_device("package.tar.lz4", lz4(&tar, BlockMode::Independent), Route::Device);
        assert_eq!(summary.format, ["lz4", "tar"]);
        assert!(summary.blocks.host.is_empty(), "{name}: {:?}", summary.blocks.host);
        assert_eq!(summary.blocks.device, tar.len().div_ceil(64 << 10) as u64);
        blocks += summary.blocks.device;
        assert!(files_of(&collected) == expected, "{name}");
    }
    println!("{blocks} blocks on the device, none refused");
}

/// Every file of every crate equals that of another reader.
#[test]
fn crates_of_the_registry_agree_with_another_reader() {
    let crates = crates();
    let mut files = 0;
    // The other reader takes half of the time; every third crate is enough.
    for path in crates.iter().step_by(3) {
        let archive = fs::read(path).unwrap();
        let expected = tar_files(flate2::read::MultiGzDecoder::new(&archive[..]));
        let options = Options::default().with_nested(false);
        let (collected, result) = open_with("x.crate", archive, options);
        let summary = result.unwrap();
        assert!(summary.is_clean(), "{}: {:?}", path.display(), summary.problems);
        assert_eq!(summary.format, ["gzip", "tar"]);
        let found = files_of(&collected);
        assert!(found == expected, "{}", path.display());
        files += found.len();
    }
    println!("{files} files of {} crates", crates.len().div_ceil(3));
}
