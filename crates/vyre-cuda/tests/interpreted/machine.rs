//! PTX machine: threads of a block, each executed until it ends or needs other threads.
//!
//! The machine is strict. These are faults: an access outside a buffer's memory or unaligned, a store beyond a buffer's end, a
//! non-coherent load from a buffer that the launch writes, a division by 0, and a barrier or warp instruction that not all
//! named threads reach. Registers and shared memory start with arbitrary values.
//!
//! Address layout:
//!
//! | Bits | Field |
//! |---|---|
//! | 0-39 | offset within the buffer |
//! | 40-63 | number of the buffer plus 1; 0 for shared memory |

use std::collections::{BTreeSet, HashMap};

use crate::program::{Instruction, Op, Operand, Program, Test, Update};

/// Initial value of registers.
const UNINITIALISED: u64 = 0xdead_beef;

/// Maximum steps of a thread between two synchronizations.
const MAX_STEPS: u64 = 100_000_000;

/// First bit of the buffer number in an address.
const BUFFER_SHIFT: u32 = 40;

/// Memory of a launch: buffers, padded to whole vectors, and shared memory.
pub(crate) struct Memory {
    /// Padded contents and size of each buffer.
    buffers: Vec<(Vec<u8>, usize)>,
    shared: Vec<u8>,
    /// Buffers that the launch has written.
    written: BTreeSet<usize>,
    /// Buffers that the launch has read by non-coherent loads.
    cached: BTreeSet<usize>,
}

impl Memory {
    pub(crate) fn new(buffers: Vec<Vec<u8>>) -> Memory {
        let padded = |mut bytes: Vec<u8>| {
            let length = bytes.len();
            bytes.resize(length.next_multiple_of(16).max(16), 0xa5);
            (bytes, length)
        };
        let buffers = buffers.into_iter().map(padded).collect();
        Memory { buffers, shared: Vec::new(), written: BTreeSet::new(), cached: BTreeSet::new() }
    }

    pub(crate) fn address(buffer: usize) -> u64 {
        (buffer as u64 + 1) << BUFFER_SHIFT
    }

    /// Final contents of the buffers.
    pub(crate) fn finish(self) -> Result<Vec<Vec<u8>>, String> {
        if let Some(buffer) = self.written.intersection(&self.cached).next() {
            return Err(format!("buffer {buffer} is written and read by non-coherent loads"));
        }
        Ok(self.buffers.into_iter().map(|(bytes, length)| bytes[..length].to_vec()).collect())
    }

    /// Bytes of an access, the number of the buffer, and the bytes from the address to the end of the buffer.
    fn at(&mut self, is_shared: bool, address: u64, size: usize) -> Result<(&mut [u8], Option<usize>, usize), String> {
        let offset = (address & ((1 << BUFFER_SHIFT) - 1)) as usize;
        let buffer = (!is_shared).then(|| ((address >> BUFFER_SHIFT) as usize).wrapping_sub(1));
        let (bytes, length) = match buffer {
            None => {
                let length = self.shared.len();
                (&mut self.shared, length)
            }
            Some(buffer) => {
                let found = self.buffers.get_mut(buffer).ok_or_else(|| format!("{address:#x} is in no buffer"))?;
                (&mut found.0, found.1)
            }
        };
        let whole = bytes.len();
        let range = bytes.get_mut(offset..offset.saturating_add(size)).filter(|_| offset.is_multiple_of(size));
        let range = range.ok_or_else(|| format!("{size} bytes at {offset} of {whole}, shared: {is_shared}"))?;
        Ok((range, buffer, length.saturating_sub(offset)))
    }

    fn load(&mut self, is_shared: bool, is_cached: bool, address: u64, size: usize) -> Result<Vec<u64>, String> {
        let (bytes, buffer, _) = self.at(is_shared, address, size)?;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let words = bytes.chunks(4).map(word).collect();
        if let (true, Some(buffer)) = (is_cached, buffer) {
            self.cached.insert(buffer);
        }
        Ok(words)
    }

    fn store(&mut self, is_shared: bool, address: u64, words: &[u64]) -> Result<(), String> {
        let (bytes, buffer, length) = self.at(is_shared, address, words.len() * 4)?;
        if bytes.len() > length {
            return Err(format!("a store of {} bytes, {length} before the end", bytes.len()));
        }
        for (target, &word) in bytes.chunks_mut(4).zip(words) {
            target.copy_from_slice(&(word as u32).to_le_bytes());
        }
        self.written.extend(buffer);
        Ok(())
    }
}

