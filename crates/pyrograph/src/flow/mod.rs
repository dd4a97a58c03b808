//! Flow module: the language-neutral form of a source file, in SSA form.
//!
//! A front end translates syntax into a [`FlowModule`] and does nothing else; every later stage is shared by all languages.
//! A module is one table of instructions. Each instruction belongs to a function, has a span of the source text, and defines
//! the value of the same number. The order within a function is execution order. There is no control-flow graph: local
//! variables are renamed, joins are [`Op::Phi`], and a branch on a test of a value defines a new name of that value with
//! [`Op::Guard`].
//!
//! Contract of front ends:
//!
//! - Function 0 is the top-level code of the file.
//! - A local variable that no other function uses is only SSA values. A variable that inner functions use has a [`Cell`].
//!   If only the declaring function assigns it, that function reads SSA values and stores every assigned value to the cell
//!   too; inner functions load the cell. If inner functions assign it, every read is a load of the cell.
//! - Conditions that fold to constants prune their branches: the pruned branch yields no instructions.
//! - Loads are value-numbered within a function: a second read of `a.b` is the value of the first one, or of the last store,
//!   unless a store or call between them may have changed it. So a guard on `a.b` covers later reads.
//! - Awaiting and promises are transparent: [`Op::Await`] copies, and an async function returns its plain value.
//! - Names of fields that programs cannot write start with `%`, see [`field`].

mod builder;
mod check;
mod print;
pub mod span;

pub use builder::Builder;
pub use check::FlowProblem;
pub use span::Span;

/// End of specifiers of imports of one module of a folder, which the program chooses when it runs: `./commands/*`.
pub const FOLDER: &str = "/*";

/// Names of pseudo-fields.
pub mod field {
    /// Elements of an array, set or iterator at unknown positions. Elements at constant positions are fields `0`, `1`, ...
    pub const ELEMENT: &str = "%element";
    /// Keys of a map.
    pub const KEY: &str = "%key";
    /// Values of a map.
    pub const VALUE: &str = "%value";
    /// Chunks of a stream of a library, in API paths: the elements of the stream.
    pub const CHUNK: &str = "%chunk";
    /// Parent in the prototype chain, as [`super::Op::Inherit`] sets it.
    pub const PARENT: &str = "%parent";
    /// Prefix of names that methods look up behind their class, in the order of the base classes: `%super FUNCTION NAME`. The function
    /// is the class.
    pub const SUPER: &str = "%super ";
    /// Prefix of specifiers of imports of all public names of a module.
    pub const STAR: &str = "*";
    /// Field that the prototypes of classes with constructors of their own have.
    pub const INIT: &str = "%init";
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Position in the table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// Instruction of a module, and the value that it defines.
    ValueId
);
index!(
    /// Function of a module.
    FunctionId
);
index!(
    /// Captured variable of a module.
    CellId
);
index!(
    /// Text of a module: names, strings, specifiers.
    SymbolId
);
index!(
    /// Call of a module.
    CallId
);
index!(
    /// Test of a module.
    TestId
);

/// Range of the operand table [`FlowModule::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueList {
    /// Position of the first operand.
    pub start: u32,
    /// Number of operands.
    pub len: u32,
}

/// A source file as instructions.
#[derive(Clone, Debug, Default)]
pub struct FlowModule {
    /// Functions. The first one is the top-level code.
    pub functions: Vec<Function>,
    /// Instructions of all functions.
    pub instructions: Vec<Instruction>,
    /// Operands of instructions with lists.
    pub operands: Vec<ValueId>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Tests of guards.
    pub tests: Vec<Test>,
    /// Captured variables.
    pub cells: Vec<Cell>,
    /// Texts.
    pub symbols: Vec<Box<str>>,
    /// Branches that were pruned, because their condition is constant.
    pub pruned: Vec<Span>,
    /// Places where a function calls its third parameter without arguments, as handlers of requests do to go on: function, names of
    /// tested members that are known there.
    pub passes: Vec<(FunctionId, Vec<ValueId>)>,
    /// Functions that never return: they always throw, or end the program.
    pub ending: Vec<FunctionId>,
    /// Fields of parameters that every call of a function stores before it returns: function, position of the parameter, field.
    pub certain_stores: Vec<(FunctionId, u32, SymbolId)>,
    /// Loads of fields of new objects behind a call that gets the object, without a store between them: load, call, position of the
    /// argument.
    pub reloads: Vec<(ValueId, ValueId, u32)>,
    /// Calls of classes make objects. Otherwise [`CallKind::New`] does.
    pub calls_construct: bool,
    /// Names that begin with one underscore are not for others.
    pub has_private_names: bool,
    /// Names that the module offers to others (`__all__`), sorted. None: all of them, except private ones.
    pub public_names: Option<Vec<SymbolId>>,
    /// Types of results of functions and of fields of classes: function, place, module and name of the type.
    pub types: Vec<(FunctionId, TypedPlace, SymbolId, SymbolId)>,
    /// Sinks that are results of functions are at the places where these return. Otherwise they are at the call that gets the
    /// function.
    pub has_return_places: bool,
}

