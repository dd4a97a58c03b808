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
    uint len_data;
    uint len_rounds;
};

RWByteAddressBuffer data : register(u0);
ByteAddressBuffer rounds : register(t1);
cbuffer dispatch : register(b0, space1) { Dispatch dispatch; }
groupshared uint exchange[119];
groupshared uint exchange_tiles[7];

uint reduce_add(uint local_index_1, uint value)
{
    exchange[(local_index_1 + (local_index_1 >> 4u))] = value;
    GroupMemoryBarrierWithGroupSync();
    if ((local_index_1 < 7u)) {
        uint _e10 = (local_index_1 << 4u);
        uint _e12 = (_e10 + (_e10 >> 4u));
        uint _e16 = exchange[(_e12 + 0u)];
        uint _e20 = exchange[(_e12 + 1u)];
        uint _e24 = exchange[(_e12 + 2u)];
        uint _e28 = exchange[(_e12 + 3u)];
        uint _e31 = exchange[(_e12 + 4u)];
        uint _e35 = exchange[(_e12 + 5u)];
        uint _e39 = exchange[(_e12 + 6u)];
        uint _e42 = exchange[(_e12 + 7u)];
        uint _e46 = exchange[(_e12 + 8u)];
        uint _e50 = exchange[(_e12 + 9u)];
        uint _e54 = exchange[(_e12 + 10u)];
        uint _e58 = exchange[(_e12 + 11u)];
        uint _e62 = exchange[(_e12 + 12u)];
        uint _e66 = exchange[(_e12 + 13u)];
        uint _e70 = exchange[(_e12 + 14u)];
        uint _e74 = exchange[(_e12 + 15u)];
        uint sum_2 = ((((_e10 + 0u) < 100u) ? _e16 : 0u) + (((_e10 + 1u) < 100u) ? _e20 : 0u));
        uint sum_3 = (sum_2 + (((_e10 + 2u) < 100u) ? _e24 : 0u));
        uint sum_4 = (sum_3 + (((_e10 + 3u) < 100u) ? _e28 : 0u));
        uint sum_5 = (sum_4 + (((_e10 + 4u) < 100u) ? _e31 : 0u));
        uint sum_6 = (sum_5 + (((_e10 + 5u) < 100u) ? _e35 : 0u));
        uint sum_7 = (sum_6 + (((_e10 + 6u) < 100u) ? _e39 : 0u));
        uint sum_8 = (sum_7 + (((_e10 + 7u) < 100u) ? _e42 : 0u));
        uint sum_9 = (sum_8 + (((_e10 + 8u) < 100u) ? _e46 : 0u));
        uint sum_10 = (sum_9 + (((_e10 + 9u) < 100u) ? _e50 : 0u));
        uint sum_11 = (sum_10 + (((_e10 + 10u) < 100u) ? _e54 : 0u));
        uint sum_12 = (sum_11 + (((_e10 + 11u) < 100u) ? _e58 : 0u));
        uint sum_13 = (sum_12 + (((_e10 + 12u) < 100u) ? _e62 : 0u));
        uint sum_14 = (sum_13 + (((_e10 + 13u) < 100u) ? _e66 : 0u));
        uint sum_15 = (sum_14 + (((_e10 + 14u) < 100u) ? _e70 : 0u));
        uint sum_16 = (sum_15 + (((_e10 + 15u) < 100u) ? _e74 : 0u));
        exchange_tiles[local_index_1] = sum_16;
    }
    GroupMemoryBarrierWithGroupSync();
    uint _e141 = exchange_tiles[0];
    uint _e143 = exchange_tiles[1];
    uint _e145 = exchange_tiles[2];
    uint _e147 = exchange_tiles[3];
    uint _e149 = exchange_tiles[4];
    uint _e151 = exchange_tiles[5];
    uint _e153 = exchange_tiles[6];
    uint sum_17 = (_e141 + _e143);
    uint sum_18 = (sum_17 + _e145);
    uint sum_19 = (sum_18 + _e147);
    uint sum_20 = (sum_19 + _e149);
    uint sum_21 = (sum_20 + _e151);
    uint sum_22 = (sum_21 + _e153);
    return sum_22;
}

