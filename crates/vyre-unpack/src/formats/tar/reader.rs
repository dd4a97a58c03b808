//! The walk through an archive that follows all readers at once.

use std::collections::BTreeMap;

use super::extended::{Extension, ExtensionKind, Values};
use super::header::{BLOCK_BYTES, Header};
use super::reading::{Place, Reading, Seen, agreed_reading, next_header, reading_of};
use super::tool::{Number, Tool, Tools, agreed, number_of};
use super::whiteouts;
use crate::archive::{Content, Listing, Member, describe_name};
use crate::entry::EntryKind;
use crate::limits::Budget;
use crate::problem::{Problem, ProblemKind};

/// Bytes of names that may be allocated, as a multiple of the size of the archive. Only a global header that repeats a name
/// needs more.
const MAX_NAMES: usize = 1;

/// Problem text of a member after damage.
const AFTER_DAMAGE: &str = "the header before the entry is damaged, so its name and place may be wrong";

/// Lists the members of a tar archive.
pub(super) fn list(archive: &[u8], budget: &Budget) -> Result<Listing, Problem> {
    let mut reader = Reader {
        archive,
        budget,
        listing: Listing::default(),
        ended: Tools::default(),
        name_budget: archive.len().saturating_mul(MAX_NAMES),
        waiting: BTreeMap::new(),
    };
    reader.add(0, Group { tools: Tools::ALL, ..Group::default() });
    while let Some((at, groups)) = reader.waiting.pop_first() {
        for group in groups {
            reader.step(at, group);
        }
        if reader.listing.limit.is_some() || reader.listing.refused.is_some() {
            break;
        }
    }
    let mut listing = reader.listing;
    whiteouts::report(&mut listing);
    match listing.problems.first() {
        Some(problem) if listing.is_without_members() => Err(problem.clone()),
        _ => Ok(listing),
    }
}

/// Readers that are at the same offset in the same state.
#[derive(Clone, Default)]
struct Group<'a> {
    tools: Tools,
    /// Records of global extended headers, which concern all following members.
    global: Values<'a>,
    /// Extended headers and long names for the next member.
    next: Vec<Extension>,
    /// Damage that makes the name or size of the next member unreliable.
    suspicion: Option<Problem>,
    /// True if the archive has had extended headers.
    has_pax: bool,
}

/// Walk through an archive.
struct Reader<'a> {
    archive: &'a [u8],
    budget: &'a Budget,
    listing: Listing,
    /// Readers that have ended.
    ended: Tools,
    /// Number of bytes of names that may still be allocated.
    name_budget: usize,
    /// Groups by the offset of their next header.
    waiting: BTreeMap<usize, Vec<Group<'a>>>,
}

impl<'a> Reader<'a> {
    /// Adds a group at an offset. Groups in the same state join.
    fn add(&mut self, at: usize, group: Group<'a>) {
        if group.tools.is_empty() {
            return;
        }
        let waiting = self.waiting.entry(at).or_default();
        match waiting.iter_mut().find(|other| other.next == group.next && other.global == group.global) {
            Some(other) => {
                other.tools = other.tools.with(group.tools);
                other.has_pax |= group.has_pax;
                other.suspicion = other.suspicion.take().or(group.suspicion);
            }
            None => waiting.push(group),
        }
    }

    fn problem(&mut self, at: usize, kind: ProblemKind) {
        let problem = Problem::new(at as u64, kind);
        if !self.listing.problems.contains(&problem) {
            self.listing.push_problem(problem);
        }
    }

