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
    len_data: u32,
    len_rounds: u32,
}

@group(0) @binding(0) 
var<storage, read_write> data: array<u32>;
@group(0) @binding(1) 
var<storage> rounds: array<u32>;
@group(1) @binding(0) 
var<uniform> dispatch: Dispatch;
var<workgroup> exchange: array<u32, 119>;
var<workgroup> exchange_tiles: array<u32, 7>;

fn reduce_add(local_index_1: u32, value: u32) -> u32 {
    exchange[(local_index_1 + (local_index_1 >> 4u))] = value;
    workgroupBarrier();
    if (local_index_1 < 7u) {
        let _e10 = (local_index_1 << 4u);
        let _e12 = (_e10 + (_e10 >> 4u));
        let _e16 = exchange[(_e12 + 0u)];
        let _e20 = exchange[(_e12 + 1u)];
        let _e24 = exchange[(_e12 + 2u)];
        let _e28 = exchange[(_e12 + 3u)];
        let _e31 = exchange[(_e12 + 4u)];
        let _e35 = exchange[(_e12 + 5u)];
        let _e39 = exchange[(_e12 + 6u)];
        let _e42 = exchange[(_e12 + 7u)];
        let _e46 = exchange[(_e12 + 8u)];
        let _e50 = exchange[(_e12 + 9u)];
        let _e54 = exchange[(_e12 + 10u)];
        let _e58 = exchange[(_e12 + 11u)];
        let _e62 = exchange[(_e12 + 12u)];
        let _e66 = exchange[(_e12 + 13u)];
        let _e70 = exchange[(_e12 + 14u)];
        let _e74 = exchange[(_e12 + 15u)];
        let sum_2 = (select(0u, _e16, ((_e10 + 0u) < 100u)) + select(0u, _e20, ((_e10 + 1u) < 100u)));
        let sum_3 = (sum_2 + select(0u, _e24, ((_e10 + 2u) < 100u)));
        let sum_4 = (sum_3 + select(0u, _e28, ((_e10 + 3u) < 100u)));
        let sum_5 = (sum_4 + select(0u, _e31, ((_e10 + 4u) < 100u)));
        let sum_6 = (sum_5 + select(0u, _e35, ((_e10 + 5u) < 100u)));
        let sum_7 = (sum_6 + select(0u, _e39, ((_e10 + 6u) < 100u)));
        let sum_8 = (sum_7 + select(0u, _e42, ((_e10 + 7u) < 100u)));
        let sum_9 = (sum_8 + select(0u, _e46, ((_e10 + 8u) < 100u)));
        let sum_10 = (sum_9 + select(0u, _e50, ((_e10 + 9u) < 100u)));
        let sum_11 = (sum_10 + select(0u, _e54, ((_e10 + 10u) < 100u)));
        let sum_12 = (sum_11 + select(0u, _e58, ((_e10 + 11u) < 100u)));
        let sum_13 = (sum_12 + select(0u, _e62, ((_e10 + 12u) < 100u)));
        let sum_14 = (sum_13 + select(0u, _e66, ((_e10 + 13u) < 100u)));
        let sum_15 = (sum_14 + select(0u, _e70, ((_e10 + 14u) < 100u)));
        let sum_16 = (sum_15 + select(0u, _e74, ((_e10 + 15u) < 100u)));
        exchange_tiles[local_index_1] = sum_16;
    }
    let _e140 = workgroupUniformLoad((&exchange_tiles));
    let sum_17 = (_e140[0] + _e140[1]);
    let sum_18 = (sum_17 + _e140[2]);
    let sum_19 = (sum_18 + _e140[3]);
    let sum_20 = (sum_19 + _e140[4]);
    let sum_21 = (sum_20 + _e140[5]);
    let sum_22 = (sum_21 + _e140[6]);
    return sum_22;
}

