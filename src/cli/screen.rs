//! The full screen: what a terminal shows while a view of runs is open, and how it becomes clean again.

use super::exit::Exit;
use super::output::colour_wanted;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use crossterm::style::{Attribute, Color as Paint, Colors, Print, ResetColor, SetAttribute, SetColors};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use gridhunt::report::watch::{Key, Styles, Watched, draw};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use std::io::{self, IsTerminal, Stderr, Write};
use std::ops::DerefMut;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// Whether the terminal is in the state that [`Screen::open`] puts it into.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back as it was before. Does nothing if no screen is open. A panic calls this too.
pub fn restore() {
    if IS_OPEN.swap(false, SeqCst) {
        // A terminal that is gone needs no restoring.
        let _ = execute!(io::stderr(), DisableMouseCapture, ResetColor, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing that concerns the program.
    Nothing,
    /// The end of the view.
    Quit,
    /// The end of the program: Ctrl-C.
    Interrupt,
}

impl Asked {
    /// The exit of a view that ends for this reason.
    pub fn exit(self) -> Exit {
        if self == Self::Interrupt { Exit::Interrupted } else { Exit::Done }
    }
}

/// The open screen. Dropping it restores the terminal.
pub struct Screen<W: Write = Stderr> {
    terminal: W,
    /// What the terminal shows; empty where all is to be drawn.
    shown: Buffer,
    styles: Styles,
}

impl Screen {
    /// Whether standard error is a terminal that can show a screen.
    pub fn is_possible() -> bool {
        io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Opens the screen.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn open() -> io::Result<Self> {
        Self::enter()?;
        Ok(Self { terminal: io::stderr(), shown: Buffer::default(), styles: Styles { colour: colour_wanted(true) } })
    }

    /// Asks the terminal for clicks, which it then no longer takes for itself.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn take_clicks(&mut self) -> io::Result<()> {
        execute!(io::stderr(), EnableMouseCapture)
    }

    fn enter() -> io::Result<()> {
        enable_raw_mode()?;
        IS_OPEN.store(true, SeqCst);
        execute!(io::stderr(), EnterAlternateScreen, Clear(ClearType::All), Hide).inspect_err(|_| restore())
    }

    /// Goes back to the screen after [`restore`].
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn reopen(&mut self) -> io::Result<()> {
        self.shown = Buffer::default();
        Self::enter()
    }
}

impl<W: Write> Screen<W> {
    /// Draws what is shown. Does nothing after [`restore`], until [`Screen::reopen`]. `watched` may lock what is shown:
    /// the lock is released before the terminal gets the drawing, so nobody who waits for the lock waits for the
    /// terminal.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn draw<G: DerefMut<Target = Watched>>(&mut self, watched: impl FnOnce() -> G) -> io::Result<()> {
        self.paint(|styles, area, buffer| draw(&mut watched(), styles, area, buffer))
    }

    /// Draws with `paint`, under the same conditions. What `paint` locks is released before the terminal gets the
    /// drawing.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn paint(&mut self, paint: impl FnOnce(Styles, Rect, &mut Buffer)) -> io::Result<()> {
        if IS_OPEN.load(SeqCst) { self.paint_in(self.area()?, paint) } else { Ok(()) }
    }

    /// The size of the screen.
    ///
    /// # Errors
    /// When the terminal does not say it.
    pub fn area(&self) -> io::Result<Rect> {
        let (columns, rows) = size()?;
        Ok(Rect::new(0, 0, columns, rows))
    }

    /// Writes the cells that differ from what the terminal shows.
    fn paint_in(&mut self, area: Rect, paint: impl FnOnce(Styles, Rect, &mut Buffer)) -> io::Result<()> {
        let mut next = Buffer::empty(area);
        paint(self.styles, area, &mut next);
        let out = &mut self.terminal;
        if self.shown.area != area {
            queue!(out, Clear(ClearType::All))?;
            self.shown = Buffer::empty(area);
        }
        let (mut style, mut place) = (None, None);
        for (x, y, cell) in self.shown.diff(&next) {
            if style != Some((cell.fg, cell.bg, cell.modifier)) {
                style = Some((cell.fg, cell.bg, cell.modifier));
                queue!(
                    out,
                    SetAttribute(Attribute::Reset),
                    SetColors(Colors::new(paint_of(cell.fg), paint_of(cell.bg)))
                )?;
                for (modifier, attribute) in ATTRIBUTES {
                    if cell.modifier.contains(modifier) {
                        queue!(out, SetAttribute(attribute))?;
                    }
                }
            }
            if place != Some((x, y)) {
                queue!(out, MoveTo(x, y))?;
            }
            place = Some((x + 1, y));
            queue!(out, Print(cell.symbol()))?;
        }
        queue!(out, SetAttribute(Attribute::Reset), ResetColor)?;
        self.shown = next;
        out.flush()
    }
}

