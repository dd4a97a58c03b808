//! Kernels as naga modules.
//!
//! Modules are built value by value, never as text. What the language promises stands in the kernel already: guards of
//! accesses, divisors that are not zero, amounts of shifts below 32. It is translated as it stands, so modules need no
//! checks of their own and may be compiled without those that naga would add.
//!
//! Every value has a name. Writers of text print what has no name in place, within whatever uses it, and would go as deep
//! as the longest chain of values.

mod collective;
mod flow;
mod interface;
mod memory;
mod value;
mod zeroing;

use foldhash::{HashMap, HashMapExt as _};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Block, Expression, Function, FunctionArgument, Handle, Literal, LocalVariable, Module, Range, Scalar,
    Span, Statement, Type, TypeInner, VectorSize,
};
use vyre_kernel::{Kernel, Key as _, Usage, ValueId};
use vyre_runtime::Error;

use collective::Scratch;
use interface::Builtins;
use memory::Storage;

pub(crate) use interface::{BUFFER_GROUP, DISPATCH_BINDING, DISPATCH_GROUP, DispatchBlock};

/// What an adapter can do beyond what all can.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShaderFeatures {
    /// Arithmetic on 64-bit integers.
    pub(crate) int64: bool,
}

/// A kernel as a module that naga has validated.
pub(crate) struct Emitted {
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    /// The buffers that are bound, by their binding in the module.
    pub(crate) bound: Vec<BoundBuffer>,
    /// The bytes of workgroup memory, those that collectives need included.
    pub(crate) workgroup_bytes: u64,
}

/// A buffer that a shader accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundBuffer {
    /// Its position among the buffers of the program that are no workgroup memory.
    pub(crate) position: usize,
    /// Whether it is only read.
    pub(crate) read_only: bool,
}

/// The name of the entry point.
pub(crate) const ENTRY_POINT: &str = "main";

/// Makes a module of a kernel.
pub(crate) fn emit(kernel: &Kernel, features: ShaderFeatures) -> Result<Emitted, Error> {
    let usage = Usage::of(kernel);
    let mut module = Module::default();
    let types = Types::new(&mut module);
    let mut emitter = Emitter {
        kernel,
        features,
        usage,
        module,
        types,
        function: Function::default(),
        block: Block::new(),
        values: vec![None; kernel.values.len()],
        words: HashMap::new(),
        slots: Vec::new(),
        storages: Vec::new(),
        bound: Vec::new(),
        workgroup_bytes: 0,
        builtins: Builtins::default(),
        scratch: Scratch::default(),
    };
    emitter.declare_buffers();
    emitter.declare_slots();
    emitter.leaves();
    emitter.clear_workgroup_memory();
    emitter.statements(kernel.entry);
    emitter.finish()
}

/// The types that modules have.
struct Types {
    boolean: Handle<Type>,
    word: Handle<Type>,
    vec2: Handle<Type>,
    vec4: Handle<Type>,
    ids: Handle<Type>,
    atomic: Handle<Type>,
}

impl Types {
    fn new(module: &mut Module) -> Types {
        let mut add = |inner| module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
        let scalar = Scalar::U32;
        Types {
            boolean: add(TypeInner::Scalar(Scalar::BOOL)),
            word: add(TypeInner::Scalar(scalar)),
            vec2: add(TypeInner::Vector { size: VectorSize::Bi, scalar }),
            vec4: add(TypeInner::Vector { size: VectorSize::Quad, scalar }),
            ids: add(TypeInner::Vector { size: VectorSize::Tri, scalar }),
            atomic: add(TypeInner::Atomic(scalar)),
        }
    }

    fn of(&self, ty: vyre_kernel::Type) -> Handle<Type> {
        match ty {
            vyre_kernel::Type::Bool => self.boolean,
            vyre_kernel::Type::U32 => self.word,
            vyre_kernel::Type::Vec2 => self.vec2,
            vyre_kernel::Type::Vec4 => self.vec4,
        }
    }
}

/// A module as it grows.
struct Emitter<'k> {
    kernel: &'k Kernel,
    features: ShaderFeatures,
    usage: Usage,
    module: Module,
    types: Types,
    function: Function,
    /// The block that statements are added to.
    block: Block,
    /// By value: its expression, once it is there.
    values: Vec<Option<Handle<Expression>>>,
    /// Constant words, each of which exists once.
    words: HashMap<u32, Handle<Expression>>,
    /// By slot: a pointer to its variable.
    slots: Vec<Handle<Expression>>,
    /// By buffer: its variable, if the kernel accesses it.
    storages: Vec<Option<Storage>>,
    bound: Vec<BoundBuffer>,
    workgroup_bytes: u64,
    builtins: Builtins,
    scratch: Scratch,
}