fn scan_exclusive_max(local_index_2: u32, value_1: u32) -> u32 {
    var sum: u32 = u32();

    let _e6 = (local_index_2 + (local_index_2 >> 4u));
    exchange[_e6] = value_1;
    workgroupBarrier();
    if (local_index_2 < 7u) {
        let _e10 = (local_index_2 << 4u);
        let _e12 = (_e10 + (_e10 >> 4u));
        let _e16 = exchange[(_e12 + 0u)];
        let _e20 = exchange[(_e12 + 1u)];
        let _e24 = exchange[(_e12 + 2u)];
        let _e28 = exchange[(_e12 + 3u)];
        let _e31 = exchange[(_e12 + 4u)];
        let _e35 = exchange[(_e12 + 5u)];
        let _e39 = exchange[(_e12 + 6u)];
        let _e42 = exchange[(_e12 + 7u)];
        let _e46 = exchange[(_e12 + 8u)];
        let _e50 = exchange[(_e12 + 9u)];
        let _e54 = exchange[(_e12 + 10u)];
        let _e58 = exchange[(_e12 + 11u)];
        let _e62 = exchange[(_e12 + 12u)];
        let _e66 = exchange[(_e12 + 13u)];
        let _e70 = exchange[(_e12 + 14u)];
        let _e74 = exchange[(_e12 + 15u)];
        let _e76 = (_e10 + (_e10 >> 4u));
        exchange[(_e76 + 0u)] = _e16;
        let sum_23 = max(_e16, _e20);
        exchange[(_e76 + 1u)] = sum_23;
        let sum_24 = max(sum_23, _e24);
        exchange[(_e76 + 2u)] = sum_24;
        let sum_25 = max(sum_24, _e28);
        exchange[(_e76 + 3u)] = sum_25;
        let sum_26 = max(sum_25, _e31);
        exchange[(_e76 + 4u)] = sum_26;
        let sum_27 = max(sum_26, _e35);
        exchange[(_e76 + 5u)] = sum_27;
        let sum_28 = max(sum_27, _e39);
        exchange[(_e76 + 6u)] = sum_28;
        let sum_29 = max(sum_28, _e42);
        exchange[(_e76 + 7u)] = sum_29;
        let sum_30 = max(sum_29, _e46);
        exchange[(_e76 + 8u)] = sum_30;
        let sum_31 = max(sum_30, _e50);
        exchange[(_e76 + 9u)] = sum_31;
        let sum_32 = max(sum_31, _e54);
        exchange[(_e76 + 10u)] = sum_32;
        let sum_33 = max(sum_32, _e58);
        exchange[(_e76 + 11u)] = sum_33;
        let sum_34 = max(sum_33, _e62);
        exchange[(_e76 + 12u)] = sum_34;
        let sum_35 = max(sum_34, _e66);
        exchange[(_e76 + 13u)] = sum_35;
        let sum_36 = max(sum_35, _e70);
        exchange[(_e76 + 14u)] = sum_36;
        let sum_37 = max(sum_36, _e74);
        exchange[(_e76 + 15u)] = sum_37;
        exchange_tiles[local_index_2] = sum_37;
    }
    workgroupBarrier();
    let _e125 = (local_index_2 >> 4u);
    sum = 0u;
    if (0u < _e125) {
        let _e130 = exchange_tiles[0];
        let _e131 = sum;
        let sum_38 = max(_e131, _e130);
        sum = sum_38;
    }
    if (1u < _e125) {
        let _e135 = exchange_tiles[1];
        let _e136 = sum;
        let sum_39 = max(_e136, _e135);
        sum = sum_39;
    }
    if (2u < _e125) {
        let _e140 = exchange_tiles[2];
        let _e141 = sum;
        let sum_40 = max(_e141, _e140);
        sum = sum_40;
    }
    if (3u < _e125) {
        let _e145 = exchange_tiles[3];
        let _e146 = sum;
        let sum_41 = max(_e146, _e145);
        sum = sum_41;
    }
    if (4u < _e125) {
        let _e150 = exchange_tiles[4];
        let _e151 = sum;
        let sum_42 = max(_e151, _e150);
        sum = sum_42;
    }
    if (5u < _e125) {
        let _e155 = exchange_tiles[5];
        let _e156 = sum;
        let sum_43 = max(_e156, _e155);
        sum = sum_43;
    }
    let _e158 = sum;
    let _e160 = ((local_index_2 & 15u) != 0u);
    let _e164 = exchange[select(0u, (_e6 - 1u), _e160)];
    let sum_44 = max(_e158, select(0u, _e164, _e160));
    return sum_44;
}

