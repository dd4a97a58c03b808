// Prefix sums of 256 elements per workgroup in two levels: 16 lanes go through a row of 16 words each, then every lane adds
// the rows before its own. Rows are a word longer, so that the lanes do not meet in one memory bank.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> tile: array<u32, 272>;
var<workgroup> totals: array<u32, 16>;

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
    let row = lane >> 4u;
    tile[lane + row] = value;
    workgroupBarrier();
    if (lane < 16u) {
        let start = lane * 17u;
        var total = 0u;
        for (var at = 0u; at < 16u; at++) {
            total += tile[start + at];
            tile[start + at] = total;
        }
        totals[lane] = total;
    }
    workgroupBarrier();
    var sum = tile[lane + row];
    for (var before = 0u; before < row; before++) {
        sum += totals[before];
    }
    if (i < arrayLength(&sums)) {
        sums[i] = sum;
    }
}
