//! Segments of command lists: their sizes, costs, keys, and the plan of a repetition.
//!
//! A segment is a run of commands that can form one graph. Functions recurse as deep as lists nest, which the host decides,
//! not external input.
//!
//! A key identifies commands. It consists of 64-bit words:
//!
//! | Words | Contents |
//! |---|---|
//! | 0 | iterations of the commands |
//! | 1 | address of the cancel word, 0 without |
//! | 2 | number of commands |
//! | 3.. | the commands, as below |
//!
//! | Command | Words |
//! |---|---|
//! | dispatch | 0; program number; grid x << 32 \| y; grid z; ids of the bound buffers |
//! | fill | 1; buffer id; offset; length; byte |
//! | copy | 2; source id; offset; target id; offset; length |
//! | repeat | 3; count; number of commands; the commands |

use vyre_runtime::shell::count_parts;
use vyre_runtime::{Buffer, Command, CommandList};

use super::grid::max_workgroups;
use crate::compile::program::CompiledProgram;

/// Maximum nodes of a graph, and maximum cost.
pub(crate) const MAX_GRAPH_NODES: u64 = 1000;

/// Minimum nodes of a graph of commands that were submitted before.
const MIN_GRAPH_NODES: u64 = 4;

/// Minimum nodes of a repetition that becomes a graph on its first submission.
const MIN_REPEATED_NODES: u64 = 16;

/// Bytes that the device copies in about the time of a launch.
const BYTES_PER_LAUNCH: u64 = 1 << 26;

/// Cost of a timestamp, which needs an event of its own until it is read.
pub(crate) const TIMESTAMP_COST: u64 = 16;

/// Size of commands that can form a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentSize {
    /// Nodes of the graph.
    pub(crate) nodes: u64,
    /// Estimated duration, in launches.
    pub(crate) cost: u64,
}

impl SegmentSize {
    const ZERO: SegmentSize = SegmentSize { nodes: 0, cost: 0 };

    fn plus(self, other: SegmentSize) -> SegmentSize {
        SegmentSize { nodes: self.nodes.saturating_add(other.nodes), cost: self.cost.saturating_add(other.cost) }
    }

    pub(crate) fn times(self, count: u64) -> SegmentSize {
        SegmentSize { nodes: self.nodes.saturating_mul(count), cost: self.cost.saturating_mul(count) }
    }

    fn fits(self) -> bool {
        self.nodes <= MAX_GRAPH_NODES && self.cost <= MAX_GRAPH_NODES
    }
}

/// Cost of a fill or copy.
pub(crate) fn cost_of_bytes(bytes: u64) -> u64 {
    1 + bytes / BYTES_PER_LAUNCH
}

/// Reports whether two ranges share bytes of a buffer.
pub(crate) fn overlap(source: (&Buffer, u64), target: (&Buffer, u64), length: u64) -> bool {
    source.0.is_same(target.0) && source.1.abs_diff(target.1) < length
}

/// Size of a command. `None` if it cannot be part of a graph.
fn size(command: &Command) -> Option<SegmentSize> {
    match command {
        Command::Dispatch { pipeline, grid, .. } => {
            let groups = pipeline.code::<CompiledProgram>(pipeline.device()).ok()?.groups_per_block();
            let parts = count_parts(*grid, max_workgroups(groups));
            Some(SegmentSize { nodes: parts, cost: parts })
        }
        Command::Fill { length: 0, .. } | Command::Copy { length: 0, .. } => Some(SegmentSize::ZERO),
        Command::Fill { length, .. } => Some(SegmentSize { nodes: 1, cost: cost_of_bytes(*length) }),
        Command::Copy { source, source_offset, target, target_offset, length } => {
            // An overlapping copy needs a temporary buffer.
            let overlap = overlap((source, *source_offset), (target, *target_offset), *length);
            (!overlap).then(|| SegmentSize { nodes: 1, cost: cost_of_bytes(*length) })
        }
        Command::Repeat { count: 0, .. } => Some(SegmentSize::ZERO),
        Command::Repeat { count, commands } => Some(list_size(commands)?.times(u64::from(*count))),
        _ => None,
    }
}

/// Size of a list. `None` if it cannot be part of a graph.
fn list_size(list: &CommandList) -> Option<SegmentSize> {
    list.commands().iter().try_fold(SegmentSize::ZERO, |sum, command| Some(sum.plus(size(command)?)))
}

/// Longest prefix of the commands that can form one graph, and its size. It ends before a repetition that becomes a graph of
/// its own.
pub(crate) fn leading_segment(commands: &[Command]) -> (&[Command], SegmentSize) {
    let mut sum = SegmentSize::ZERO;
    let is_part = |command: &&Command| {
        let Some(size) = size(command) else { return false };
        let stands_alone = matches!(command, Command::Repeat { .. }) && size.nodes >= MIN_REPEATED_NODES;
        if stands_alone || !sum.plus(size).fits() {
            return false;
        }
        sum = sum.plus(size);
        true
    };
    let count = commands.iter().take_while(is_part).count();
    (&commands[..count], sum)
}

