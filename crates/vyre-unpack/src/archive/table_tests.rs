//! Tests of the table of members.

use std::ops::Range;

use super::*;
use crate::archive::SparsePart;
use crate::problem::ProblemKind;

static STREAM: StreamFormat = StreamFormat {
    name: "stream",
    title: "stream",
    detect: |_| false,
    decode: |_| Ok(()),
    find_blocks: None,
    always_has_checksum: false,
    suffixes: &[],
};

fn member(number: u64) -> Member {
    Member {
        name: format!("directory/{number}").into_bytes(),
        kind: EntryKind::File,
        content: Content::Nothing,
        size: None,
        compressed_size: number,
        method: "tar",
        offset: number << 20,
        mode: None,
        modified: None,
        problems: Vec::new(),
    }
}

/// Block with one part.
fn block_of(part: Range<usize>) -> Arc<Block> {
    Block::of_parts(std::iter::once(part).collect())
}

fn all_kinds() -> Vec<Member> {
    let block = block_of(0..5);
    let slice = |range, crc32| Content::Block(BlockSlice { block: Arc::clone(&block), range, crc32 });
    let packed = |method, size, crc32| Content::Packed(Packed { method, range: 1 << 40..(1 << 40) + 9, size, crc32 });
    let sparse = SparseFile { size: 1 << 50, parts: vec![SparsePart { offset: 3, data: 1..2 }] };
    let contents = [
        Content::Nothing,
        Content::Plain { range: 0..0, sha256: None },
        Content::Plain { range: 512..usize::MAX, sha256: Some(Box::new([7; 32])) },
        packed(Method::Stored, Some(u64::MAX), Some(u32::MAX)),
        packed(Method::Deflate, None, None),
        packed(Method::Stream(&STREAM), Some(0), None),
        slice(0..3, None),
        slice(3..5, Some(1)),
        // An archive may state an end before the start.
        slice(Range { start: 5, end: 3 }, Some(1)),
        Content::Sparse(Box::new(sparse)),
    ];
    let kinds = [
        EntryKind::File,
        EntryKind::Directory,
        EntryKind::Symlink { target: b"../a\0".to_vec() },
        EntryKind::Hardlink { target: Vec::new() },
        EntryKind::Special { what: "fifo" },
    ];
    let mut members = Vec::new();
    for (number, content) in contents.into_iter().enumerate() {
        for (more, kind) in kinds.iter().enumerate() {
            let mut one = member(number as u64);
            one.content = content.clone();
            one.kind = kind.clone();
            one.size = [None, Some(0), Some(u64::MAX)][more % 3];
            one.mode = [None, Some(0), Some(u32::MAX)][(number + more) % 3];
            one.modified = [None, Some(i64::MIN), Some(i64::MAX), Some(-1)][(number + more) % 4];
            one.name = vec![b'n'; more * 100];
            if more == 3 {
                one.problems.push(Problem::new(9, ProblemKind::Truncated { what: "all" }));
            }
            members.push(one);
        }
    }
    members
}

fn table_of(members: Vec<Member>) -> MemberTable {
    let mut table = MemberTable::default();
    for member in members {
        table.push(member).expect("there is memory");
    }
    table
}

#[test]
fn members_are_the_same_after_encoding() {
    let table = table_of(all_kinds());
    let expected = all_kinds();
    assert_eq!(table.len(), expected.len());
    let text = |member: &Member| format!("{member:?}");
    for (index, (found, expected)) in table.iter().zip(&expected).enumerate() {
        let problems = found.problems.to_vec();
        assert_eq!(text(&Member { problems, ..found.into_member() }), text(expected));
        assert_eq!(text(&table.copy(index).expect("it has the member")), text(expected));
    }
    assert!(table.copy(expected.len()).is_none());
    let all: Vec<String> = table.into_iter().map(|member| text(&member)).collect();
    assert_eq!(all, expected.iter().map(text).collect::<Vec<_>>());
}

#[test]
fn members_of_many_parts_keep_their_order() {
    for count in [0, 1, PART_MEMBERS, PART_MEMBERS + 1, 3 * PART_MEMBERS + 7] {
        let mut table = table_of((0..count as u64).map(member).collect());
        assert!(table.iter().map(|member| member.compressed_size).eq(0..count as u64));
        if count > 0 {
            let mut last = member(0);
            last.problems.push(Problem::new(1, ProblemKind::Truncated { what: "last" }));
            table.replace(count - 1, last);
            assert_eq!(table.get(count - 1).expect("it has the member").compressed_size, 0);
            table.push_problem(0, Problem::new(0, ProblemKind::Truncated { what: "first" }));
            assert_eq!(table.problems().count(), 2);
        }
        assert_eq!(table.into_iter().map(|member| member.problems.len()).sum::<usize>(), if count > 0 { 2 } else { 0 });
    }
    let long: Vec<Member> = (0..5).map(|number| Member { name: vec![b'x'; PART_BYTES], ..member(number) }).collect();
    let table = table_of(long);
    assert_eq!(table.parts.len(), 5);
    assert!(table.into_iter().map(|member| member.compressed_size).eq(0..5));
}

/// The bytes of a solid block must not stay until the end of the archive.
#[test]
fn blocks_are_free_after_their_last_member() {
    let blocks = [block_of(0..1), block_of(1..2)];
    let of = |block: &Arc<Block>, number| Member {
        content: Content::Block(BlockSlice { block: Arc::clone(block), range: 0..1, crc32: None }),
        ..member(number)
    };
    let mut members = table_of(vec![of(&blocks[0], 0), of(&blocks[0], 1), of(&blocks[1], 2)]).into_iter();
    let counts = || blocks.each_ref().map(Arc::strong_count);
    assert_eq!(counts(), [2, 2]);
    members.next();
    assert_eq!(counts(), [2, 2]);
    members.next();
    assert_eq!(counts(), [1, 2]);
    members.next();
    assert_eq!(counts(), [1, 1]);
}

#[test]
fn a_member_takes_little_more_than_its_name() {
    let table = table_of((0..1000).map(member).collect());
    let bytes: usize = table.parts.iter().map(|part| part.bytes.len() + 4 * part.starts.len()).sum();
    assert!(bytes < 1000 * 32, "{bytes} bytes");
}