uint ZeroValueuint() {
    return (uint)0;
}

uint scan_exclusive_max(uint local_index_2, uint value_1)
{
    uint sum = ZeroValueuint();

    uint _e6 = (local_index_2 + (local_index_2 >> 4u));
    exchange[_e6] = value_1;
    GroupMemoryBarrierWithGroupSync();
    if ((local_index_2 < 7u)) {
        uint _e10 = (local_index_2 << 4u);
        uint _e12 = (_e10 + (_e10 >> 4u));
        uint _e16 = exchange[(_e12 + 0u)];
        uint _e20 = exchange[(_e12 + 1u)];
        uint _e24 = exchange[(_e12 + 2u)];
        uint _e28 = exchange[(_e12 + 3u)];
        uint _e31 = exchange[(_e12 + 4u)];
        uint _e35 = exchange[(_e12 + 5u)];
        uint _e39 = exchange[(_e12 + 6u)];
        uint _e42 = exchange[(_e12 + 7u)];
        uint _e46 = exchange[(_e12 + 8u)];
        uint _e50 = exchange[(_e12 + 9u)];
        uint _e54 = exchange[(_e12 + 10u)];
        uint _e58 = exchange[(_e12 + 11u)];
        uint _e62 = exchange[(_e12 + 12u)];
        uint _e66 = exchange[(_e12 + 13u)];
        uint _e70 = exchange[(_e12 + 14u)];
        uint _e74 = exchange[(_e12 + 15u)];
        uint _e76 = (_e10 + (_e10 >> 4u));
        exchange[(_e76 + 0u)] = _e16;
        uint sum_23 = max(_e16, _e20);
        exchange[(_e76 + 1u)] = sum_23;
        uint sum_24 = max(sum_23, _e24);
        exchange[(_e76 + 2u)] = sum_24;
        uint sum_25 = max(sum_24, _e28);
        exchange[(_e76 + 3u)] = sum_25;
        uint sum_26 = max(sum_25, _e31);
        exchange[(_e76 + 4u)] = sum_26;
        uint sum_27 = max(sum_26, _e35);
        exchange[(_e76 + 5u)] = sum_27;
        uint sum_28 = max(sum_27, _e39);
        exchange[(_e76 + 6u)] = sum_28;
        uint sum_29 = max(sum_28, _e42);
        exchange[(_e76 + 7u)] = sum_29;
        uint sum_30 = max(sum_29, _e46);
        exchange[(_e76 + 8u)] = sum_30;
        uint sum_31 = max(sum_30, _e50);
        exchange[(_e76 + 9u)] = sum_31;
        uint sum_32 = max(sum_31, _e54);
        exchange[(_e76 + 10u)] = sum_32;
        uint sum_33 = max(sum_32, _e58);
        exchange[(_e76 + 11u)] = sum_33;
        uint sum_34 = max(sum_33, _e62);
        exchange[(_e76 + 12u)] = sum_34;
        uint sum_35 = max(sum_34, _e66);
        exchange[(_e76 + 13u)] = sum_35;
        uint sum_36 = max(sum_35, _e70);
        exchange[(_e76 + 14u)] = sum_36;
        uint sum_37 = max(sum_36, _e74);
        exchange[(_e76 + 15u)] = sum_37;
        exchange_tiles[local_index_2] = sum_37;
    }
    GroupMemoryBarrierWithGroupSync();
    uint _e125 = (local_index_2 >> 4u);
    sum = 0u;
    if ((0u < _e125)) {
        uint _e130 = exchange_tiles[0];
        uint _e131 = sum;
        uint sum_38 = max(_e131, _e130);
        sum = sum_38;
    }
    if ((1u < _e125)) {
        uint _e135 = exchange_tiles[1];
        uint _e136 = sum;
        uint sum_39 = max(_e136, _e135);
        sum = sum_39;
    }
    if ((2u < _e125)) {
        uint _e140 = exchange_tiles[2];
        uint _e141 = sum;
        uint sum_40 = max(_e141, _e140);
        sum = sum_40;
    }
    if ((3u < _e125)) {
        uint _e145 = exchange_tiles[3];
        uint _e146 = sum;
        uint sum_41 = max(_e146, _e145);
        sum = sum_41;
    }
    if ((4u < _e125)) {
        uint _e150 = exchange_tiles[4];
        uint _e151 = sum;
        uint sum_42 = max(_e151, _e150);
        sum = sum_42;
    }
    if ((5u < _e125)) {
        uint _e155 = exchange_tiles[5];
        uint _e156 = sum;
        uint sum_43 = max(_e156, _e155);
        sum = sum_43;
    }
    uint _e158 = sum;
    bool _e160 = ((local_index_2 & 15u) != 0u);
    uint _e164 = exchange[(_e160 ? (_e6 - 1u) : 0u)];
    uint sum_44 = max(_e158, (_e160 ? _e164 : 0u));
    return sum_44;
}

