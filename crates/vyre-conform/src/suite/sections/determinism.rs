//! Determinism: equal bytes in every run, grid shape and configuration.

use vyre_ir::{OpTable, validate};
use vyre_runtime::{Bindings, Buffer, CommandList, Device, Error, Pipeline, PipelineOptions, RunOptions};

use super::generated::GENERATORS;
use crate::race_free::Random;
use crate::suite::context::{Context, Item, Settings};
use crate::suite::judge::{Contents, run_on_reference};
use crate::suite::samples::{after, bytes, case};
use crate::suite::section::Section;
use crate::{Case, CaseError};

/// Many runs of a program, grids of equal size and different shapes, grids that devices split, and the variants of the backend.
pub(in crate::suite) struct Determinism;

/// Grids of 64 workgroups, with workgroups of 32 invocations.
const GRIDS: [[u32; 3]; 8] =
    [[64, 1, 1], [1, 64, 1], [1, 1, 64], [8, 8, 1], [4, 4, 4], [2, 1, 32], [32, 2, 1], [1, 16, 4]];

/// Shapes of workgroups of 32 invocations.
const WORKGROUPS: [[u32; 3]; 4] = [[32, 1, 1], [8, 4, 1], [2, 4, 4], [1, 1, 32]];

/// Grids beyond the 65,535 workgroups on an axis that GPUs run in one dispatch.
const SPLIT_GRIDS: [[u32; 3]; 5] = [[70_000, 1, 1], [1, 70_000, 1], [1, 1, 70_000], [3, 1, 70_000], [65_536, 2, 1]];

/// Grids without a workgroup.
const EMPTY_GRIDS: [[u32; 3]; 3] = [[0, 5, 5], [5, 0, 5], [5, 5, 0]];

impl Section for Determinism {
    fn name(&self) -> &'static str {
        "determinism"
    }

    fn about(&self) -> &'static str {
        "Equal bytes in every run, in grids of every shape, in grids that a device must split, and in every configuration of the backend."
    }

    fn cost(&self, settings: &Settings) -> u64 {
        500 + settings.amounts.repeated_programs * settings.amounts.repeats
    }

    fn run(&self, context: &Context) {
        shapes(context);
        splits(context);
        let settings = context.settings();
        let (all, repeats) = (settings.amounts.repeated_programs, settings.amounts.repeats);
        let left_out = settings.left_out(|amounts| amounts.repeated_programs);
        context.skipped_by_interpreter(&Item::new("runs"), left_out * repeats);
        let configurations = Item::new("configurations");
        if context.variants().is_empty() {
            context.skipped(&configurations, all + left_out, "no other configuration of the backend was given");
        } else {
            context.skipped_by_interpreter(&configurations, left_out);
        }
        for number in 0..all {
            if context.must_end() {
                return;
            }
            context.advanced(number, all);
            let seed = settings.seed.wrapping_add(number);
            let generator = &GENERATORS[(seed % GENERATORS.len() as u64) as usize];
            let Some(case) = (generator.case)(seed) else {
                context.skipped(&Item::new("runs"), repeats, generator.has_none());
                continue;
            };
            let expected = match run_on_reference(&case) {
                Ok(expected) => expected,
                Err(error) => {
                    context.without_reference(&Item::new("runs"), repeats, &error, Some(seed));
                    continue;
                }
            };
            repeat(context, seed, &case, &expected);
            context.judge_on(&configurations, Some(seed), &case, Some(expected), context.variants());
        }
    }
}

/// Runs a pipeline many times, each time on new buffers. Wrong runs count whatever a later one does, and the program is judged once more
/// for its details. An error ends the runs.
fn repeat(context: &Context, seed: u64, case: &Case, expected: &Contents) {
    let item = Item::new("runs");
    let all = context.settings().amounts.repeats;
    let device = &**context.device();
    let (mut equal, mut wrong) = (0, 0);
    let mut run_all = || -> Result<(), CaseError> {
        let pipeline = pipeline(device, case)?;
        for _ in 0..all {
            match run_once(device, &pipeline, case)? == *expected {
                true => equal += 1,
                false => wrong += 1,
            }
        }
        Ok(())
    };
    let ended = run_all();
    context.passed(&item, equal);
    let made = equal + wrong;
    context.had_failed(&item, wrong, format!("{wrong} of {made} runs have other bytes"), Some(seed));
    match ended {
        Ok(()) => {}
        // The run has no result, and those after it are lost with the section.
        Err(_) if context.has_stopped_a_call() => {}
        Err(CaseError::Device(error)) if device.limits().explain(&error) => {
            context.skipped(&item, all - made, error.to_string());
        }
        Err(error) => {
            context.failed(&item, error.to_string(), Some(seed));
            context.skipped(&item, (all - made).saturating_sub(1), "an earlier run of the program failed");
        }
    }
    if wrong > 0 {
        context.judge(&item, Some(seed), case, Some(expected.clone()));
    }
}

