//! `gridhunt-check FILE`: checks a certificate. Exit codes: 0 proven, 1 refused, 2 nothing to check.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::env::args_os().nth(1).unwrap_or_default();
    let Ok(text) = std::fs::read(&name) else {
        eprintln!("found no file {}, expected gridhunt-check FILE", name.display());
        return ExitCode::from(2);
    };
    let checked = gridhunt_check::check(&text, 4 << 30);
    checked.as_ref().map_or_else(|reason| println!("refused: {reason}"), |proven| print!("{proven}"));
    ExitCode::from(u8::from(checked.is_err()))
}