/// Use of a type, beside parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedPlace {
    /// Result of a function.
    Result,
    /// Field of the objects of a class.
    Field(SymbolId),
}

impl FlowModule {
    /// True for a name that an import of all names of the module binds.
    #[must_use]
    pub fn offers(&self, name: &str) -> bool {
        match &self.public_names {
            Some(names) => names.iter().any(|&public| self.text(public) == name),
            None => !(self.has_private_names && name.starts_with('_')),
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    /// Operation.
    pub op: Op,
    /// Function that contains it.
    pub function: FunctionId,
    /// Bytes of the source text.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Name in the source, or the name of the variable or property that it initialises.
    pub name: Option<SymbolId>,
    /// Function around it. None: top-level code.
    pub parent: Option<FunctionId>,
    /// Names of the parameters by position. None: a pattern.
    pub parameters: Vec<Option<SymbolId>>,
    /// Kind.
    pub kind: FunctionKind,
    /// Returns a promise or coroutine.
    pub is_async: bool,
    /// Yields elements.
    pub is_generator: bool,
    /// Class or method decorators: values of the enclosing function.
    pub decorators: Vec<ValueId>,
    /// Decorators of parameters: position of the parameter, value of the enclosing function.
    pub parameter_decorators: Vec<(u32, ValueId)>,
    /// Tests of parameters that the result of the function decides, for functions such as `isSafe(name)`.
    pub predicate: Option<Box<Predicate>>,
    /// Parameters whose types are imported: position, specifier of the module, name of the type.
    pub parameter_types: Vec<(u32, SymbolId, SymbolId)>,
    /// Span of the whole function.
    pub span: Span,
}

/// Kinds of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Top-level code.
    Module,
    /// Function with its own receiver.
    Ordinary,
    /// Function with the receiver of the function around it, which it captures through a cell.
    Arrow,
    /// Method, getter or setter.
    Method,
    /// Constructor of a class.
    Constructor,
}

/// What the result of a function says about tests of its parameters.
///
/// Each list has alternatives, one of which applies; all facts of that alternative hold. An empty list says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicate {
    /// The function returns a true value.
    pub if_true: Vec<Vec<Fact>>,
    /// The function returns a false value.
    pub if_false: Vec<Vec<Fact>>,
    /// The function returns, because it throws otherwise.
    pub returned: Vec<Vec<Fact>>,
}

/// A test of a parameter that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Position of the parameter.
    pub parameter: u32,
    /// Test. Its value is the parameter.
    pub test: TestId,
    /// Result of the test.
    pub holds: bool,
}

/// A variable that inner functions use.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Name.
    pub name: SymbolId,
    /// Declaring function.
    pub owner: FunctionId,
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// Text.
    String(SymbolId),
    /// Number.
    Number(f64),
    /// Bool.
    Bool(bool),
    /// Absence: `null`, `None`.
    Null,
    /// `undefined`.
    Undefined,
    /// Regular expression: pattern and flags.
    Regex(SymbolId, SymbolId),
}

/// Operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// A constant.
    Constant(Constant),
    /// Creation of a closure. A function object has a field `prototype` with a fresh object from the beginning.
    Function(FunctionId),
    /// Parameter by position.
    Parameter(u32),
    /// Array of the parameters from a position on.
    RestParameter(u32),
    /// Object of the named arguments that are no parameters: `**kwargs`.
    KeywordParameters,
    /// `this`, `self`.
    Receiver,
    /// Array of all arguments: `arguments`.
    Arguments,
    /// Load of a captured variable.
    LoadCell(CellId),
    /// Store to a captured variable.
    StoreCell(CellId, ValueId),
    /// Load of a variable that the file does not declare.
    Global(SymbolId),
    /// Store to a variable that the file does not declare.
    StoreGlobal(SymbolId, ValueId),
    /// Another module by its specifier: the object of its exports (`module.exports`, or the namespace of an ES module).
    Import(SymbolId),
    /// Object of the exports of this module. ES exports are stores to its fields; `default` is one of them. `module.exports = x`
    /// is a store to the field `exports` of [`Op::ModuleObject`].
    Exports,
    /// `module` of CommonJS: the exports of the file are its field `exports`.
    ModuleObject,
    /// One of several values.
    Phi(ValueList),
    /// The same value with another name: assertions of types, parentheses.
    Copy(ValueId),
    /// New object.
    Allocate(AllocateKind),
    /// Load of a field by name. Getters are called.
    LoadField(ValueId, SymbolId),
    /// Load of a field by a computed key: object, key.
    LoadKey(ValueId, ValueId),
    /// Store to a field by name: object, name, value. Setters are called.
    StoreField(ValueId, SymbolId, ValueId),
    /// Store to a field by a computed key: object, key, value.
    StoreKey(ValueId, ValueId, ValueId),
    /// Definition of a getter: object, name, function.
    DefineGetter(ValueId, SymbolId, ValueId),
    /// Definition of a setter: object, name, function.
    DefineSetter(ValueId, SymbolId, ValueId),
    /// Copies all fields: target, origin. Spread, `Object.assign`.
    CopyFields(ValueId, ValueId),
    /// Copies all fields but the named ones into a new object, which is the result: object, names (constants). Rest patterns.
    RestOf(ValueId, ValueList),
    /// Sets the parent of an object in the prototype chain: child, parent.
    Inherit(ValueId, ValueId),
    /// Call.
    Call(CallId),
    /// Return from the function.
    Return(ValueId),
    /// Throw.
    Throw(ValueId),
    /// Exception in a handler. The operands are the throws and calls of the protected region; these do not leave the function.
    Catch(ValueList),
    /// Result of a promise or coroutine.
    Await(ValueId),
    /// Yield of an element. The value is what the consumer sends.
    Yield(ValueId),
    /// Yield of all elements of an iterable.
    YieldAll(ValueId),
    /// Element of an iterable: `for ... of`, destructuring with unknown positions.
    Element(ValueId),
    /// Key of an object: `for ... in`.
    EnumerateKey(ValueId),
    /// Text built of parts in order: template strings, `+` with a text, f-strings.
    Concat(ValueList),
    /// Operator with two operands.
    Binary(BinaryOp, ValueId, ValueId),
    /// Operator with one operand.
    Unary(UnaryOp, ValueId),
    /// A value on the branch where a test of it has a result: value, test, result. The value is the same; it has another name,
    /// so that the test can sanitise it.
    Guard(ValueId, TestId, bool),
    /// JSX element or attribute whose value becomes markup without escaping: attribute name, value.
    /// `dangerouslySetInnerHTML` is lowered to it.
    Markup(SymbolId, ValueId),
}