/// Launch of a kernel.
pub(crate) struct Launch<'l> {
    pub(crate) program: &'l Program,
    pub(crate) parameters: &'l HashMap<String, u64>,
    pub(crate) threads: [u32; 3],
    pub(crate) shared_bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// At an instruction that needs other threads.
    Waiting,
    Ended,
}

struct Thread {
    /// Index of the next instruction.
    next: usize,
    registers: Vec<u64>,
    /// `%tid` and `%ctaid`.
    positions: [u64; 6],
    state: State,
}

impl Launch<'_> {
    /// Executes a block. `backwards` executes the threads in descending order.
    pub(crate) fn block(&self, memory: &mut Memory, block: [u32; 3], backwards: bool) -> Result<(), String> {
        memory.shared = vec![0xb7; self.shared_bytes.max(self.program.shared_bytes)];
        let [width, height, depth] = self.threads;
        let mut threads: Vec<Thread> = (0..width * height * depth)
            .map(|number| Thread {
                next: 0,
                registers: vec![UNINITIALISED; self.program.registers],
                positions: [
                    number % width,
                    number / width % height,
                    number / width / height,
                    block[0],
                    block[1],
                    block[2],
                ]
                .map(u64::from),
                state: State::Running,
            })
            .collect();
        loop {
            let mut order: Vec<usize> = (0..threads.len()).collect();
            if backwards {
                order.reverse();
            }
            for number in order {
                self.advance(&mut threads[number], memory)?;
            }
            if threads.iter().all(|thread| thread.state == State::Ended) {
                return Ok(());
            }
            self.synchronize(&mut threads)?;
        }
    }

    /// Executes a thread until it ends or needs other threads.
    fn advance(&self, thread: &mut Thread, memory: &mut Memory) -> Result<(), String> {
        for _ in 0..MAX_STEPS {
            if thread.state != State::Running {
                return Ok(());
            }
            let instruction = &self.program.code[thread.next];
            let is_executed =
                instruction.guard.is_none_or(|(register, holds)| (thread.registers[register] != 0) == holds);
            if is_executed {
                self.step(thread, memory, instruction)
                    .map_err(|error| format!("instruction {}, {:?}: {error}", thread.next, instruction.op))?;
            } else {
                thread.next += 1;
            }
        }
        Err("a thread does not end".to_owned())
    }

    fn value(&self, thread: &Thread, operand: &Operand) -> Result<u64, String> {
        Ok(match operand {
            Operand::Register(register) => thread.registers[*register],
            Operand::Number(number) => *number,
            Operand::Position(position) => thread.positions[*position],
            Operand::Address(base, offset) => self.value(thread, base)? + offset,
            Operand::Parameter(name) => *self.parameters.get(name).ok_or_else(|| format!("no parameter {name}"))?,
            Operand::Label(_) | Operand::List(_) => return Err(format!("{operand:?} is no value")),
        })
    }

    fn step(&self, thread: &mut Thread, memory: &mut Memory, instruction: &Instruction) -> Result<(), String> {
        let operands = &instruction.operands;
        let get = |at: usize| self.value(thread, operands.get(at).ok_or("an operand is missing")?);
        let word = |at: usize| get(at).map(|value| value as u32);
        let result = match instruction.op {
            Op::Copy => get(1)?,
            Op::Add => u64::from(word(1)?.wrapping_add(word(2)?)),
            Op::Sub => u64::from(word(1)?.wrapping_sub(word(2)?)),
            Op::MulLow => u64::from(word(1)?.wrapping_mul(word(2)?)),
            Op::MulHigh => (u64::from(word(1)?) * u64::from(word(2)?)) >> 32,
            Op::And => get(1)? & get(2)?,
            Op::Or => get(1)? | get(2)?,
            Op::Xor => get(1)? ^ get(2)?,
            Op::Min => get(1)?.min(get(2)?),
            Op::Max => get(1)?.max(get(2)?),
            // A shift by 32 or more clears the word.
            Op::ShiftLeft => u64::from(word(1)?.checked_shl(word(2)?).unwrap_or(0)),
            Op::ShiftRight => u64::from(word(1)?.checked_shr(word(2)?).unwrap_or(0)),
            Op::Divide => u64::from(word(1)?.checked_div(word(2)?).ok_or("a division by 0")?),
            Op::Remainder => u64::from(word(1)?.checked_rem(word(2)?).ok_or("a division by 0")?),
            Op::AddAddress => get(1)?.wrapping_add(get(2)?),
            Op::MulWide => u64::from(word(1)?) * u64::from(word(2)?),
            Op::Lookup => u64::from(looked_up([word(1)?, word(2)?, word(3)?], word(4)?)),
            Op::Negate => u64::from(word(1)?.wrapping_neg()),
            Op::NotPredicate => u64::from(get(1)? == 0),
            Op::Popcount => u64::from(word(1)?.count_ones()),
            Op::LeadingZeros => u64::from(word(1)?.leading_zeros()),
            Op::Reverse => u64::from(word(1)?.reverse_bits()),
            Op::AbsDiffAdd => u64::from(word(1)?.abs_diff(word(2)?).wrapping_add(word(3)?)),
            Op::MulAdd => u64::from(word(1)?.wrapping_mul(word(2)?).wrapping_add(word(3)?)),
            Op::Select => get(if get(3)? != 0 { 1 } else { 2 })?,
            Op::Funnel => (((get(2)? << 32) | get(1)?) >> (get(3)? & 31)) & u64::from(u32::MAX),
            Op::Compare(test) => {
                let (a, b) = (word(1)?, word(2)?);
                u64::from(match test {
                    Test::Equal => a == b,
                    Test::NotEqual => a != b,
                    Test::Less => a < b,
                    Test::LessOrEqual => a <= b,
                    Test::Greater => a > b,
                    Test::GreaterOrEqual => a >= b,
                })
            }
            Op::Load { is_shared, is_cached, is_byte } => {
                let targets: Vec<usize> = registers(&operands[0])?;
                let size = if is_byte { 1 } else { targets.len() * 4 };
                let words = memory.load(is_shared, is_cached, get(1)?, size)?;
                targets.iter().zip(words).for_each(|(&target, word)| thread.registers[target] = word);
                thread.next += 1;
                return Ok(());
            }
            Op::Store { is_shared } => {
                let words: Vec<u64> = match &operands[1] {
                    Operand::List(words) => {
                        words.iter().map(|word| self.value(thread, word)).collect::<Result<_, _>>()?
                    }
                    word => vec![self.value(thread, word)?],
                };
                memory.store(is_shared, get(0)?, &words)?;
                thread.next += 1;
                return Ok(());
            }
            Op::Update { update, is_shared } => {
                let (address, operand) = (get(0)?, word(1)?);
                let old = memory.load(is_shared, false, address, 4)?[0] as u32;
                memory.store(is_shared, address, &[u64::from(updated(update, old, operand))])?;
                thread.next += 1;
                return Ok(());
            }
            Op::Atomic { update, is_shared } => {
                let (address, operand) = (get(1)?, word(2)?);
                let old = memory.load(is_shared, false, address, 4)?[0] as u32;
                memory.store(is_shared, address, &[u64::from(updated(update, old, operand))])?;
                u64::from(old)
            }
            Op::CompareExchange { is_shared } => {
                let (address, expected, new) = (get(1)?, get(2)?, get(3)?);
                let old = memory.load(is_shared, false, address, 4)?[0];
                memory.store(is_shared, address, &[if old == expected { new } else { old }])?;
                old
            }
            Op::Branch => {
                let Some(Operand::Label(target)) = operands.first() else { return Err("no label".to_owned()) };
                thread.next = *target;
                return Ok(());
            }
            Op::Exit => {
                thread.state = State::Ended;
                return Ok(());
            }
            Op::Barrier
            | Op::WarpBarrier
            | Op::ShuffleUp
            | Op::ShuffleXor
            | Op::ShuffleIndex
            | Op::Vote
            | Op::Reduce(_) => {
                thread.state = State::Waiting;
                return Ok(());
            }
        };
        thread.registers[registers(&operands[0])?[0]] = result;
        thread.next += 1;
        Ok(())
    }

    /// Releases the threads whose barrier or warp instruction is complete. Fails if there are none.
    fn synchronize(&self, threads: &mut [Thread]) -> Result<(), String> {
        let alive: Vec<usize> = (0..threads.len()).filter(|&at| threads[at].state != State::Ended).collect();
        let op = |thread: &Thread| self.program.code[thread.next].op;
        if alive.iter().all(|&at| op(&threads[at]) == Op::Barrier) {
            let barriers: BTreeSet<usize> = alive.iter().map(|&at| threads[at].next).collect();
            if barriers.len() != 1 {
                return Err(format!("threads wait at different barriers: {barriers:?}"));
            }
            alive.iter().for_each(|&at| resume(&mut threads[at]));
            return Ok(());
        }
        let mut is_progress = false;
        for &at in &alive {
            if threads[at].state != State::Waiting || op(&threads[at]) == Op::Barrier {
                continue;
            }
            let (position, mask) = (threads[at].next, self.mask(&threads[at])?);
            if mask >> (at % 32) & 1 == 0 {
                return Err(format!("thread {at} is not in its own mask, {mask:#x}"));
            }
            let warp = at / 32 * 32;
            let members: Vec<usize> = alive
                .iter()
                .copied()
                .filter(|&other| other / 32 * 32 == warp && mask >> (other % 32) & 1 == 1)
                .collect();
            let mut are_here = true;
            for &other in &members {
                let thread = &threads[other];
                are_here &= thread.state == State::Waiting && thread.next == position && self.mask(thread)? == mask;
            }
            if are_here {
                self.exchange(threads, &members)?;
                is_progress = true;
            }
        }
        if is_progress { Ok(()) } else { Err("threads wait for each other".to_owned()) }
    }

    /// Lanes that take part in a warp instruction: its last operand.
    fn mask(&self, thread: &Thread) -> Result<u64, String> {
        let operands = &self.program.code[thread.next].operands;
        self.value(thread, operands.last().ok_or("an operand is missing")?)
    }

    /// Executes a warp instruction for its members.
    fn exchange(&self, threads: &mut [Thread], members: &[usize]) -> Result<(), String> {
        let Instruction { op, operands, .. } = &self.program.code[threads[members[0]].next];
        let mut values = HashMap::new();
        if *op != Op::WarpBarrier {
            for &at in members {
                values.insert(at % 32, self.value(&threads[at], &operands[1])?);
            }
        }
        for &at in members {
            let lane = at % 32;
            let thread = &mut threads[at];
            match op {
                Op::Vote => {
                    let bit = |(&lane, &holds): (&usize, &u64)| u64::from(holds != 0) << lane;
                    thread.registers[registers(&operands[0])?[0]] = values.iter().map(bit).sum();
                }
                Op::Reduce(update) => {
                    let words = values.values().map(|&word| word as u32);
                    let total = words.reduce(|a, b| updated(*update, a, b)).ok_or("no members")?;
                    thread.registers[registers(&operands[0])?[0]] = u64::from(total);
                }
                Op::ShuffleUp | Op::ShuffleXor | Op::ShuffleIndex => {
                    let by = self.value(thread, &operands[2])? as usize & 31;
                    let bounds = self.value(thread, &operands[3])? as usize;
                    let (segment, bound) = (bounds >> 8 & 31, bounds & 31);
                    let first = lane & segment;
                    let last = first | (bound & !segment & 31);
                    let (source, is_valid) = match op {
                        Op::ShuffleUp => (lane.wrapping_sub(by), lane >= by && lane - by >= last),
                        Op::ShuffleXor => (lane ^ by, lane ^ by <= last),
                        _ => (first | (by & !segment & 31), first | (by & !segment & 31) <= last),
                    };
                    let source = if is_valid { source } else { lane };
                    let targets = registers(&operands[0])?;
                    thread.registers[targets[0]] = values.get(&source).copied().unwrap_or(UNINITIALISED);
                    if let Some(&predicate) = targets.get(1) {
                        thread.registers[predicate] = u64::from(is_valid);
                    }
                }
                _ => {}
            }
        }
        members.iter().for_each(|&at| resume(&mut threads[at]));
        Ok(())
    }
}

