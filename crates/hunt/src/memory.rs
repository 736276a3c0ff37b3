//! The memory available to this process, and its peak use of memory.

use std::fs;
use std::path::{Path, PathBuf};

/// The least limit of resident memory. The program, its threads and a small board take about half of it.
pub const MIN_BYTES: u64 = 32 << 20;

/// The default memory limit of a search, in percent of the available memory.
const DEFAULT_PERCENT: u64 = 75;

/// The default memory limit: three quarters of the memory that the control groups, the system and the limit of address
/// space (`ulimit -v`) leave to this process, and at least [`MIN_BYTES`]. Returns `None` if none of them can be
/// read.
#[must_use]
pub fn default_limit() -> Option<u64> {
    available_bytes(Path::new("/")).map(|bytes| (bytes / 100 * DEFAULT_PERCENT).max(MIN_BYTES))
}

/// The peak physical memory of this process (`VmHWM`), in bytes.
#[must_use]
pub fn peak_resident() -> Option<u64> {
    bytes_of_kib_line(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The least memory that the system, the control groups and the limit of address space leave, in bytes. The files of
/// the system are read below `root`.
fn available_bytes(root: &Path) -> Option<u64> {
    let meminfo = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let system = bytes_of_kib_line(&meminfo, "MemAvailable:").or_else(|| bytes_of_kib_line(&meminfo, "MemTotal:"));
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    groups
        .lines()
        .filter_map(|line| remaining_group_memory(root, line))
        .chain(system)
        .chain(remaining_address_space(root))
        .min()
}

/// The address space that the limit leaves to this process, in bytes; `None` without a limit.
fn remaining_address_space(root: &Path) -> Option<u64> {
    let read = |file| fs::read_to_string(root.join("proc/self").join(file)).ok();
    let limits = read("limits")?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(bytes_of_kib_line(&read("status")?, "VmSize:")?))
}

/// The memory left to a control group, in bytes: the minimum over the group and its ancestors. `line` is a line
/// `number:controllers:path` of `/proc/self/cgroup`. Version 2 lists no controllers; version 1 has a separate hierarchy
/// for memory.
fn remaining_group_memory(root: &Path, line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let (mount, limit, usage) = match controllers {
        "" => (root.join("sys/fs/cgroup"), "memory.max", "memory.current"),
        list if list.split(',').any(|c| c == "memory") => {
            (root.join("sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes")
        }
        _ => return None,
    };
    let group: PathBuf = mount.join(path.trim_start_matches('/'));
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    // "max" (no limit) is not a number, so `number` returns `None`. Inside a container the group's path may not exist,
    // but the mount point does.
    let remaining = |dir: &Path| {
        let used = number(dir.join(usage)).unwrap_or(0).saturating_sub(inactive_file_bytes(dir));
        Some(number(dir.join(limit))?.saturating_sub(used))
    };
    group.ancestors().take_while(|dir| dir.starts_with(&mount)).filter_map(remaining).min()
}

/// The bytes of cached files, which the usage of the group includes. The system drops them when memory is needed.
fn inactive_file_bytes(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join("memory.stat")).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix("inactive_file "));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// The value in bytes of the line `key   N kB`.
fn bytes_of_kib_line(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "MemTotal:       2000 kB\nMemFree:         10 kB\nMemAvailable:    1000 kB\n";

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn without_groups_the_system_decides() {
        assert_eq!(available_bytes(system(&[("proc/meminfo", MEMINFO)]).path()), Some(1000 * 1024));
        assert_eq!(available_bytes(system(&[("proc/meminfo", "MemTotal: 7 kB\n")]).path()), Some(7 * 1024));
        assert_eq!(available_bytes(system(&[]).path()), None);
    }

    #[test]
    fn version_2_takes_the_tightest_group_upward() {
        let root = system(&[
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/memory.max", "4096\n"),
            ("sys/fs/cgroup/memory.max", "8192\n"),
        ]);
        assert_eq!(available_bytes(root.path()), Some(4096));
        fs::write(root.path().join("sys/fs/cgroup/a/memory.max"), "99999999999\n").unwrap();
        fs::write(root.path().join("sys/fs/cgroup/memory.max"), "max\n").unwrap();
        assert_eq!(available_bytes(root.path()), Some(1000 * 1024), "a group above the system does not raise it");
    }

    #[test]
    fn version_1_has_a_hierarchy_of_its_own() {
        let root = system(&[
            ("proc/meminfo", MEMINFO),
            ("proc/self/cgroup", "12:cpuset:/x\n5:memory:/docker/1\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "12288\n"),
        ]);
        assert_eq!(available_bytes(root.path()), Some(12288));
    }

    #[test]
    fn what_a_group_uses_is_not_left() {
        let root = system(&[
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/memory.max", "10000\n"),
            ("sys/fs/cgroup/memory.current", "7000\n"),
            ("sys/fs/cgroup/memory.stat", "anon 4000\ninactive_file 2000\n"),
        ]);
        assert_eq!(available_bytes(root.path()), Some(5000));
    }

    #[test]
    fn a_limit_of_address_space_counts_what_is_taken() {
        let limits = |limit: &str| {
            let line = format!("Max address space         {limit}           unlimited            bytes\n");
            let root = system(&[("proc/self/limits", &line), ("proc/self/status", "VmSize:\t      3 kB\n")]);
            available_bytes(root.path())
        };
        assert_eq!((limits("5000"), limits("2000"), limits("unlimited")), (Some(5000 - 3072), Some(0), None));
    }

    #[test]
    fn this_process_has_held_something() {
        assert!(peak_resident().is_none_or(|bytes| bytes > 100_000));
    }
}
