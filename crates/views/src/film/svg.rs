//! An animated SVG in one file, without scripts.
//!
//! Each frame has a group with the cells that change. The group becomes visible at its frame and covers the earlier
//! groups. Marks and caption are visible during their frame only. The animation is CSS: viewers without animation, and
//! people who want no motion, see the middle frame. The last frame would say less: one colour, or no cells at all.

use super::Film;
use super::layout::{BAR_HEIGHT, EMPTY, INK, Layout, PADDING, PANEL, TRACK, frame_durations};
use super::shapes::{CellRun, Edge, arrow_corners, changed_runs, marked_border};
use gridhunt_boards::{Frame, Mark, is_light};
use std::fmt::Write;

/// The film as a document. `has_symbols` says whether cells show the symbols of their colours.
#[must_use]
pub fn to_svg(film: &Film, has_symbols: bool) -> String {
    let mut svg =
        Svg { film, layout: Layout::of(film), has_symbols, id: picture_id(film, has_symbols), out: String::new() };
    // Writing to a String cannot fail.
    let _ = svg.write();
    svg.out
}

struct Svg<'a> {
    film: &'a Film,
    layout: Layout,
    has_symbols: bool,
    /// The prefix of all names, unique to the picture on a page.
    id: String,
    out: String,
}

impl Svg<'_> {
    fn write(&mut self) -> std::fmt::Result {
        let (film, id, Layout { width, height, left, top, .. }) = (self.film, &self.id, self.layout);
        let frames = film.frames();
        let title = frames.last().map_or_else(String::new, |frame| format!("{}: {}", film.name(), frame.caption));
        writeln!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{id}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>",
            escaped(&title)
        )?;
        self.write_style()?;
        writeln!(self.out, "<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>", colour_code(PANEL))?;
        writeln!(self.out, "<g transform=\"translate({left} {top})\">")?;
        for (at, frame) in frames.iter().enumerate() {
            let previous = at.checked_sub(1).map(|previous| &frames[previous]);
            self.write_cells(at, previous, frame)?;
        }
        self.write_lattice()?;
        writeln!(self.out, "</g>")?;
        for (at, frame) in frames.iter().enumerate() {
            self.write_marks(at, frame)?;
        }
        writeln!(self.out, "</svg>")
    }

    /// The index of the frame that viewers without animation show.
    fn still_frame(&self) -> usize {
        self.film.frames().len() / 2
    }

    /// The styles and visibility of groups: class `a` has the cells of a frame, `b` its marks, `c` the cells of frames
    /// after the still one.
    fn write_style(&mut self) -> std::fmt::Result {
        let (cell, id) = (self.layout.cell, self.id.clone());
        let (outer, inner) = ((cell / 5).max(2), (cell / 10).max(1));
        // A character is 0.6 times as wide as the size of its font, so long symbols fit into a cell, too.
        let size = (cell * 9 / 16).min(cell * 3 / 2 / self.film.label_width().max(1)).max(1);
        let rules = [
            format!("text{{font:12px ui-monospace,Consolas,monospace;fill:{}}}", colour_code(INK)),
            format!("text.s{{font-size:{size}px;text-anchor:middle}}"),
            "text.d{fill:#000}".to_owned(),
            "text.l{fill:#fff}".to_owned(),
            format!(".u{{fill:none;stroke:#000;stroke-width:{outer};stroke-linecap:square}}"),
            format!(".v{{fill:none;stroke:#fff;stroke-width:{inner};stroke-linecap:square}}"),
            format!(".p{{fill:#fff;stroke:#000;stroke-width:{inner}}}"),
        ];
        writeln!(self.out, "<style>")?;
        rules.iter().try_for_each(|rule| writeln!(self.out, "#{id} {rule}"))?;
        let durations = frame_durations(self.film.frames().len());
        let total: u32 = durations.iter().map(|&time| u32::from(time)).sum();
        if durations.len() > 1 {
            let (still, last) = (self.still_frame(), durations.len() - 1);
            writeln!(self.out, "#{id} .b,#{id} .c{{visibility:hidden}}")?;
            writeln!(self.out, "#{id} #{id}b{still}{{visibility:visible}}")?;
            writeln!(self.out, "@media (prefers-reduced-motion:no-preference){{")?;
            writeln!(self.out, "#{id} .a,#{id} .b{{animation:{}.{:02}s step-end infinite}}", total / 100, total % 100)?;
            let share = |hundredths: u32| format!("{:.3}%", f64::from(hundredths) * 100.0 / f64::from(total));
            let mut begin = 0;
            for (at, &duration) in durations.iter().enumerate() {
                let (from, end) = (share(begin), share(begin + u32::from(duration)));
                begin += u32::from(duration);
                let hidden = if at > 0 { "0%{visibility:hidden}" } else { "" };
                let shown = format!("{from}{{visibility:visible}}");
                if at > 0 {
                    writeln!(self.out, "#{id} #{id}a{at}{{animation-name:{id}a{at}}}")?;
                    writeln!(self.out, "@keyframes {id}a{at}{{{hidden}{shown}}}")?;
                }
                let gone = if at < last { format!("{end}{{visibility:hidden}}") } else { String::new() };
                writeln!(self.out, "#{id} #{id}b{at}{{animation-name:{id}b{at}}}")?;
                writeln!(self.out, "@keyframes {id}b{at}{{{hidden}{shown}{gone}}}")?;
            }
            writeln!(self.out, "}}")?;
        }
        writeln!(self.out, "</style>")
    }

    /// The cells of frame `at` that change.
    fn write_cells(&mut self, at: usize, previous: Option<&Frame>, frame: &Frame) -> std::fmt::Result {
        let cell = self.layout.cell;
        let class = if at > self.still_frame() { "a c" } else { "a" };
        writeln!(self.out, "<g class=\"{class}\" id=\"{}a{at}\">", self.id)?;
        for (colour, runs) in changed_runs(self.film, previous, frame) {
            let fill = colour.map_or(EMPTY, |colour| self.film.colours[usize::from(colour)]);
            write!(self.out, "<path shape-rendering=\"crispEdges\" fill=\"{}\" d=\"", colour_code(fill))?;
            for CellRun { row, col, cells } in &runs {
                let length = cells * cell;
                write!(self.out, "M{} {}h{length}v{cell}h-{length}z", col * cell, row * cell)?;
            }
            writeln!(self.out, "\"/>")?;
            let Some(colour) = colour.filter(|_| self.has_symbols) else { continue };
            let class = if is_light(fill) { "s d" } else { "s l" };
            let label = escaped(self.film.labels[usize::from(colour)].trim());
            for CellRun { row, col, cells } in runs {
                for col in col..col + cells {
                    let (x, y) = (col * cell + cell / 2, row * cell + cell * 11 / 16);
                    write!(self.out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{label}</text>")?;
                }
            }
            writeln!(self.out)?;
        }
        writeln!(self.out, "</g>")
    }

    /// Thin lines between large cells.
    fn write_lattice(&mut self) -> std::fmt::Result {
        let ((rows, cols), cell) = (self.film.size(), self.layout.cell);
        if cell < 8 {
            return Ok(());
        }
        write!(self.out, "<path fill=\"none\" stroke=\"{}\" stroke-opacity=\".4\" d=\"", colour_code(PANEL))?;
        for row in 1..rows {
            write!(self.out, "M0 {}h{}", row * cell, cols * cell)?;
        }
        for col in 1..cols {
            write!(self.out, "M{} 0v{}", col * cell, rows * cell)?;
        }
        writeln!(self.out, "\"/>")
    }

    /// Marks, caption and bar of frame `at`.
    fn write_marks(&mut self, at: usize, frame: &Frame) -> std::fmt::Result {
        let Layout { cell, left, top, baseline, bar_top, bar_length, .. } = self.layout;
        let (frames, cols) = (self.film.frames().len(), self.film.size().1);
        writeln!(self.out, "<g class=\"b\" id=\"{}b{at}\">", self.id)?;
        let edges = marked_border(self.film, frame);
        if !edges.is_empty() {
            let mut path = String::new();
            for Edge { row, col, cells, is_vertical } in edges {
                let direction = if is_vertical { 'v' } else { 'h' };
                write!(path, "M{} {}{direction}{}", left + col * cell, top + row * cell, cells * cell)?;
            }
            writeln!(self.out, "<path class=\"u\" d=\"{path}\"/><path class=\"v\" d=\"{path}\"/>")?;
        }
        if let Some(index) = Film::focus(frame) {
            let (x, y) = (left + index % cols * cell, top + index / cols * cell);
            match arrow_corners(frame.marks[index]) {
                Some(corners) => {
                    let corner =
                        |(right, down): (usize, usize)| format!("{} {}", x + cell * right / 8, y + cell * down / 8);
                    let [a, b, c] = corners.map(corner);
                    writeln!(self.out, "<path class=\"p\" d=\"M{a}L{b}L{c}z\"/>")?;
                }
                None if frame.marks[index] == Mark::Point && cell >= 6 && !self.has_symbols => {
                    let (x, y, r) = (x + cell / 2, y + cell / 2, cell / 5);
                    writeln!(self.out, "<circle class=\"p\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>")?;
                }
                None => {}
            }
        }
        if frames > 1 {
            let filled_length = self.layout.filled_length(at, frames);
            for (width, fill) in [(bar_length, TRACK), (filled_length, INK)] {
                let fill = colour_code(fill);
                write!(
                    self.out,
                    "<rect x=\"{PADDING}\" y=\"{bar_top}\" width=\"{width}\" height=\"{BAR_HEIGHT}\" fill=\"{fill}\"/>"
                )?;
            }
        }
        writeln!(self.out, "<text x=\"{PADDING}\" y=\"{baseline}\">{}</text>\n</g>", escaped(&frame.caption))
    }
}

/// A checksum of the content, so that the styles of two pictures on a page do not mix.
fn picture_id(film: &Film, has_symbols: bool) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(film.name().as_bytes());
    hasher.update(&[has_symbols.into()]);
    for frame in film.frames() {
        hasher.update(frame.caption.as_bytes());
        let cells = frame.cells.iter().flat_map(|cell| [cell.is_some().into(), cell.unwrap_or(0)]);
        hasher.update(&cells.collect::<Vec<u8>>());
    }
    format!("g{:08x}", hasher.finalize())
}

fn colour_code(rgb: u32) -> String {
    format!("#{rgb:06x}")
}

/// Escapes a text for XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML allows these characters neither directly nor as codes.
            letter if letter.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&letter) => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