uint scan_inclusive_add(uint local_index_3, uint value_2)
{
    uint sum_1 = ZeroValueuint();

    uint _e6 = (local_index_3 + (local_index_3 >> 4u));
    exchange[_e6] = value_2;
    GroupMemoryBarrierWithGroupSync();
    if ((local_index_3 < 7u)) {
        uint _e10 = (local_index_3 << 4u);
        uint _e12 = (_e10 + (_e10 >> 4u));
        uint _e16 = exchange[(_e12 + 0u)];
        uint _e20 = exchange[(_e12 + 1u)];
        uint _e24 = exchange[(_e12 + 2u)];
        uint _e28 = exchange[(_e12 + 3u)];
        uint _e31 = exchange[(_e12 + 4u)];
        uint _e35 = exchange[(_e12 + 5u)];
        uint _e39 = exchange[(_e12 + 6u)];
        uint _e42 = exchange[(_e12 + 7u)];
        uint _e46 = exchange[(_e12 + 8u)];
        uint _e50 = exchange[(_e12 + 9u)];
        uint _e54 = exchange[(_e12 + 10u)];
        uint _e58 = exchange[(_e12 + 11u)];
        uint _e62 = exchange[(_e12 + 12u)];
        uint _e66 = exchange[(_e12 + 13u)];
        uint _e70 = exchange[(_e12 + 14u)];
        uint _e74 = exchange[(_e12 + 15u)];
        uint _e76 = (_e10 + (_e10 >> 4u));
        exchange[(_e76 + 0u)] = _e16;
        uint sum_45 = (_e16 + _e20);
        exchange[(_e76 + 1u)] = sum_45;
        uint sum_46 = (sum_45 + _e24);
        exchange[(_e76 + 2u)] = sum_46;
        uint sum_47 = (sum_46 + _e28);
        exchange[(_e76 + 3u)] = sum_47;
        uint sum_48 = (sum_47 + _e31);
        exchange[(_e76 + 4u)] = sum_48;
        uint sum_49 = (sum_48 + _e35);
        exchange[(_e76 + 5u)] = sum_49;
        uint sum_50 = (sum_49 + _e39);
        exchange[(_e76 + 6u)] = sum_50;
        uint sum_51 = (sum_50 + _e42);
        exchange[(_e76 + 7u)] = sum_51;
        uint sum_52 = (sum_51 + _e46);
        exchange[(_e76 + 8u)] = sum_52;
        uint sum_53 = (sum_52 + _e50);
        exchange[(_e76 + 9u)] = sum_53;
        uint sum_54 = (sum_53 + _e54);
        exchange[(_e76 + 10u)] = sum_54;
        uint sum_55 = (sum_54 + _e58);
        exchange[(_e76 + 11u)] = sum_55;
        uint sum_56 = (sum_55 + _e62);
        exchange[(_e76 + 12u)] = sum_56;
        uint sum_57 = (sum_56 + _e66);
        exchange[(_e76 + 13u)] = sum_57;
        uint sum_58 = (sum_57 + _e70);
        exchange[(_e76 + 14u)] = sum_58;
        uint sum_59 = (sum_58 + _e74);
        exchange[(_e76 + 15u)] = sum_59;
        exchange_tiles[local_index_3] = sum_59;
    }
    GroupMemoryBarrierWithGroupSync();
    uint _e125 = (local_index_3 >> 4u);
    sum_1 = 0u;
    if ((0u < _e125)) {
        uint _e130 = exchange_tiles[0];
        uint _e131 = sum_1;
        uint sum_60 = (_e131 + _e130);
        sum_1 = sum_60;
    }
    if ((1u < _e125)) {
        uint _e135 = exchange_tiles[1];
        uint _e136 = sum_1;
        uint sum_61 = (_e136 + _e135);
        sum_1 = sum_61;
    }
    if ((2u < _e125)) {
        uint _e140 = exchange_tiles[2];
        uint _e141 = sum_1;
        uint sum_62 = (_e141 + _e140);
        sum_1 = sum_62;
    }
    if ((3u < _e125)) {
        uint _e145 = exchange_tiles[3];
        uint _e146 = sum_1;
        uint sum_63 = (_e146 + _e145);
        sum_1 = sum_63;
    }
    if ((4u < _e125)) {
        uint _e150 = exchange_tiles[4];
        uint _e151 = sum_1;
        uint sum_64 = (_e151 + _e150);
        sum_1 = sum_64;
    }
    if ((5u < _e125)) {
        uint _e155 = exchange_tiles[5];
        uint _e156 = sum_1;
        uint sum_65 = (_e156 + _e155);
        sum_1 = sum_65;
    }
    uint _e158 = sum_1;
    uint _e160 = exchange[_e6];
    uint sum_66 = (_e158 + _e160);
    return sum_66;
}

