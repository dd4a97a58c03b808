//! The extractor: entries in order, files of a batch in parallel.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fmt, io};

use cap_std::fs::Dir;
use rayon::prelude::*;

use super::super::entry::{Entry, EntryKind, EntryPath, Receiver};
use super::super::error::DecompressError;
use super::super::limits::{Limit, Limits};
use super::super::problem::{Problem, ProblemKind};
use super::directories::{Directories, Obstacle};
use super::file::{Existing, FileId, FileJob, system_time};
use super::link;
use super::name::{Place, System, as_path, folded, split};
use super::placement::{Extracted, Placed, Placement, Refused};
use super::refusal::Refusal;

/// What stands at the end of the names of damaged files.
const DAMAGED: &[u8] = b".damaged";
/// How many names are tried for a damaged file.
const DAMAGED_NAMES: usize = 100;

/// How entries are extracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// Whether files that were there before are replaced. Directories never are, nor are files from the same archive.
    pub overwrite: bool,
    /// How many directories are made at most, those that no entry is for with them: a path has up to 128.
    pub directories: u64,
}

impl Default for ExtractOptions {
    fn default() -> ExtractOptions {
        ExtractOptions { overwrite: false, directories: Limits::default().entries }
    }
}

impl ExtractOptions {
    /// The same, replacing files that were there before, or not.
    #[must_use]
    pub fn with_overwrite(self, overwrite: bool) -> ExtractOptions {
        ExtractOptions { overwrite, ..self }
    }

    /// The same with so many directories at most.
    #[must_use]
    pub fn with_directories(self, directories: u64) -> ExtractOptions {
        ExtractOptions { directories, ..self }
    }
}

/// The file system failed, so that extracting ended.
#[derive(Debug)]
pub struct ExtractError {
    /// What could not be written.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {:?}: {}", self.path, self.source)
    }
}

impl std::error::Error for ExtractError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl From<ExtractError> for DecompressError {
    fn from(error: ExtractError) -> DecompressError {
        DecompressError::Receiver(Box::new(error))
    }
}

/// Writes entries below a directory, and nothing anywhere else.
///
/// As a [`Receiver`] it keeps what was refused; [`Extractor::extract`] tells what became of each entry instead.
/// [`Extractor::finish`] belongs to both.
pub struct Extractor {
    path: PathBuf,
    options: ExtractOptions,
    directories: Directories,
    /// Files and symbolic links that entries became.
    made: HashSet<FileId>,
    /// What entries say about directories that were made.
    attributes: Vec<Attributes>,
    /// Archives that were opened and whose files are there, by their names: the paths of the files.
    opened: HashMap<Vec<Vec<u8>>, Vec<u8>>,
    /// Files with names for damaged ones, which make room for entries that have these names: by what file systems may not
    /// tell apart, the paths.
    damaged: HashMap<Vec<u8>, Vec<u8>>,
    extracted: Extracted,
    refused: Vec<Refused>,
}

/// What an entry says about a directory.
struct Attributes {
    path: Vec<u8>,
    mode: Option<u32>,
    modified: Option<i64>,
}

/// Files that are yet to be written.
#[derive(Default)]
struct Pending<'e> {
    jobs: Vec<FileJob<'e>>,
    /// Their paths, without what file systems may not tell apart.
    paths: HashSet<Vec<u8>>,
    /// The paths of all entries of the batch, where some are damaged.
    taken: HashSet<Vec<u8>>,
}

impl Extractor {
    /// Extracts to this directory, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// It cannot be made or opened.
    pub fn new(directory: &Path, options: ExtractOptions) -> Result<Extractor, ExtractError> {
        let directories = Directories::new(directory, options.directories)
            .map_err(|source| ExtractError { path: directory.to_path_buf(), source })?;
        Ok(Extractor {
            path: directory.to_path_buf(),
            options,
            directories,
            made: HashSet::new(),
            attributes: Vec::new(),
            opened: HashMap::new(),
            damaged: HashMap::new(),
            extracted: Extracted::default(),
            refused: Vec::new(),
        })
    }

