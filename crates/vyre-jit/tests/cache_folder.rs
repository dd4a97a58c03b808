//! Machine code in a cache folder: later devices load it, and files that are damaged or not private are compiled again.

use std::fs;
use std::path::{Path, PathBuf};

use vyre_conform::run_corpus::{check_file, files, ops};
use vyre_conform::settings::corpus;
use vyre_ir::{OpTable, text};
use vyre_jit::{JitDevice, JitOptions};
use vyre_runtime::{Bindings, CommandList, Device, PipelineOptions, RunOptions, words};

fn device(folder: &Path) -> JitDevice {
    let options = JitOptions::default().with_threads(1).with_cache_folder(folder);
    JitDevice::new(&options).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a program on a new device, checks its result and returns the number of kernels that were compiled.
fn compilations(folder: &Path) -> u64 {
    let device = device(folder);
    let source = "workgroup_size 64; buffer data: read_write u32 @0; entry { data[local_id.x] = local_id.x ^ 77; }";
    let parsed = text::parse(source).expect("parses");
    let ops = OpTable::default();
    let program = parsed.validate(&ops).expect("is valid");
    let pipeline = device.create_pipeline(&program, &PipelineOptions::default()).expect("is compiled or loaded");
    let data = device.create_buffer(256).expect("there is memory");
    let mut commands = CommandList::new();
    commands.dispatch(&pipeline, &Bindings::new().with(0, &data), [1, 1, 1]);
    device.run(&commands, &RunOptions::default()).expect("runs");
    let expected: Vec<u32> = (0..64).map(|index| index ^ 77).collect();
    assert_eq!(words(&device.read(&data).expect("is read")), expected);
    device.compiled_kernels()
}

fn only_file(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> =
        fs::read_dir(folder).expect("exists").map(|file| file.expect("an entry").path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn damaged_code_is_compiled_again() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("within");
    assert_eq!(compilations(&folder), 1);
    assert_eq!(compilations(&folder), 0, "another device loads the code");
    let file = only_file(&folder);
    let whole = fs::read(&file).expect("is read");
    for at in [0, 9, 17, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&file, damaged).expect("is written");
        assert_eq!(compilations(&folder), 1, "byte {at}");
        assert_eq!(fs::read(&file).expect("is read"), whole, "the file is written again");
    }
}

#[cfg(unix)]
#[test]
fn code_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("within");
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("is set");
    assert_eq!(compilations(&folder), 1);
    set_mode(&only_file(&folder), 0o602);
    assert_eq!(compilations(&folder), 1, "the file is writable by all");
    assert_eq!(compilations(&folder), 0, "the file was replaced by a private one");
    set_mode(&folder, 0o777);
    assert_eq!(compilations(&folder), 1, "the folder is writable by all");
}

#[test]
fn a_folder_that_cannot_be_written_costs_only_time() {
    let parent = tempfile::tempdir().expect("a folder");
    let file = parent.path().join("file");
    fs::write(&file, b"no folder").expect("is written");
    assert_eq!((compilations(&file), compilations(&file)), (1, 1));
}

#[test]
fn loaded_code_computes_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus("run");
    let ops = ops(&corpus).unwrap_or_else(|error| panic!("{error}"));
    let files = files(&corpus).unwrap_or_else(|error| panic!("{error}"));
    let sample: Vec<String> = files.iter().step_by(11).map(|file| fs::read_to_string(file).expect("is read")).collect();
    assert!(sample.len() > 10, "{}", sample.len());
    let [first, second] = [(); 2].map(|()| {
        let device = device(folder.path());
        for source in &sample {
            check_file(source, &ops, &device, &RunOptions::default())
                .unwrap_or_else(|error| panic!("{error}\n{source}"));
        }
        device.compiled_kernels()
    });
    assert!(first > 0);
    assert_eq!(second, 0);
}