uint shuffle(uint local_index_4, uint value_3, uint from)
{
    exchange[local_index_4] = value_3;
    GroupMemoryBarrierWithGroupSync();
    uint _e9 = exchange[min(from, 99u)];
    return ((from < 100u) ? _e9 : 0u);
}

uint broadcast(uint local_index_5, uint value_4, uint from_1)
{
    if ((local_index_5 == from_1)) {
        exchange[0u] = value_4;
    }
    GroupMemoryBarrierWithGroupSync();
    uint _e9 = exchange[0u];
    return ((from_1 < 100u) ? _e9 : 0u);
}

[numthreads(100, 1, 1)]
void main(uint3 invocation_id : SV_DispatchThreadID, uint3 workgroup_id : SV_GroupID, uint local_index : SV_GroupIndex)
{
    uint upto = ZeroValueuint();
    uint next_v12_ = ZeroValueuint();

    uint row_of_invocation_id_x = dispatch.row_invocations;
    uint first_invocation_id_x = dispatch.first_invocation_x;
    uint invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    uint len_data = dispatch.len_data;
    uint len_rounds = dispatch.len_rounds;
    bool v2_ = (invocation_id_x < len_data);
    uint _e24 = asuint(data.Load((v2_ ? invocation_id_x : 0u)*4));
    uint v3_ = (v2_ ? _e24 : ZeroValueuint());
    const uint _e28 = reduce_add(local_index, v3_);
    GroupMemoryBarrierWithGroupSync();
    const uint _e29 = scan_exclusive_max(local_index, v3_);
    uint v6_ = (v3_ ^ _e29);
    GroupMemoryBarrierWithGroupSync();
    const uint _e31 = scan_inclusive_add(local_index, v6_);
    upto = _e31;
    bool v10_ = (len_rounds != 0u);
    uint _e34 = asuint(rounds.Load(0u*4));
    uint v11_ = (v10_ ? _e34 : ZeroValueuint());
    next_v12_ = 0u;
    bool loop_init = true;
    while(true) {
        if (!loop_init) {
            uint _e48 = next_v12_;
            next_v12_ = (_e48 + 1u);
        }
        loop_init = false;
        uint v12_ = next_v12_;
        if ((v12_ < v11_)) {
        } else {
            break;
        }
        uint v13_ = upto;
        GroupMemoryBarrierWithGroupSync();
        const uint _e43 = shuffle(local_index, v13_, v12_);
        uint v16_ = (v13_ + _e43);
        GroupMemoryBarrierWithGroupSync();
        const uint _e46 = broadcast(local_index, v3_, 3u);
        uint v19_ = (v16_ + _e46);
        upto = v19_;
    }
    uint v20_ = upto;
    uint v21_ = (_e28 + v20_);
    if (v2_) {
        data.Store(invocation_id_x*4, asuint(v21_));
    }
}