    /// Writes entries, and tells what became of each. Archives that were opened are written too;
    /// [`Extractor::remove_opened`] removes them.
    ///
    /// # Errors
    ///
    /// The file system failed. Files that are there are whole.
    pub fn extract(&mut self, entries: &[Entry]) -> Result<Vec<Placed>, ExtractError> {
        let mut placed = Vec::with_capacity(entries.len());
        let mut pending = Pending::default();
        if entries.iter().any(|entry| entry.kind == EntryKind::File && State::of(entry) == State::Damaged) {
            let places = entries.iter().filter_map(|entry| Place::new(&entry.path.names, System::HERE).ok());
            pending.taken = places.map(|place| folded(&place.path)).collect();
        }
        for (position, entry) in entries.iter().enumerate() {
            if self.directories.is_full() {
                self.write(&mut pending, &mut placed)?;
                self.directories.close();
            }
            let found = self.place(position, entry, &mut pending, &mut placed)?;
            placed.push(found);
        }
        self.write(&mut pending, &mut placed)?;
        for (entry, placed) in entries.iter().zip(&mut placed) {
            if matches!(placed.placement, Placement::Refused(_) | Placement::Nothing) {
                placed.path.clear();
            }
            self.note_opened(entry, placed);
            self.extracted.count(placed.placement, entry.bytes.len() as u64);
        }
        Ok(placed)
    }

    /// Takes note of the file of an archive that was opened, and of what is not as it is in the archive around it, so that
    /// the file of that one stays.
    fn note_opened(&mut self, entry: &Entry, placed: &Placed) {
        let names = &entry.path.names;
        match placed.placement {
            Placement::Opened => {
                let path = placed.path.strip_suffix(b"!").unwrap_or(&placed.path);
                self.opened.insert(names.clone(), path.to_vec());
            }
            Placement::Refused(_) | Placement::Nothing | Placement::Damaged => {
                self.opened.remove(names);
                if let Some((_, around)) = names.split_last() {
                    self.opened.remove(around);
                }
            }
            Placement::File | Placement::Directory | Placement::Symlink | Placement::Hardlink => {}
        }
    }

    /// Removes the file of an archive that was opened, since all that is in it is there. It stays if that is not so: if
    /// something of it was refused or damaged.
    pub fn remove_opened(&mut self, archive: &EntryPath) {
        let Some(path) = self.opened.remove(&archive.names) else { return };
        if self.directories.is_full() {
            self.directories.close();
        }
        let (parent, name) = split(&path);
        let Ok(directory) = self.directories.find(parent) else { return };
        let Ok(found) = directory.symlink_metadata(as_path(name)) else { return };
        let id = FileId::new(&found);
        // A file that cannot be removed does not make the others worse.
        if found.is_file() && self.made.contains(&id) && directory.remove_file(as_path(name)).is_ok() {
            // Its number may be that of another file later, unless it has other names.
            if FileId::names(&found) == 1 {
                self.made.remove(&id);
            }
        }
    }

    /// Gives the directories that were made the permissions and times that entries say.
    ///
    /// # Errors
    ///
    /// The file system failed.
    pub fn finish(mut self) -> Result<Extracted, ExtractError> {
        for Attributes { path, mode, modified } in std::mem::take(&mut self.attributes).into_iter().rev() {
            if self.directories.is_full() {
                self.directories.close();
            }
            let set = self.directories.find(&path).map(|directory| {
                // Not all file systems have permissions and times; that does not make files worse.
                let _ = set_attributes(&directory, mode, modified);
            });
            match set {
                // Somebody else was here.
                Ok(()) | Err(Obstacle::Refused(_)) => {}
                Err(Obstacle::Failed(source)) => return Err(self.failure(&path, source)),
            }
        }
        Ok(self.extracted)
    }

    /// What was extracted so far.
    #[must_use]
    pub fn extracted(&self) -> &Extracted {
        &self.extracted
    }