    /// Reads the header of a group.
    fn step(&mut self, at: usize, mut group: Group<'a>) {
        let archive = self.archive;
        if at >= archive.len() {
            self.ended = self.ended.with(group.tools);
            self.problem(archive.len(), ProblemKind::Truncated { what: "end of the tar file" });
            return self.end_of_state(&group);
        }
        let Some(header) = Header::read(archive, at) else {
            if archive[at..].iter().any(|&byte| byte != 0) {
                self.problem(at, ProblemKind::Truncated { what: "tar header" });
            }
            self.ended = self.ended.with(group.tools);
            return self.end_of_state(&group);
        };
        if header.is_zero() {
            self.zero_block(at, &group);
            return;
        }
        let mut problems = Vec::new();
        if !header.is_valid_to_all() {
            let invalid: Vec<Tool> = group.tools.iter().filter(|&tool| !header.is_valid_to(tool)).collect();
            let mut invalid = invalid.into_iter().fold(Tools::default(), |set, tool| set.with(Tools::of(tool)));
            let valid = group.tools.without(invalid);
            if !valid.is_empty() {
                // The tolerant reading believes any reader.
                invalid = invalid.without(Tools::of(Tool::Recovery));
                if !invalid.is_empty() {
                    let what = format!("the checksum of the tar header is wrong to {invalid}, and right to {valid}");
                    problems.push(Problem::new(at as u64, ProblemKind::Readings { what }));
                }
            } else {
                problems.extend(self.damaged_header(&header, at, &group));
                if !problems.is_empty() {
                    invalid = invalid.without(Tools::of(Tool::Recovery));
                }
            }
            self.skip_block(at, &group, invalid);
            group.tools = group.tools.without(invalid);
            if group.tools.is_empty() {
                return;
            }
        }
        if !self.extension(&header, at, &mut group, !problems.is_empty()) {
            self.member(header, at, group, problems);
        }
    }

    /// Reports headers that concern a member which does not follow.
    fn end_of_state(&mut self, group: &Group<'a>) {
        if !group.next.is_empty() {
            let kind = ProblemKind::Truncated { what: "tar header after an extended one" };
            self.problem(self.archive.len(), kind);
        }
    }

    /// Ends at a block of zeros. npm goes on after a single one.
    fn zero_block(&mut self, at: usize, group: &Group<'a>) {
        let next = at + BLOCK_BYTES;
        let goes_on = Header::read(self.archive, next).is_some_and(|header| !header.is_zero());
        if goes_on && group.tools.contains(Tool::Npm) {
            self.add(next, Group { tools: Tools::of(Tool::Npm), ..group.clone() });
        }
        if let Some(first) = self.archive[next..].iter().position(|&byte| byte != 0) {
            let bytes = (self.archive.len() - next - first) as u64;
            self.problem(next + first, ProblemKind::TrailingGarbage { bytes });
        }
        let stays = if goes_on { Tools::of(Tool::Npm) } else { Tools::default() };
        self.ended = self.ended.with(group.tools.without(stays));
        self.end_of_state(group);
    }

    /// The tolerant reading of a header that no reader of the group accepts. Returns the problem of its member, if a header
    /// follows where the damaged one says that the member ends; otherwise the reading goes on at the next header.
    fn damaged_header(&mut self, header: &Header<'a>, at: usize, group: &Group<'a>) -> Option<Problem> {
        if !group.tools.contains(Tool::Recovery) {
            return None;
        }
        let (expected, found) = (header.stated_checksum().unwrap_or(0), header.checksum());
        let kind = ProblemKind::Checksum { what: "checksum of the tar header", expected, found };
        if self.is_followed(header, at) {
            return Some(Problem::new(at as u64, kind));
        }
        self.problem(at, kind);
        let recovery = Tools::of(Tool::Recovery);
        match next_header(self.archive, at + BLOCK_BYTES) {
            Some(next) => {
                let suspicion = Some(Problem::new(at as u64, ProblemKind::Corrupt { what: AFTER_DAMAGE }));
                let global = group.global;
                self.add(next, Group { tools: recovery, global, suspicion, ..Group::default() });
            }
            None => self.ended = self.ended.with(recovery),
        }
        None
    }

