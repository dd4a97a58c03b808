#version 430 core
#extension GL_ARB_compute_shader : require
#extension GL_ARB_shader_storage_buffer_object : require
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;

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
    uint len_main;
    uint len_n_ber_gr_e;
    uint len_float4x4_;
    uint len_dispatch;
};
layout(std430, binding = 0) readonly buffer type_6_block_0Compute { uint _group_0_binding_0_cs[]; };

layout(std430, binding = 1) readonly buffer type_6_block_1Compute { uint _group_0_binding_1_cs[]; };

layout(std430, binding = 2) buffer type_6_block_2Compute { uint _group_0_binding_2_cs[]; };

shared uint n_reserved[4];

layout(std430, binding = 3) readonly buffer type_6_block_3Compute { uint _group_0_binding_3_cs[]; };

layout(std140, binding = 4) uniform Dispatch_block_4Compute { Dispatch _group_1_binding_0_cs; };


void main() {
    uint local_index = gl_LocalInvocationIndex;
    uint while_ = 0u;
    uint next_element = 0u;
    uint next_v10_ = 0u;
    uint len_main = _group_1_binding_0_cs.len_main;
    uint len_n_ber_gr_e = _group_1_binding_0_cs.len_n_ber_gr_e;
    uint len_dispatch = _group_1_binding_0_cs.len_dispatch;
    uint len_float4x4_ = _group_1_binding_0_cs.len_float4x4_;
    next_element = local_index;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e25 = next_element;
            next_element = (_e25 + 1u);
        }
        loop_init = false;
        uint _e22 = next_element;
        if ((_e22 < 4u)) {
        } else {
            break;
        }
        n_reserved[_e22] = 0u;
    }
    memoryBarrierShared();
    barrier();
    bool v2_ = (len_main != 0u);
    uint _e30 = _group_0_binding_0_cs[0u];
    uint v3_ = (v2_ ? _e30 : 0u);
    bool v6_ = (1u < len_n_ber_gr_e);
    uint _e36 = _group_0_binding_1_cs[(v6_ ? 1u : 0u)];
    uint v7_ = (v6_ ? _e36 : 0u);
    uint v8_ = (v3_ + v7_);
    while_ = v8_;
    next_v10_ = 0u;
    bool loop_init_1 = true;
    while(true) {
        if (!loop_init_1) {
            uint _e52 = next_v10_;
            next_v10_ = (_e52 + 1u);
        }
        loop_init_1 = false;
        uint v10_ = next_v10_;
        if ((v10_ < v8_)) {
        } else {
            break;
        }
        uint v11_ = while_;
        bool v13_ = (v10_ < len_dispatch);
        uint _e48 = _group_0_binding_3_cs[(v13_ ? v10_ : 0u)];
        uint v14_ = (v13_ ? _e48 : 0u);
        uint v15_ = (v11_ + v14_);
        while_ = v15_;
    }
    uint v16_ = while_;
    uint v18_ = (v16_ & 3u);
    n_reserved[v18_] = v16_;
    uint v24_ = n_reserved[1u];
    uint v25_ = (v16_ + v24_);
    uint v26_ = (len_dispatch + v25_);
    bool v28_ = (len_float4x4_ != 0u);
    if (v28_) {
        _group_0_binding_2_cs[0u] = v26_;
    }
}

