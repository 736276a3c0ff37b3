//! The data sets and configurations that are part of the program.

use gridhunt_hunt::shipped::{ShippedFile, ShippedFiles};
use gridhunt_puzzle::inventory;

inventory::submit! { ShippedFiles(include!(concat!(env!("OUT_DIR"), "/configs.rs"))) }
inventory::submit! { ShippedFiles(include!(concat!(env!("OUT_DIR"), "/datasets.rs"))) }

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
        assert_eq!(Config::shipped_names().map(str::to_owned).collect::<BTreeSet<_>>(), names);
        for name in names {
            Config::load(&name).unwrap().check().unwrap();
        }
    }
}
