//! Lists the files that are part of the program. A new file needs no line of code.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // A build script runs in the folder of its package.
    let root = env::current_dir()?;
    let datasets: Vec<_> = paths(&root.join("datasets"))?.into_iter().filter(|path| path.is_dir()).collect();
    write_array("configs", &[root.join("configs")], &["toml"])?;
    write_array("datasets", &datasets, &["lines", "txt"])?;
    write_array("page", &[root.join("src/play/page")], &["css", "html", "js"])
}

/// The paths in a folder, in the order of their names.
fn paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Writes an array of the files of these folders whose names have one of these endings.
fn write_array(name: &str, folders: &[PathBuf], endings: &[&str]) -> io::Result<()> {
    let mut text = String::from("&[");
    for folder in folders {
        for path in paths(folder)? {
            if path.extension().is_some_and(|ending| endings.iter().any(|expected| ending == *expected)) {
                let (folder, name) = (folder.file_name().unwrap_or_default(), path.file_name().unwrap_or_default());
                text += &format!(
                    "ShippedFile {{ folder: {folder:?}, name: {name:?}, bytes: include_bytes!({path:?}) }},\n"
                );
            }
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join(name).with_extension("rs"), text + "]")
}
