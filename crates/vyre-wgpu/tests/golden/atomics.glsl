#version 430 core
#extension GL_ARB_compute_shader : require
#extension GL_ARB_shader_storage_buffer_object : require
layout(local_size_x = 32, local_size_y = 1, local_size_z = 1) in;

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
    uint len_counters;
    uint len_seen;
};
struct _atomic_compare_exchange_result_Uint_4_ {
    uint old_value;
    bool exchanged;
};
layout(std430, binding = 0) buffer type_6_block_0Compute { uint _group_0_binding_0_cs[]; };

layout(std430, binding = 1) buffer type_7_block_1Compute { uint _group_0_binding_1_cs[]; };

layout(std140, binding = 2) uniform Dispatch_block_2Compute { Dispatch _group_1_binding_0_cs; };


void main() {
    uvec3 invocation_id = gl_GlobalInvocationID;
    uvec3 workgroup_id = gl_WorkGroupID;
    uint result_v7_ = 0u;
    uint result_v9_ = 0u;
    uint found_v9_ = 0u;
    uint result_v13_ = 0u;
    uint result_v19_ = 0u;
    uint result_v25_ = 0u;
    uint result_v33_ = 0u;
    uint row_of_invocation_id_x = _group_1_binding_0_cs.row_invocations;
    uint first_invocation_id_x = _group_1_binding_0_cs.first_invocation_x;
    uint invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    uint len_counters = _group_1_binding_0_cs.len_counters;
    uint len_seen = _group_1_binding_0_cs.len_seen;
    bool v4_ = (len_counters != 0u);
    if (v4_) {
        atomicAdd(_group_0_binding_0_cs[0u], 1u);
    }
    bool v6_ = (invocation_id_x < len_counters);
    result_v7_ = 0u;
    if (v6_) {
        uint _e26 = atomicAdd(_group_0_binding_0_cs[invocation_id_x], 1u);
        result_v7_ = _e26;
    }
    uint v7_ = result_v7_;
    bool v8_ = (1u < len_counters);
    result_v9_ = 0u;
    if (v8_) {
        while(true) {
            _atomic_compare_exchange_result_Uint_4_ _e34; _e34.old_value = atomicCompSwap(_group_0_binding_0_cs[1u], v7_, invocation_id_x);
            _e34.exchanged = (_e34.old_value == v7_);
            found_v9_ = _e34.old_value;
            if ((_e34.exchanged || (_e34.old_value != v7_))) {
                break;
            }
        }
        uint _e39 = found_v9_;
        result_v9_ = _e39;
    }
    uint v9_ = result_v9_;
    bool v12_ = (3u < len_counters);
    result_v13_ = 0u;
    if (v12_) {
        uint _e46 = atomicAnd(_group_0_binding_0_cs[3u], v9_);
        result_v13_ = _e46;
    }
    uint v13_ = result_v13_;
    bool v14_ = (2u < len_counters);
    if (v14_) {
        atomicOr(_group_0_binding_0_cs[2u], v13_);
    }
    bool v18_ = (5u < len_counters);
    result_v19_ = 0u;
    if (v18_) {
        uint _e56 = atomicMin(_group_0_binding_0_cs[5u], invocation_id_x);
        result_v19_ = _e56;
    }
    uint v19_ = result_v19_;
    bool v20_ = (4u < len_counters);
    if (v20_) {
        atomicXor(_group_0_binding_0_cs[4u], v19_);
    }
    bool v24_ = (7u < len_counters);
    result_v25_ = 0u;
    if (v24_) {
        uint _e66 = atomicExchange(_group_0_binding_0_cs[7u], invocation_id_x);
        result_v25_ = _e66;
    }
    uint v25_ = result_v25_;
    bool v26_ = (6u < len_counters);
    if (v26_) {
        atomicMax(_group_0_binding_0_cs[6u], v25_);
    }
    bool v29_ = (8u < len_counters);
    if (v29_) {
        atomicExchange(_group_0_binding_0_cs[8u], invocation_id_x);
    }
    bool v32_ = (9u < len_counters);
    result_v33_ = 0u;
    if (v32_) {
        uint _e79 = atomicOr(_group_0_binding_0_cs[9u], 0u);
        result_v33_ = _e79;
    }
    uint v33_ = result_v33_;
    bool v35_ = (10u < len_counters);
    uint _e85 = atomicOr(_group_0_binding_0_cs[(v35_ ? 10u : 0u)], 0u);
    uint v36_ = (v35_ ? _e85 : 0u);
    uint v37_ = (v33_ + v36_);
    uint v38_ = (v9_ + v37_);
    bool v40_ = (invocation_id_x < len_seen);
    if (v40_) {
        _group_0_binding_1_cs[invocation_id_x] = v38_;
    }
}

