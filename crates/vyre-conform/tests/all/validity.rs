//! Validation accepts any input, is deterministic, and accepts programs that are generated to be valid.

use proptest::prelude::*;
use vyre_conform::arbitrary::{arb_plausible_program, arb_program, arb_valid_program, config};
use vyre_ir::wire::{from_wire, to_wire};
use vyre_ir::{OpTable, Program, Rule, validate};

/// Violations of a program: rules and paths.
fn findings(program: &Program) -> Vec<(Rule, String)> {
    match validate(program, &OpTable::default()) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.into_iter().map(|diagnostic| (diagnostic.rule, diagnostic.path)).collect(),
    }
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn every_program_is_judged_alike_each_time(program in prop_oneof![arb_program(), arb_plausible_program()]) {
        if let Err(diagnostics) = validate(&program, &OpTable::default()) {
            prop_assert!(!diagnostics.is_empty(), "refused without a reason");
        }
        let decoded = from_wire(&to_wire(&program)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(findings(&decoded), findings(&program));
    }

    #[test]
    fn valid_programs_are_accepted(program in arb_valid_program()) {
        prop_assert_eq!(findings(&program), []);
    }
}
