//! `play`: a board in a browser, or in the terminal.

use crate::cli::args::run::Play;
use crate::cli::input::{Input, open_link};
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::screen::{Screen, TerminalEvent, ViewRequest, handle_key, wait_for_event};
use crate::cli::output::{Output, print_message};
use crate::cli::process::signals::Signals;
use gridhunt::hunt::Config;
use gridhunt::play::terminal::{KeyOutcome, TerminalGame, cell_at, draw};
use gridhunt::play::{Game, PlayError, SearchResources, SharedGame, SolveRequest, SolveResult, new_game};
use gridhunt::puzzles::PuzzleId;
use gridhunt_search::platform::unix_seconds;
use gridhunt_search::runtime::{StopReason, StopToken};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// The time-out of the wait for a key, after which results and signals are handled.
const KEY_TIMEOUT: Duration = Duration::from_millis(50);

/// The default port of the page. A browser stores results by address and port, so it finds those of earlier games.
#[cfg(feature = "serve")]
const DEFAULT_PORT: u16 = 8345;

pub fn run(args: &Play) -> Result<Exit, Failure> {
    let mut config = args.game.config();
    let games = open_games(args, &mut config)?;
    if args.terminal { in_terminal(&config, games) } else { in_browser(args, &games) }
}

/// Opens the game of a link, the boards of a file, or a new board. Puts the puzzle that a file names into `config`.
fn open_games(args: &Play, config: &mut Config) -> Result<Vec<SharedGame>, Failure> {
    let of_game = |game: Game| SharedGame { game, ..SharedGame::default() };
    let Some(path) = &args.board else {
        config.check()?;
        let seed = args.seed.unwrap_or_else(|| (unix_seconds() * 1e3) as u64 % 1_000_000);
        return Ok(vec![of_game(generate_game(config, seed)?)]);
    };
    if let Some(shared) = open_link(path) {
        if *config != Config::default() {
            return Err(Failure::usage(
                "found a link with options of the puzzle, expected the link alone: it contains the rules",
            ));
        }
        let shared = shared?;
        shared.note.iter().for_each(|note| print_message(note));
        config.domain = shared.game.puzzle.parse().ok();
        return Ok(vec![shared]);
    }
    let options = args.reading.options(config);
    let mut input = Input::open(std::slice::from_ref(path), options, args.boards.as_ref())?;
    input.fill_config(config)?;
    config.check()?;
    input.notes.iter().for_each(|note| print_message(note));
    let mut games = Vec::new();
    while let Some(entry) = input.next() {
        let game = Game::with_config(&entry?.board, config);
        games.push(of_game(Game { limit: input.move_limit, ..game }));
    }
    // Only the first board is checked: a file may have any number of boards.
    match games.first() {
        Some(shared) => shared.game.board().map(|_| ()).map_err(Failure::from)?,
        None => return Err(Failure::usage("found no board, expected one: --boards selects none")),
    }
    Ok(games)
}

/// Generates a new board from a seed.
fn generate_game(config: &Config, seed: u64) -> Result<Game, Failure> {
    Ok(new_game(config.domain.unwrap_or_default(), &Game::options_of(config), seed)?)
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        Self::bad_input(error.error)
    }
}

#[cfg(not(feature = "serve"))]
fn in_browser(_: &Play, _: &[SharedGame]) -> Result<Exit, Failure> {
    Err(Failure::usage("this build has no page: --terminal plays here; a build with default features has the page"))
}

#[cfg(feature = "serve")]
fn in_browser(args: &Play, games: &[SharedGame]) -> Result<Exit, Failure> {
    use std::io::IsTerminal;

    let link = games[0].to_link()?;
    if games.len() > 1 {
        let (all, name) = (games.len(), &games[0].game.name);
        print_message(&format!(
            "{all} boards: the page shows {name}; --boards selects another one, and Open in the page reads files"
        ));
    }
    let server = bind_server(args.listen)?;
    let address = server.game_url(&link);
    Output::stdout().write(&format!("{address}\n"))?;
    print_message("open this address in a browser; Ctrl-C ends the server");
    if !args.no_open
        && io::stdout().is_terminal()
        && let Err(error) = open::that_detached(&address)
    {
        print_message(&format!("no browser could be started: {error}"));
    }
    super::serve::run_until_signal(server, &Signals::install_for_view().map_err(Failure::internal)?)
}

/// Binds the server of the page to `listen`. `None` selects the default port, or any free port if that one is taken.
#[cfg(feature = "serve")]
fn bind_server(listen: Option<std::net::SocketAddr>) -> Result<gridhunt::serve::Server, Failure> {
    use gridhunt::serve::{ServeError, ServeOptions, Server};
    use std::net::{Ipv4Addr, SocketAddr};

    let bind = |listen| Server::bind(ServeOptions { listen, names: Vec::new(), sources: Vec::new(), control: None });
    if let Some(listen) = listen {
        return Ok(bind(listen)?);
    }
    let localhost = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    match bind(localhost(DEFAULT_PORT)) {
        Err(ServeError::Listen { .. }) => {
            print_message(&format!(
                "port {DEFAULT_PORT} is taken: on another port the browser does not find earlier results"
            ));
            Ok(bind(localhost(0))?)
        }
        server => Ok(server?),
    }
}

