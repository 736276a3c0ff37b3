//! `play`: a board in a browser, or in the terminal.

use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::tell;
use super::run_args::Play;
use super::screen::{Asked, Input as Key, Screen, ask, wait_for_input};
use super::signals::EndOfView;
use gridhunt::board::{BoardError, Entry, GenerateSpec, Start, generate};
use gridhunt::driver::Config;
use gridhunt::platform::unix_seconds;
use gridhunt::play::{Game, PlayError, Solve, Solved, Surroundings};
use gridhunt::report::game::{Pressed, Table, draw};
use gridhunt::runtime::{StopReason, StopToken};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// A new board, if none is given.
const NEW: GenerateSpec = GenerateSpec { rows: 14, cols: 14, colours: 6, seed: 0, start: Start::TopLeft };

/// The longest wait for a key. Results of searches and signals are noticed after the wait.
const KEY_WAIT: Duration = Duration::from_millis(50);

pub fn run(args: &Play) -> Result<Exit, Failure> {
    let mut config = Config::default();
    args.puzzle.lay_over(&mut config);
    args.objective.lay_over(&mut config);
    args.rules.lay_over(&mut config);
    args.scoring.lay_over(&mut config);
    let games = games(args, &mut config)?;
    if args.terminal { in_terminal(&config, games) } else { in_browser(args, &games[0]) }
}

/// The boards that are given, or a new one. `config` learns the puzzle that a file names.
fn games(args: &Play, config: &mut Config) -> Result<Vec<Game>, Failure> {
    let Some(path) = &args.board else {
        config.check()?;
        let seed = args.seed.unwrap_or_else(|| (unix_seconds() * 1e3) as u64 % 1_000_000);
        return Ok(vec![another(config, seed)?]);
    };
    let options = args.reading.options(config);
    let mut input = Input::open(std::slice::from_ref(path), options, args.boards.as_ref())?;
    let boards = input.by_ref().collect::<Result<Vec<Entry>, BoardError>>()?;
    config.domain = config.domain.or(input.domain);
    config.check()?;
    input.notes.iter().for_each(|note| tell(note));
    let games: Vec<_> = boards.iter().map(|entry| Game::with_config(&entry.board, config)).collect();
    // The first board decides whether there is a game; the file may hold boards of any number.
    match games.first() {
        Some(game) => game.board().map(|_| ()).map_err(Failure::from)?,
        None => return Err(Failure::usage("found no board, expected one: --boards selects none")),
    }
    Ok(games)
}

/// A new board of this seed.
fn another(config: &Config, seed: u64) -> Result<Game, Failure> {
    Ok(Game::with_config(&generate(&GenerateSpec { seed, ..NEW }, 0)?, config))
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        Self::bad_input(error.error)
    }
}

#[cfg(not(feature = "serve"))]
fn in_browser(_: &Play, _: &Game) -> Result<Exit, Failure> {
    Err(Failure::usage(
        "this build has no page: --terminal plays here, and cargo install --path . --features serve builds the page",
    ))
}

#[cfg(feature = "serve")]
fn in_browser(args: &Play, game: &Game) -> Result<Exit, Failure> {
    use gridhunt::play::{Shared, link_of};
    use gridhunt::serve::{ServeOptions, Server};
    use std::io::IsTerminal;

    let link = link_of(&Shared { game: game.clone(), ..Shared::default() })?;
    let options = ServeOptions { listen: args.listen, names: Vec::new(), sources: Vec::new(), control: None };
    let server = Server::bind(options)?;
    let address = server.game_url(&link);
    super::output::Output::stdout().write(&format!("{address}\n"))?;
    tell("open this address in a browser; Ctrl-C ends the page");
    if !args.no_open
        && io::stdout().is_terminal()
        && let Err(error) = open::that_detached(&address)
    {
        tell(&format!("no browser could be started: {error}"));
    }
    super::serve::until_a_signal(server)
}

/// A search under way for a position.
struct Search {
    key: String,
    stop: Arc<StopToken>,
    result: Receiver<Result<Solved, PlayError>>,
}

impl Search {
    /// Begins the search that is most urgent; `None` if nothing is left to find out.
    fn begin(table: &Table) -> Option<io::Result<Self>> {
        let question = table.question()?;
        let (solve, key) =
            (Solve::of(table.game().clone(), question.moves.clone(), question.seconds), question.key.clone());
        let (stop, (sender, result)) = (Arc::new(StopToken::new()), channel());
        let token = Arc::clone(&stop);
        let search = move || {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let solved = solve.run(&Surroundings { threads, stop: &token }, &mut |_| {});
            // The game may have gone on without the result.
            let _ = sender.send(solved);
        };
        let thread = std::thread::Builder::new().name("search".to_owned()).spawn(search);
        Some(thread.map(|_| Self { key, stop, result }))
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop.stop(StopReason::Interrupted);
    }
}

/// The games, then new boards of the same puzzle.
fn in_terminal(config: &Config, games: Vec<Game>) -> Result<Exit, Failure> {
    if !Screen::is_possible() {
        return Err(Failure::usage("found no terminal on standard error, expected one for --terminal"));
    }
    let mut tables = games.into_iter().map(Table::new);
    let mut table = tables.next().transpose()?.ok_or_else(|| Failure::usage("found no board, expected one"))?;
    let signals = EndOfView::install().map_err(Failure::internal)?;
    let mut screen = Screen::open().map_err(Failure::output)?;
    let mut seed = (unix_seconds() * 1e3) as u64 % 1_000_000;
    let asked = loop {
        match show(&mut screen, &mut table, &signals) {
            Ok(Ended::By(asked)) => break Ok(asked),
            Err(error) => break Err(error),
            Ok(Ended::Another) => {
                // The next board of the file, or a new one.
                table = match tables.next() {
                    Some(next) => next?,
                    None => {
                        seed += 1;
                        Table::new(another(config, seed)?)?
                    }
                };
            }
        }
    };
    drop(screen);
    signals.end(asked)
}

/// How the game at a table has ended.
enum Ended {
    By(Asked),
    Another,
}

fn show(screen: &mut Screen, table: &mut Table, signals: &EndOfView) -> io::Result<Ended> {
    let mut search: Option<Search> = None;
    let mut is_stale = true;
    loop {
        if let Some(running) = &search {
            match running.result.try_recv() {
                Ok(solved) => {
                    table.learn(&running.key, solved.map_err(|error| io::Error::other(error.error))?.known);
                    (search, is_stale) = (None, true);
                }
                Err(TryRecvError::Empty) if table.question().is_some_and(|question| question.key == running.key) => {}
                // Another position is more urgent now, or the search has panicked.
                Err(_) => search = None,
            }
        }
        if search.is_none() {
            search = Search::begin(table).transpose()?;
        }
        if std::mem::take(&mut is_stale) {
            screen.paint(|styles, area, buffer| draw(table, styles, area, buffer))?;
        }
        match wait_for_input(KEY_WAIT)? {
            Key::Key(key) => {
                let mut pressed = Pressed::Nothing;
                let asked = ask(key, |key| {
                    pressed = table.press(key);
                    pressed == Pressed::Quit
                });
                match (asked, pressed) {
                    (Asked::Nothing, Pressed::Another) => return Ok(Ended::Another),
                    (Asked::Nothing, _) => is_stale = true,
                    (asked, _) => return Ok(Ended::By(asked)),
                }
            }
            Key::Resize => is_stale = true,
            Key::Nothing => {}
        }
        if signals.has_come() {
            return Ok(Ended::By(Asked::Quit));
        }
    }
}