fn pipeline(device: &dyn Device, case: &Case) -> Result<Pipeline, CaseError> {
    let valid = validate(&case.program, &case.ops)
        .map_err(|list| CaseError::Invalid(list.first().map(ToString::to_string).unwrap_or_default()))?;
    Ok(device.create_pipeline(&valid, &PipelineOptions::default())?)
}

fn run_once(device: &dyn Device, pipeline: &Pipeline, case: &Case) -> Result<Contents, Error> {
    let mut bindings = Bindings::new();
    let mut buffers: Vec<(vyre_ir::Name, Buffer)> = Vec::new();
    let bound = case.program.buffers.iter().filter(|decl| decl.access != vyre_ir::BufferAccess::Workgroup);
    for decl in bound {
        let contents = case.contents.get(&decl.name).map(Vec::as_slice).unwrap_or_default();
        let buffer = device.create_buffer(contents.len() as u64)?;
        device.write(&buffer, 0, contents)?;
        bindings = bindings.with(decl.binding, &buffer);
        buffers.push((decl.name.clone(), buffer));
    }
    let mut commands = CommandList::new();
    commands.dispatch(pipeline, &bindings, case.grid);
    device.run(&commands, &RunOptions::default())?;
    buffers.into_iter().map(|(name, buffer)| Ok((name, device.read(&buffer)?))).collect()
}

/// Grids of equal size: a program that numbers its workgroups itself has equal results in all of them.
fn shapes(context: &Context) {
    let mut random = Random::new(context.settings().seed);
    let data: Vec<u32> = (0..64 * 32).map(|_| random.word()).collect();
    let mut expected = Vec::new();
    let mut total = 0_u32;
    for (group, words) in (0..).zip(data.chunks(32)) {
        let mut sum = 0_u32;
        for word in words {
            sum = sum.wrapping_add(word ^ group);
            expected.push(sum);
        }
        total = total.wrapping_add(sum);
    }
    for [x, y, z] in WORKGROUPS {
        let source = format!(
            "workgroup_size {x}, {y}, {z};
            buffer data: read u32 @0;
            buffer out: read_write u32 @1;
            buffer total: read_write u32 @2;
            entry {{
                let group = (workgroup_id.z * num_workgroups.y + workgroup_id.y) * num_workgroups.x + workgroup_id.x;
                let lane = local_id.x + {x} * (local_id.y + {y} * local_id.z);
                let word = data[group * 32 + lane] ^ group;
                out[group * 32 + lane] = scan_inclusive_add(word);
                let _ = atomic_add(total[0], word);
            }}"
        );
        for grid in GRIDS {
            let buffers = [("data", bytes(&data)), ("out", vec![0; data.len() * 4]), ("total", vec![0; 4])];
            let case = case(&source, &OpTable::default(), grid, buffers);
            let expected = after(&case, [("out", bytes(&expected)), ("total", bytes(&[total]))]);
            context.judge(&Item::new("grid shapes"), None, &case, Some(expected));
        }
    }
}

/// Grids that GPUs split.
fn splits(context: &Context) {
    let source = "workgroup_size 2;
        buffer out: read_write u32 @0;
        entry {
            let group = (workgroup_id.z * num_workgroups.y + workgroup_id.y) * num_workgroups.x + workgroup_id.x;
            let invocation =
                (invocation_id.z * num_workgroups.y + invocation_id.y) * num_workgroups.x * 2 + invocation_id.x;
            let _ = atomic_add(out[group], invocation + 1);
        }";
    // An interpreter takes seconds for each.
    let grids = if context.settings().is_interpreter { &SPLIT_GRIDS[..1] } else { &SPLIT_GRIDS[..] };
    let item = Item::new("split grids");
    context.skipped_by_interpreter(&item, (SPLIT_GRIDS.len() - grids.len()) as u64);
    for &grid in grids.iter().chain(&EMPTY_GRIDS) {
        let groups: u32 = grid.iter().product();
        let buffers = [("out", vec![0; groups as usize * 4])];
        let case = case(source, &OpTable::default(), grid, buffers);
        let words: Vec<u32> = (0..groups)
            .map(|group| {
                let (row, column) = (group / grid[0], group % grid[0]);
                2 * (row * grid[0] * 2 + column * 2) + 3
            })
            .collect();
        let expected = after(&case, [("out", bytes(&words))]);
        context.judge(&item, None, &case, Some(expected));
    }
}