fn scan_inclusive_add(local_index_3: u32, value_2: u32) -> u32 {
    var sum_1: u32 = u32();

    let _e6 = (local_index_3 + (local_index_3 >> 4u));
    exchange[_e6] = value_2;
    workgroupBarrier();
    if (local_index_3 < 7u) {
        let _e10 = (local_index_3 << 4u);
        let _e12 = (_e10 + (_e10 >> 4u));
        let _e16 = exchange[(_e12 + 0u)];
        let _e20 = exchange[(_e12 + 1u)];
        let _e24 = exchange[(_e12 + 2u)];
        let _e28 = exchange[(_e12 + 3u)];
        let _e31 = exchange[(_e12 + 4u)];
        let _e35 = exchange[(_e12 + 5u)];
        let _e39 = exchange[(_e12 + 6u)];
        let _e42 = exchange[(_e12 + 7u)];
        let _e46 = exchange[(_e12 + 8u)];
        let _e50 = exchange[(_e12 + 9u)];
        let _e54 = exchange[(_e12 + 10u)];
        let _e58 = exchange[(_e12 + 11u)];
        let _e62 = exchange[(_e12 + 12u)];
        let _e66 = exchange[(_e12 + 13u)];
        let _e70 = exchange[(_e12 + 14u)];
        let _e74 = exchange[(_e12 + 15u)];
        let _e76 = (_e10 + (_e10 >> 4u));
        exchange[(_e76 + 0u)] = _e16;
        let sum_45 = (_e16 + _e20);
        exchange[(_e76 + 1u)] = sum_45;
        let sum_46 = (sum_45 + _e24);
        exchange[(_e76 + 2u)] = sum_46;
        let sum_47 = (sum_46 + _e28);
        exchange[(_e76 + 3u)] = sum_47;
        let sum_48 = (sum_47 + _e31);
        exchange[(_e76 + 4u)] = sum_48;
        let sum_49 = (sum_48 + _e35);
        exchange[(_e76 + 5u)] = sum_49;
        let sum_50 = (sum_49 + _e39);
        exchange[(_e76 + 6u)] = sum_50;
        let sum_51 = (sum_50 + _e42);
        exchange[(_e76 + 7u)] = sum_51;
        let sum_52 = (sum_51 + _e46);
        exchange[(_e76 + 8u)] = sum_52;
        let sum_53 = (sum_52 + _e50);
        exchange[(_e76 + 9u)] = sum_53;
        let sum_54 = (sum_53 + _e54);
        exchange[(_e76 + 10u)] = sum_54;
        let sum_55 = (sum_54 + _e58);
        exchange[(_e76 + 11u)] = sum_55;
        let sum_56 = (sum_55 + _e62);
        exchange[(_e76 + 12u)] = sum_56;
        let sum_57 = (sum_56 + _e66);
        exchange[(_e76 + 13u)] = sum_57;
        let sum_58 = (sum_57 + _e70);
        exchange[(_e76 + 14u)] = sum_58;
        let sum_59 = (sum_58 + _e74);
        exchange[(_e76 + 15u)] = sum_59;
        exchange_tiles[local_index_3] = sum_59;
    }
    workgroupBarrier();
    let _e125 = (local_index_3 >> 4u);
    sum_1 = 0u;
    if (0u < _e125) {
        let _e130 = exchange_tiles[0];
        let _e131 = sum_1;
        let sum_60 = (_e131 + _e130);
        sum_1 = sum_60;
    }
    if (1u < _e125) {
        let _e135 = exchange_tiles[1];
        let _e136 = sum_1;
        let sum_61 = (_e136 + _e135);
        sum_1 = sum_61;
    }
    if (2u < _e125) {
        let _e140 = exchange_tiles[2];
        let _e141 = sum_1;
        let sum_62 = (_e141 + _e140);
        sum_1 = sum_62;
    }
    if (3u < _e125) {
        let _e145 = exchange_tiles[3];
        let _e146 = sum_1;
        let sum_63 = (_e146 + _e145);
        sum_1 = sum_63;
    }
    if (4u < _e125) {
        let _e150 = exchange_tiles[4];
        let _e151 = sum_1;
        let sum_64 = (_e151 + _e150);
        sum_1 = sum_64;
    }
    if (5u < _e125) {
        let _e155 = exchange_tiles[5];
        let _e156 = sum_1;
        let sum_65 = (_e156 + _e155);
        sum_1 = sum_65;
    }
    let _e158 = sum_1;
    let _e160 = exchange[_e6];
    let sum_66 = (_e158 + _e160);
    return sum_66;
}

