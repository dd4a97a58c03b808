//! Interleaved iterations over contenders.

use std::fmt::Display;
use std::time::{Duration, Instant};

use super::contender::{Contender, Role, Runs, Timed};
use super::series::Series;

/// Order of contenders within an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order in which they are given.
    Fixed,
    /// Ours and the others in alternation, reversed in every second iteration, so that no contender always follows the same
    /// one.
    Alternating,
}

/// Number and order of iterations.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Number of iterations that count.
    pub iterations: usize,
    /// Number of iterations before the first one that counts.
    pub warm_up: usize,
    /// Order of contenders within an iteration.
    pub order: Order,
    /// Time after which no further iteration starts. At least one iteration runs.
    pub time_limit: Option<Duration>,
}

impl Plan {
    /// Plan of `iterations` iterations in fixed order, without warm-up.
    #[must_use]
    pub const fn new(iterations: usize) -> Plan {
        Plan { iterations, warm_up: 0, order: Order::Fixed, time_limit: None }
    }

    /// Alternates the order of contenders.
    #[must_use]
    pub const fn alternating(self) -> Plan {
        Plan { order: Order::Alternating, ..self }
    }

    /// Sets the number of warm-up iterations.
    #[must_use]
    pub const fn with_warm_up(self, warm_up: usize) -> Plan {
        Plan { warm_up, ..self }
    }

    /// Sets the time limit.
    #[must_use]
    pub const fn with_time_limit(self, limit: Duration) -> Plan {
        Plan { time_limit: Some(limit), ..self }
    }
}

/// Samples of one contender.
#[derive(Clone, Debug)]
pub struct Measured<S = Duration> {
    /// Name of the contender.
    pub name: String,
    /// Side of the contender.
    pub role: Role,
    /// Number of runs whose mean is one sample.
    pub runs: u32,
    /// Iteration and sample.
    samples: Vec<(usize, S)>,
}

impl<S> Measured<S> {
    /// One figure of every sample.
    pub fn series(&self, figure: impl Fn(&S) -> f64) -> Series {
        Series::from_points(self.samples.iter().map(|(iteration, sample)| (*iteration, figure(sample))))
    }

    /// One figure of every sample that has it.
    pub fn partial_series(&self, figure: impl Fn(&S) -> Option<f64>) -> Series {
        let point = |(iteration, sample): &(usize, S)| Some((*iteration, figure(sample)?));
        Series::from_points(self.samples.iter().filter_map(point))
    }

    /// Last sample.
    #[must_use]
    pub fn last(&self) -> Option<&S> {
        self.samples.last().map(|(_, sample)| sample)
    }
}

impl<S: Timed> Measured<S> {
    /// Seconds of a run, by iteration.
    #[must_use]
    pub fn seconds(&self) -> Series {
        self.series(|sample| sample.time().as_secs_f64())
    }
}

/// Samples of all contenders.
#[derive(Clone, Debug)]
pub struct Comparison<S = Duration> {
    /// Contenders whose results are verified, in the order in which they were given.
    pub measured: Vec<Measured<S>>,
    /// Optional contenders that failed verification, each with the reason.
    pub left_out: Vec<String>,
}

impl<S: Timed> Comparison<S> {
    /// Fastest contender of a role, by the median.
    #[must_use]
    pub fn fastest(&self, role: Role) -> Option<&Measured<S>> {
        let of_role = self.measured.iter().filter(|measured| measured.role == role);
        of_role.min_by(|one, other| one.seconds().median().total_cmp(&other.seconds().median()))
    }

    /// Contender with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Measured<S>> {
        self.measured.iter().find(|measured| measured.name == name)
    }
}

/// Compares contenders: verifies all of them, runs the warm-up and the iterations of the plan, and verifies all of them
/// again. Calls `on_step` with a description of each step.
///
/// # Errors
///
/// A contender that is not optional fails or has a wrong result.
pub fn compare<S: Timed, E: Display>(
    contenders: Vec<Contender<'_, S, E>>,
    plan: Plan,
    mut on_step: impl FnMut(&str),
) -> Result<Comparison<S>, E> {
    let mut left_out = Vec::new();
    let mut running = Vec::new();
    for mut contender in contenders {
        on_step(&format!("verifying {}", contender.name));
        match prepare(&mut contender) {
            Ok(runs) => {
                let measured =
                    Measured { name: contender.name.clone(), role: contender.role, runs, samples: Vec::new() };
                running.push((contender, measured));
            }
            Err(error) if contender.is_optional => left_out.push(format!("{}: {error}", contender.name)),
            Err(error) => return Err(error),
        }
    }
    let roles: Vec<Role> = running.iter().map(|(contender, _)| contender.role).collect();
    let order = match plan.order {
        Order::Fixed => (0..running.len()).collect(),
        Order::Alternating => alternating(&roles),
    };
    let begin = Instant::now();
    for iteration in 0..plan.warm_up + plan.iterations {
        on_step(&format!("iteration {} of {}", iteration + 1, plan.warm_up + plan.iterations));
        let mut order = order.clone();
        if plan.order == Order::Alternating && iteration % 2 == 1 {
            order.reverse();
        }
        let counted = iteration.checked_sub(plan.warm_up);
        for position in order {
            let (contender, measured) = &mut running[position];
            if counted.is_some_and(|counted| !counted.is_multiple_of(contender.interval)) {
                continue;
            }
            let sample = contender.work.measure(measured.runs)?;
            measured.samples.extend(counted.map(|counted| (counted, sample)));
        }
        if counted.is_some() && plan.time_limit.is_some_and(|limit| begin.elapsed() > limit) {
            break;
        }
    }
    let mut measured = Vec::new();
    for (mut contender, samples) in running {
        on_step(&format!("verifying {} again", contender.name));
        match contender.work.verify(samples.runs) {
            Ok(()) => measured.push(samples),
            Err(error) if contender.is_optional => left_out.push(format!("{}: {error}", contender.name)),
            Err(error) => return Err(error),
        }
    }
    Ok(Comparison { measured, left_out })
}

