//! Instruction selection: the instructions that kernels are translated to. Other tests check their results.

use vyre_cuda::{Ptx, PtxParameter, PtxTarget, passes, translate};
use vyre_ir::{OpTable, text};
use vyre_kernel::lower;

fn ptx_for(source: &str, target: PtxTarget) -> Ptx {
    let parsed = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let ops = OpTable::default();
    let valid = parsed.validate(&ops).unwrap_or_else(|errors| panic!("{}\n{source}", errors[0]));
    let mut kernel = lower(&valid).unwrap_or_else(|error| panic!("{error}"));
    passes().run(&mut kernel).unwrap_or_else(|error| panic!("{error}"));
    translate(&kernel, target).unwrap_or_else(|error| panic!("{error}"))
}

fn ptx(source: &str) -> Ptx {
    ptx_for(source, PtxTarget::default())
}

/// Kernel of 64 invocations over buffers `a` (read), `b`, `c` (read and written), `v` and `p` (vectors) and `t` (workgroup
/// memory).
fn with_buffers(body: &str) -> Ptx {
    ptx(&format!(
        "workgroup_size 64; buffer a: read u32 @0; buffer b: read_write u32 @1; buffer c: read_write u32 @2;
         buffer v: read vec4u32 @3; buffer p: read_write vec2u32 @4; buffer t: workgroup u32[64];
         entry {{ let i = invocation_id.x; {body} }}"
    ))
}

#[track_caller]
fn count(ptx: &Ptx, instruction: &str, expected: usize) {
    let found = ptx.text.matches(instruction).count();
    assert_eq!(found, expected, "`{instruction}` in\n{}", ptx.text);
}

#[test]
fn guards_are_predicates() {
    let ptx = with_buffers("b[i] = a[i];");
    count(&ptx, "bra", 0);
    assert!(ptx.text.contains("@%p0 ld.global.nc.u32"), "{}", ptx.text);
    assert!(ptx.text.contains("@%p1 st.global.u32"), "{}", ptx.text);
}

#[test]
fn guarded_loads_of_workgroups_that_share_a_warp_select_their_index() {
    let with_size = |size: u32| {
        ptx(&format!(
            "workgroup_size {size}; buffer a: read u32 @0; buffer b: read_write u32 @1;
             entry {{ let i = invocation_id.x; b[i] = a[i]; }}"
        ))
    };
    for (size, selects) in [(1, 2), (8, 2), (17, 0), (32, 0), (64, 0)] {
        let ptx = with_size(size);
        count(&ptx, "selp.b32", selects);
        let is_predicated = ptx.text.lines().any(|line| line.contains('@') && line.contains("ld.global"));
        assert_eq!(is_predicated, selects == 0, "{}", ptx.text);
    }
}

#[test]
fn buffers_that_are_not_written_are_read_by_non_coherent_loads() {
    count(&with_buffers("b[i] = a[i] + c[i];"), "ld.global.nc.u32", 2);
    let ptx = with_buffers("b[i] = a[i] + b[i + 1];");
    count(&ptx, "ld.global.nc.u32", 1);
    count(&ptx, "ld.global.u32", 1);
    let ptx = with_buffers("let old = atomic_add(c[0], 1); b[i] = c[i] + old;");
    count(&ptx, "ld.global.nc", 0);
}

#[test]
fn vector_types_are_loaded_and_stored_by_one_instruction() {
    let ptx = with_buffers("p[i] = vec2u32(v[i].x, v[i].w);");
    count(&ptx, "ld.global.nc.v4.u32", 1);
    count(&ptx, "st.global.v2.u32", 1);
}

#[test]
fn adjacent_words_are_one_access() {
    let ptx = with_buffers(
        "let j = i * 4; let x = a[j]; let y = a[j + 1]; let z = a[j + 2]; let w = a[j + 3];
         b[j] = w; b[j + 1] = z; b[j + 2] = y; b[j + 3] = x;",
    );
    count(&ptx, "ld.global", 1);
    count(&ptx, "ld.global.nc.v4.u32", 1);
    count(&ptx, "st.global.v4.u32", 1);
    // At the end of the buffer only the first three words may be in range.
    count(&ptx, "st.global.u32", 3);
}