fn shuffle(local_index_4: u32, value_3: u32, from_: u32) -> u32 {
    exchange[local_index_4] = value_3;
    workgroupBarrier();
    let _e9 = exchange[min(from_, 99u)];
    return select(0u, _e9, (from_ < 100u));
}

fn broadcast(local_index_5: u32, value_4: u32, from_1: u32) -> u32 {
    if (local_index_5 == from_1) {
        exchange[0u] = value_4;
    }
    let _e9 = workgroupUniformLoad((&exchange[0u]));
    return select(0u, _e9, (from_1 < 100u));
}

@compute @workgroup_size(100, 1, 1) 
fn main(@builtin(global_invocation_id) invocation_id: vec3<u32>, @builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
    var upto: u32 = u32();
    var next_v12_: u32 = u32();

    let row_of_invocation_id_x = dispatch.row_invocations;
    let first_invocation_id_x = dispatch.first_invocation_x;
    let invocation_id_x = ((invocation_id.x + (workgroup_id.y * row_of_invocation_id_x)) + first_invocation_id_x);
    let len_data = dispatch.len_data;
    let len_rounds = dispatch.len_rounds;
    let v2_ = (invocation_id_x < len_data);
    let _e24 = data[select(0u, invocation_id_x, v2_)];
    let v3_ = select(u32(), _e24, v2_);
    let _e28 = reduce_add(local_index, v3_);
    let _e29 = scan_exclusive_max(local_index, v3_);
    let v6_ = (v3_ ^ _e29);
    workgroupBarrier();
    let _e31 = scan_inclusive_add(local_index, v6_);
    upto = _e31;
    let v10_ = (len_rounds != 0u);
    let _e34 = rounds[0u];
    let v11_ = select(u32(), _e34, v10_);
    next_v12_ = 0u;
    loop {
        let v12_ = next_v12_;
        if (v12_ < v11_) {
        } else {
            break;
        }
        let v13_ = upto;
        workgroupBarrier();
        let _e43 = shuffle(local_index, v13_, v12_);
        let v16_ = (v13_ + _e43);
        workgroupBarrier();
        let _e46 = broadcast(local_index, v3_, 3u);
        let v19_ = (v16_ + _e46);
        upto = v19_;
        continuing {
            let _e48 = next_v12_;
            next_v12_ = (_e48 + 1u);
        }
    }
    let v20_ = upto;
    let v21_ = (_e28 + v20_);
    if v2_ {
        data[invocation_id_x] = v21_;
    }
}