/// Kinds of new objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocateKind {
    /// Object or dictionary.
    Object,
    /// Array, list or tuple.
    Array,
    /// Object without a prototype.
    Bare,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// Addition of operands that may be texts. (A known text yields [`Op::Concat`].)
    Add,
    /// Other arithmetic, shifts and bitwise operators. The result is a number.
    Arithmetic,
    /// Comparison, membership, `instanceof`. The result is a bool.
    Comparison,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// Conversion to a number: `+x`, `-x`, `~x`.
    Number,
    /// `!x`.
    Not,
    /// `typeof x`: a text that the program cannot choose.
    TypeOf,
    /// `void x`, `delete x`.
    Void,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Function. For a method call it is the load of the method from the receiver.
    pub callee: ValueId,
    /// Receiver.
    pub receiver: Option<ValueId>,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Kind.
    pub kind: CallKind,
}

/// An argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Value.
    pub value: ValueId,
    /// All elements of the value are arguments: `...x`, `*x`. With a name, which is empty then, all fields of the value are
    /// named arguments: `**x`.
    pub is_spread: bool,
    /// Name of a keyword argument.
    pub name: Option<SymbolId>,
}

/// Kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// Ordinary call.
    Call,
    /// Construction. The value of the instruction is the new object.
    New,
    /// Call of the superclass's constructor with the receiver of this one.
    Super,
    /// Tagged template: the first argument is the array of its constant parts.
    Template,
}

/// A test that a guard depends on.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The value is a true value.
    Truthy,
    /// Equality with a constant: `==`, `===`, `case`, `is`.
    EqualsConstant(Constant),
    /// Equality with another value.
    EqualsValue(ValueId),
    /// Order: comparison with a number or another value by `<`, `<=`, `>`, `>=`.
    Ordered,
    /// `typeof value == "..."`, `isinstance(value, str)`. The text is the name of the type.
    TypeIs(SymbolId),
    /// `value instanceof C`.
    InstanceOf(ValueId),
    /// The value is an element of an array, set or the keys of an object, all of whose elements were constants where it was made.
    MemberOfConstants(ValueId),
    /// The value is a key of an object or element of a collection: `key in object`, `set.has(value)`.
    MemberOf(ValueId),
    /// The value is a key of the object itself, not of its prototypes: `object.hasOwnProperty(key)`.
    OwnKeyOf(ValueId),
    /// The value matches a regular expression: pattern, flags. The match is anchored only if the pattern is.
    Matches(SymbolId, SymbolId),
    /// Method of the value with arguments, such as `value.startsWith(prefix)`: method, arguments. `indexOf` compared with a
    /// number is the method `includes`, or `startsWith` for position 0.
    Method(SymbolId, ValueList),
    /// Call with the value as an argument, such as `isSafe(value)`: the call, position of the argument.
    Call(ValueId, u32),
    /// A call with the value as an argument has returned, such as `assertSafe(value);`: the call, position of the argument.
    /// Only functions that throw unless a test holds are guards here.
    Returned(ValueId, u32),
    /// A test of all elements of the value has a result, such as that of a loop that leaves at the first bad element: an element,
    /// test of it.
    Elements(ValueId, TestId),
}