/// Verifies a contender and chooses the number of runs of its samples.
fn prepare<S: Timed, E>(contender: &mut Contender<'_, S, E>) -> Result<u32, E> {
    contender.work.verify(1)?;
    match contender.runs {
        Runs::Fixed(runs) => Ok(runs.max(1)),
        Runs::AtLeast { time, max } => {
            let one = contender.work.measure(1)?.time().as_nanos().max(1);
            let runs = (time.as_nanos() / one).clamp(1, u128::from(max.max(1)));
            Ok(u32::try_from(runs).unwrap_or(max))
        }
    }
}

/// Positions of ours and of the others in alternation; what one side has more follows at the end.
fn alternating(roles: &[Role]) -> Vec<usize> {
    let (ours, others): (Vec<usize>, Vec<usize>) =
        (0..roles.len()).partition(|&position| roles[position] == Role::Ours);
    let pairs = 0..ours.len().max(others.len());
    pairs.flat_map(|pair| [ours.get(pair).copied(), others.get(pair).copied()]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::contender::Measure;
    use super::*;

    fn ticking<'c>(name: &'static str, role: Role, log: &'c RefCell<Vec<&'static str>>) -> Contender<'c> {
        Contender::new(name, role, move |_| {
            log.borrow_mut().push(name);
            Ok(Duration::from_millis(2))
        })
    }

    #[test]
    fn sides_alternate_and_every_second_iteration_is_reversed() {
        let log = RefCell::new(Vec::new());
        let contenders =
            vec![ticking("a", Role::Ours, &log), ticking("b", Role::Ours, &log), ticking("p", Role::Peer, &log)];
        let comparison = compare(contenders, Plan::new(2).alternating(), |_| {}).expect("nothing fails");
        assert_eq!(*log.borrow(), ["a", "p", "b", "b", "p", "a"]);
        assert!(comparison.measured.iter().all(|measured| measured.seconds().len() == 2));
    }

    #[test]
    fn warm_up_does_not_count_and_slow_contenders_skip_iterations() {
        let log = RefCell::new(Vec::new());
        let contenders = vec![ticking("a", Role::Ours, &log), ticking("slow", Role::Peer, &log).every(2)];
        let comparison = compare(contenders, Plan::new(3).with_warm_up(1), |_| {}).expect("nothing fails");
        let counts: Vec<usize> = comparison.measured.iter().map(|measured| measured.seconds().len()).collect();
        assert_eq!(counts, [3, 2]);
        assert_eq!(log.borrow().len(), 2 + 3 + 2);
    }

    #[test]
    fn samples_have_as_many_runs_as_their_minimum_time_needs() {
        let log = RefCell::new(Vec::new());
        let runs = Runs::AtLeast { time: Duration::from_millis(11), max: 50 };
        let contenders = vec![ticking("a", Role::Ours, &log).with_runs(runs)];
        let comparison = compare(contenders, Plan::new(1), |_| {}).expect("nothing fails");
        assert_eq!(comparison.measured[0].runs, 5);
    }

    struct Wrong;

    impl Measure<Duration, String> for Wrong {
        fn measure(&mut self, _runs: u32) -> Result<Duration, String> {
            Ok(Duration::ZERO)
        }

        fn verify(&mut self, _runs: u32) -> Result<(), String> {
            Err("another result".to_owned())
        }
    }

    #[test]
    fn a_wrong_result_ends_the_comparison_unless_the_contender_is_optional() {
        let wrong = || Contender::new("wrong", Role::Peer, Wrong);
        assert_eq!(compare(vec![wrong()], Plan::new(1), |_| {}).err().as_deref(), Some("another result"));
        let comparison = compare(vec![wrong().optional()], Plan::new(1), |_| {}).expect("it is optional");
        assert!(comparison.measured.is_empty());
        assert_eq!(comparison.left_out, ["wrong: another result"]);
    }
}
