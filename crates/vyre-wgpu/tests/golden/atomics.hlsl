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

RWByteAddressBuffer counters : register(u0);
RWByteAddressBuffer seen : register(u1);
cbuffer dispatch : register(b0, space1) { Dispatch dispatch; }

uint ZeroValueuint() {
    return (uint)0;
}

[numthreads(32, 1, 1)]
void main(uint3 invocation_id : SV_DispatchThreadID, uint3 workgroup_id : SV_GroupID)
{
    uint result_v7_ = ZeroValueuint();
    uint result_v9_ = ZeroValueuint();
    uint found_v9_ = ZeroValueuint();
    uint result_v13_ = ZeroValueuint();
    uint result_v19_ = ZeroValueuint();
    uint result_v25_ = ZeroValueuint();
    uint result_v33_ = ZeroValueuint();

    uint row_of_invocation_id_x = dispatch.row_invocations;
    uint first_invocation_id_x = dispatch.first_invocation_x;
    uint invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    uint len_counters = dispatch.len_counters;
    uint len_seen = dispatch.len_seen;
    bool v4_ = (len_counters != 0u);
    if (v4_) {
        counters.InterlockedAdd(0u*4, 1u);
    }
    bool v6_ = (invocation_id_x < len_counters);
    result_v7_ = 0u;
    if (v6_) {
        uint _e26; counters.InterlockedAdd(invocation_id_x*4, 1u, _e26);
        result_v7_ = _e26;
    }
    uint v7_ = result_v7_;
    bool v8_ = (1u < len_counters);
    result_v9_ = 0u;
    if (v8_) {
        while(true) {
            _atomic_compare_exchange_result_Uint_4_ _e34; counters.InterlockedCompareExchange(1u*4, v7_, invocation_id_x, _e34.old_value);
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
        uint _e46; counters.InterlockedAnd(3u*4, v9_, _e46);
        result_v13_ = _e46;
    }
    uint v13_ = result_v13_;
    bool v14_ = (2u < len_counters);
    if (v14_) {
        counters.InterlockedOr(2u*4, v13_);
    }
    bool v18_ = (5u < len_counters);
    result_v19_ = 0u;
    if (v18_) {
        uint _e56; counters.InterlockedMin(5u*4, invocation_id_x, _e56);
        result_v19_ = _e56;
    }
    uint v19_ = result_v19_;
    bool v20_ = (4u < len_counters);
    if (v20_) {
        counters.InterlockedXor(4u*4, v19_);
    }
    bool v24_ = (7u < len_counters);
    result_v25_ = 0u;
    if (v24_) {
        uint _e66; counters.InterlockedExchange(7u*4, invocation_id_x, _e66);
        result_v25_ = _e66;
    }
    uint v25_ = result_v25_;
    bool v26_ = (6u < len_counters);
    if (v26_) {
        counters.InterlockedMax(6u*4, v25_);
    }
    bool v29_ = (8u < len_counters);
    if (v29_) {
        { uint dummy = 0; counters.InterlockedExchange(8u*4, invocation_id_x, dummy); }
    }
    bool v32_ = (9u < len_counters);
    result_v33_ = 0u;
    if (v32_) {
        uint _e79; counters.InterlockedOr(9u*4, 0, _e79);
        result_v33_ = _e79;
    }
    uint v33_ = result_v33_;
    bool v35_ = (10u < len_counters);
    uint _e85; counters.InterlockedOr((v35_ ? 10u : 0u)*4, 0, _e85);
    uint v36_ = (v35_ ? _e85 : ZeroValueuint());
    uint v37_ = (v33_ + v36_);
    uint v38_ = (v9_ + v37_);
    bool v40_ = (invocation_id_x < len_seen);
    if (v40_) {
        seen.Store(invocation_id_x*4, asuint(v38_));
    }
}
