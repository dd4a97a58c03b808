//! What commands are, before they are added: how many there are, what they cost, and what tells them apart from others.
//!
//! Lists nest as deep as the host has nested them, which is no input from outside.

use vyre_runtime::{Buffer, Command, CommandList};

use crate::parts::number_of_parts;
use crate::pipeline::Compiled;

/// The most commands of a graph.
pub(crate) const MOST_NODES: u64 = 1000;

/// The fewest commands that are worth a graph when they come again.
const LEAST_NODES: u64 = 4;

/// The fewest commands of a repetition that are worth a graph at once.
const LEAST_REPEATED: u64 = 16;

/// The bytes that take the device about as long as a launch.
const BYTES_OF_A_LAUNCH: u64 = 1 << 26;

/// What a time costs: each has an event of its own until it is known.
pub(crate) const TIMESTAMP_COST: u64 = 16;

/// Commands that can be a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// The commands of the graph.
    pub(crate) nodes: u64,
    /// What they cost.
    pub(crate) cost: u64,
}

impl Size {
    const NOTHING: Size = Size { nodes: 0, cost: 0 };

    fn plus(self, other: Size) -> Size {
        Size { nodes: self.nodes.saturating_add(other.nodes), cost: self.cost.saturating_add(other.cost) }
    }

    pub(crate) fn times(self, count: u64) -> Size {
        Size { nodes: self.nodes.saturating_mul(count), cost: self.cost.saturating_mul(count) }
    }

    fn fits(self) -> bool {
        self.nodes <= MOST_NODES && self.cost <= MOST_NODES
    }
}

/// What moving so many bytes costs.
pub(crate) fn cost_of_bytes(bytes: u64) -> u64 {
    1 + bytes / BYTES_OF_A_LAUNCH
}

/// Whether two ranges share bytes of a buffer.
pub(crate) fn overlap(source: (&Buffer, u64), target: (&Buffer, u64), length: u64) -> bool {
    source.0.is_same(target.0) && source.1.abs_diff(target.1) < length
}

/// Whether a list leaves everything as it is.
pub(crate) fn does_nothing(list: &CommandList) -> bool {
    list.commands().iter().all(|command| match command {
        Command::Dispatch { grid, .. } => grid.contains(&0),
        Command::Fill { length, .. } | Command::Copy { length, .. } => *length == 0,
        Command::Repeat { count, commands } => *count == 0 || does_nothing(commands),
        _ => false,
    })
}

/// The size of a command that can be part of a graph.
fn size(command: &Command) -> Option<Size> {
    match command {
        Command::Dispatch { pipeline, grid, .. } => {
            let groups = pipeline.code::<Compiled>()?.groups_per_block();
            let parts = number_of_parts(*grid, groups);
            Some(Size { nodes: parts, cost: parts })
        }
        Command::Fill { length: 0, .. } | Command::Copy { length: 0, .. } => Some(Size::NOTHING),
        Command::Fill { length, .. } => Some(Size { nodes: 1, cost: cost_of_bytes(*length) }),
        Command::Copy { source, source_offset, target, target_offset, length } => {
            // What overlaps needs memory in between.
            let overlap = overlap((source, *source_offset), (target, *target_offset), *length);
            (!overlap).then(|| Size { nodes: 1, cost: cost_of_bytes(*length) })
        }
        Command::Repeat { count: 0, .. } => Some(Size::NOTHING),
        Command::Repeat { count, commands } => Some(size_of(commands)?.times(u64::from(*count))),
        _ => None,
    }
}

/// The size of a list that can be part of a graph.
fn size_of(list: &CommandList) -> Option<Size> {
    list.commands().iter().try_fold(Size::NOTHING, |sum, command| Some(sum.plus(size(command)?)))
}

/// The first commands that can be a graph together, and their size. Repetitions that are worth a graph of their own are no
/// part of it.
pub(crate) fn leading(commands: &[Command]) -> (&[Command], Size) {
    let mut sum = Size::NOTHING;
    let is_part = |command: &&Command| {
        let Some(size) = size(command) else { return false };
        let stands_alone = matches!(command, Command::Repeat { .. }) && size.nodes >= LEAST_REPEATED;
        if stands_alone || !sum.plus(size).fits() {
            return false;
        }
        sum = sum.plus(size);
        true
    };
    let count = commands.iter().take_while(is_part).count();
    (&commands[..count], sum)
}

/// Whether commands of a size are worth a graph when they come again.
pub(crate) fn is_worth_a_graph(size: Size) -> bool {
    size.nodes >= LEAST_NODES
}

/// How a repetition is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds {
    /// The size of a round.
    pub(crate) size: Size,
    /// The rounds of a graph.
    pub(crate) together: u32,
    /// How often that graph is run.
    pub(crate) count: u32,
    /// The rounds that are left then.
    pub(crate) rest: u32,
}

/// How a repetition is done with graphs, if it can be.
pub(crate) fn rounds(count: u32, list: &CommandList) -> Option<Rounds> {
    rounds_of(count, size_of(list)?)
}

fn rounds_of(count: u32, size: Size) -> Option<Rounds> {
    let is_worth_it = size.times(u64::from(count)).nodes >= LEAST_REPEATED;
    if !size.fits() || size.nodes == 0 || !is_worth_it {
        return None;
    }
    let together = u32::try_from(MOST_NODES / size.cost.max(size.nodes)).unwrap_or(u32::MAX).min(count);
    Some(Rounds { size, together, count: count / together, rest: count % together })
}

