// Prefix sums of 256 elements per workgroup in workgroup memory, doubling the distance in each round.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tile: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let lane = local.x;
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    var value = 0u;
    if (i < arrayLength(&input)) {
        value = input[i];
    }
    tile[lane] = value;
    workgroupBarrier();
    for (var round = 0u; round < 8u; round++) {
        let distance = 1u << round;
        var sum = tile[lane];
        if (lane >= distance) {
            sum += tile[lane - distance];
        }
        workgroupBarrier();
        tile[lane] = sum;
        workgroupBarrier();
    }
    if (i < arrayLength(&sums)) {
        sums[i] = tile[lane];
    }
}
