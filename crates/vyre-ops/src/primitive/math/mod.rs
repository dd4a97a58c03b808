//! Arithmetic on words, unsigned unless an op says otherwise.

crate::family::op_family! {
    add;
    sub;
    mul;
    div;
    modulo;
    min;
    max;
    clamp;
    abs;
    negate;
    abs_diff;
}
