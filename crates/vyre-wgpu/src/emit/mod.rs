//! Code generation: kernels to naga modules.
//!
//! Modules are built in memory, never as text. The kernel already contains all guarantees of the language: guards of
//! accesses, divisors that are not zero, shift amounts below 32. The translation preserves them, so modules need no further
//! checks and are compiled without those of naga.
//!
//! Every value has a name. naga's text writers print unnamed expressions inline and recurse to the depth of the longest chain
//! of them. `splitting` bounds the number of names of a block for the writer whose time grows with their square.

mod collective;
mod flow;
mod interface;
mod memory;
mod splitting;
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
use memory::ArrayVariable;
use splitting::Spills;

pub(crate) use interface::{BUFFER_GROUP, DISPATCH_BINDING, DISPATCH_GROUP, DispatchBlock};

/// Features of the adapter and of the shading language that change the emitted code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShaderFeatures {
    /// 64-bit integer arithmetic.
    pub(crate) int64: bool,
    /// Uniform loads of collective results (`workgroupUniformLoad`), which the uniformity analysis of WGSL requires.
    pub(crate) uniform_loads: bool,
    /// Split blocks, which naga's MSL writer requires; see [`splitting`].
    pub(crate) split_blocks: bool,
}

/// Validated naga module of a kernel.
pub(crate) struct Emitted {
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    /// The accessed buffers, by their binding in the module.
    pub(crate) bound: Vec<BoundBuffer>,
    /// Bytes of workgroup memory, including that of collectives.
    pub(crate) workgroup_bytes: u64,
}

/// Buffer that a shader accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundBuffer {
    /// Position among the buffers of the program, workgroup memory excluded.
    pub(crate) position: usize,
    /// True if the shader does not write it.
    pub(crate) read_only: bool,
}

/// Name of the entry point.
pub(crate) const ENTRY_POINT: &str = "main";

/// Emits the module of a kernel.
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
        shifted: HashMap::new(),
        slots: Vec::new(),
        arrays: Vec::new(),
        bound: Vec::new(),
        workgroup_bytes: 0,
        builtins: Builtins::default(),
        scratch: Scratch::default(),
        spills: if features.split_blocks { Spills::of(kernel) } else { Spills::default() },
    };
    emitter.declare_buffers();
    emitter.declare_slots();
    emitter.leaves();
    emitter.clear_workgroup_memory();
    emitter.statements(kernel.entry);
    emitter.finish()
}

/// Types of a module.
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

/// State of the emission of a module.
struct Emitter<'k> {
    kernel: &'k Kernel,
    features: ShaderFeatures,
    usage: Usage,
    module: Module,
    types: Types,
    function: Function,
    /// Block to which statements are appended.
    block: Block,
    /// Expression of each value, after its computation.
    values: Vec<Option<Handle<Expression>>>,
    /// Literals of constant words, deduplicated.
    words: HashMap<u32, Handle<Expression>>,
    /// Results of shifts of constants, which are emitted as literals.
    shifted: HashMap<ValueId, u32>,
    /// Pointer to the variable of each slot.
    slots: Vec<Handle<Expression>>,
    /// Variable of each buffer that the kernel accesses.
    arrays: Vec<Option<ArrayVariable>>,
    bound: Vec<BoundBuffer>,
    workgroup_bytes: u64,
    builtins: Builtins,
    scratch: Scratch,
    spills: Spills,
}

impl Emitter<'_> {
    /// Appends an expression, with a statement that evaluates it here if it needs one.
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        let is_implicit = expression.needs_pre_emit();
        let handle = self.function.expressions.append(expression, Span::UNDEFINED);
        if !is_implicit {
            self.evaluate(handle);
        }
        handle
    }

    /// Appends a statement that evaluates an expression, or extends the one before it.
    fn evaluate(&mut self, handle: Handle<Expression>) {
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

    /// Collects the statements that `body` appends in a separate block.
    fn within(&mut self, body: impl FnOnce(&mut Self)) -> Block {
        let outer = std::mem::take(&mut self.block);
        body(self);
        std::mem::replace(&mut self.block, outer)
    }

    /// Emits an `if` without `else`.
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

    /// Declares a variable of each invocation, initially zero, and returns a pointer to it.
    fn variable(&mut self, name: String, ty: Handle<Type>) -> Handle<Expression> {
        let init = Some(self.add(Expression::ZeroValue(ty)));
        let variable = LocalVariable { name: Some(name), ty, init };
        let variable = self.function.local_variables.append(variable, Span::UNDEFINED);
        self.add(Expression::LocalVariable(variable))
    }

    /// Expression of a computed value.
    fn value(&mut self, value: ValueId) -> Handle<Expression> {
        match self.kernel.op(value) {
            vyre_kernel::Op::Word(word) => self.word(word),
            vyre_kernel::Op::Bool(value) => self.literal(Literal::Bool(value)),
            _ => match self.spills.pointer(value) {
                Some(pointer) => self.add(Expression::Load { pointer }),
                // A valid kernel computes values before their use; naga rejects the module of any other.
                None => self.values[value.position()].unwrap_or_else(|| self.word(0)),
            },
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

    /// Declares a global variable.
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

/// Converts a name to an identifier of all languages. Writers rename the keywords of theirs.
fn identifier(name: &str) -> String {
    let mut found: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        found.insert_str(0, "n_");
    }
    found
}
