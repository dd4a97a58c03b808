//! Table of the validation rules.
//!
//! A new rule is one file below `rules`, one line in the table below, and its cases in `tests/corpus/validate`. Codes
//! are permanent: a new rule is appended, and no code is renumbered or reused.

use std::fmt;
use std::str::FromStr;

/// Calls the macro `$declare` with all rules: the code and the file of each.
macro_rules! rule_table {
    ($declare:ident) => {
        $declare! {
            V001 => v001_duplicate_buffer_name,
            V002 => v002_duplicate_binding,
            V003 => v003_workgroup_size,
            V004 => v004_unknown_buffer,
            V005 => v005_store_to_read_only,
            V006 => v006_undeclared_variable,
            V007 => v007_axis,
            V008 => v008_shadowing,
            V009 => v009_atomic_access,
            V010 => v010_divergent_barrier,
            V011 => v011_loop_variable,
            V012 => v012_cast,
            V013 => v013_bytes_element,
            V014 => v014_atomic_element,
            V015 => v015_loop_bound_type,
            V016 => v016_unknown_op,
            V017 => v017_call_depth,
            V018 => v018_nesting_depth,
            V019 => v019_node_count,
            V020 => v020_not_inlinable,
            V021 => v021_binary_operand_type,
            V022 => v022_condition_type,
            V023 => v023_cast_to_bytes,
            V024 => v024_workgroup_count,
            V025 => v025_workgroup_atomic,
            V026 => v026_break_outside_loop,
            V027 => v027_argument_count,
            V028 => v028_argument_type,
            V029 => v029_second_output,
            V030 => v030_store_type,
            V031 => v031_assignment_type,
            V032 => v032_select_arms,
            V033 => v033_unary_operand_type,
            V034 => v034_index_type,
            V035 => v035_atomic_expected,
            V036 => v036_lane_range,
            V037 => v037_divergent_collective,
            V038 => v038_ballot_size,
            V039 => v039_atomic_value,
            V040 => v040_atomic_operand_type,
            V041 => v041_select_condition,
            V042 => v042_extract_type,
            V043 => v043_pack_lanes,
            V044 => v044_pack_lane_type,
            V045 => v045_collective_operand_type,
            V046 => v046_broadcast_lane,
            V047 => v047_unfit_op,
            V048 => v048_static_count,
            V049 => v049_output_access,
            V050 => v050_workgroup_bytes,
            V051 => v051_name_length,
            V052 => v052_workgroup_atomic_access,
        }
    };
}
pub(super) use rule_table;

/// Documentation of a rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleInfo {
    /// Title in a few words.
    pub title: &'static str,
    /// Condition that the rule checks.
    pub checks: &'static str,
    /// Reason for the rule.
    pub why: &'static str,
    /// Texts of its diagnostics, after `vyre IR validation: `, with placeholders in angle brackets.
    pub messages: &'static [&'static str],
    /// A program that breaks the rule and no other.
    pub breaks: &'static str,
    /// A similar program that breaks no rule.
    pub passes: &'static str,
}

/// Declares the enum of the rules.
macro_rules! declare_codes {
    ($($code:ident => $file:ident,)+) => {
        /// The code of a validation rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                #[doc = concat!("See `vyre explain ", stringify!($code), "`.")]
                $code,
            )+
        }

        impl Rule {
            /// Every rule, in the order of the codes.
            pub const ALL: &'static [Rule] = &[$(Rule::$code),+];

            /// Code as text, such as `V010`.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Rule::$code => stringify!($code),)+
                }
            }
        }
    };
}

rule_table!(declare_codes);

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Error of a text that is not the code of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRuleError {
    /// The text.
    pub text: String,
}

impl fmt::Display for ParseRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (Rule::ALL.first(), Rule::ALL.last());
        write!(f, "no rule has the code `{}`", self.text)?;
        match (first, last) {
            (Some(first), Some(last)) => write!(f, "; the codes are {first} to {last}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for ParseRuleError {}

impl FromStr for Rule {
    type Err = ParseRuleError;

    /// Reads a code in upper or lower case.
    fn from_str(text: &str) -> Result<Rule, ParseRuleError> {
        let found = Rule::ALL.iter().find(|rule| rule.code().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| ParseRuleError { text: text.to_owned() })
    }
}
