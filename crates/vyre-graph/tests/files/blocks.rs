//! The result does not depend on the size of blocks, whether it is a graph or an error.

use vyre_graph::generate::SplitMix64;

use crate::oracle::{options, read, with_blocks, with_names};

/// A text with all kinds of lines, with or without an error.
fn random_text(random: &mut SplitMix64, is_wrong: bool) -> String {
    let lines = 1 + random.below(40);
    let wrong = random.below(lines);
    let mut text = String::new();
    for line in 0..lines {
        let (a, b) = (random.below(30), random.below(3_000));
        let correct = match random.below(8) {
            0 => String::new(),
            1 => "# a comment".to_owned(),
            2 => format!("{a},{b}"),
            3 => format!("  {a}\t;  {b} "),
            4 => format!("\"{a}\" \"{b}\""),
            _ => format!("{a} {b}"),
        };
        let mistake = ["x", "1 2 3 4", "1", "-1 2", "\"1 2", "1 5000000000", "1 2\x003", "16777299 1"];
        let is_here = is_wrong && (line == wrong || random.below(20) == 0);
        text.push_str(if is_here { mistake[random.below(8) as usize] } else { &correct });
        text.push_str(if random.below(4) == 0 { "\r\n" } else { "\n" });
    }
    if random.below(2) == 0 {
        text.truncate(text.trim_end().len());
    }
    text
}

#[test]
fn the_result_does_not_depend_on_the_size_of_blocks() {
    let mut random = SplitMix64::new(0xB10C);
    let mut errors = 0;
    for case in 0..600 {
        let text = random_text(&mut random, case % 2 == 0);
        for mut given in [options(), with_names()] {
            given.undirected = case % 3 == 0;
            let whole = read(&text, &given).map_err(|error| error.to_string());
            errors += u32::from(whole.is_err());
            for block_bytes in [1, 2, 17, 100] {
                let blocks = read(&text, &with_blocks(given.clone(), block_bytes)).map_err(|error| error.to_string());
                assert_eq!(blocks, whole, "blocks of {block_bytes} of {text:?}");
            }
        }
    }
    assert!(errors > 100, "mistakes are found");
}