#[test]
fn adjacent_pairs_are_one_access() {
    let ptx = with_buffers("let j = i << 1; b[j] = a[j + 1]; b[j + 1] = a[j];");
    count(&ptx, "ld.global.nc.v2.u32", 1);
    count(&ptx, "st.global.v2.u32", 1);
    let ptx = with_buffers("let j = i * 4; b[j + 2] = a[j + 3]; b[j + 3] = a[j + 2];");
    count(&ptx, "ld.global.nc.v2.u32", 1);
    count(&ptx, "st.global.v2.u32", 1);
}

#[test]
fn adjacent_words_updated_in_place_are_one_access() {
    let ptx = with_buffers("let j = i * 2; b[j] = b[j] + 1; b[j + 1] = b[j + 1] + 2;");
    count(&ptx, "ld.global.v2.u32", 1);
    count(&ptx, "st.global.v2.u32", 1);
}

#[test]
fn adjacent_words_of_workgroup_memory_are_one_access() {
    let ptx = with_buffers(
        "t[local_id.x] = i; barrier; let j = (local_id.x & 15) * 4;
         b[i] = t[j] + t[j + 1] * 3 + t[j + 2] * 5 + t[j + 3] * 7;",
    );
    count(&ptx, "ld.shared.v4.u32", 1);
    count(&ptx, "ld.shared.u32", 0);
}

#[test]
fn unaligned_words_are_separate_accesses() {
    for body in [
        "b[i] = a[i] + a[i + 1];",
        "let j = i * 3; b[i] = a[j] + a[j + 1];",
        "let j = i * 4; b[i] = a[j + 1] + a[j + 2];",
        "let j = i * 2; b[i] = a[j + 1] + a[j + 2];",
        "let j = i * 2 + 1; b[i] = a[j] + a[j + 1];",
    ] {
        let ptx = with_buffers(body);
        count(&ptx, "ld.global.nc.v", 0);
        count(&ptx, "ld.global.nc.u32", 2);
    }
}

#[test]
fn words_with_an_aliasing_access_in_between_are_separate_accesses() {
    for body in [
        // Another index of the same buffer.
        "let j = i * 2; let x = b[j]; b[i * 6] = 1; b[j] = x + b[j + 1];",
        "let j = i * 2; let x = b[j]; let y = atomic_add(b[i * 6], 1); c[i] = x + y + b[j + 1];",
        "let j = i * 2; let x = b[j]; if x == 3 { b[i * 6] = 1; } c[i] = x + b[j + 1];",
        "let j = local_id.x * 2; t[local_id.x] = i; barrier; let x = t[j & 62]; barrier; c[i] = x + t[(j & 62) + 1];",
    ] {
        let ptx = with_buffers(body);
        count(&ptx, ".v2.u32", 0);
    }
    // A word that is written in between is read afterwards.
    let ptx = with_buffers("let j = i * 2; c[j] = b[j]; b[j + 1] = 5; c[j + 1] = b[j + 1];");
    count(&ptx, "ld.global.nc.v2.u32", 0);
    // The word that is read was stored before another word of the same vector was read and stored.
    let ptx = with_buffers("let j = i * 2; b[j + 1] = 5; let x = b[j]; b[j] = 6; c[i] = x + b[j + 1];");
    count(&ptx, "ld.global.v2.u32", 0);
    // A word that is read again must be stored first.
    let ptx = with_buffers("let j = i * 2; b[j] = 1; let x = b[i & 1]; b[j + 1] = x;");
    count(&ptx, "st.global.v2.u32", 0);
}