    /// Lets the readers that skip the block of an invalid header go on, and ends the others.
    fn skip_block(&mut self, at: usize, group: &Group<'a>, invalid: Tools) {
        let skips = |tool: &Tool| match tool {
            Tool::Gnu | Tool::Npm => true,
            Tool::Bsd => at > 0,
            Tool::SevenZip => at == 0,
            Tool::Python | Tool::Go | Tool::Rust | Tool::Recovery => false,
        };
        let skipping = invalid.iter().filter(skips).fold(Tools::default(), |set, tool| set.with(Tools::of(tool)));
        let ended = invalid.without(skipping).without(Tools::of(Tool::Recovery));
        self.ended = self.ended.with(ended);
        let (global, has_pax) = (group.global, group.has_pax);
        self.add(at + BLOCK_BYTES, Group { tools: skipping, global, has_pax, ..Group::default() });
    }

    /// True if a header, or the end, follows where this damaged header says that its member ends.
    fn is_followed(&self, header: &Header<'_>, at: usize) -> bool {
        let Some(size) = header.size().and_then(|size| usize::try_from(size).ok()) else { return false };
        let Some(next) = size.checked_next_multiple_of(BLOCK_BYTES).and_then(|size| size.checked_add(at + BLOCK_BYTES))
        else {
            return false;
        };
        next == self.archive.len()
            || Header::read(self.archive, next).is_some_and(|header| header.is_zero() || header.is_valid())
    }

    /// Reads a header that concerns the next member. Returns false if no reader of the group is left.
    fn extension(&mut self, header: &Header<'a>, at: usize, group: &mut Group<'a>, is_damaged: bool) -> bool {
        let is_member_to: fn(Tool) -> bool = match header.kind() {
            b'x' | b'g' | b'L' | b'K' => |_| false,
            b'X' => |tool| matches!(tool, Tool::Go | Tool::Rust),
            b'N' => |tool| tool != Tool::Npm,
            _ => return false,
        };
        let start = at + BLOCK_BYTES;
        let members = group.tools.iter().filter(|&tool| is_member_to(tool));
        let members = members.fold(Tools::default(), |set, tool| set.with(Tools::of(tool)));
        let mut sizes: Vec<(Number, Tools)> = Vec::new();
        let agreed = agreed(header.size_field());
        for tool in group.tools.without(members).iter() {
            let size = agreed.map_or_else(|| number_of(tool, header.size_field()), Number::Value);
            match sizes.iter_mut().find(|(other, _)| *other == size) {
                Some((_, tools)) => *tools = tools.with(Tools::of(tool)),
                None => sizes.push((size, Tools::of(tool))),
            }
        }
        for (size, tools) in sizes {
            let size = match size {
                Number::Value(size) => usize::try_from(size).ok(),
                Number::Bad => None,
            };
            let data = size.and_then(|size| Some(start..start.checked_add(size)?));
            let Some((data, content)) = data.and_then(|data| Some((data.clone(), self.archive.get(data)?))) else {
                self.problem(at, ProblemKind::Truncated { what: "extended tar header" });
                self.ended = self.ended.with(tools);
                continue;
            };
            let mut after = Group { tools, has_pax: true, ..group.clone() };
            let mut is_read = true;
            let kind = match header.kind() {
                b'L' | b'N' => Some(ExtensionKind::Name),
                b'K' => Some(ExtensionKind::Target),
                b'g' => {
                    is_read = after.global.read(Tool::Recovery, content);
                    None
                }
                _ => Some(ExtensionKind::Pax),
            };
            after.has_pax = group.has_pax || !matches!(header.kind(), b'L' | b'K' | b'N');
            let end = data.len().next_multiple_of(BLOCK_BYTES);
            after.next.extend(kind.map(|kind| Extension { kind, data }));
            if !is_read || is_damaged {
                after.suspicion = Some(damaged_extension(at));
            }
            self.add(start + end, after);
        }
        group.tools = members;
        members.is_empty()
    }