impl Emitter<'_> {
    /// Adds an expression, computed here unless it is known everywhere.
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        let is_everywhere = expression.needs_pre_emit();
        let handle = self.function.expressions.append(expression, Span::UNDEFINED);
        if !is_everywhere {
            self.compute_here(handle);
        }
        handle
    }

    /// Says that an expression is computed here, together with the one before it if that is too.
    fn compute_here(&mut self, handle: Handle<Expression>) {
        if let Some(Statement::Emit(range)) = self.block.last_mut()
            && let Some((first, last)) = range.first_and_last()
            && last.index() + 1 == handle.index()
        {
            *range = Range::new_from_bounds(first, handle);
            return;
        }
        self.push(Statement::Emit(Range::new_from_bounds(handle, handle)));
    }

    fn push(&mut self, statement: Statement) {
        self.block.push(statement, Span::UNDEFINED);
    }

    /// The statements that `body` adds, as a block of their own.
    fn within(&mut self, body: impl FnOnce(&mut Self)) -> Block {
        let outer = std::mem::take(&mut self.block);
        body(self);
        std::mem::replace(&mut self.block, outer)
    }

    /// Runs what `body` adds where a condition holds.
    fn when(&mut self, condition: Handle<Expression>, body: impl FnOnce(&mut Self)) {
        let accept = self.within(body);
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }

    fn literal(&mut self, literal: Literal) -> Handle<Expression> {
        self.add(Expression::Literal(literal))
    }

    fn word(&mut self, word: u32) -> Handle<Expression> {
        if let Some(&known) = self.words.get(&word) {
            return known;
        }
        let handle = self.literal(Literal::U32(word));
        self.words.insert(word, handle);
        handle
    }

    fn named(&mut self, expression: Expression, name: String) -> Handle<Expression> {
        let handle = self.add(expression);
        self.function.named_expressions.insert(handle, name);
        handle
    }

    /// A pointer to a new variable of every invocation, which is zero at the start.
    fn variable(&mut self, name: String, ty: Handle<Type>) -> Handle<Expression> {
        let init = Some(self.add(Expression::ZeroValue(ty)));
        let variable = LocalVariable { name: Some(name), ty, init };
        let variable = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.add(Expression::LocalVariable(variable))
    }

    /// The expression of a value that has been computed.
    fn value(&mut self, value: ValueId) -> Handle<Expression> {
        match self.kernel.op(value) {
            vyre_kernel::Op::Word(word) => self.word(word),
            vyre_kernel::Op::Bool(truth) => self.literal(Literal::Bool(truth)),
            // A kernel that keeps the rules of its form has computed it; naga refuses the module otherwise.
            _ => self.values[value.position()].unwrap_or_else(|| self.word(0)),
        }
    }

    fn declare_slots(&mut self) {
        for (_, slot) in self.kernel.slots.iter() {
            let pointer = self.variable(identifier(&slot.name), self.types.of(slot.ty));
            self.slots.push(pointer);
        }
    }

    fn finish(mut self) -> Result<Emitted, Error> {
        let arguments: Vec<FunctionArgument> = self.builtins.arguments(&self.types);
        self.function.arguments = arguments;
        self.function.body = self.block;
        self.module.entry_points.push(naga::EntryPoint {
            name: ENTRY_POINT.to_owned(),
            stage: naga::ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: self.kernel.workgroup_size,
            workgroup_size_overrides: None,
            function: self.function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        let mut capabilities = Capabilities::empty();
        capabilities.set(Capabilities::SHADER_INT64, self.features.int64);
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&self.module)
            .map_err(|error| Error::compile("naga's validator", error.emit_to_string("")))?;
        Ok(Emitted { module: self.module, info, bound: self.bound, workgroup_bytes: self.workgroup_bytes })
    }

    /// A variable of the module.
    fn global(
        &mut self,
        name: String,
        space: AddressSpace,
        ty: Handle<Type>,
        binding: Option<naga::ResourceBinding>,
    ) -> Handle<naga::GlobalVariable> {
        let variable = naga::GlobalVariable {
            name: Some(name),
            space,
            binding,
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        self.module.global_variables.append(variable, Span::UNDEFINED)
    }
}

/// A name that all languages can live with; what is a keyword somewhere is renamed there.
fn identifier(name: &str) -> String {
    let mut found: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        found.insert_str(0, "n_");
    }
    found
}
