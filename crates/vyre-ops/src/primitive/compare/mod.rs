//! Comparisons and selection. A bool is the word 0 or 1.

crate::family::op_family! {
    eq;
    ne;
    lt;
    gt;
    le;
    ge;
    select;
    logical_not;
}