    /// Reads a member that is not an extension.
    fn member(&mut self, header: Header<'a>, at: usize, group: Group<'a>, mut problems: Vec<Problem>) {
        let Group { tools, ref global, ref next, has_pax, .. } = group;
        let place = Place { archive: self.archive, at, header, next, global, has_pax };
        let mut readings: Vec<(Reading, Tools)> = Vec::new();
        problems.extend(group.suspicion.clone());
        match agreed_reading(&place) {
            Some(reading) => readings.push((reading, tools)),
            None => {
                for tool in tools.iter() {
                    let (reading, is_intact) = reading_of(tool, &place);
                    if tool == Tool::Recovery && !is_intact && group.suspicion.is_none() {
                        problems.push(damaged_extension(at));
                    }
                    match readings.iter_mut().find(|(other, _)| *other == reading) {
                        Some((_, tools)) => *tools = tools.with(Tools::of(tool)),
                        None => readings.push((reading, Tools::of(tool))),
                    }
                }
                believe_tools(&mut readings);
            }
        }
        problems.extend(disagreement(&header, at, &readings));
        let missing = Tools::ALL.without(self.ended).without(tools).without(Tools::of(Tool::Recovery));
        let others = tools.without(Tools::of(Tool::Recovery));
        let is_recovered = others.is_empty() && group.suspicion.is_some();
        if !missing.is_empty() && !is_recovered {
            let what = format!("a header to {tools}, and no header to {missing}");
            problems.push(Problem::new(at as u64, ProblemKind::Readings { what }));
        }
        let mut emitted: Vec<Seen> = Vec::new();
        for (Reading { seen, next }, tools) in readings {
            if let Some(seen) = seen.filter(|seen| !emitted.iter().any(|other| other.is_same(seen))) {
                if !self.emit(&header, at, &seen, &problems) {
                    return;
                }
                if emitted.is_empty() {
                    // The disagreement is described once; the other readings refer to it.
                    let is_readings = |problem: &Problem| matches!(problem.kind, ProblemKind::Readings { .. });
                    if problems.iter().any(is_readings) {
                        problems.retain(|problem| !is_readings(problem));
                        let what = "another reading of the header before".to_owned();
                        problems.push(Problem::new(at as u64, ProblemKind::Readings { what }));
                    }
                }
                emitted.push(seen);
            }
            let suspicion = emitted
                .last()
                .filter(|seen| seen.has_no_size)
                .map(|_| Problem::new(at as u64, ProblemKind::Corrupt { what: AFTER_DAMAGE }));
            match next {
                Some(next) => {
                    self.add(next, Group { tools, global: group.global, suspicion, has_pax, ..Group::default() });
                }
                None => self.ended = self.ended.with(tools),
            }
        }
        if emitted.is_empty() {
            for problem in problems {
                self.listing.push_problem(problem);
            }
        }
    }

    /// Adds a member to the listing. Returns false if a limit or the memory ends it.
    fn emit(&mut self, header: &Header<'_>, at: usize, seen: &Seen, problems: &[Problem]) -> bool {
        if let Err(exceeded) = self.budget.reserve_entries(1) {
            self.listing.limit = Some(exceeded);
            return false;
        }
        let target = match &seen.kind {
            EntryKind::Symlink { target } | EntryKind::Hardlink { target } => target.len(),
            _ => 0,
        };
        let Some(name_budget) = self.name_budget.checked_sub(seen.name.len() + target) else {
            self.problem(at, ProblemKind::Corrupt { what: "the names of the entries are longer than the archive" });
            self.waiting.clear();
            return false;
        };
        self.name_budget = name_budget;
        let archive_end = self.archive.len() as u64;
        let start = (at + BLOCK_BYTES) as u64;
        let mut member = Member {
            name: seen.name.clone(),
            kind: seen.kind.clone(),
            content: Content::Nothing,
            size: seen.size,
            compressed_size: seen.packed,
            method: "tar",
            offset: at as u64,
            mode: header.mode(),
            modified: seen.modified,
            problems: problems.to_vec(),
        };
        let mut problem = |at: u64, kind| member.problems.push(Problem::new(at, kind));
        if seen.has_no_size {
            problem(at as u64, ProblemKind::Corrupt { what: "the tar header has no size that can be read" });
        }
        if seen.has_stray_data {
            problem(start, ProblemKind::Corrupt { what: "the entry is no file, but has data" });
        }
        if seen.is_truncated {
            problem(archive_end, ProblemKind::Truncated { what: "data of the entry" });
        }
        if let Some(what) = seen.unsupported {
            problem(at as u64, ProblemKind::Unsupported { what: what.to_owned() });
        }
        if let Some(range) = &seen.data {
            member.content = match &seen.sparse {
                Some(file) => Content::Sparse(Box::new(file.clone())),
                None => Content::Plain { range: range.clone(), sha256: None },
            };
            let end = range.end.checked_next_multiple_of(BLOCK_BYTES).unwrap_or(usize::MAX);
            if !seen.is_truncated && end > self.archive.len() {
                self.problem(self.archive.len(), ProblemKind::Truncated { what: "last block of the archive" });
            }
        }
        self.listing.push(member)
    }
}

