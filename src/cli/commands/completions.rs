//! Completions: a script makes the shell ask this program, which answers from its grammar.

use crate::cli::args::Completions;
use crate::cli::args::grammar::grammar;
use crate::cli::output::Output;
use crate::cli::output::exit::{Exit, Failure};
use clap_complete::CompleteEnv;
use clap_complete::engine::complete;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use std::env::{args_os, current_dir, var, var_os};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

/// The environment variable that a completion script sets to ask this program; its value is the shell.
const SHELL_VARIABLE: &str = "GRIDHUNT_COMPLETE";
/// The variable with the index of the word to complete, in bash.
const WORD_INDEX_VARIABLE: &str = "GRIDHUNT_COMPLETE_WORD";
const PROGRAM: &str = "gridhunt";

const SHELLS: Shells<'_> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// Prints the script for a shell.
pub fn run(args: &Completions) -> Result<Exit, Failure> {
    let name = args.shell.to_string();
    let shell = SHELLS.completer(&name).ok_or_else(|| Failure::internal(format!("no completions for {name}")))?;
    let mut script = Vec::new();
    shell.write_registration(SHELL_VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script).map_err(Failure::internal)?;
    Output::stdout().write(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Answers a completion script. Returns `None` if no script asks.
pub fn answer() -> Option<Exit> {
    // Without words there is nothing to complete; the crate would print a script.
    var_os(SHELL_VARIABLE).filter(|shell| !shell.is_empty())?;
    if !args_os().any(|word| word == "--") {
        return None;
    }
    let query = CompleteEnv::with_factory(grammar).var(SHELL_VARIABLE).bin(PROGRAM).completer(PROGRAM).shells(SHELLS);
    match query.try_complete(args_os(), current_dir().ok().as_deref()) {
        Ok(true) => Some(Exit::Done),
        Ok(false) => None,
        Err(_) => Some(Exit::Usage),
    }
}

/// Bash splits a word at `=`, and treats a space in an answer as the end of a word. The adapter of `clap_complete`
/// handles neither, so this adapter replaces it.
struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == self.name()
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        script: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(
            script,
            r#"_{name}() {{
    local line words=("${{COMP_WORDS[@]}}")
    words[COMP_CWORD]="$2"
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <({variable}=bash {WORD_INDEX_VARIABLE}="$COMP_CWORD" {completer} -- "${{words[@]}}" 2>/dev/null)
    if [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} != */ ]]; then
        COMPREPLY[0]+=" "
    fi
}}
complete -o nospace -o bashdefault -F _{name} {program}"#
        )
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        answer: &mut dyn Write,
    ) -> io::Result<()> {
        let word_index =
            var(WORD_INDEX_VARIABLE).ok().and_then(|index| index.parse().ok()).unwrap_or(words.len().saturating_sub(1));
        let (words, word_index, bash_prefix) = join_option_values(&words, word_index);
        for candidate in complete(command, words, word_index, folder)? {
            let value = candidate.get_value().to_string_lossy().into_owned();
            writeln!(answer, "{}", bash_quoted(value.strip_prefix(&bash_prefix).unwrap_or(&value)))?;
        }
        Ok(())
    }
}

/// Joins an option, `=` and a value into one word again, because bash passes them as three words. Returns the words,
/// the index of the word to complete, and the part of this word that bash treats as earlier words.
fn join_option_values(words: &[OsString], word_index: usize) -> (Vec<OsString>, usize, String) {
    let mut joined: Vec<OsString> = Vec::new();
    let (mut joined_index, mut bash_prefix) = (0, String::new());
    let mut is_open = false;
    for (at, word) in words.iter().enumerate() {
        let is_option = joined.last().is_some_and(|last| {
            let last = last.to_string_lossy();
            last.starts_with("--") && !last.contains('=')
        });
        let mut prefix = String::new();
        if word == "=" && is_option || is_open {
            let last = joined.last_mut().map(std::mem::take).unwrap_or_default();
            prefix = last.to_string_lossy().into_owned();
            // If the cursor is right after the `=`, an empty value is completed.
            if word == "=" {
                prefix.push('=');
            }
            joined.pop();
            joined.push([last, word.clone()].into_iter().collect());
        } else {
            joined.push(word.clone());
        }
        is_open = word == "=" && is_option;
        if at == word_index {
            (joined_index, bash_prefix) = (joined.len() - 1, prefix);
        }
    }
    (joined, joined_index, bash_prefix)
}

/// Quotes a value for bash: puts a backslash before each character that would end or change the word.
fn bash_quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "+-_./,:=@%^~".contains(c);
    value.chars().flat_map(|c| [Some('\\').filter(|_| !is_plain(c)), Some(c)]).flatten().collect()
}
