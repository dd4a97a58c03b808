//! The worked example of `docs/conformance.md`: each run finds a bug, until the backend is certified.

use vyre_conform::certificate::Verdict;
use vyre_conform::suite::{Amounts, Level, Suite};

#[expect(unreachable_pub, reason = "the items of the example are public for its readers")]
#[path = "../../../examples/toy_backend.rs"]
mod toy_backend;

#[test]
fn the_toy_backend_is_certified_after_three_repairs() {
    let sections = ["out-of-bounds", "atomics", "determinism", "generated"];
    let suite = Suite::new(Level::Quick).with_interpreter(true).with_amounts(Amounts::tiny()).with_only(sections);
    let suite = suite.expect("sections");
    // The example certifies with the amounts of the level, which take an unoptimized interpreter minutes.
    let (story, certificate) = toy_backend::certify(&suite, &suite).expect("a device");
    println!("{story}");
    assert_eq!(story.matches("failed: Bugs").count(), 3, "{story}");
    let found = ["out-of-bounds, loads from read buffers", "atomics, atomic_max", "determinism, split grids"];
    let places: Vec<Option<usize>> = found.iter().map(|place| story.find(place)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{story}");
    // The bug in the compiler is shown by a program of a few lines.
    assert!(story.contains("atomic_max(") && story.contains("    | // run: grid 1"), "{story}");
    assert!(story.contains("  generated: "), "{story}");
    // Not all sections ran, nor all checks.
    assert_eq!((certificate.verdict, certificate.counts.failed), (Verdict::Partial, 0));
}
