//! Formats numbers for people.

/// A number with commas between thousands: `46,501`.
#[must_use]
pub fn count(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

/// A number that may be negative, with commas between thousands.
#[must_use]
pub fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "-" } else { "" }, count(n.unsigned_abs()))
}

/// A number with three or four digits: `950`, `46.5 k`, `1.23 M`.
#[must_use]
pub(super) fn abbreviated(n: u64) -> String {
    let (value, unit) = match n {
        0..1_000 => return n.to_string(),
        1_000..999_500 => (n as f64 / 1e3, "k"),
        999_500..999_500_000 => (n as f64 / 1e6, "M"),
        _ => (n as f64 / 1e9, "G"),
    };
    match value {
        v if v < 9.995 => format!("{v:.2} {unit}"),
        v if v < 99.95 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

/// The progress of some work: `done of total` for a small total, percent for a large one. Unfinished work never shows
/// 100 %.
#[must_use]
pub(super) fn progress_text(what: impl std::fmt::Display, done: u64, total: u64) -> String {
    const FEW: u64 = 200;
    if total <= FEW {
        return format!("{what}: {done} of {total}");
    }
    let thousandths = u128::from(done) * 1_000 / u128::from(total);
    format!("{what}: {}.{} %", thousandths / 10, thousandths % 10)
}

/// A number of bytes in units of powers of 1024: `512 B`, `30.2 MiB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    bytesize::ByteSize::b(n).display().iec().to_string()
}

/// A time in seconds as text: `0.05 s`, `12.3 s`, `2m 3s`, `1h 2m`.
#[must_use]
pub fn seconds(s: f64) -> String {
    match s.max(0.0) {
        s if s < 9.995 => format!("{s:.2} s"),
        s if s < 99.95 => format!("{s:.1} s"),
        s if s < 3_599.5 => {
            let whole = s.round() as u64;
            format!("{}m {}s", whole / 60, whole % 60)
        }
        s => {
            let minutes = (s / 60.0).round() as u64;
            format!("{}h {}m", minutes / 60, minutes % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_figures_never_show_more_than_four() {
        let small = [(999, "999"), (1_000, "1.00 k"), (9_996, "10.0 k"), (99_960, "100 k"), (999_499, "999 k")];
        let large = [(999_500, "1.00 M"), (1_234_567, "1.23 M"), (5_000_000_000, "5.00 G")];
        for (n, text) in small.into_iter().chain(large) {
            assert_eq!(abbreviated(n), text);
        }
    }

    #[test]
    fn shares_are_never_all_before_it_is_done() {
        let cases =
            [(3, 48, "x: 3 of 48"), (201, 201, "x: 100.0 %"), (0, 5_000, "x: 0.0 %"), (1_234, 98_765, "x: 1.2 %")];
        for (done, total, text) in cases {
            assert_eq!(progress_text("x", done, total), text);
        }
        assert_eq!(progress_text("x", u64::MAX - 1, u64::MAX), "x: 99.9 %");
    }

    #[test]
    fn times_carry_over() {
        let minutes = [(0.0, "0.00 s"), (9.999, "10.0 s"), (99.99, "1m 40s"), (119.7, "2m 0s")];
        for (s, text) in minutes.into_iter().chain([(3_599.9, "1h 0m"), (3_720.0, "1h 2m")]) {
            assert_eq!(seconds(s), text);
        }
    }
}
