// Inclusive scan of 256 elements per workgroup in workgroup memory by recursive doubling (Hillis and Steele).
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tile: array<u32, 256>;

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
    tile[local_index] = value;
    workgroupBarrier();
    for (var step = 0u; step < 8u; step++) {
        let distance = 1u << step;
        var sum = tile[local_index];
        if (local_index >= distance) {
            sum += tile[local_index - distance];
        }
        workgroupBarrier();
        tile[local_index] = sum;
        workgroupBarrier();
    }
    if (i < arrayLength(&sums)) {
        sums[i] = tile[local_index];
    }
}