#[test]
fn bytes_are_loaded_as_bytes() {
    for body in [
        "b[i] = (a[i >> 2] >> ((i & 3) * 8)) & 255;",
        "b[i] = (a[i / 4] >> ((i % 4) * 8)) & 255;",
        "b[i] = 255 & (a[i / 4] >> ((i << 3) & 24));",
        "b[i] = (a[i / 4] >> ((i & 3) << 3)) & 255;",
    ] {
        let ptx = with_buffers(body);
        count(&ptx, "ld.global.nc.u8", 1);
        count(&ptx, "ld.global.nc.u32", 0);
        count(&ptx, "shr.u32", 1);
    }
    for body in [
        "b[i] = (a[i >> 2] >> ((i & 3) * 8)) & 127;",
        "b[i] = (a[i >> 2] >> ((i & 1) * 8)) & 255;",
        "b[i] = (a[i >> 2] >> ((c[i] & 3) * 8)) & 255;",
        "b[i] = (a[i >> 1] >> ((i & 3) * 8)) & 255;",
        "let w = a[i >> 2]; b[i] = ((w >> ((i & 3) * 8)) & 255) + w;",
    ] {
        count(&with_buffers(body), "ld.global.nc.u8", 0);
    }
}

#[test]
fn unaligned_words_are_one_funnel_shift() {
    for body in [
        "let s = (i & 3) * 8; let w = i >> 2;
         b[i] = (a[w] >> s) | select(s == 0, 0, a[w + 1] << (32 - s));",
        "let s = (i & 3) * 8; let w = i >> 2;
         b[i] = select(s != 0, a[w + 1] << (32 - s), 0) | (a[w] >> s);",
        "let s = (i & 3) * 8; let w = i >> 2; b[i] = (a[w] >> s) | ((a[w + 1] << (31 - s)) << 1);",
        "b[i] = (a[i] >> 7) | (a[i] << 25);",
        "b[i] = (a[i] >> 7) | (c[i] << 25);",
        "let s = i & 31; b[i] = (a[i] >> s) | (a[i] << ((32 - s) & 31));",
    ] {
        count(&with_buffers(body), "shf.r.wrap.b32", 1);
    }
    for body in [
        "let s = (i & 3) * 8; let w = i >> 2; b[i] = (a[w] >> s) | (a[w + 1] << (32 - s));",
        "b[i] = (a[i] >> 7) | (a[i] << 24);",
        "let s = i & 31; b[i] = (a[i] >> s) | select(s == 1, 0, a[i + 1] << (32 - s));",
    ] {
        count(&with_buffers(body), "shf.r.wrap.b32", 0);
    }
}

/// Kernel with a barrier and all kinds of collectives.
fn collectives(size: &str, target: PtxTarget) -> Ptx {
    ptx_for(
        &format!(
            "workgroup_size {size}; buffer b: read_write u32 @0; buffer t: workgroup u32[64];
             entry {{
                 let i = invocation_id.x; t[local_id.x] = i; barrier;
                 let x = t[local_id.x ^ 1];
                 b[i] = reduce_add(x) + scan_inclusive_max(x) + shuffle(x, x & 7) + broadcast(x, 3);
             }}"
        ),
        target,
    )
}

#[test]
fn small_workgroups_share_a_block() {
    for (size, block, groups) in [
        ("1", 128, 128),
        ("4", 128, 32),
        ("8", 128, 16),
        ("16", 128, 8),
        ("32", 128, 4),
        ("2, 4, 2", 128, 8),
        // The lanes of a segment are the next power of two.
        ("5", 128, 16),
        ("17", 128, 4),
    ] {
        let ptx = collectives(size, PtxTarget::default());
        assert_eq!((ptx.block, ptx.groups_per_block), ([block, 1, 1], groups), "{size}");
        count(&ptx, "barrier.sync", 0);
        assert!(ptx.parameters.contains(&PtxParameter::Workgroups(0)), "{size}: segments beyond the grid exit");
        // A single invocation needs no barrier, and collectives within a warp need none.
        count(&ptx, "bar.warp.sync", usize::from(size != "1") * 2);
    }
    let ptx = collectives("64", PtxTarget::default());
    assert_eq!((ptx.block, ptx.groups_per_block), ([64, 1, 1], 1));
    count(&ptx, "bar.warp.sync", 0);
    let ptx = collectives("8, 8, 4", PtxTarget::default());
    assert_eq!((ptx.block, ptx.groups_per_block), ([8, 8, 4], 1));
}

