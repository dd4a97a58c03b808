// Inclusive scan of 256 elements per workgroup by recursive doubling (Hillis and Steele). The two halves of the memory alternate,
// so that a step needs one barrier. The sum of an invocation stays in a register.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tiles: array<u32, 512>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let local_index = local.x;
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    var value = 0u;
    if (i < arrayLength(&input)) {
        value = input[i];
    }
    var side = 0u;
    for (var distance = 1u; distance < 256u; distance <<= 1u) {
        tiles[side + local_index] = value;
        workgroupBarrier();
        if (local_index >= distance) {
            value += tiles[side + local_index - distance];
        }
        side ^= 256u;
    }
    if (i < arrayLength(&sums)) {
        sums[i] = value;
    }
}