    /// What was refused of what came to the [`Receiver`], in the order of entries.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Finds a place for an entry, and makes it unless it is a file, which waits.
    fn place<'e>(
        &mut self,
        position: usize,
        entry: &'e Entry,
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Placed, ExtractError> {
        let place = match Place::new(&entry.path.names, System::HERE) {
            Ok(place) => place,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let path = place.path.clone();
        self.make_room(&path, pending, placed)?;
        let result = match &entry.kind {
            EntryKind::File if place.is_root() => Err(Refusal::EmptyName.into()),
            EntryKind::File => self.place_file(position, entry, place, pending, placed),
            EntryKind::Directory => self.place_directory(entry, &place, pending, placed),
            EntryKind::Symlink { target } => self.place_symlink(entry, place, target, pending, placed),
            EntryKind::Hardlink { target } => self.place_hardlink(entry, place, target, pending, placed),
            EntryKind::Special { .. } => Err(Refusal::SpecialFile.into()),
        };
        match result {
            Ok(placed) => Ok(placed),
            Err(Stop::Obstacle(Obstacle::Refused(refusal))) => Ok(refused(refusal)),
            Err(Stop::Obstacle(Obstacle::Failed(source))) => Err(self.failure(&path, source)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn place_file<'e>(
        &mut self,
        position: usize,
        entry: &'e Entry,
        place: Place,
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Placed, Stop> {
        let state = State::of(entry);
        let mut opened = None;
        if entry.is_opened && entry.problems.is_empty() {
            opened = self.place_opened(place.clone(), pending, placed)?;
        }
        let (place, placement) = match state {
            State::Whole if opened.is_some() => (place, Placement::Opened),
            State::Whole => (place, Placement::File),
            State::Damaged => (self.damaged_place(place, pending)?, Placement::Damaged),
            State::Nothing => return Ok(Placed { placement: Placement::Nothing, path: Vec::new() }),
        };
        let (parent, name) = place.split();
        let directory = self.directory(parent, 0o777, pending, placed)?;
        let key = folded(&place.path);
        if pending.paths.contains(&key) {
            self.write(pending, placed)?;
        }
        pending.paths.insert(key);
        let name = name.to_vec();
        let (bytes, mode, modified) = (&entry.bytes[..], entry.mode, entry.modified);
        pending.jobs.push(FileJob { entry: position, directory, name, bytes, mode, modified });
        Ok(Placed { placement, path: opened.unwrap_or(place.path) })
    }

    /// Makes the directory for what is in an archive. Where that cannot be, there is only its file.
    fn place_opened<'e>(
        &mut self,
        place: Place,
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Option<Vec<u8>>, Stop> {
        let Ok(place) = place.with_suffix(b"!") else { return Ok(None) };
        match self.directory(&place.path, 0o777, pending, placed) {
            Ok(_) => Ok(Some(place.path)),
            Err(Stop::Obstacle(Obstacle::Refused(_))) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// A place for a damaged file that no other file has.
    fn damaged_place(&mut self, place: Place, pending: &Pending<'_>) -> Result<Place, Obstacle> {
        for number in 0..DAMAGED_NAMES {
            let mut suffix = DAMAGED.to_vec();
            if number > 0 {
                suffix.extend_from_slice(format!(".{number}").as_bytes());
            }
            let place = place.clone().with_suffix(&suffix)?;
            let key = folded(&place.path);
            if pending.paths.contains(&key) || pending.taken.contains(&key) || !self.is_free(&place.path) {
                continue;
            }
            self.damaged.insert(key, place.path.clone());
            return Ok(place);
        }
        Err(Refusal::DuplicateName.into())
    }

    /// Whether there is nothing with this path that may not be replaced.
    fn is_free(&mut self, path: &[u8]) -> bool {
        let (parent, name) = split(path);
        let Ok(directory) = self.directories.find(parent) else { return true };
        match directory.symlink_metadata(as_path(name)) {
            Ok(found) => self.options.overwrite && !found.is_dir() && !self.made.contains(&FileId::new(&found)),
            Err(_) => true,
        }
    }

    /// Gives a damaged file another name if an entry has the one that it was given.
    fn make_room(&mut self, path: &[u8], pending: &mut Pending<'_>, placed: &mut [Placed]) -> Result<(), ExtractError> {
        if self.damaged.is_empty() {
            return Ok(());
        }
        let Some(old) = self.damaged.remove(&folded(path)) else { return Ok(()) };
        self.write(pending, placed)?;
        let own = old.strip_suffix(DAMAGED).unwrap_or(&old).to_vec();
        let Ok(new) = self.damaged_place(Place { path: own, root: 0 }, pending) else { return Ok(()) };
        let ((parent, old), (_, new)) = (split(&old), split(&new.path));
        if let Ok(directory) = self.directories.find(parent) {
            // Without another name it keeps the one it has, and the entry is refused.
            let _ = directory.rename(as_path(old), &directory, as_path(new));
        }
        Ok(())
    }

    fn place_directory<'e>(
        &mut self,
        entry: &Entry,
        place: &Place,
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Placed, Stop> {
        let mode = entry.mode.map(|mode| mode & 0o777);
        self.directory(&place.path, mode.unwrap_or(0o777), pending, placed)?;
        if self.directories.is_made(&place.path) {
            let (path, modified) = (place.path.clone(), entry.modified);
            self.attributes.push(Attributes { path, mode, modified });
        }
        Ok(Placed { placement: Placement::Directory, path: place.path.clone() })
    }

    fn place_symlink<'e>(
        &mut self,
        entry: &Entry,
        place: Place,
        target: &[u8],
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Placed, Stop> {
        if place.is_root() {
            return Err(Refusal::EmptyName.into());
        }
        if !entry.problems.is_empty() {
            // A target that may be wrong is no target.
            return Ok(Placed { placement: Placement::Nothing, path: Vec::new() });
        }
        self.write(pending, placed)?;
        let (parent, name) = place.split();
        let directory = self.directory(parent, 0o777, pending, placed)?;
        link::check(self.directories.root(), &self.made, &place, target)?;
        let existing = Existing { made: &self.made, overwrite: self.options.overwrite };
        existing.create(&directory, name, |name| symlink(&directory, target, name)).map_err(without_links)?;
        let found = directory.symlink_metadata(as_path(name))?;
        self.made.insert(FileId::new(&found));
        set_link_time(&directory, name, entry.modified);
        Ok(Placed { placement: Placement::Symlink, path: place.path })
    }

    fn place_hardlink<'e>(
        &mut self,
        entry: &Entry,
        place: Place,
        target: &[u8],
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<Placed, Stop> {
        if place.is_root() {
            return Err(Refusal::EmptyName.into());
        }
        self.write(pending, placed)?;
        // The target is a name in the same archive, which is looked for as it was extracted.
        let around = entry.path.names.split_last().map_or(&[][..], |(_, around)| around);
        let names: Vec<Vec<u8>> = around.iter().cloned().chain([target.to_vec()]).collect();
        let source = Place::new(&names, System::HERE).map_err(|_| Refusal::HardlinkTarget)?;
        if source.is_root() {
            return Err(Refusal::HardlinkTarget.into());
        }
        let (source_parent, source_name) = source.split();
        let found = self.directories.find(source_parent).and_then(|directory| {
            let found = directory.symlink_metadata(as_path(source_name))?;
            Ok((directory, found))
        });
        let (source_directory, found) = match found {
            Ok(found) => found,
            Err(Obstacle::Failed(error)) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            Err(_) => return Err(Refusal::HardlinkTarget.into()),
        };
        // A symbolic link says something else in another directory, so it gets no second name.
        if !found.is_file() || !self.made.contains(&FileId::new(&found)) {
            return Err(Refusal::HardlinkTarget.into());
        }
        let (parent, name) = place.split();
        let directory = self.directory(parent, 0o777, pending, placed)?;
        let existing = Existing { made: &self.made, overwrite: self.options.overwrite };
        let source_name = as_path(source_name);
        let made = existing.create(&directory, name, |name| source_directory.hard_link(&source_name, &directory, name));
        made.map_err(without_links)?;
        Ok(Placed { placement: Placement::Hardlink, path: place.path })
    }

    /// The directory with this path, which is made where it is not there. Files that wait are written first if one of them
    /// may have its name.
    fn directory<'e>(
        &mut self,
        path: &[u8],
        mode: u32,
        pending: &mut Pending<'e>,
        placed: &mut [Placed],
    ) -> Result<std::sync::Arc<Dir>, Stop> {
        if let Some(directory) = self.directories.find_open(path) {
            return Ok(directory);
        }
        if !pending.jobs.is_empty() {
            let key = folded(path);
            let mut ends = key.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
            if pending.paths.contains(&key) || ends.any(|end| pending.paths.contains(&key[..end])) {
                self.write(pending, placed)?;
            }
        }
        Ok(self.directories.make(path, mode)?)
    }

    /// Writes the files that wait, in parallel, and notes in order what became of them.
    fn write(&mut self, pending: &mut Pending<'_>, placed: &mut [Placed]) -> Result<(), ExtractError> {
        let Pending { jobs, paths, .. } = pending;
        paths.clear();
        if jobs.is_empty() {
            return Ok(());
        }
        let existing = Existing { made: &self.made, overwrite: self.options.overwrite };
        let written: Vec<_> = match &jobs[..] {
            [job] => vec![job.write(&existing)],
            jobs => jobs.par_iter().with_min_len(4).map(|job| job.write(&existing)).collect(),
        };
        let mut failure = None;
        for (job, written) in jobs.drain(..).zip(written) {
            match written {
                Ok(id) => {
                    self.made.insert(id);
                }
                Err(Obstacle::Refused(refusal)) => placed[job.entry] = refused(refusal),
                Err(Obstacle::Failed(source)) => {
                    failure.get_or_insert_with(|| (placed[job.entry].path.clone(), source));
                }
            }
        }
        match failure {
            Some((path, source)) => Err(self.failure(&path, source)),
            None => Ok(()),
        }
    }

    fn failure(&self, path: &[u8], source: io::Error) -> ExtractError {
        ExtractError { path: self.path.join(as_path(path)), source }
    }
}

impl Receiver for Extractor {
    fn entries(&mut self, entries: Vec<Entry>) -> Result<(), DecompressError> {
        let placed = self.extract(&entries)?;
        for (entry, placed) in entries.into_iter().zip(placed) {
            if let Placement::Refused(refusal) = placed.placement {
                self.refused.push(Refused { path: entry.path, offset: entry.offset, refusal });
            }
        }
        Ok(())
    }

    fn closed(&mut self, archive: &EntryPath) {
        self.remove_opened(archive);
    }
}

/// Why an entry was not placed.
enum Stop {
    /// Something about this entry.
    Obstacle(Obstacle),
    /// Files before it could not be written.
    Error(ExtractError),
}

impl From<Obstacle> for Stop {
    fn from(obstacle: Obstacle) -> Stop {
        Stop::Obstacle(obstacle)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Obstacle(refusal.into())
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Obstacle(error.into())
    }
}

impl From<ExtractError> for Stop {
    fn from(error: ExtractError) -> Stop {
        Stop::Error(error)
    }
}

/// How much of a file there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// All of it.
    Whole,
    /// Something is wrong with its bytes.
    Damaged,
    /// There are no bytes, though there should be.
    Nothing,
}

impl State {
    fn of(entry: &Entry) -> State {
        let length = entry.bytes.len() as u64;
        // What is not supported and has no bytes has none that could be read.
        let has_its_size = length > 0 && entry.size == Some(length);
        if entry.problems.iter().all(|problem| leaves_bytes_whole(problem, has_its_size)) {
            State::Whole
        } else if length == 0 {
            State::Nothing
        } else {
            State::Damaged
        }
    }
}

/// Whether a problem is about what is in the file, or behind it, and not about its own bytes.
fn leaves_bytes_whole(problem: &Problem, has_its_size: bool) -> bool {
    match &problem.kind {
        ProblemKind::TrailingGarbage { .. } => true,
        ProblemKind::Limit(exceeded) => exceeded.limit == Limit::Depth,
        ProblemKind::Unsupported { .. } => has_its_size,
        ProblemKind::Truncated { .. }
        | ProblemKind::Corrupt { .. }
        | ProblemKind::Checksum { .. }
        | ProblemKind::Size { .. } => false,
    }
}

fn refused(refusal: Refusal) -> Placed {
    Placed { placement: Placement::Refused(refusal), path: Vec::new() }
}

/// A file system without links is no failure.
fn without_links(obstacle: Obstacle) -> Obstacle {
    match obstacle {
        Obstacle::Failed(error)
            if matches!(
                error.kind(),
                io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied | io::ErrorKind::TooManyLinks
            ) =>
        {
            Obstacle::Refused(Refusal::UnsupportedLink)
        }
        other => other,
    }
}

#[cfg(unix)]
fn symlink(directory: &Dir, target: &[u8], name: &Path) -> io::Result<()> {
    directory.symlink_contents(as_path(target), name)
}

#[cfg(not(unix))]
fn symlink(_: &Dir, _: &[u8], _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Sets the time of a symbolic link itself, as far as the file system can.
fn set_link_time(directory: &Dir, name: &[u8], modified: Option<i64>) {
    use cap_fs_ext::{DirExt as _, SystemTimeSpec};
    if let Some(time) = modified.and_then(system_time) {
        let time = SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time));
        let _ = directory.set_symlink_times(as_path(name), None, Some(time));
    }
}

/// Sets permissions and time of a directory.
fn set_attributes(directory: &Dir, mode: Option<u32>, modified: Option<i64>) -> io::Result<()> {
    use cap_fs_ext::{DirExt as _, SystemTimeSpec};
    #[cfg(unix)]
    if let Some(mode) = mode {
        use cap_std::fs::PermissionsExt as _;
        let mut permissions = directory.dir_metadata()?.permissions();
        let current = permissions.mode() & 0o777;
        // What the umask took away when the directory was made stays away.
        let wanted = (current & mode) | 0o700;
        if wanted != current {
            permissions.set_mode(wanted);
            directory.set_permissions(".", permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _ = mode;
    if let Some(time) = modified.and_then(system_time) {
        let time = SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time));
        directory.set_times(".", None, Some(time))?;
    }
    Ok(())
}
