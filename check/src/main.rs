//! `gridhunt-check FILE`: checks a certificate. Exit codes: 0 proven, 1 refused, 2 nothing to check.

fn main() {
    let file = std::env::args_os().nth(1).unwrap_or_default();
    let (text, code) = match std::fs::read(&file).map(|bytes| gridhunt_check::check(&bytes, 4 << 30)) {
        Ok(Ok(proven)) => (proven.text, 0),
        Ok(Err(reason)) => (format!("refused: {reason}"), 1),
        Err(error) => (format!("{}: {error}, expected gridhunt-check FILE", file.display()), 2),
    };
    println!("{text}");
    std::process::exit(code)
}
