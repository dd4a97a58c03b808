//! The language at a glance: the text format, as [`Session::compile_text`](crate::Session::compile_text) reads it.
//!
//! Every invocation of a grid runs the `entry` of a program. Invocations form workgroups, which share workgroup memory and
//! barriers. All arithmetic is on unsigned 32-bit words and wraps. Nothing is undefined: a load out of range gives 0, a store out
//! of range has no effect, a division by 0 gives 0, and a shift amount is taken modulo 32.
//!
//! ```
//! let text = "
//! // Sums each row of a matrix: a workgroup of 32 per row.
//! workgroup_size 32, 1, 1;
//!
//! buffer matrix: read u32 @0;
//! buffer params: uniform u32 @1; // [0] is the number of columns
//! buffer sums: read_write u32 @2 output;
//! buffer longest: read_write u32 @3;
//!
//! entry {
//!     let columns = params[0];
//!     let row = workgroup_id.x;
//!     let sum = 0;
//!     for step in 0..(columns + 31) / 32 {
//!         let column = step * 32 + local_id.x;
//!         if column < columns {
//!             sum = sum + matrix[row * columns + column];
//!         }
//!     }
//!     let total = reduce_add(sum);
//!     if local_id.x == 0 {
//!         sums[row] = total;
//!         let _ = atomic_max(longest[0], total);
//!     }
//! }";
//! let session = vyre::Session::new()?;
//! let program = session.compile_text(text)?;
//! let matrix = session.buffer_from(&[1u32, 2, 3, 10, 20, 30])?;
//! let params = session.buffer_from(&[3u32])?;
//! let (sums, longest) = (session.zeros::<u32>(2)?, session.zeros::<u32>(1)?);
//! let buffers = [("matrix", &matrix), ("params", &params), ("sums", &sums), ("longest", &longest)];
//! session.run(&program, buffers, vyre::Grid::Workgroups([2, 1, 1]))?;
//! assert_eq!(session.read_vec::<u32>(&sums)?, [6, 60]);
//! assert_eq!(session.read_vec::<u32>(&longest)?, [60]);
//! # Ok::<(), vyre::Error>(())
//! ```
//!
//! # Declarations
//!
//! | Declaration | Meaning |
//! |---|---|
//! | `workgroup_size X, Y, Z;` | number of invocations of a workgroup; missing numbers are 1 |
//! | `buffer b: read u32 @0;` | buffer in slot 0 that the program only loads from |
//! | `buffer b: read_write u32 @1;` | buffer for loads, stores and atomics |
//! | `buffer b: uniform u32 @2;` | small constants, at most 64 KB |
//! | `buffer b: workgroup u32[256];` | memory that the invocations of a workgroup share; zero at the start of each workgroup, not bound by the host; atomics on it have names of their own |
//!
//! Types are `u32`, `i32`, `u64`, `vec2u32`, `vec4u32`, `bool` and `bytes`. Arithmetic and comparisons take `u32`; values of the other
//! types are loaded, stored, selected and cast. A buffer of `bytes` cannot be indexed: declare the buffer as `u32`
//! and take byte `i` as `b[i >> 2] >> ((i & 3) << 3) & 0xff`. The word `output` before the semicolon marks the
//! result of a program that is called as an op. [`Element`](crate::runtime::Element) lists the Rust types of buffers.
//!
//! # Statements
//!
//! | Statement | Meaning |
//! |---|---|
//! | `let x = e;` | binds a variable; `let _ = e;` evaluates `e` for its effect |
//! | `x = e;` `b[i] = e;` | assigns a variable, stores to a buffer |
//! | `if e { .. } else { .. }` | condition: non-zero or true |
//! | `for i in 0..n { .. }` | loop with bounds that are evaluated once; `break;` leaves it |
//! | `return;` | ends the invocation |
//! | `barrier;` | waits for the workgroup; all of its invocations must reach it |
//!
//! # Expressions
//!
//! | Expression | Meaning |
//! |---|---|
//! | `42` `0x2a` `-7i32` `true` | literals; numbers without a suffix are `u32` |
//! | `+ - * / %` `<< >>` `& ^ \|` `== != < > <= >=` `&& \|\|` `- ~ !` | operators, with the precedence of Rust; comparisons do not chain |
//! | `b[i]` `len(b)` | element and number of elements of a buffer |
//! | `invocation_id.x` | id in the grid, on the axis `x`, `y` or `z` |
//! | `workgroup_id.x` `local_id.x` `num_workgroups.x` | id of the workgroup, id in the workgroup, size of the grid |
//! | `e as i32` `vec2u32(a, b)` `v.x` | cast, vector, component |
//! | `select(c, a, b)` | `a` if `c`, else `b` |
//! | `min` `max` `abs_diff` `mul_hi` `popcount` `clz` `ctz` `reverse_bits` | functions of words |
//! | `atomic_add(b[i], v)` | atomic update of a `read_write` buffer, returns the value before it; also `_or _and _xor _min _max _exchange` |
//! | `atomic_compare_exchange(b[i], expected, v)` `atomic_load(b[i])` `atomic_store(b[i], v)` | other atomics |
//! | `workgroup_atomic_add(b[i], v)` | the same for a `workgroup` buffer: `workgroup_` before the name of each atomic |
//! | `reduce_add(v)` `scan_inclusive_add(v)` `scan_exclusive_add(v)` | reduction and prefix scans over the workgroup; also `_min _max _and _or _xor` |
//! | `broadcast(v, lane)` `shuffle(v, lane)` `ballot(p)` | exchange between the invocations of a workgroup |
//! | `primitive.bitwise.rotl(a, b)` | call of an op of the library, [`ops`](crate::ops) |
//!
//! Barriers and collectives (`reduce_*`, `scan_*`, `broadcast`, `shuffle`, `ballot`) must be in uniform control flow: all
//! invocations of a workgroup reach them together. Validation proves it, and reports a branch or loop that depends on an id.
//!
//! [`ir`](crate::ir) has the types of programs and the [builder](crate::ir::build). `docs/language.md` defines the meaning,
//! `docs/text-format.md` the grammar, `docs/validation.md` every rule.