/// Reports whether commands of a size become a graph when they are submitted again.
pub(crate) fn is_worth_a_graph(size: SegmentSize) -> bool {
    size.nodes >= MIN_GRAPH_NODES
}

/// Plan of a repetition: a graph of several iterations, launched several times, and a remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RepeatPlan {
    /// Size of an iteration.
    pub(crate) size: SegmentSize,
    /// Iterations of the graph.
    pub(crate) iterations_per_graph: u32,
    /// Launches of the graph.
    pub(crate) launches: u32,
    /// Iterations after the last launch.
    pub(crate) remainder: u32,
}

/// Plans a repetition with graphs. `None` if the commands cannot be captured, or if it is too small.
pub(crate) fn plan_repeat(count: u32, list: &CommandList) -> Option<RepeatPlan> {
    plan_for_size(count, list_size(list)?)
}

fn plan_for_size(count: u32, size: SegmentSize) -> Option<RepeatPlan> {
    let is_worth_it = size.times(u64::from(count)).nodes >= MIN_REPEATED_NODES;
    if !size.fits() || size.nodes == 0 || !is_worth_it {
        return None;
    }
    let max_iterations = MAX_GRAPH_NODES / size.cost.max(size.nodes);
    let iterations_per_graph = u32::try_from(max_iterations).unwrap_or(u32::MAX).min(count);
    let (launches, remainder) = (count / iterations_per_graph, count % iterations_per_graph);
    Some(RepeatPlan { size, iterations_per_graph, launches, remainder })
}

/// Key of commands in a number of iterations with a cancel word. `None` if a command cannot be part of a graph.
///
/// Programs and buffers have numbers that are never reused, so equal keys mean equal commands.
pub(crate) fn key(commands: &[Command], iterations: u32, cancel_word: Option<u64>) -> Option<Vec<u64>> {
    let mut key = vec![u64::from(iterations), cancel_word.unwrap_or(0)];
    add_to_key(&mut key, commands)?;
    Some(key)
}

