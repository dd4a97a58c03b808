// A polynomial of degree 8 at every word.
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    if (i < arrayLength(&out)) {
        let x = input[i];
        var y = 0x9e3779b1u;
        y = y * x + 0x85ebca77u;
        y = y * x + 0xc2b2ae3du;
        y = y * x + 0x27d4eb2fu;
        y = y * x + 0x165667b1u;
        y = y * x + 5u;
        y = y * x + 17u;
        y = y * x + 257u;
        y = y * x + 65537u;
        out[i] = y;
    }
}
