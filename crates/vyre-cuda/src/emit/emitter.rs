//! State of the emission: the text so far, the registers in use, and the values in them.

use std::fmt::Write as _;

use vyre_kernel::{Kernel, Type, Usage};

use super::assembler_workaround::DifferenceWorkaround;
use super::idiom::Idioms;
use super::operand::{Address, Label, Operand, Predicate, Word, Words};
use super::packing::BlockPacking;
use super::vectors::Vectors;
use crate::ptx::{PtxParameter, PtxTarget};

/// Emitter of one kernel.
pub(super) struct Emitter<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) target: PtxTarget,
    pub(super) usage: Usage,
    pub(super) packing: BlockPacking,
    pub(super) idioms: Idioms,
    pub(super) vectors: Vectors,
    pub(super) workaround: DifferenceWorkaround,
    /// True if loads select an index instead of having a predicate, because the kernel has too many of them.
    pub(super) has_many_guards: bool,
    /// Instructions at the start of the kernel, added when the body first needs their results.
    pub(super) prologue: String,
    pub(super) body: String,
    /// Operand of each value.
    pub(super) values: Vec<Operand>,
    /// Registers of each slot.
    pub(super) slots: Vec<Operand>,
    pub(super) prologue_values: PrologueValues,
    pub(super) parameters: Vec<PtxParameter>,
    /// Number of word registers.
    pub(super) words: u32,
    /// Number of address registers.
    pub(super) addresses: u32,
    /// Number of predicate registers.
    pub(super) predicates: u32,
    pub(super) labels: u32,
    /// Targets of `Break`, the innermost one last.
    pub(super) exits: Vec<Label>,
}

/// Registers that the prologue sets.
#[derive(Default)]
pub(super) struct PrologueValues {
    /// 32-bit parameters.
    pub(super) words: Vec<(PtxParameter, Word)>,
    /// Address parameters.
    pub(super) addresses: Vec<(PtxParameter, Address)>,
    /// Local id on each axis.
    pub(super) local_ids: [Option<Word>; 3],
    /// Workgroup id on each axis.
    pub(super) workgroup_ids: [Option<Word>; 3],
    /// Invocation id on each axis.
    pub(super) invocation_ids: [Option<Word>; 3],
    /// Linear index of the invocation in its workgroup.
    pub(super) local_index: Option<Word>,
    /// Lane of the thread in its warp.
    pub(super) warp_lane: Option<Word>,
    /// Number of the warp in a large workgroup.
    pub(super) warp: Option<Word>,
    /// Lanes of the warp that belong to the workgroup, as a bit mask.
    pub(super) member_mask: Option<Word>,
    /// First lane of the workgroup's segment.
    pub(super) segment_start: Option<Word>,
    /// Address of the workgroup's shared memory.
    pub(super) shared: Option<Word>,
    /// Loop iterations that the thread has executed, for the periodic poll of the cancel word.
    pub(super) iterations: Option<Word>,
    /// Offset of the current exchange buffer: 0 or the size of one.
    pub(super) exchange_offset: Option<Word>,
}

/// Adds an instruction to the text.
macro_rules! line {
    ($emitter:expr, $($text:tt)*) => {
        $emitter.line(format_args!($($text)*))
    };
}
pub(super) use line;

impl<'k> Emitter<'k> {
    /// Emitter of a kernel, with empty text.
    pub(super) fn new(kernel: &'k Kernel, target: PtxTarget, usage: Usage, packing: BlockPacking) -> Emitter<'k> {
        let idioms = Idioms::of(kernel, &usage);
        let vectors = Vectors::of(kernel, &idioms);
        Emitter {
            kernel,
            target,
            usage,
            packing,
            idioms,
            vectors,
            workaround: DifferenceWorkaround::of(kernel),
            has_many_guards: false,
            prologue: String::new(),
            body: String::new(),
            values: vec![Operand::Undefined; kernel.values.len()],
            slots: Vec::new(),
            prologue_values: PrologueValues::default(),
            parameters: Vec::new(),
            words: 0,
            addresses: 0,
            predicates: 0,
            labels: 0,
            exits: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "\t{text};");
    }

    /// Moves the instructions that `work` emits to the prologue.
    pub(super) fn in_prologue<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let body = std::mem::take(&mut self.body);
        let result = work(self);
        let added = std::mem::replace(&mut self.body, body);
        self.prologue.push_str(&added);
        result
    }

    pub(super) fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub(super) fn place_label(&mut self, label: Label) {
        let _ = writeln!(self.body, "{label}:");
    }

    pub(super) fn new_word(&mut self) -> Word {
        self.words += 1;
        Word::Register(self.words - 1)
    }

    pub(super) fn new_words(&mut self, count: u32) -> Words {
        Words::from_fn(count, || self.new_word())
    }

    pub(super) fn new_predicate(&mut self) -> Predicate {
        self.predicates += 1;
        Predicate::Register(self.predicates - 1)
    }

    pub(super) fn new_address(&mut self) -> Address {
        self.addresses += 1;
        Address(self.addresses - 1)
    }

    /// Allocates registers for a value of a type.
    pub(super) fn new_operand(&mut self, ty: Type) -> Operand {
        match ty {
            Type::Bool => Operand::Predicate(self.new_predicate()),
            Type::U32 | Type::Vec2 | Type::Vec4 => Operand::Words(self.new_words(ty.words())),
        }
    }

    /// Puts a predicate into a register.
    pub(super) fn predicate_register(&mut self, predicate: Predicate) -> Predicate {
        let Predicate::Constant(holds) = predicate else { return predicate };
        let register = self.new_predicate();
        let test = if holds { "eq" } else { "ne" };
        line!(self, "setp.{test}.u32 {register}, 0, 0");
        register
    }

    /// Puts a word into a register.
    pub(super) fn register(&mut self, word: Word) -> Word {
        let Word::Constant(_) = word else { return word };
        let register = self.new_word();
        line!(self, "mov.u32 {register}, {word}");
        register
    }

    /// Emits an instruction and returns its result in a new register.
    pub(super) fn computed(&mut self, instruction: &str, operands: &[Word]) -> Word {
        let result = self.new_word();
        let _ = write!(self.body, "\t{instruction} {result}");
        for operand in operands {
            let _ = write!(self.body, ", {operand}");
        }
        self.body.push_str(";\n");
        result
    }

    /// Emits a comparison and returns its result in a new register.
    pub(super) fn compared(&mut self, test: &str, a: Word, b: Word) -> Predicate {
        let result = self.new_predicate();
        line!(self, "setp.{test}.u32 {result}, {a}, {b}");
        result
    }
}