/// The modifiers that the views use.
const ATTRIBUTES: [(Modifier, Attribute); 3] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

/// A colour as the terminal gets it; one that no view uses is the usual one.
fn paint_of(colour: Color) -> Paint {
    match colour {
        Color::Cyan => Paint::DarkCyan,
        Color::Yellow => Paint::DarkYellow,
        Color::DarkGray => Paint::DarkGrey,
        Color::LightRed => Paint::Red,
        Color::LightBlue => Paint::Blue,
        Color::Rgb(r, g, b) => Paint::Rgb { r, g, b },
        _ => Paint::Reset,
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        restore();
    }
}

/// What came from the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    Key(KeyEvent),
    /// A click at a column and a row.
    Click(u16, u16),
    /// The terminal has another size.
    Resize,
    Nothing,
}

/// Waits for a key, a click or another size, at most so long.
///
/// # Errors
/// When the terminal fails, or has hung up.
pub fn wait_for_input(most: Duration) -> io::Result<Input> {
    // With no time at all `crossterm` would not look.
    if event::poll(most.max(Duration::from_millis(1)))? {
        return Ok(match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => Input::Key(key),
            Event::Resize(..) => Input::Resize,
            Event::Mouse(MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, .. }) => {
                Input::Click(column, row)
            }
            _ => Input::Nothing,
        });
    }
    // A line that has hung up is always at its end, which `crossterm` takes for nothing new.
    if io::stderr().is_terminal() {
        Ok(Input::Nothing)
    } else {
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has hung up"))
    }
}

/// Handles a key of a view of runs.
pub fn press(watched: &mut Watched, key: KeyEvent) -> Asked {
    ask(key, |key| watched.press(key))
}

/// Hands a key that views know to `press`.
pub fn ask(key: KeyEvent, press: impl FnOnce(Key) -> bool) -> Asked {
    let is_letter = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let known = match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Asked::Interrupt,
        // Ctrl-Q, which lets a terminal go on after Ctrl-S, must not end the view.
        KeyCode::Char(letter) if is_letter => Key::Letter(letter.to_ascii_lowercase()),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc | KeyCode::Backspace => Key::Escape,
        _ => return Asked::Nothing,
    };
    if press(known) { Asked::Quit } else { Asked::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A terminal that checks, with each byte it gets, that what is shown is not locked.
    struct Page(Arc<Mutex<Watched>>, Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(self.0.try_lock().is_ok(), "a terminal that stalls would hold up the search");
            self.1.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn letters_with_control_are_other_keys() {
        let mut watched = Watched::default();
        let mut asked = |letter, modifiers| press(&mut watched, KeyEvent::new(KeyCode::Char(letter), modifiers));
        assert_eq!(asked('q', KeyModifiers::CONTROL), Asked::Nothing);
        assert_eq!([asked('q', KeyModifiers::NONE), asked('Q', KeyModifiers::SHIFT)], [Asked::Quit; 2]);
        assert_eq!(asked('c', KeyModifiers::CONTROL), Asked::Interrupt);
    }

    #[test]
    fn nothing_is_locked_while_the_terminal_is_written_to_and_a_closed_screen_stays_as_it_is() {
        let (watched, written) = (Arc::new(Mutex::new(Watched::default())), Arc::default());
        let terminal = Page(Arc::clone(&watched), Arc::clone(&written));
        let mut screen = Screen { terminal, shown: Buffer::default(), styles: Styles { colour: false } };
        // As after a panic, which has restored the terminal.
        screen.draw(|| watched.lock().unwrap()).unwrap();
        assert_eq!(*written.lock().unwrap(), b"");
        let paint = |styles, area, buffer: &mut Buffer| draw(&mut watched.lock().unwrap(), styles, area, buffer);
        let area = Rect::new(0, 0, 60, 4);
        screen.paint_in(area, paint).unwrap();
        let says_quit = || String::from_utf8_lossy(&written.lock().unwrap()).contains("quit");
        assert!(says_quit());
        // What is shown already is not written again.
        written.lock().unwrap().clear();
        screen.paint_in(area, paint).unwrap();
        assert!(!says_quit());
    }
}
