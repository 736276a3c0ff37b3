//! `render --play`: plays solutions on the whole screen.

use super::exit::{Exit, Failure};
use super::screen::{Asked, Input, Screen, ask, wait_for_input};
use gridhunt::report::film::Film;
use gridhunt::report::play::{Player, draw};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
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
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        flag::register_usize(number, Arc::clone(&signal), number as usize).map_err(Failure::internal)?;
    }
    let asked = show(&mut Player::new(films), &signal).map_err(Failure::output)?;
    Ok(match (signal.load(Relaxed) as i32, asked) {
        (SIGHUP, _) => Exit::HungUp,
        (SIGTERM, _) => Exit::Terminated,
        (SIGINT, _) | (_, Asked::Interrupt) => Exit::Interrupted,
        _ => Exit::Done,
    })
}

fn show(player: &mut Player, signal: &AtomicUsize) -> io::Result<Asked> {
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
        if signal.load(Relaxed) != 0 {
            return Ok(Asked::Quit);
        }
        if player.plays() && shown.elapsed() >= SHOWN {
            player.tick();
            shown = Instant::now();
        }
    }
}
