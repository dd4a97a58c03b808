//! Time that a thread has computed.

use std::time::Duration;

/// Clock of the thread that starts it. It stands still while other programs and threads have the processor, so that limits do
/// not depend on the load of the machine. On systems without such a clock, it counts all time.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadClock(Start);

#[cfg(any(target_os = "linux", target_os = "macos"))]
type Start = Duration;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
type Start = std::time::Instant;

impl ThreadClock {
    /// Starts a clock.
    pub(super) fn start() -> ThreadClock {
        ThreadClock(now())
    }

    /// Time of this thread since the start. The thread must be the one that started the clock.
    pub(super) fn elapsed(&self) -> Duration {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        return now().saturating_sub(self.0);
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        return self.0.elapsed();
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn now() -> Start {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn now() -> Start {
    std::time::Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn a_clock_stands_still_while_its_thread_sleeps() {
        let clock = ThreadClock::start();
        std::thread::sleep(Duration::from_millis(300));
        assert!(clock.elapsed() < Duration::from_millis(200), "{:?}", clock.elapsed());
        let mut sum = 0_u64;
        while clock.elapsed() < Duration::from_millis(5) {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(sum > 0);
    }
}