#[test]
fn large_workgroup_memory_reduces_the_workgroups_of_a_block() {
    let with_words = |words: u32| {
        ptx(&format!(
            "workgroup_size 32; buffer b: read_write u32 @0; buffer t: workgroup u32[{words}];
             entry {{ t[local_id.x] = 1; barrier; b[invocation_id.x] = t[local_id.x ^ 1]; }}"
        ))
    };
    let groups = |words: u32| with_words(words).groups_per_block;
    assert_eq!((groups(3072), groups(3076), groups(6144), groups(6148)), (4, 2, 2, 1));
    // Static up to 48 KiB, dynamic above that.
    assert_eq!(with_words(12_288).dynamic_shared_bytes, 0);
    assert_eq!(with_words(12_292).dynamic_shared_bytes, 49_168);
    count(&with_words(12_292), ".extern .shared", 1);
}

#[test]
fn only_old_targets_reduce_by_shuffles() {
    let new = collectives("32", PtxTarget::default());
    count(&new, "redux.sync.add.u32", 1);
    let old = collectives("32", PtxTarget::default().with_sm(75));
    count(&old, "redux.sync", 0);
    count(&old, "shfl.sync.bfly", 5);
    assert!(old.text.contains(".target sm_75"), "{}", old.text);
    count(&collectives("8", PtxTarget::default()), "shfl.sync.bfly", 3);
}

#[test]
fn collectives_of_large_workgroups_have_one_barrier() {
    for size in ["64", "1000", "33"] {
        let ptx = collectives(size, PtxTarget::default());
        // If each invocation writes its element first, the memory is not cleared.
        let clearing = usize::from(size != "64");
        count(&ptx, "barrier.sync 0", clearing + 5);
    }
}

#[test]
fn iterations_in_which_small_workgroups_synchronize_are_batched() {
    let reduces = |size: u32, body: &str, expected: usize| {
        let ptx = ptx(&format!(
            "workgroup_size {size}; buffer a: read u32 @0; buffer b: read_write u32 @1;
             entry {{ let s = local_id.x; for k in 0..a[0] {{ {body} }} b[invocation_id.x] = s; }}"
        ));
        count(&ptx, "shfl.sync.bfly", expected * size.trailing_zeros() as usize);
    };
    // A batch of four iterations, and the remaining ones one by one.
    reduces(8, "s = s * 3 + reduce_add(s ^ k);", 5);
    reduces(8, "if a[k] { s = s + 1; } s = s * 3 + reduce_add(s ^ k);", 1);
    reduces(8, "if a[k] == 7 { break; } s = s * 3 + reduce_add(s ^ k);", 1);
    // A larger workgroup is not batched.
    let ptx = collectives("64", PtxTarget::default());
    count(&ptx, "redux.sync.add", 2);
}

#[test]
fn only_grids_that_may_be_split_have_a_first_workgroup() {
    let asks = |size: &str, axis: &str| {
        let source =
            format!("workgroup_size {size}; buffer b: read_write u32 @0; entry {{ b[0] = workgroup_id.{axis}; }}");
        ptx(&source).parameters.iter().any(|parameter| matches!(parameter, PtxParameter::FirstWorkgroup(_)))
    };
    assert!(!asks("1", "x"), "128 of them share a block");
    assert!(!asks("64", "x"));
    assert!(asks("1, 64", "x") && asks("2, 64", "x") && !asks("3, 64", "x"));
    assert!(asks("64", "y") && asks("64", "z") && asks("1", "y"));
}

#[test]
fn cancellable_kernels_poll_at_the_start_and_in_loops() {
    let source = "workgroup_size 64; buffer b: read_write u32 @0;
        entry { let n = b[0]; for k in 0..n { b[1] = b[1] + k; } }";
    let plain = ptx(source);
    count(&plain, "ld.volatile", 0);
    let target = PtxTarget::default().with_cancel(true);
    let cancellable = ptx_for(source, target);
    count(&cancellable, "ld.volatile.global.u32", 2);
    assert!(cancellable.parameters.contains(&PtxParameter::Cancel));
}

#[test]
fn atomics_with_an_unused_result_have_none() {
    let ptx = with_buffers("let x = atomic_add(b[i], 1); let y = atomic_min(b[i], 2); c[i] = y;");
    count(&ptx, "red.relaxed.gpu.global.add.u32", 1);
    count(&ptx, "atom.relaxed.gpu.global.min.u32", 1);
}
