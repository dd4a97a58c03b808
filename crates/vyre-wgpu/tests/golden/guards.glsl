#version 430 core
#extension GL_ARB_compute_shader : require
#extension GL_ARB_shader_storage_buffer_object : require
layout(local_size_x = 64, local_size_y = 1, local_size_z = 1) in;

struct Dispatch {
    uint num_workgroups_x;
    uint num_workgroups_y;
    uint num_workgroups_z;
    uint first_workgroup_x;
    uint first_workgroup_y;
    uint first_workgroup_z;
    uint first_invocation_x;
    uint first_invocation_y;
    uint first_invocation_z;
    uint row_workgroups;
    uint row_invocations;
    uint y_mask;
    uint len_input;
    uint len_params;
    uint len_pairs;
    uint len_quads;
    uint len_flags;
};
layout(std430, binding = 0) readonly buffer type_6_block_0Compute { uint _group_0_binding_0_cs[]; };

layout(std430, binding = 1) readonly buffer type_6_block_1Compute { uint _group_0_binding_1_cs[]; };

layout(std430, binding = 2) buffer type_7_block_2Compute { uvec2 _group_0_binding_2_cs[]; };

layout(std430, binding = 3) buffer type_8_block_3Compute { uvec4 _group_0_binding_3_cs[]; };

layout(std430, binding = 4) buffer type_6_block_4Compute { uint _group_0_binding_4_cs[]; };

layout(std140, binding = 5) uniform Dispatch_block_5Compute { Dispatch _group_1_binding_0_cs; };


void main() {
    uvec3 invocation_id = gl_GlobalInvocationID;
    uvec3 workgroup_id = gl_WorkGroupID;
    uint row_of_invocation_id_x = _group_1_binding_0_cs.row_invocations;
    uint first_invocation_id_x = _group_1_binding_0_cs.first_invocation_x;
    uint invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    uint len_input = _group_1_binding_0_cs.len_input;
    uint len_params = _group_1_binding_0_cs.len_params;
    uint len_pairs = _group_1_binding_0_cs.len_pairs;
    uint len_quads = _group_1_binding_0_cs.len_quads;
    uint len_flags = _group_1_binding_0_cs.len_flags;
    bool v2_ = (invocation_id_x < len_input);
    if (v2_) {
        uint v7_ = _group_0_binding_0_cs[invocation_id_x];
        uint v9_ = (invocation_id_x + 1u);
        bool v10_ = (v9_ < len_input);
        uint _e36 = _group_0_binding_0_cs[(v10_ ? v9_ : 0u)];
        uint v11_ = (v10_ ? _e36 : 0u);
        bool v12_ = (v11_ == 0u);
        uint v13_ = (v12_ ? 1u : v11_);
        uint v14_ = (v7_ / v13_);
        uint v15_ = (v12_ ? 0u : v14_);
        bool v17_ = (len_params != 0u);
        uint _e45 = _group_0_binding_1_cs[0u];
        uint v18_ = (v17_ ? _e45 : 0u);
        bool v19_ = (v18_ == 0u);
        uint v20_ = (v19_ ? 1u : v18_);
        uint v21_ = (v7_ % v20_);
        uint v22_ = (v15_ + v21_);
        uint v24_ = (v11_ & 31u);
        uint v25_ = (v7_ << v24_);
        bool v26_ = (1u < len_params);
        uint _e58 = _group_0_binding_1_cs[(v26_ ? 1u : 0u)];
        uint v27_ = (v26_ ? _e58 : 0u);
        uint v28_ = (v27_ & 31u);
        uint v29_ = (v25_ >> v28_);
        uint _e65 = (v7_ & 65535u);
        uint _e66 = (v7_ >> 16u);
        uint _e67 = (v11_ & 65535u);
        uint _e68 = (v11_ >> 16u);
        uint _e72 = ((_e66 * _e67) + ((_e65 * _e67) >> 16u));
        uint v30_ = (((_e66 * _e68) + (_e72 >> 16u)) + (((_e65 * _e68) + (_e72 & 65535u)) >> 16u));
        uvec2 v31_ = uvec2(v22_, v30_);
        bool v33_ = (invocation_id_x < len_pairs);
        if (v33_) {
            _group_0_binding_2_cs[invocation_id_x] = v31_;
        }
        uint v34_ = uint(31 - findMSB(v7_));
        uint v35_ = min(uint(findLSB(v11_)), 32u);
        uint v36_ = (v34_ + v35_);
        uint v37_ = uint(bitCount(v7_));
        uint v38_ = (max(v7_, v11_) - min(v7_, v11_));
        uvec4 v39_ = uvec4(v29_, v36_, v37_, v38_);
        bool v41_ = (invocation_id_x < len_quads);
        if (v41_) {
            _group_0_binding_3_cs[invocation_id_x] = v39_;
        }
        bool v43_ = (v11_ < len_flags);
        uint _e97 = _group_0_binding_4_cs[(v43_ ? v11_ : 0u)];
        uint v44_ = (v43_ ? _e97 : 0u);
        bool v45_ = (v44_ != 0u);
        uint v46_ = uint(v45_);
        bool v47_ = (v7_ < len_flags);
        if (v47_) {
            _group_0_binding_4_cs[v7_] = v46_;
        }
    }
}