fn add_to_key(key: &mut Vec<u64>, commands: &[Command]) -> Option<()> {
    key.push(commands.len() as u64);
    for command in commands {
        match command {
            Command::Dispatch { pipeline, bindings, grid: [x, y, z] } => {
                let number = pipeline.code::<CompiledProgram>(pipeline.device()).ok()?.number;
                key.extend([0, number, u64::from(*x) << 32 | u64::from(*y), u64::from(*z)]);
                // The program determines the number of buffers.
                key.extend(bindings.buffers().map(Buffer::id));
            }
            Command::Fill { buffer, offset, length, byte } => {
                key.extend([1, buffer.id(), *offset, *length, u64::from(*byte)]);
            }
            Command::Copy { source, source_offset, target, target_offset, length } => {
                key.extend([2, source.id(), *source_offset, target.id(), *target_offset, *length]);
            }
            Command::Repeat { count, commands } => {
                key.extend([3, u64::from(*count)]);
                add_to_key(key, commands.commands())?;
            }
            _ => return None,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vyre_runtime::DeviceId;

    use super::*;

    fn buffer() -> Buffer {
        Buffer::new(DeviceId::fresh(), 1 << 40, Arc::new(()))
    }

    fn fill(buffer: &Buffer, length: u64) -> Command {
        Command::Fill { buffer: buffer.clone(), offset: 0, length, byte: 1 }
    }

    fn copy(source: &Buffer, from: u64, target: &Buffer, to: u64, length: u64) -> Command {
        let (source, target) = (source.clone(), target.clone());
        Command::Copy { source, source_offset: from, target, target_offset: to, length }
    }

    fn list(commands: impl IntoIterator<Item = Command>) -> CommandList {
        let mut list = CommandList::new();
        commands.into_iter().for_each(|command| list.push(command));
        list
    }

    #[test]
    fn only_self_contained_commands_are_part_of_a_graph() {
        let (a, b) = (buffer(), buffer());
        let one = Some(SegmentSize { nodes: 1, cost: 1 });
        assert_eq!(size(&fill(&a, 5)), one);
        assert_eq!(size(&fill(&a, 0)), Some(SegmentSize::ZERO));
        assert_eq!(size(&copy(&a, 0, &b, 0, 9)), one);
        assert_eq!(size(&copy(&a, 0, &a, 9, 9)), one);
        assert_eq!(size(&copy(&a, 1, &a, 9, 9)), None);
        assert_eq!(size(&copy(&a, 9, &a, 1, 9)), None);
        assert_eq!(size(&Command::Timestamp), None);
        assert_eq!(size(&fill(&a, 1 << 30)), Some(SegmentSize { nodes: 1, cost: 17 }));
        let thrice = Command::Repeat { count: 3, commands: list([fill(&a, 5), fill(&b, 5)]) };
        assert_eq!(size(&thrice), Some(SegmentSize { nodes: 6, cost: 6 }));
        let endless = Command::Repeat { count: u32::MAX, commands: list([thrice.clone(), thrice]) };
        assert_eq!(
            size(&endless),
            Some(SegmentSize { nodes: 12 * u64::from(u32::MAX), cost: 12 * u64::from(u32::MAX) })
        );
        let timed = Command::Repeat { count: 3, commands: list([Command::Timestamp]) };
        assert_eq!(size(&timed), None);
    }

    #[test]
    fn lists_are_split_where_a_graph_ends() {
        let a = buffer();
        let few = Command::Repeat { count: 3, commands: list([fill(&a, 5)]) };
        let many = Command::Repeat { count: 100, commands: list([fill(&a, 5)]) };
        let commands = [fill(&a, 1), few, fill(&a, 1), Command::Timestamp, fill(&a, 1), many];
        let (first, size) = leading_segment(&commands);
        assert_eq!((first.len(), size.nodes), (3, 5));
        assert_eq!(leading_segment(&commands[3..]).0.len(), 0);
        assert_eq!(leading_segment(&commands[4..]).0.len(), 1);
        let long: Vec<Command> = (0..2500).map(|_| fill(&a, 1)).collect();
        assert_eq!(leading_segment(&long).0.len() as u64, MAX_GRAPH_NODES);
        let large: Vec<Command> = (0..100).map(|_| fill(&a, 100 * BYTES_PER_LAUNCH)).collect();
        assert_eq!(leading_segment(&large).0.len(), 9, "long commands do not share a graph");
    }

    #[test]
    fn repetitions_need_few_graphs() {
        let size = |nodes: u64| SegmentSize { nodes, cost: nodes };
        let of = |count: u32, nodes: u64| {
            plan_for_size(count, size(nodes)).map(|plan| (plan.iterations_per_graph, plan.launches, plan.remainder))
        };
        assert_eq!(of(1000, 1), Some((1000, 1, 0)));
        assert_eq!(of(1001, 1), Some((1000, 1, 1)));
        assert_eq!(of(15, 1), None);
        assert_eq!(of(16, 1), Some((16, 1, 0)));
        assert_eq!(of(u32::MAX, 3), Some((333, 12_897_799, 228)));
        assert_eq!(of(7, 1000), Some((1, 7, 0)));
        assert_eq!(of(7, 1001), None);
        assert_eq!(of(7, 0), None);
        for (count, nodes) in [(1, 16), (17, 5), (12_345, 7), (u32::MAX, 1)] {
            let (iterations, launches, remainder) = of(count, nodes).expect("it is worth it");
            assert_eq!(u64::from(iterations) * u64::from(launches) + u64::from(remainder), u64::from(count));
            assert!(u64::from(iterations) * nodes <= MAX_GRAPH_NODES);
        }
    }

    #[test]
    fn different_commands_have_different_keys() {
        let (a, b) = (buffer(), buffer());
        let nested = |commands: Vec<Command>| Command::Repeat { count: 2, commands: list(commands) };
        let lists = [
            vec![],
            vec![fill(&a, 1)],
            vec![fill(&b, 1)],
            vec![fill(&a, 2)],
            vec![fill(&a, 1), fill(&a, 1)],
            vec![copy(&a, 0, &b, 0, 1)],
            vec![copy(&b, 0, &a, 0, 1)],
            vec![nested(vec![fill(&a, 1)]), fill(&a, 1)],
            vec![nested(vec![fill(&a, 1), fill(&a, 1)])],
            vec![nested(vec![]), fill(&a, 1), fill(&a, 1)],
        ];
        let mut keys = std::collections::BTreeSet::new();
        for commands in &lists {
            for (iterations, word) in [(1, None), (2, None), (1, Some(16))] {
                let made = key(commands, iterations, word).expect("they have a key");
                assert_eq!(key(commands, iterations, word).as_ref(), Some(&made));
                assert!(keys.insert(made), "{commands:?}");
            }
        }
        assert_eq!(key(&[Command::Timestamp], 1, None), None);
    }

    #[test]
    fn repetitions_of_empty_commands_have_no_effect() {
        let a = buffer();
        let nothing = list([fill(&a, 0), copy(&a, 0, &a, 0, 0)]);
        let often = list([Command::Repeat { count: u32::MAX, commands: nothing }]);
        assert!(often.is_noop());
        assert!(list([Command::Repeat { count: 0, commands: list([fill(&a, 1)]) }]).is_noop());
        assert!(!list([Command::Timestamp]).is_noop());
        assert!(!list([fill(&a, 1)]).is_noop());
    }
}
