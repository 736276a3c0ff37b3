//! The data sets that ship with the program: they are part of it, and are found by their names from any folder.
//!
//! ```
//! use gridhunt::hunt::shipped;
//!
//! let bytes = shipped::dataset("14x14-6c-100.lines");
//! // The first line says how the others are to be read.
//! assert_eq!(bytes.map(|bytes| bytes.iter().filter(|&&byte| byte == b'\n').count()), Some(101));
//! ```

use gridhunt_boards::nearest;

/// A data set: its folder, its file name, its content.
struct Shipped {
    folder: &'static str,
    file: &'static str,
    bytes: &'static [u8],
}

macro_rules! shipped {
    ($($folder:literal = [$($file:literal,)*],)*) => {
        const ALL: &[Shipped] = &[$($(
            Shipped {
                folder: $folder,
                file: $file,
                bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/", $folder, "/", $file)),
            },
        )*)*];
    };
}

shipped! {
    "bunny" = [
        "grown-14x14-01.txt",
        "grown-20x20-01.txt",
        "lattice-13x13-01.txt",
        "lattice-19x19-01.txt",
        "lattice-9x9-01.txt",
        "random-10x10-01.txt",
        "random-10x10-02.txt",
        "random-12x12-01.txt",
        "random-8x8-01.txt",
        "spiral-15x15-01.txt",
        "spiral-31x31-01.txt",
        "spiral-7x7-01.txt",
        "twelve.txt",
    ],
    "clickomania" = [
        "12x12-5c-01.txt",
        "12x12-6c-clearable-01.txt",
        "15x15-6c-01.txt",
        "20x20-6c-01.txt",
        "37x37-3c-01.txt",
        "37x37-4c-01.txt",
        "37x37-5c-01.txt",
        "5x5-5c-200.lines",
        "8x8-4c-20.lines",
        "9x7-3c-10.lines",
    ],
    "floodit" = [
        "10x10-3c-01.txt",
        "10x10-6c-01.txt",
        "10x16-5c-01.txt",
        "12x12-12c-01.txt",
        "14x14-4c-01.txt",
        "14x14-6c-01.txt",
        "14x14-6c-100.lines",
        "14x14-6c-centre-01.txt",
        "14x14-8c-01.txt",
        "18x18-6c-01.txt",
        "19x19-6c-centre-01.txt",
        "21x21-4c-01.txt",
        "21x21-6c-01.txt",
        "21x21-6c-02.txt",
        "21x21-6c-03.txt",
        "21x21-6c-centre-01.txt",
        "24x24-3c-01.txt",
        "24x24-4c-01.txt",
        "24x24-6c-01.txt",
        "24x24-6c-02.txt",
        "30x30-3c-01.txt",
        "30x30-4c-01.txt",
        "30x30-4c-centre-01.txt",
    ],
    "hard" = [
        "37x37-6c-77-02.txt",
        "48x48-6c-79-36.txt",
    ],
}

/// A data set by its file name, by `FOLDER/FILE`, or by `datasets/FOLDER/FILE`.
fn find(name: &str) -> Option<&'static Shipped> {
    let name = name.strip_prefix("datasets/").unwrap_or(name);
    let (folder, file) = name.split_once('/').map_or((None, name), |(folder, file)| (Some(folder), file));
    ALL.iter().find(|set| set.file == file && folder.is_none_or(|folder| folder == set.folder))
}

/// The content of the data set with this name.
#[must_use]
pub fn dataset(name: &str) -> Option<&'static [u8]> {
    find(name).map(|set| set.bytes)
}

/// The name of the data set that a typing error most likely stands for, if one is near enough. Folders do not count.
#[must_use]
pub fn nearest_dataset(name: &str) -> Option<&'static str> {
    nearest(name.rsplit('/').next().unwrap_or(name), datasets())
}

/// The names of the data sets for the puzzle with this name.
pub fn datasets_for(puzzle: &str) -> impl Iterator<Item = &'static str> {
    let folder = puzzle.replace('-', "");
    ALL.iter().filter(move |set| set.folder == folder).map(|set| set.file)
}

/// The names of all data sets.
pub fn datasets() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|set| set.file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_file_of_the_folder_is_found_by_its_name() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
        let mut found = BTreeSet::new();
        for folder in std::fs::read_dir(&root).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
                let [folder, name] = [&folder, &file].map(|entry| entry.file_name().into_string().unwrap());
                if name == "optima.csv" || folder == "certificates" || name.ends_with(".cert") {
                    continue;
                }
                let bytes = std::fs::read(file.path()).unwrap();
                for name in [name.clone(), format!("{folder}/{name}"), format!("datasets/{folder}/{name}")] {
                    assert_eq!(dataset(&name), Some(&bytes[..]), "{name}");
                }
                assert!(dataset(&format!("other/{name}")).is_none());
                assert!(found.insert(name), "two data sets of one name");
            }
        }
        assert_eq!(datasets().map(str::to_owned).collect::<BTreeSet<_>>(), found);
    }
}
