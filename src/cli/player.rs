//! `render --play`: plays solutions on the whole screen.

use super::exit::{Exit, Failure};
use super::screen::{Asked, Input, Screen, ask, wait_for_input};
use super::signals::EndOfView;
use gridhunt::report::film::Film;
use gridhunt::report::player::{Player, draw};
use std::io;
use std::time::{Duration, Instant};

/// How long each frame shows while a film plays.
const SHOWN: Duration = Duration::from_millis(400);

/// The longest wait for a key. A signal is noticed after the wait.
const KEY_WAIT: Duration = Duration::from_millis(250);

/// Shows the films until a key or a signal ends the view.
pub fn run(films: Vec<Film>) -> Result<Exit, Failure> {
    if !Screen::is_possible() {
        let found = "found no terminal on standard error, expected one for --play";
        return Err(Failure::usage(format!("{found}; without --play the boards are drawn one below the other")));
    }
    let signals = EndOfView::install().map_err(Failure::internal)?;
    let asked = show(&mut Player::new(films), &signals);
    signals.end(asked)
}

fn show(player: &mut Player, signals: &EndOfView) -> io::Result<Asked> {
    let mut screen = Screen::open()?;
    let mut shown = Instant::now();
    loop {
        screen.paint(|styles, area, buffer| draw(player, styles, area, buffer))?;
        let left = SHOWN.saturating_sub(shown.elapsed());
        if let Input::Key(key) = wait_for_input(if player.plays() { left.min(KEY_WAIT) } else { KEY_WAIT })? {
            let played = player.plays();
            let asked = ask(key, |key| player.press(key));
            if asked != Asked::Nothing {
                return Ok(asked);
            }
            if !played {
                shown = Instant::now();
            }
        }
        if signals.has_come() {
            return Ok(Asked::Quit);
        }
        if player.plays() && shown.elapsed() >= SHOWN {
            player.tick();
            shown = Instant::now();
        }
    }
}
