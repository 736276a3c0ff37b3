//! The time of day.

use std::time::SystemTime;

/// Seconds since 1970-01-01 UTC. The clock of the system may be changed, so this value may fall.
#[must_use]
pub fn unix_seconds() -> f64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64())
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::super::thread_cpu_seconds;
    use std::time::Duration;

    #[test]
    fn the_clock_of_a_thread_counts_work_only() {
        let begun = thread_cpu_seconds();
        std::thread::sleep(Duration::from_millis(40));
        let slept = thread_cpu_seconds();
        let mut sum = 0_u64;
        while thread_cpu_seconds() < slept + 0.005 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(slept - begun < 0.04, "{} s of sleep counted as work", slept - begun);
    }
}
