//! The form of an output file, which its extension or a flag selects. Each kind of output has a table.

use super::{Command, Generate, OutputFlags, Render};
use crate::cli::output::exit::Failure;
use crate::cli::output::results::OutputForm;
use gridhunt_boards::Format;
use std::path::Path;

/// The forms of a kind of output, with their extensions.
struct ExtensionTable<F: 'static>(&'static [(F, &'static [&'static str])]);

const TEXT_EXTENSIONS: &[&str] = &["txt", "text", "log", "out"];

const RESULTS: ExtensionTable<OutputForm> = ExtensionTable(&[
    (OutputForm::Csv, &["csv"]),
    (OutputForm::Json, &["json"]),
    (OutputForm::JsonLines, &["jsonl", "ndjson"]),
    (OutputForm::Markdown, &["md", "markdown"]),
    (OutputForm::Text, TEXT_EXTENSIONS),
]);

const LISTS: ExtensionTable<OutputForm> =
    ExtensionTable(&[(OutputForm::Json, &["json"]), (OutputForm::Text, TEXT_EXTENSIONS)]);

/// `None`: the format that suits the boards best.
const BOARDS: ExtensionTable<Option<Format>> = ExtensionTable(&[
    (None, &["txt", "text"]),
    (Some(Format::Csv), &["csv"]),
    (Some(Format::Json), &["json", "jsonl"]),
    (Some(Format::Lines), &["lines"]),
]);

const DRAWINGS: ExtensionTable<Picture> =
    ExtensionTable(&[(Picture::Svg, &["svg"]), (Picture::Gif, &["gif"]), (Picture::Text, &["txt", "text"])]);

const ROWS: ExtensionTable<()> = ExtensionTable(&[((), &["jsonl", "json", "ndjson", "txt", "log"])]);

const PAGES: ExtensionTable<()> = ExtensionTable(&[((), &["html", "htm"])]);

/// The form of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    Text,
    Svg,
    Gif,
}

impl<F: Copy + PartialEq> ExtensionTable<F> {
    /// The form that a flag selects, or else the extension; `None` if neither does.
    ///
    /// # Errors
    /// When no form has the extension, or the flag selects another form than the extension.
    fn form(&self, file: Option<&Path>, flag: Option<F>) -> Result<Option<F>, Failure> {
        let Some(extension) = file.and_then(Path::extension) else { return Ok(flag) };
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        let selected = self.0.iter().find(|(_, extensions)| extensions.contains(&&*extension)).map(|(form, _)| *form);
        match (selected, flag) {
            (None, Some(flag)) => Ok(Some(flag)),
            (Some(selected), flag) if flag.is_none_or(|flag| flag == selected) => Ok(Some(selected)),
            (selected, _) => {
                let found = format!("found the ending .{extension}, expected");
                let file = file.unwrap_or(Path::new("")).display();
                let of_form = |(form, extensions): &(F, &[&'static str])| {
                    flag.is_none_or(|flag| flag == *form).then(|| format!(".{}", extensions[0]))
                };
                let expected: Vec<_> = self.0.iter().filter_map(of_form).collect();
                // Boards in a format without an extension of its own are text.
                let expected = if expected.is_empty() { ".txt".to_owned() } else { expected.join(", ") };
                let why = if selected.is_some() { ", the format of the flag" } else { "" };
                Err(Failure::usage(format!("{file}: {found} {expected}{why}")))
            }
        }
    }
}

/// The form of results: selected by a flag, or else by the extension, or else text.
pub fn form_of_results(flags: &OutputFlags, flag: Option<OutputForm>) -> Result<OutputForm, Failure> {
    let file = flags.output.as_deref();
    // `--json` does not contradict the extension `.json`; the flag selects JSON lines.
    let is_json = |file: &Path| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if flags.json && file.is_some_and(is_json) {
        return Ok(OutputForm::JsonLines);
    }
    let flag = flag.or(flags.json.then_some(OutputForm::JsonLines));
    Ok(RESULTS.form(file, flag)?.unwrap_or(OutputForm::Text))
}

/// Whether a list of bounds is JSON.
pub fn is_json_list(flags: &OutputFlags) -> Result<bool, Failure> {
    let flag = flags.json.then_some(OutputForm::Json);
    Ok(LISTS.form(flags.output.as_deref(), flag)? == Some(OutputForm::Json))
}

/// The form of a table, as [`form_of_results`], with flags for CSV and Markdown.
pub fn form_of_table(flags: &OutputFlags, csv: bool, markdown: bool) -> Result<OutputForm, Failure> {
    form_of_results(flags, csv.then_some(OutputForm::Csv).or(markdown.then_some(OutputForm::Markdown)))
}

/// The format of new boards; `None` if nothing selects it.
pub fn format_of_boards(args: &Generate) -> Result<Option<Format>, Failure> {
    let file = args.output.as_deref();
    let is_text = BOARDS.form(file, None).is_ok_and(|selected| selected == Some(None));
    match args.format {
        // A text file can have boards in any format.
        Some(format) if is_text => Ok(Some(format)),
        format => Ok(BOARDS.form(file, format.map(Some))?.flatten()),
    }
}

/// The form of a drawing.
pub fn form_of_drawing(args: &Render) -> Result<Picture, Failure> {
    let flag = args.svg.then_some(Picture::Svg).or(args.gif.then_some(Picture::Gif));
    Ok(DRAWINGS.form(args.output.as_deref(), flag)?.unwrap_or(Picture::Text))
}

/// Checks the extension of the output file, before the command does anything.
pub fn check(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Solve(args) => {
            ROWS.form(args.progress.as_deref(), None)?;
            form_of_results(&args.session.output, None).map(|_| ())
        }
        Command::Hunt(args) => form_of_results(&args.session.output, None).map(|_| ()),
        Command::Resume(args) => form_of_results(&args.session.output, None).map(|_| ()),
        Command::Results(args) => form_of_table(&args.output, args.csv, args.markdown).map(|_| ()),
        Command::Bounds(args) if args.files.is_empty() => is_json_list(&args.output).map(|_| ()),
        Command::Bounds(args) => form_of_table(&args.output, args.csv, args.markdown).map(|_| ()),
        Command::Generate(args) => format_of_boards(args).map(|_| ()),
        Command::Render(args) => form_of_drawing(args).map(|_| ()),
        Command::Report(args) => PAGES.form(args.output.as_deref(), None).map(|_| ()),
        // The other commands have no output file with a form.
        _ => Ok(()),
    }
}
