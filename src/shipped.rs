//! The data sets and configurations that are part of the program.

use gridhunt_hunt::shipped::{ShippedFile, ShippedFiles};
use gridhunt_puzzle::inventory;

macro_rules! files {
    ($root:literal $($folder:literal = [$($name:literal,)*],)*) => {
        &[$($(
            ShippedFile {
                folder: $folder,
                name: $name,
                bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), $root, $folder, "/", $name)),
            },
        )*)*]
    };
}

inventory::submit! { ShippedFiles(files! {
    "/"
    "configs" = [
        "anytime.toml",
        "default.toml",
        "hundred.toml",
        "quick.toml",
    ],
}) }

inventory::submit! { ShippedFiles(files! {
    "/datasets/"
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
    "freeflood" = [
        "6x6-4c-20.lines",
    ],
    "hard" = [
        "37x37-6c-77-02.txt",
        "48x48-6c-79-36.txt",
    ],
}) }

#[cfg(test)]
mod tests {
    use gridhunt_hunt::Config;
    use gridhunt_hunt::shipped::{dataset, datasets};
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

    #[test]
    fn every_configuration_of_the_folder_is_part_of_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let stem = |entry: std::fs::DirEntry| entry.path().file_stem().unwrap().to_string_lossy().into_owned();
        let names: BTreeSet<_> = std::fs::read_dir(folder).unwrap().map(|entry| stem(entry.unwrap())).collect();
        assert_eq!(Config::shipped().map(str::to_owned).collect::<BTreeSet<_>>(), names);
        for name in names {
            Config::load(&name).unwrap().check().unwrap();
        }
    }
}
