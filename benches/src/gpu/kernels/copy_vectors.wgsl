// Copies four words per invocation. Sizes of buffers must be multiples of a vector.
@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    let i = invocation.y * (workgroups.x * 256u) + invocation.x;
    if (i < arrayLength(&out)) {
        out[i] = input[i];
    }
}
