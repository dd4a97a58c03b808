//! Validation rules, one file each: the documentation, the texts and the checks of a rule.
//!
//! The table in `codes` declares the files. `cargo fmt` does not find modules that a macro declares; format a rule with
//! `rustfmt crates/vyre-ir/src/validate/rules/*.rs`.

use super::codes::{Rule, RuleInfo, rule_table};
use super::hooks::{
    Access, Assignment, AtomicOperands, BinaryOperands, BreakStatement, BufferIndex, Call, Cast, CollectiveOperands,
    DivergentUse, ExceededLimit, Extract, IdAxis, IfCondition, LoopBounds, Pack, Rebinding, RuleCheck, Select,
    UnaryOperand, UnresolvedName,
};
use crate::Program;
use crate::diagnostic::Report;

/// Declares a function that runs one hook of all rules.
macro_rules! run_hook {
    ($hook:ident, $subject:ty, ($($code:ident => $file:ident,)+)) => {
        #[doc = concat!("Runs the hook `", stringify!($hook), "` of all rules.")]
        pub(super) fn $hook(subject: &$subject, report: &mut Report) {
            $(<$file::Check as RuleCheck>::$hook(subject, &mut report.for_rule(Rule::$code));)+
        }
    };
}

/// Declares the modules of the rules, their documentation, and a function for each hook.
macro_rules! declare_rules {
    ($($code:ident => $file:ident,)+) => {
        $(mod $file;)+

        impl Rule {
            /// Documentation of the rule.
            #[must_use]
            pub const fn info(self) -> &'static RuleInfo {
                match self {
                    $(Rule::$code => &<$file::Check as RuleCheck>::INFO,)+
                }
            }
        }

        declare_rules!(@hooks ($($code => $file,)+));
    };
    (@hooks $rules:tt) => {
        run_hook!(exceeded_limit, ExceededLimit<'_>, $rules);
        run_hook!(declarations, Program, $rules);
        run_hook!(unresolved_name, UnresolvedName<'_>, $rules);
        run_hook!(rebinding, Rebinding<'_>, $rules);
        run_hook!(assignment, Assignment<'_>, $rules);
        run_hook!(if_condition, IfCondition, $rules);
        run_hook!(loop_bounds, LoopBounds, $rules);
        run_hook!(break_statement, BreakStatement, $rules);
        run_hook!(buffer_index, BufferIndex, $rules);
        run_hook!(access, Access<'_>, $rules);
        run_hook!(atomic_operands, AtomicOperands, $rules);
        run_hook!(id_axis, IdAxis, $rules);
        run_hook!(binary_operands, BinaryOperands<'_>, $rules);
        run_hook!(unary_operand, UnaryOperand<'_>, $rules);
        run_hook!(select, Select, $rules);
        run_hook!(cast, Cast, $rules);
        run_hook!(extract, Extract, $rules);
        run_hook!(pack, Pack<'_>, $rules);
        run_hook!(collective_operands, CollectiveOperands<'_>, $rules);
        run_hook!(call, Call<'_>, $rules);
        run_hook!(divergent_use, DivergentUse, $rules);
    };
}

rule_table!(declare_rules);
