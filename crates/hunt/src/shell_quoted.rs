//! Paths in commands that a message shows.

use std::path::Path;

/// Writes a path so that a shell takes it for one argument that is no flag.
#[must_use]
pub fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    // A path never holds a zero byte, the only text that cannot be quoted.
    shlex::try_quote(&text).map(|quoted| quoted.into_owned()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_back_what_was_quoted() {
        assert_eq!(shell_quoted(Path::new("runs/big")), "runs/big");
        assert_eq!(shell_quoted(Path::new("-INT")), "./-INT");
        for path in ["my run", "it's", "a;b", "$HOME", "ü", "*", "a\nb"] {
            let quoted = shell_quoted(Path::new(path));
            assert_eq!(shlex::split(&quoted), Some(vec![path.to_owned()]), "{quoted}");
        }
    }
}
