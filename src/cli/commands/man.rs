//! `man`: writes the manual pages, one for the program and one for each command.

use crate::cli::args::Man;
use crate::cli::args::grammar::grammar;
use crate::cli::output::exit::{Exit, Failure};
use clap::Arg;
use roff::{Roff, bold, roman};
use std::io;

pub fn run(args: &Man) -> Result<Exit, Failure> {
    std::fs::create_dir_all(&args.folder).map_err(|error| Failure::output_to(&args.folder, error))?;
    for (name, page) in pages().map_err(Failure::internal)? {
        let path = args.folder.join(format!("{name}.1"));
        std::fs::write(&path, page).map_err(|error| Failure::output_to(&path, error))?;
    }
    Ok(Exit::Done)
}

fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut program = for_page(grammar().disable_help_subcommand(true));
    program.build();
    let mut pages = vec![("gridhunt".to_owned(), page(&program, &program)?)];
    for command in program.get_subcommands() {
        pages.push((format!("gridhunt-{}", command.get_name()), page(&program, command)?));
    }
    Ok(pages)
}

/// Changes a command for its page: shows the options that the short help omits, and lists values without a summary in
/// one line.
fn for_page(command: clap::Command) -> clap::Command {
    let adapt = |arg: Arg| {
        let arg = arg.hide_short_help(false);
        let values = arg.get_possible_values();
        // The values that clap lists for a switch are true and false, which nobody types.
        if !arg.get_action().takes_values()
            || values.is_empty()
            || values.iter().any(|value| value.get_help().is_some())
        {
            return arg;
        }
        let names: Vec<&str> =
            values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.help(format!("{help} [possible values: {}]", names.join(", "))).hide_possible_values(true)
    };
    command.mut_args(adapt).mut_subcommands(for_page)
}

/// The page of a command. The examples of the help keep their line breaks.
fn page(program: &clap::Command, command: &clap::Command) -> io::Result<Vec<u8>> {
    let is_program = program.get_name() == command.get_name();
    let version = program.get_version().unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage).trim().to_owned();
    let man = clap_mangen::Man::new(command.clone().override_usage(usage));
    // No date: every build writes the same page. A space is an invisible date; an empty text would be no argument.
    let man = man.date(" ").source(format!("gridhunt {version}")).manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if is_program {
        man.render_subcommands_section(&mut page)?;
    }
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    text_after_options(&text).to_writer(&mut page)?;
    see_also(program, command, is_program).to_writer(&mut page)?;
    Ok(page)
}

/// Formats the text after the options in `--help`. A line without indent that ends with a colon is a heading.
fn text_after_options(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut is_filled = true;
    for line in text.lines() {
        match line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            Some(heading) => {
                if !is_filled {
                    roff.control("fi", []);
                }
                // Text in parentheses is no part of the heading.
                let (heading, remark) = heading.split_once(" (").unwrap_or((heading, ""));
                roff.control("SH", [heading.to_uppercase().as_str()]);
                if !remark.is_empty() {
                    roff.text([roman(format!("({remark}"))]);
                }
                roff.control("nf", []);
                is_filled = false;
            }
            None if line.is_empty() && !is_filled => {
                roff.control("fi", []);
                is_filled = true;
            }
            None if line.is_empty() => {}
            None if is_filled => {
                roff.control("PP", []);
                roff.text([roman(line)]);
            }
            None => {
                roff.text([roman(line)]);
            }
        }
    }
    if !is_filled {
        roff.control("fi", []);
    }
    roff
}

/// The section that names the other pages.
fn see_also(program: &clap::Command, command: &clap::Command, is_program: bool) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    let other_commands = program.get_subcommands().filter(|other| is_program || other.get_name() != command.get_name());
    let mut words = if is_program { Vec::new() } else { vec![bold("gridhunt"), roman("(1)")] };
    for other in other_commands {
        if !words.is_empty() {
            words.push(roman(", "));
        }
        words.extend([bold(format!("gridhunt-{}", other.get_name())), roman("(1)")]);
    }
    roff.text(words);
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_with_all_its_options() {
        let pages = pages().expect("pages");
        let mut program = grammar();
        program.build();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = format!("gridhunt-{}", command.get_name());
            let (_, page) = pages.iter().find(|page| page.0 == name).expect("a page");
            let page = String::from_utf8_lossy(page).replace("\\-", "-");
            let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
            for long in shown().filter_map(clap::Arg::get_long) {
                assert!(page.contains(&format!("--{long}")), "{name}: --{long}");
            }
            let words = |text: &str| text.replace('\n', " ").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let text = words(&page).join(" ");
            for arg in shown() {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let begin = words(&help).into_iter().take(3).collect::<Vec<_>>().join(" ");
                assert!(text.contains(&begin), "{name}: {arg} has no help");
            }
            assert!(page.contains(&format!(".SH SYNOPSIS\n\\fBgridhunt {}\\fR", command.get_name())), "{page}");
            assert!(page.contains(".SH EXAMPLES\n.nf\n"), "{name} has no examples");
        }
        assert_eq!(pages.len(), program.get_subcommands().count(), "one a command, one for the program, none for help");
    }

    #[test]
    fn examples_keep_their_lines() {
        let roff =
            text_after_options("Examples:\n  a b\n  c\n\nProse.\n\nExit codes (most severe):\n  0  done\n").render();
        let expected =
            ".SH EXAMPLES\n.nf\n  a b\n  c\n.fi\n.PP\nProse.\n.SH \"EXIT CODES\"\n(most severe)\n.nf\n  0  done\n.fi\n";
        assert!(roff.ends_with(expected), "{roff}");
    }
}
