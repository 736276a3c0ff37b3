//! Boards that the tests use.

/// 3 x 3, 3 colours.
pub const SMALL: &str = "112\n231\n123\n";

/// Two boards of 3 x 3, one a line.
pub const TWO: &str = "112231123\n121212121\n";

/// A board that no search finishes within a test: 40 x 40, 8 colours.
pub fn hard() -> String {
    super::stdout(&["generate", "--rows", "40", "--colours", "8", "--seed", "1"])
}

/// `n` boards of 6 x 6 and 4 colours, one a line.
pub fn many(n: usize) -> String {
    let n = n.to_string();
    super::stdout(&["generate", "--rows", "6", "--colours", "4", "--count", &n, "--format", "lines"])
}
