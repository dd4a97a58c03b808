//! Prefix sums of a million numbers in three dispatches, which run as one list of commands: sums within tiles, offsets of the
//! tiles, and their addition.

use vyre::{CommandList, Error, Grid, Session};

const COUNT: u64 = 1_000_000;
const TILE: u64 = 256;

/// Sums within tiles of 256 numbers, and the total of each tile.
const SCAN_TILES: &str = "
workgroup_size 256;
buffer input: read u32 @0;
buffer sums: read_write u32 @1;
buffer totals: read_write u32 @2;
entry {
    let i = invocation_id.x;
    let sum = scan_inclusive_add(input[i]);
    sums[i] = sum;
    if local_id.x == 255 {
        totals[workgroup_id.x] = sum;
    }
}";

/// Replaces each total by the sum of all totals before it. One workgroup proceeds over 256 totals at a time.
const SCAN_TOTALS: &str = "
workgroup_size 256;
buffer totals: read_write u32 @0;
entry {
    let before = 0;
    for step in 0..(len(totals) + 255) / 256 {
        let at = step * 256 + local_id.x;
        let total = totals[at];
        totals[at] = before + scan_exclusive_add(total);
        before = before + reduce_add(total);
    }
}";

/// Adds to each number the sum of all tiles before its own.
const ADD_OFFSETS: &str = "
workgroup_size 256;
buffer offsets: read u32 @0;
buffer sums: read_write u32 @1;
entry {
    let i = invocation_id.x;
    sums[i] = sums[i] + offsets[workgroup_id.x];
}";

fn main() -> Result<(), Error> {
    let session = Session::new()?;
    let scan_tiles = session.compile_text(SCAN_TILES)?;
    let scan_totals = session.compile_text(SCAN_TOTALS)?;
    let add_offsets = session.compile_text(ADD_OFFSETS)?;

    let numbers: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 12).collect();
    let input = session.buffer_from(&numbers)?;
    let sums = session.zeros::<u32>(COUNT)?;
    let totals = session.zeros::<u32>(COUNT.div_ceil(TILE))?;

    let mut commands = CommandList::new();
    let grid = Grid::invocations(COUNT);
    commands.dispatch_named(&scan_tiles, [("input", &input), ("sums", &sums), ("totals", &totals)], grid)?;
    commands.dispatch_named(&scan_totals, [("totals", &totals)], Grid::workgroup())?;
    commands.dispatch_named(&add_offsets, [("offsets", &totals), ("sums", &sums)], grid)?;
    session.run_commands(&commands)?;

    let mut sum = 0u32;
    for (found, number) in session.read_vec::<u32>(&sums)?.into_iter().zip(numbers) {
        sum = sum.wrapping_add(number);
        assert_eq!(found, sum);
    }
    println!("{}: prefix sums of {COUNT} numbers; the last is {sum}", session.device().name());
    Ok(())
}
