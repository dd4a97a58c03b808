//! Kernels as PTX text.
//!
//! What the language promises stands in the kernel already: guards of accesses, divisors that are not zero, amounts of shifts
//! below 32. It is translated as it stands: a guard becomes a predicate, so an access that is not allowed is an instruction
//! that does nothing. Registers are numbered and never reused; the driver's assembler allocates the real ones.
//!
//! How invocations become threads is told in [`layout`], collectives in [`collective`].

mod collective;
mod exposure;
mod flow;
mod idiom;
mod interface;
mod layout;
mod memory;
mod operand;
mod value;
mod vectors;

use std::fmt::Write as _;

use vyre_kernel::{Kernel, Key as _, Op, Statement, Type, Usage, ValueId};
use vyre_runtime::Error;

use crate::ptx::{Ptx, PtxParameter, PtxTarget};
use exposure::Exposure;
use idiom::Idioms;
use interface::Known;
use layout::Layout;
use operand::{Held, Truth, Word, Words};
use vectors::Vectors;

/// The version of PTX that is written: that of CUDA 12.0, which knows all targets up to `sm_90`.
const VERSION: &str = "8.0";

/// The most loads with a predicate. The assembler's time grows with the square of their number: 19,000 of them take it more
/// than three minutes, and six seconds where all of them load and a choice follows.
const MOST_PREDICATED_LOADS: usize = 512;

fn guarded_loads(kernel: &Kernel) -> usize {
    let mut count = 0;
    kernel.for_each_statement(|statement| {
        let Statement::Let(value) = statement else { return };
        count += usize::from(matches!(kernel.op(value), Op::Load { guard: Some(_), .. }));
    });
    count
}

/// Translates a kernel.
pub(crate) fn emit(kernel: &Kernel, target: PtxTarget) -> Result<Ptx, Error> {
    let usage = Usage::of(kernel);
    let layout = Layout::of(kernel, &usage)?;
    let idioms = Idioms::of(kernel, &usage);
    let vectors = Vectors::of(kernel, &idioms);
    let mut emitter = Emitter {
        has_many_guards: guarded_loads(kernel) > MOST_PREDICATED_LOADS,
        kernel,
        target,
        idioms,
        vectors,
        exposure: Exposure::of(kernel),
        usage,
        layout,
        prologue: String::new(),
        body: String::new(),
        values: vec![Held::Nothing; kernel.values.len()],
        slots: Vec::new(),
        known: Known::default(),
        parameters: Vec::new(),
        words: 0,
        addresses: 0,
        truths: 0,
        labels: 0,
        exits: Vec::new(),
    };
    emitter.enter();
    emitter.declare_slots();
    emitter.clear_workgroup_memory();
    emitter.block(kernel.entry);
    Ok(emitter.finish())
}

/// A kernel on its way into text.
struct Emitter<'k> {
    kernel: &'k Kernel,
    target: PtxTarget,
    usage: Usage,
    layout: Layout,
    idioms: Idioms,
    vectors: Vectors,
    exposure: Exposure,
    /// Whether loads are guarded by choosing what to load, as there are too many of them to be predicated.
    has_many_guards: bool,
    /// What is computed once at the start, as it turns out to be needed.
    prologue: String,
    body: String,
    /// By value: where it is.
    values: Vec<Held>,
    /// By slot: the registers that hold it.
    slots: Vec<Held>,
    /// What the prologue has.
    known: Known,
    parameters: Vec<PtxParameter>,
    words: u32,
    addresses: u32,
    truths: u32,
    labels: u32,
    /// Where a `Break` goes, innermost last.
    exits: Vec<Label>,
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Label(u32);

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "$L{}", self.0)
    }
}

/// A register with an address of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Address(u32);

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%rd{}", self.0)
    }
}

/// Adds an instruction to the text.
macro_rules! line {
    ($emitter:expr, $($text:tt)*) => {
        $emitter.line(format_args!($($text)*))
    };
}
use line;

