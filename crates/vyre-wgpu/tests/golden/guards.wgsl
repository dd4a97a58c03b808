struct Dispatch {
    num_workgroups_x: u32,
    num_workgroups_y: u32,
    num_workgroups_z: u32,
    first_workgroup_x: u32,
    first_workgroup_y: u32,
    first_workgroup_z: u32,
    first_invocation_x: u32,
    first_invocation_y: u32,
    first_invocation_z: u32,
    row_workgroups: u32,
    row_invocations: u32,
    y_mask: u32,
    len_input: u32,
    len_params: u32,
    len_pairs: u32,
    len_quads: u32,
    len_flags: u32,
}

@group(0) @binding(0) 
var<storage> input: array<u32>;
@group(0) @binding(1) 
var<storage> params: array<u32>;
@group(0) @binding(2) 
var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(3) 
var<storage, read_write> quads: array<vec4<u32>>;
@group(0) @binding(4) 
var<storage, read_write> flags: array<u32>;
@group(1) @binding(0) 
var<uniform> dispatch: Dispatch;

@compute @workgroup_size(64, 1, 1) 
fn main(@builtin(global_invocation_id) invocation_id: vec3<u32>, @builtin(workgroup_id) workgroup_id: vec3<u32>) {
    let row_of_invocation_id_x = dispatch.row_invocations;
    let first_invocation_id_x = dispatch.first_invocation_x;
    let invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    let len_input = dispatch.len_input;
    let len_params = dispatch.len_params;
    let len_pairs = dispatch.len_pairs;
    let len_quads = dispatch.len_quads;
    let len_flags = dispatch.len_flags;
    let v2_ = (invocation_id_x < len_input);
    if v2_ {
        let v7_ = input[invocation_id_x];
        let v9_ = (invocation_id_x + 1u);
        let v10_ = (v9_ < len_input);
        let _e36 = input[select(0u, v9_, v10_)];
        let v11_ = select(u32(), _e36, v10_);
        let v12_ = (v11_ == 0u);
        let v13_ = select(v11_, 1u, v12_);
        let v14_ = (v7_ / v13_);
        let v15_ = select(v14_, 0u, v12_);
        let v17_ = (len_params != 0u);
        let _e45 = params[0u];
        let v18_ = select(u32(), _e45, v17_);
        let v19_ = (v18_ == 0u);
        let v20_ = select(v18_, 1u, v19_);
        let v21_ = (v7_ % v20_);
        let v22_ = (v15_ + v21_);
        let v24_ = (v11_ & 31u);
        let v25_ = (v7_ << v24_);
        let v26_ = (1u < len_params);
        let _e58 = params[select(0u, 1u, v26_)];
        let v27_ = select(u32(), _e58, v26_);
        let v28_ = (v27_ & 31u);
        let v29_ = (v25_ >> v28_);
        let _e65 = (v7_ & 65535u);
        let _e66 = (v7_ >> 16u);
        let _e67 = (v11_ & 65535u);
        let _e68 = (v11_ >> 16u);
        let _e72 = ((_e66 * _e67) + ((_e65 * _e67) >> 16u));
        let v30_ = (((_e66 * _e68) + (_e72 >> 16u)) + (((_e65 * _e68) + (_e72 & 65535u)) >> 16u));
        let v31_ = vec2<u32>(v22_, v30_);
        let v33_ = (invocation_id_x < len_pairs);
        if v33_ {
            pairs[invocation_id_x] = v31_;
        }
        let v34_ = countLeadingZeros(v7_);
        let v35_ = countTrailingZeros(v11_);
        let v36_ = (v34_ + v35_);
        let v37_ = countOneBits(v7_);
        let v38_ = (max(v7_, v11_) - min(v7_, v11_));
        let v39_ = vec4<u32>(v29_, v36_, v37_, v38_);
        let v41_ = (invocation_id_x < len_quads);
        if v41_ {
            quads[invocation_id_x] = v39_;
        }
        let v43_ = (v11_ < len_flags);
        let _e97 = flags[select(0u, v11_, v43_)];
        let v44_ = select(u32(), _e97, v43_);
        let v45_ = (v44_ != 0u);
        let v46_ = u32(v45_);
        let v47_ = (v7_ < len_flags);
        if v47_ {
            flags[v7_] = v46_;
        }
    }
}
