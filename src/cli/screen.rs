//! The full screen: what a terminal shows while a view of runs is open, and how it becomes clean again.

use super::output::colour_wanted;
use gridhunt::report::watch::{Ink, Key, Watched, Wish, draw};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{execute, style::ResetColor};
use std::io::{self, IsTerminal, Stderr};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

/// Whether the terminal is in the state that [`Screen::open`] puts it into.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back as it was before. Does nothing if no screen is open. A panic calls this too.
pub fn restore() {
    if IS_OPEN.swap(false, SeqCst) {
        // A terminal that is gone needs no restoring.
        let _ = execute!(io::stderr(), ResetColor, LeaveAlternateScreen, Show);
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

/// The open screen. Dropping it restores the terminal.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    ink: Ink,
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
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| restore())?;
        Ok(Self { terminal, ink: Ink { colour: colour_wanted(true) } })
    }

    fn enter() -> io::Result<()> {
        enable_raw_mode()?;
        IS_OPEN.store(true, SeqCst);
        execute!(io::stderr(), EnterAlternateScreen, Hide).inspect_err(|_| restore())
    }

    /// Goes back to the screen after [`restore`].
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn reopen(&mut self) -> io::Result<()> {
        Self::enter()?;
        self.terminal.clear()
    }

    /// Draws what is shown.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn draw(&mut self, watched: &Watched) -> io::Result<()> {
        let ink = self.ink;
        self.terminal.draw(|frame| draw(watched, ink, frame.area(), frame.buffer_mut())).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Waits for a key, at most so long. Returns the key; `None` if there was none, or the size of the terminal changed.
///
/// # Errors
/// When the terminal fails.
pub fn key(most: Duration) -> io::Result<Option<KeyEvent>> {
    if !event::poll(most)? {
        return Ok(None);
    }
    Ok(match event::read()? {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
        _ => None,
    })
}

/// Handles a key.
pub fn press(watched: &mut Watched, key: KeyEvent) -> Asked {
    let known = match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Asked::Interrupt,
        KeyCode::Char(letter) => Key::Letter(letter.to_ascii_lowercase()),
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
    match watched.press(known) {
        Wish::Quit => Asked::Quit,
        Wish::Nothing => Asked::Nothing,
    }
}
