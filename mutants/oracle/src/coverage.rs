//! Which mutants each test reaches, and how long it takes.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::backends::Backends;
use crate::children::{Child, Ending, outcome};
use crate::tests_of_mutants::Test;

/// Longest time of a share of the tests.
const MAX_SHARE_TIME: Duration = Duration::from_secs(3600);

/// Outcome of a test without a mutant.
#[derive(Debug)]
pub struct Reached {
    pub test: usize,
    pub microseconds: u64,
    pub mutants: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Coverage {
    pub of_tests: Vec<Reached>,
    /// Tests that fail, with their messages.
    pub broken: Vec<(usize, String)>,
}

/// Tests in the order in which they judge a mutant.
pub struct Plan {
    of_mutants: HashMap<u32, Vec<u32>>,
}

impl Plan {
    pub fn tests_of(&self, mutant: u32) -> &[u32] {
        self.of_mutants.get(&mutant).map_or(&[], Vec::as_slice)
    }
}

/// Runs each test once in shares, one for each child.
pub fn measure(tests: &[Test], shares: usize, gpu: bool, scratch: &Path) -> Result<Coverage, Box<dyn Error>> {
    let mut children = Vec::new();
    for share in 0..shares {
        let file = scratch.join(format!("coverage-{share}"));
        children.push(Child::start(&file, gpu, &|| measure_share(tests, share, shares))?);
    }
    let mut coverage = Coverage::default();
    while !children.is_empty() {
        std::thread::sleep(Duration::from_millis(20));
        let mut still = Vec::new();
        for mut child in children {
            match child.poll(MAX_SHARE_TIME)? {
                None => still.push(child),
                Some(Ending::Message(text)) => read_share(&text, &mut coverage)?,
                Some(other) => return Err(format!("the tests do not work without mutants: {other:?}").into()),
            }
        }
        children = still;
    }
    Ok(coverage)
}

/// A line for each test: its number, its microseconds, and the mutants; or its number and a message.
fn measure_share(tests: &[Test], share: usize, shares: usize) -> String {
    let mut backends = Backends::default();
    let mut lines = String::new();
    for (number, test) in tests.iter().enumerate().skip(share).step_by(shares) {
        mutant_switch::record(true);
        let start = Instant::now();
        let outcome = outcome(test, &mut backends);
        let time = start.elapsed().as_micros();
        mutant_switch::record(false);
        let reached = mutant_switch::take_reached();
        match outcome {
            Ok(()) => {
                let list: Vec<String> = reached.iter().map(u32::to_string).collect();
                lines.push_str(&format!("{number}\t{time}\t{}\n", list.join(" ")));
            }
            Err(message) => lines.push_str(&format!("{number}\t!\t{}\n", message.lines().next().unwrap_or_default())),
        }
    }
    lines
}

fn read_share(text: &str, coverage: &mut Coverage) -> Result<(), Box<dyn Error>> {
    for line in text.lines() {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().ok_or_else(|| format!("a line of a share: {line:.200}"));
        let (test, time, list) = (field()?.parse()?, field()?, field()?);
        if time == "!" {
            coverage.broken.push((test, list.to_owned()));
            continue;
        }
        let mutants = list.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        coverage.of_tests.push(Reached { test, microseconds: time.parse()?, mutants });
    }
    Ok(())
}

impl Coverage {
    /// Quick tests come first, and fast ones before slow ones.
    pub fn plan(&self, tests: &[Test]) -> Plan {
        let mut order: Vec<&Reached> = self.of_tests.iter().collect();
        order.sort_by_key(|reached| (tests[reached.test].level, reached.microseconds, reached.test));
        let mut of_mutants: HashMap<u32, Vec<u32>> = HashMap::new();
        for reached in order {
            for &mutant in &reached.mutants {
                of_mutants.entry(mutant).or_default().push(reached.test as u32);
            }
        }
        Plan { of_mutants }
    }
}