fn resume(thread: &mut Thread) {
    thread.state = State::Running;
    thread.next += 1;
}

fn registers(operand: &Operand) -> Result<Vec<usize>, String> {
    match operand {
        Operand::Register(register) => Ok(vec![*register]),
        Operand::List(list) => list.iter().map(|one| registers(one).map(|found| found[0])).collect(),
        _ => Err(format!("{operand:?} is no register")),
    }
}

fn updated(update: Update, old: u32, operand: u32) -> u32 {
    match update {
        Update::Add => old.wrapping_add(operand),
        Update::Min => old.min(operand),
        Update::Max => old.max(operand),
        Update::And => old & operand,
        Update::Or => old | operand,
        Update::Xor => old ^ operand,
        Update::Exchange => operand,
    }
}

/// Result of `lop3`: bit `4 * a + 2 * b + c` of the table, for each bit of the operands.
fn looked_up([a, b, c]: [u32; 3], table: u32) -> u32 {
    let chosen = |word: u32, is_set: bool| if is_set { word } else { !word };
    let entries = (0..8).filter(|entry| table >> entry & 1 != 0);
    entries
        .fold(0, |bits, entry| bits | chosen(a, entry & 4 != 0) & chosen(b, entry & 2 != 0) & chosen(c, entry & 1 != 0))
}
