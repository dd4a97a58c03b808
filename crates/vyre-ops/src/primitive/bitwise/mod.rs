//! Bit operations on words.

crate::family::op_family! {
    and;
    or;
    xor;
    not;
    shl;
    shr;
    rotl;
    rotr;
    popcount;
    clz;
    ctz;
    reverse_bits;
    extract_bits;
    insert_bits;
}