/// What tells commands apart from all others: programs and buffers by their numbers, which are never used again, the rounds
/// in which they come, and the word that tells them to end.
pub(crate) fn key(commands: &[Command], rounds: u32, word: Option<u64>) -> Option<Vec<u64>> {
    let mut key = vec![u64::from(rounds), word.unwrap_or(0)];
    add_to_key(&mut key, commands)?;
    Some(key)
}

fn add_to_key(key: &mut Vec<u64>, commands: &[Command]) -> Option<()> {
    key.push(commands.len() as u64);
    for command in commands {
        match command {
            Command::Dispatch { pipeline, bindings, grid: [x, y, z] } => {
                let number = pipeline.code::<Compiled>()?.number;
                key.extend([0, number, u64::from(*x) << 32 | u64::from(*y), u64::from(*z)]);
                // A program has the same number of buffers each time.
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

    use super::*;

    fn buffer() -> Buffer {
        Buffer::new(1 << 40, Arc::new(()))
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
    fn only_what_needs_nothing_else_is_part_of_a_graph() {
        let (a, b) = (buffer(), buffer());
        let one = Some(Size { nodes: 1, cost: 1 });
        assert_eq!(size(&fill(&a, 5)), one);
        assert_eq!(size(&fill(&a, 0)), Some(Size::NOTHING));
        assert_eq!(size(&copy(&a, 0, &b, 0, 9)), one);
        assert_eq!(size(&copy(&a, 0, &a, 9, 9)), one);
        assert_eq!(size(&copy(&a, 1, &a, 9, 9)), None);
        assert_eq!(size(&copy(&a, 9, &a, 1, 9)), None);
        assert_eq!(size(&Command::Timestamp), None);
        assert_eq!(size(&fill(&a, 1 << 30)), Some(Size { nodes: 1, cost: 17 }));
        let thrice = Command::Repeat { count: 3, commands: list([fill(&a, 5), fill(&b, 5)]) };
        assert_eq!(size(&thrice), Some(Size { nodes: 6, cost: 6 }));
        let endless = Command::Repeat { count: u32::MAX, commands: list([thrice.clone(), thrice]) };
        assert_eq!(size(&endless), Some(Size { nodes: 12 * u64::from(u32::MAX), cost: 12 * u64::from(u32::MAX) }));
        let timed = Command::Repeat { count: 3, commands: list([Command::Timestamp]) };
        assert_eq!(size(&timed), None);
    }

    #[test]
    fn lists_are_cut_where_a_graph_ends() {
        let a = buffer();
        let few = Command::Repeat { count: 3, commands: list([fill(&a, 5)]) };
        let many = Command::Repeat { count: 100, commands: list([fill(&a, 5)]) };
        let commands = [fill(&a, 1), few, fill(&a, 1), Command::Timestamp, fill(&a, 1), many];
        let (first, size) = leading(&commands);
        assert_eq!((first.len(), size.nodes), (3, 5));
        assert_eq!(leading(&commands[3..]).0.len(), 0);
        assert_eq!(leading(&commands[4..]).0.len(), 1);
        let long: Vec<Command> = (0..2500).map(|_| fill(&a, 1)).collect();
        assert_eq!(leading(&long).0.len() as u64, MOST_NODES);
        let large: Vec<Command> = (0..100).map(|_| fill(&a, 100 * BYTES_OF_A_LAUNCH)).collect();
        assert_eq!(leading(&large).0.len(), 9, "what takes long is not put together");
    }

    #[test]
    fn repetitions_are_few_graphs() {
        let size = |nodes: u64| Size { nodes, cost: nodes };
        let of = |count: u32, nodes: u64| rounds_of(count, size(nodes)).map(|r| (r.together, r.count, r.rest));
        assert_eq!(of(1000, 1), Some((1000, 1, 0)));
        assert_eq!(of(1001, 1), Some((1000, 1, 1)));
        assert_eq!(of(15, 1), None);
        assert_eq!(of(16, 1), Some((16, 1, 0)));
        assert_eq!(of(u32::MAX, 3), Some((333, 12_897_799, 228)));
        assert_eq!(of(7, 1000), Some((1, 7, 0)));
        assert_eq!(of(7, 1001), None);
        assert_eq!(of(7, 0), None);
        for (count, nodes) in [(1, 16), (17, 5), (12_345, 7), (u32::MAX, 1)] {
            let (together, runs, rest) = of(count, nodes).expect("it is worth it");
            assert_eq!(u64::from(together) * u64::from(runs) + u64::from(rest), u64::from(count));
            assert!(u64::from(together) * nodes <= MOST_NODES);
        }
    }

    #[test]
    fn keys_tell_commands_apart() {
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
            for (rounds, word) in [(1, None), (2, None), (1, Some(16))] {
                let made = key(commands, rounds, word).expect("they have a key");
                assert_eq!(key(commands, rounds, word).as_ref(), Some(&made));
                assert!(keys.insert(made), "{commands:?}");
            }
        }
        assert_eq!(key(&[Command::Timestamp], 1, None), None);
    }

    #[test]
    fn nothing_is_nothing_however_often() {
        let a = buffer();
        let nothing = list([fill(&a, 0), copy(&a, 0, &a, 0, 0)]);
        let often = list([Command::Repeat { count: u32::MAX, commands: nothing }]);
        assert!(does_nothing(&often));
        assert!(does_nothing(&list([Command::Repeat { count: 0, commands: list([fill(&a, 1)]) }])));
        assert!(!does_nothing(&list([Command::Timestamp])));
        assert!(!does_nothing(&list([fill(&a, 1)])));
    }
}
