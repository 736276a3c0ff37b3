//! The full screen of a view, and the restoring of the terminal.

use super::exit::Exit;
use super::use_colour;
use gridhunt::views::watch::{Key, Styles, WatchState, draw};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton,
    MouseEvent, MouseEventKind,
};
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, style::ResetColor};
use ratatui::layout::{Position, Rect};
use std::io::{self, IsTerminal, Stderr, Write};
use std::ops::DerefMut;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// Whether the terminal is in the state that [`Screen::open`] puts it into.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Restores the terminal if a screen is open. A panic calls this too.
pub fn restore() {
    if IS_OPEN.swap(false, SeqCst) {
        // A terminal that is gone needs no restoring.
        let _ = execute!(io::stderr(), DisableMouseCapture, ResetColor, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// A request of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewRequest {
    /// None.
    Nothing,
    /// The end of the view.
    Quit,
    /// The end of the program: Ctrl-C.
    Interrupt,
}

impl ViewRequest {
    /// The exit of a view that ends for this reason.
    pub fn exit(self) -> Exit {
        if self == Self::Interrupt { Exit::Interrupted } else { Exit::Done }
    }
}

/// The open screen. Dropping it restores the terminal.
pub struct Screen<W: Write = Stderr> {
    terminal: Terminal<CrosstermBackend<W>>,
    styles: Styles,
}

impl Screen {
    /// Whether standard error is a terminal that can show a screen.
    pub fn is_possible() -> bool {
        io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    pub fn open() -> io::Result<Self> {
        Self::enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| restore())?;
        Ok(Self { terminal, styles: Styles { has_colour: use_colour(true) } })
    }

    /// Asks the terminal to report clicks. It then no longer handles clicks itself.
    pub fn enable_clicks(&mut self) -> io::Result<()> {
        execute!(io::stderr(), EnableMouseCapture)
    }

    pub fn area(&self) -> io::Result<Rect> {
        Ok(Rect::from((Position::ORIGIN, self.terminal.size()?)))
    }

    fn enter() -> io::Result<()> {
        enable_raw_mode()?;
        IS_OPEN.store(true, SeqCst);
        execute!(io::stderr(), EnterAlternateScreen, Clear(ClearType::All), Hide).inspect_err(|_| restore())
    }

    /// Opens the screen again after [`restore`].
    pub fn reopen(&mut self) -> io::Result<()> {
        // A new `Terminal` draws everything. `Terminal::clear` would ask the terminal for its cursor, and wait for the
        // answer.
        self.terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
        Self::enter()
    }
}

impl<W: Write> Screen<W> {
    /// Draws the state that `state` returns. Does nothing after [`restore`], until [`Screen::reopen`]. `state` may
    /// return a lock guard. The lock is released before the terminal gets the drawing, so a slow terminal does not hold
    /// the lock.
    pub fn draw<G: DerefMut<Target = WatchState>>(&mut self, state: impl FnOnce() -> G) -> io::Result<()> {
        self.paint(|styles, area, buffer| draw(&mut state(), styles, area, buffer))
    }

    /// Draws with `paint`, under the same conditions. Locks that `paint` takes are released before the terminal gets
    /// the drawing.
    pub fn paint(&mut self, paint: impl FnOnce(Styles, Rect, &mut Buffer)) -> io::Result<()> {
        if !IS_OPEN.load(SeqCst) {
            return Ok(());
        }
        let styles = self.styles;
        self.terminal.draw(|frame| paint(styles, frame.area(), frame.buffer_mut())).map(|_| ())
    }
}

impl<W: Write> Drop for Screen<W> {
    fn drop(&mut self) {
        restore();
    }
}

/// An event of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalEvent {
    Key(KeyEvent),
    /// A click at a column and a row.
    Click(u16, u16),
    /// The terminal has a new size.
    Resize,
    Nothing,
}

/// Waits up to `timeout` for a key, a click or a new size.
///
/// # Errors
/// When the terminal fails, or has hung up.
pub fn wait_for_event(timeout: Duration) -> io::Result<TerminalEvent> {
    // With a timeout of zero, `crossterm` would not poll.
    if event::poll(timeout.max(Duration::from_millis(1)))? {
        return Ok(match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => TerminalEvent::Key(key),
            Event::Resize(..) => TerminalEvent::Resize,
            Event::Mouse(MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, .. }) => {
                TerminalEvent::Click(column, row)
            }
            _ => TerminalEvent::Nothing,
        });
    }
    // `crossterm` reports the end of input, after the terminal has hung up, as no input.
    if io::stderr().is_terminal() {
        Ok(TerminalEvent::Nothing)
    } else {
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal has hung up"))
    }
}

/// Handles a key of a view of runs.
pub fn press_key(state: &mut WatchState, key: KeyEvent) -> ViewRequest {
    handle_key(key, |key| state.press(key))
}

/// Passes a key to `press` if views use this key.
pub fn handle_key(key: KeyEvent, press: impl FnOnce(Key) -> bool) -> ViewRequest {
    let is_letter = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let view_key = match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return ViewRequest::Interrupt,
        // Ctrl-Q, which continues the output of a terminal after Ctrl-S, must not end the view.
        KeyCode::Char(letter) if is_letter => Key::Letter(letter),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc | KeyCode::Backspace => Key::Escape,
        _ => return ViewRequest::Nothing,
    };
    if press(view_key) { ViewRequest::Quit } else { ViewRequest::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::{TerminalOptions, Viewport};
    use std::sync::{Arc, Mutex};

    /// A terminal that checks, with each byte it gets, that what is shown is not locked.
    struct Page(Arc<Mutex<WatchState>>, Arc<Mutex<Vec<u8>>>);

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
        let mut watched = WatchState::default();
        let mut asked = |letter, modifiers| press_key(&mut watched, KeyEvent::new(KeyCode::Char(letter), modifiers));
        assert_eq!(asked('q', KeyModifiers::CONTROL), ViewRequest::Nothing);
        assert_eq!([asked('q', KeyModifiers::NONE), asked('Q', KeyModifiers::SHIFT)], [ViewRequest::Quit; 2]);
        assert_eq!(asked('c', KeyModifiers::CONTROL), ViewRequest::Interrupt);
    }

    #[test]
    fn nothing_is_locked_while_the_terminal_is_written_to_and_a_closed_screen_stays_as_it_is() {
        let (watched, written) = (Arc::new(Mutex::new(WatchState::default())), Arc::default());
        let backend = CrosstermBackend::new(Page(Arc::clone(&watched), Arc::clone(&written)));
        let viewport = Viewport::Fixed(Rect::new(0, 0, 60, 4));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
        let mut screen = Screen { terminal, styles: Styles { has_colour: false } };
        written.lock().unwrap().clear();
        // As after a panic, which has restored the terminal.
        screen.draw(|| watched.lock().unwrap()).unwrap();
        assert_eq!(*written.lock().unwrap(), b"");
        IS_OPEN.store(true, SeqCst);
        screen.draw(|| watched.lock().unwrap()).unwrap();
        IS_OPEN.store(false, SeqCst);
        assert!(String::from_utf8_lossy(&written.lock().unwrap()).contains("quit"));
    }
}
