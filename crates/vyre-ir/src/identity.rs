//! Identity of a program: canonical bytes that serve as the key of caches.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;

use crate::{Event, Expr, OpTable, Program, Traversal, wire};

/// Canonical bytes of a program and of the ops that it calls, directly and transitively.
///
/// Two programs have the same identity if and only if they and their ops are equal: equality compares the bytes, not a
/// hash. A clone shares the bytes.
///
/// ```
/// use vyre_ir::{OpTable, text};
///
/// let source = "workgroup_size 1; buffer b: read_write u32 @0; entry { b[0] = 1; }";
/// let ops = OpTable::default();
/// let (one, two) = (text::parse(source).expect("parses"), text::parse(&source.replace('1', "2")).expect("parses"));
/// let (one, two) = (one.validate(&ops).expect("is valid"), two.validate(&ops).expect("is valid"));
/// assert_eq!(one.identity(), one.clone().identity());
/// assert_ne!(one.identity(), two.identity());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramIdentity {
    hash: u64,
    bytes: Arc<[u8]>,
}

impl Hash for ProgramIdentity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal bytes have equal hashes.
        state.write_u64(self.hash);
    }
}

impl ProgramIdentity {
    pub(crate) fn of(program: &Program, ops: &OpTable) -> ProgramIdentity {
        let mut bytes = Vec::new();
        let mut push = |part: &[u8]| {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        };
        push(&wire::to_wire(program));
        let mut found = BTreeMap::new();
        let mut pending = vec![program];
        while let Some(program) = pending.pop() {
            for event in Traversal::new(program) {
                if let Event::Expr(Expr::Call { op_id, args: _ }) = event
                    && !found.contains_key(op_id)
                    && let Some(op) = ops.get(op_id)
                {
                    found.insert(op_id.clone(), op);
                    pending.push(&op.program);
                }
            }
        }
        for (id, op) in found {
            push(id.as_bytes());
            push(&op.version.to_le_bytes());
            push(&wire::to_wire(&op.program));
        }
        ProgramIdentity { hash: FixedState::default().hash_one(&bytes), bytes: bytes.into() }
    }
}
