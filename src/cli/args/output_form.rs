//! What the ending of an output file selects: one table for each kind of output, and one place that decides.

use super::{Command, Generate, OutputFlags, Render};
use crate::cli::output::exit::Failure;
use crate::cli::output::results::OutputForm;
use gridhunt_boards::Format;
use std::path::Path;

/// What a command can write into a file: each form with its endings.
struct ExtensionTable<F: 'static>(&'static [(F, &'static [&'static str])]);

const PLAIN: &[&str] = &["txt", "text", "log", "out"];

const RESULTS: ExtensionTable<OutputForm> = ExtensionTable(&[
    (OutputForm::Csv, &["csv"]),
    (OutputForm::Json, &["json"]),
    (OutputForm::JsonLines, &["jsonl", "ndjson"]),
    (OutputForm::Markdown, &["md", "markdown"]),
    (OutputForm::Text, PLAIN),
]);

const LISTS: ExtensionTable<OutputForm> = ExtensionTable(&[(OutputForm::Json, &["json"]), (OutputForm::Text, PLAIN)]);

/// `None` is the format that holds the boards best.
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

/// What `render` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    Text,
    Svg,
    Gif,
}

impl<F: Copy + PartialEq> ExtensionTable<F> {
    /// The form of a file: the form that a flag selects, or else the one that the ending selects; `None` if neither
    /// does.
    ///
    /// # Errors
    /// When the command cannot write such a file, or the flag selects another form than the ending.
    fn form(&self, file: Option<&Path>, flag: Option<F>) -> Result<Option<F>, Failure> {
        let Some(ending) = file.and_then(Path::extension) else { return Ok(flag) };
        let ending = ending.to_string_lossy().to_ascii_lowercase();
        let selected = self.0.iter().find(|(_, output_form)| output_form.contains(&&*ending)).map(|(form, _)| *form);
        match (selected, flag) {
            (None, Some(flag)) => Ok(Some(flag)),
            (Some(selected), flag) if flag.is_none_or(|flag| flag == selected) => Ok(Some(selected)),
            (selected, _) => {
                let found = format!("found the ending .{ending}, expected");
                let file = file.unwrap_or(Path::new("")).display();
                let of_form = |(form, output_form): &(F, &[&'static str])| {
                    flag.is_none_or(|flag| flag == *form).then(|| format!(".{}", output_form[0]))
                };
                let known: Vec<_> = self.0.iter().filter_map(of_form).collect();
                // Boards in a format without an ending of its own are text.
                let known = if known.is_empty() { ".txt".to_owned() } else { known.join(", ") };
                let why = if selected.is_some() { ", as a flag says" } else { "" };
                Err(Failure::usage(format!("{file}: {found} {known}{why}")))
            }
        }
    }
}

/// The form of results: a flag selects it, or else the ending of the file; otherwise they are text.
///
/// # Errors
/// When results cannot be written into such a file, or a flag selects another form than the ending.
pub fn form_of_results(writing: &OutputFlags, flag: Option<OutputForm>) -> Result<OutputForm, Failure> {
    let file = writing.output.as_deref();
    // `--json` does not contradict the ending `.json`: both mean JSON. The flag decides that it is JSON in lines.
    let is_json = |file: &Path| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if writing.json && file.is_some_and(is_json) {
        return Ok(OutputForm::JsonLines);
    }
    let flag = flag.or(writing.json.then_some(OutputForm::JsonLines));
    Ok(RESULTS.form(file, flag)?.unwrap_or(OutputForm::Text))
}

/// Whether a list of bounds is JSON.
///
/// # Errors
/// When a list cannot be written into such a file.
pub fn is_json_list(writing: &OutputFlags) -> Result<bool, Failure> {
    let flag = writing.json.then_some(OutputForm::Json);
    Ok(LISTS.form(writing.output.as_deref(), flag)? == Some(OutputForm::Json))
}

/// The form of a table: does what [`form_of_results`] does, with flags for CSV and Markdown.
///
/// # Errors
/// As [`form_of_results`].
pub fn form_of_table(writing: &OutputFlags, csv: bool, markdown: bool) -> Result<OutputForm, Failure> {
    form_of_results(writing, csv.then_some(OutputForm::Csv).or(markdown.then_some(OutputForm::Markdown)))
}

/// The format of new boards; `None` if nothing selects it.
///
/// # Errors
/// When boards cannot be written into such a file.
pub fn format_of_boards(args: &Generate) -> Result<Option<Format>, Failure> {
    let file = args.output.as_deref();
    let is_text = BOARDS.form(file, None).is_ok_and(|selected| selected == Some(None));
    match args.format {
        // A text holds boards in any format.
        Some(format) if is_text => Ok(Some(format)),
        format => Ok(BOARDS.form(file, format.map(Some))?.flatten()),
    }
}

/// What `render` draws.
///
/// # Errors
/// When such a file cannot be drawn, or a flag selects another form than the ending.
pub fn form_of_drawing(args: &Render) -> Result<Picture, Failure> {
    let flag = args.svg.then_some(Picture::Svg).or(args.gif.then_some(Picture::Gif));
    Ok(DRAWINGS.form(args.output.as_deref(), flag)?.unwrap_or(Picture::Text))
}

/// Refuses an output file with an ending that the command cannot write, before anything is done.
///
/// # Errors
/// When the command cannot write such a file. The error names the endings that it can write.
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
        // These have no output file.
        Command::Status(_)
        | Command::Stop(_)
        | Command::Watch(_)
        | Command::Serve(_)
        | Command::Play(_)
        | Command::Verify(_)
        | Command::Certify(_)
        | Command::Check(_)
        | Command::Export(_)
        | Command::Engines(_)
        | Command::Schema(_)
        | Command::Completions(_) => Ok(()),
        #[cfg(feature = "man")]
        Command::Man(_) => Ok(()),
    }
}
