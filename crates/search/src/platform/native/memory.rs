//! Physical memory of this process.

/// Bytes of physical memory that the process holds now; 0 where the system does not report them.
#[must_use]
pub fn resident_bytes() -> u64 {
    let pages = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        text.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    pages().unwrap_or(0) * rustix::param::page_size() as u64
}