/// The problem of a member with a damaged extended header.
fn damaged_extension(at: usize) -> Problem {
    let what = "an extended header of the entry is damaged, so its name and size may be wrong";
    Problem::new(at as u64, ProblemKind::Corrupt { what })
}

/// Lets the tolerant reading follow the others if they agree: it exists for damage only.
fn believe_tools(readings: &mut Vec<(Reading, Tools)>) {
    let recovery = Tools::of(Tool::Recovery);
    let ends = |reading: &Reading| reading.seen.is_none() && reading.next.is_none();
    let own = readings.iter().position(|(_, tools)| *tools == recovery);
    let others = readings.iter().filter(|(reading, tools)| *tools != recovery && !ends(reading)).count();
    if let Some(own) = own.filter(|_| others == 1) {
        readings.remove(own);
        if let Some((_, tools)) = readings.iter_mut().find(|(reading, _)| !ends(reading)) {
            *tools = tools.with(recovery);
        }
    }
}

/// The problem of a header on which readers disagree.
fn disagreement(header: &Header<'_>, at: usize, readings: &[(Reading, Tools)]) -> Option<Problem> {
    let recovery = Tools::of(Tool::Recovery);
    let shown: Vec<&(Reading, Tools)> = readings.iter().filter(|(_, tools)| *tools != recovery).collect();
    let is_blank = header.size_field().iter().all(|byte| matches!(byte, b' ' | 0));
    let going_on = shown.iter().filter(|(reading, _)| reading.next.is_some()).count();
    if shown.len() < 2 || (is_blank && going_on < 2) {
        return None;
    }
    let describe = |(reading, tools): &&(Reading, Tools)| {
        let place = match reading.next {
            Some(next) if next == usize::MAX => String::new(),
            Some(next) => format!(", next header at byte {next}"),
            None => String::new(),
        };
        match &reading.seen {
            None if reading.next.is_none() => format!("an error to {tools}"),
            None => format!("nothing to {tools}{place}"),
            Some(seen) => format!("{} to {tools}{place}", describe_seen(seen)),
        }
    };
    let parts: Vec<String> = shown.iter().map(describe).collect();
    let what = format!("readers disagree; the header is {}", parts.join("; "));
    Some(Problem::new(at as u64, ProblemKind::Readings { what }))
}

/// A member in words.
fn describe_seen(seen: &Seen) -> String {
    let name = describe_name(&seen.name);
    match &seen.kind {
        EntryKind::File if seen.sparse.is_some() || seen.unsupported.is_some() => format!("the sparse file {name}"),
        EntryKind::File => format!("the file {name} of {} bytes", seen.packed),
        EntryKind::Directory => format!("the directory {name}"),
        EntryKind::Symlink { target } | EntryKind::Hardlink { target } => {
            format!("the link {name} to {}", describe_name(target))
        }
        EntryKind::Special { what } => format!("the {what} {name}"),
    }
}