/// A search of a position that is under way.
struct PositionSearch {
    key: String,
    stop: Arc<StopToken>,
    result: Receiver<Result<SolveResult, PlayError>>,
}

impl PositionSearch {
    /// Begins the most urgent search. Returns `None` if no position needs a search.
    fn begin(game: &TerminalGame) -> Option<io::Result<Self>> {
        let position = game.next_search()?;
        let (solve, key) =
            (SolveRequest::of(game.game().clone(), position.moves.clone(), position.seconds), position.key.clone());
        let (stop, (sender, result)) = (Arc::new(StopToken::new()), channel());
        let token = Arc::clone(&stop);
        let search = move || {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let solved = solve.run(&SearchResources { threads, stop: &token }, &mut |_| {});
            // The game may no longer wait for the result.
            let _ = sender.send(solved);
        };
        let thread = std::thread::Builder::new().name("search".to_owned()).spawn(search);
        Some(thread.map(|_| Self { key, stop, result }))
    }
}

impl Drop for PositionSearch {
    fn drop(&mut self) {
        self.stop.stop(StopReason::Interrupted);
    }
}

/// Plays the games, then new boards of the same puzzle and rules.
fn in_terminal(config: &Config, games: Vec<SharedGame>) -> Result<Exit, Failure> {
    let puzzle = games.first().and_then(|shared| shared.game.puzzle.parse::<PuzzleId>().ok());
    if let Some(puzzle) = puzzle.filter(|puzzle| puzzle.info().has_programs) {
        let found = format!("found {puzzle}, whose solutions are programs, expected a game of moves for --terminal");
        return Err(Failure::usage(format!("{found}; without --terminal a page in the browser plays it")));
    }
    if !Screen::is_possible() {
        let found = "found no terminal on standard error, expected one for --terminal";
        return Err(Failure::usage(format!("{found}; without --terminal a page in the browser plays")));
    }
    let mut terminal_games = games.into_iter().map(TerminalGame::of);
    let mut game = terminal_games.next().transpose()?.ok_or_else(|| Failure::usage("found no board, expected one"))?;
    let signals = Signals::install_for_view().map_err(Failure::internal)?;
    let mut screen = Screen::open().map_err(Failure::output)?;
    screen.enable_clicks().map_err(Failure::output)?;
    let mut results_text = String::new();
    let mut seed = (unix_seconds() * 1e3) as u64 % 1_000_000;
    let request = loop {
        let end = show(&mut screen, &mut game, &signals);
        results_text.extend(game.summary());
        match end.transpose() {
            Some(request) => break request,
            None => {
                // The next board of the file, or a new one.
                game = match terminal_games.next() {
                    Some(next) => next?,
                    None => {
                        seed += 1;
                        TerminalGame::of(SharedGame { game: generate_game(config, seed)?, ..SharedGame::default() })?
                    }
                };
            }
        }
    };
    drop(screen);
    Output::stdout().write(&results_text)?;
    signals.view_exit(request)
}

/// Shows a game until it ends. Returns the request that ended it, or `None` for the next board.
fn show(screen: &mut Screen, game: &mut TerminalGame, signals: &Signals) -> io::Result<Option<ViewRequest>> {
    let mut search: Option<PositionSearch> = None;
    let mut is_stale = true;
    loop {
        if let Some(running) = &search {
            match running.result.try_recv() {
                Ok(solved) => {
                    game.add_knowledge(&running.key, solved.map_err(|error| io::Error::other(error.error))?.known);
                    (search, is_stale) = (None, true);
                }
                Err(TryRecvError::Empty) if game.next_search().is_some_and(|next| next.key == running.key) => {}
                // Another position is more urgent now, or the search has panicked.
                Err(_) => search = None,
            }
        }
        if search.is_none() {
            search = PositionSearch::begin(game).transpose()?;
        }
        if std::mem::take(&mut is_stale) {
            screen.paint(|styles, area, buffer| draw(game, styles, area, buffer))?;
        }
        match wait_for_event(KEY_TIMEOUT)? {
            TerminalEvent::Key(key) => {
                let mut outcome = KeyOutcome::Nothing;
                let request = handle_key(key, |key| {
                    outcome = game.press(key);
                    outcome == KeyOutcome::Quit
                });
                match (request, outcome) {
                    (ViewRequest::Nothing, KeyOutcome::NextBoard) => return Ok(None),
                    (ViewRequest::Nothing, _) => is_stale = true,
                    (request, _) => return Ok(Some(request)),
                }
            }
            TerminalEvent::Click(x, y) => {
                if let Some(cell) = cell_at(game, screen.area()?, (x, y)) {
                    game.click(cell);
                    is_stale = true;
                }
            }
            TerminalEvent::Resize => is_stale = true,
            TerminalEvent::Nothing => {}
        }
        if signals.has_arrived() {
            return Ok(Some(ViewRequest::Quit));
        }
    }
}