impl Emitter<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "\t{text};");
    }

    /// Adds what `work` writes to the prologue.
    fn before<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let body = std::mem::take(&mut self.body);
        let result = work(self);
        let added = std::mem::replace(&mut self.body, body);
        self.prologue.push_str(&added);
        result
    }

    fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    fn place(&mut self, label: Label) {
        let _ = writeln!(self.body, "{label}:");
    }

    fn new_word(&mut self) -> Word {
        self.words += 1;
        Word::Register(self.words - 1)
    }

    fn new_words(&mut self, count: u32) -> Words {
        Words::from_fn(count, || self.new_word())
    }

    fn new_truth(&mut self) -> Truth {
        self.truths += 1;
        Truth::Register(self.truths - 1)
    }

    fn new_address(&mut self) -> Address {
        self.addresses += 1;
        Address(self.addresses - 1)
    }

    /// Registers for a value of a type.
    fn new_held(&mut self, ty: Type) -> Held {
        match ty {
            Type::Bool => Held::Truth(self.new_truth()),
            Type::U32 | Type::Vec2 | Type::Vec4 => Held::Words(self.new_words(ty.words())),
        }
    }

    /// Where a value is.
    fn held(&mut self, value: ValueId) -> Held {
        match self.values[value.position()] {
            Held::Nothing => {
                let held = self.leaf(self.kernel.op(value));
                self.values[value.position()] = held;
                held
            }
            held => held,
        }
    }

    /// A value that is a word.
    fn word(&mut self, value: ValueId) -> Word {
        self.words(value).first()
    }

    /// The words of a value.
    fn words(&mut self, value: ValueId) -> Words {
        match self.held(value) {
            Held::Words(words) => words,
            // A kernel that keeps the rules of its form has no such use.
            Held::Truth(_) | Held::Nothing => Words::of([Word::Constant(0)]),
        }
    }

    /// A value that is a truth value.
    fn truth(&mut self, value: ValueId) -> Truth {
        match self.held(value) {
            Held::Truth(truth) => truth,
            Held::Words(_) | Held::Nothing => Truth::Constant(false),
        }
    }

    /// A register with a truth value.
    fn predicate(&mut self, truth: Truth) -> Truth {
        let Truth::Constant(holds) = truth else { return truth };
        let register = self.new_truth();
        let test = if holds { "eq" } else { "ne" };
        line!(self, "setp.{test}.u32 {register}, 0, 0");
        register
    }

    /// A register with a word.
    fn register(&mut self, word: Word) -> Word {
        let Word::Constant(_) = word else { return word };
        let register = self.new_word();
        line!(self, "mov.u32 {register}, {word}");
        register
    }

    /// A new word that an instruction with these operands gives.
    fn computed(&mut self, instruction: &str, operands: &[Word]) -> Word {
        let result = self.new_word();
        let _ = write!(self.body, "\t{instruction} {result}");
        for operand in operands {
            let _ = write!(self.body, ", {operand}");
        }
        self.body.push_str(";\n");
        result
    }

    /// A new truth value that a comparison gives.
    fn compared(&mut self, test: &str, a: Word, b: Word) -> Truth {
        let result = self.new_truth();
        line!(self, "setp.{test}.u32 {result}, {a}, {b}");
        result
    }

    fn finish(mut self) -> Ptx {
        // Addresses first, so that nothing lies between parameters to align them.
        self.parameters.sort_by_key(|parameter| match parameter {
            PtxParameter::Address(_) | PtxParameter::Cancel => 0,
            PtxParameter::Length(_) | PtxParameter::Workgroups(_) | PtxParameter::FirstWorkgroup(_) => 1,
        });
        let mut text = String::with_capacity(self.prologue.len() + self.body.len() + 1024);
        let _ = writeln!(text, ".version {VERSION}\n.target sm_{}\n.address_size 64\n", self.target.sm);
        self.layout.declare_shared_memory(&mut text);
        let _ = write!(text, ".visible .entry {}(", Ptx::ENTRY);
        for (number, parameter) in self.parameters.iter().enumerate() {
            let separator = if number == 0 { "" } else { "," };
            let ty = match parameter {
                PtxParameter::Address(_) => ".u64 .ptr .global .align 16",
                PtxParameter::Cancel => ".u64 .ptr .global .align 4",
                PtxParameter::Length(_) | PtxParameter::Workgroups(_) | PtxParameter::FirstWorkgroup(_) => ".u32",
            };
            let _ = write!(text, "{separator}\n\t.param {ty} {}", interface::parameter_name(*parameter));
        }
        let [x, y, z] = self.layout.block;
        let _ = writeln!(text, "\n)\n.maxntid {x}, {y}, {z}\n{{");
        for (ty, name, count) in [("pred", "p", self.truths), ("b32", "r", self.words), ("b64", "rd", self.addresses)] {
            if count != 0 {
                let _ = writeln!(text, "\t.reg .{ty} %{name}<{count}>;");
            }
        }
        text.push_str(&self.prologue);
        text.push_str(&self.body);
        text.push_str("\tret;\n}\n");
        Ptx {
            text,
            block: self.layout.block,
            groups_per_block: self.layout.groups,
            dynamic_shared_bytes: self.layout.dynamic_bytes(),
            parameters: self.parameters,
        }
    }
}
