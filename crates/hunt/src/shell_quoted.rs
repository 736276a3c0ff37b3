//! Paths in commands in messages.

use std::path::Path;

/// Quotes a path as one argument of a shell command that is not a flag.
#[must_use]
pub fn shell_quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    // Quoting fails only for a zero byte, which no path contains.
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
