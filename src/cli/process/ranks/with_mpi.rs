//! Ranks under MPI: how they begin, take part and end.

use super::introduction::{Introduction, crowded, options, patience, refusal};
use crate::cli::output::exit::Failure;
use crate::cli::output::tell;
use crate::cli::process::signals::Signals;
use crate::cli::process::system::take_limits;
use gridhunt::hunt::RankOptions;
use gridhunt_search::runtime::{Exchange, MpiWorld, StopToken};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// The time between two signs of life of a rank.
const PULSE: Duration = Duration::from_millis(200);

/// This process among the ranks that a launcher has started, if there are several.
pub struct World(Option<Launched>);

struct Launched {
    world: MpiWorld,
    patience: Duration,
}

impl World {
    /// Finds the ranks that a launcher has started, if there are several.
    ///
    /// # Errors
    /// When the launcher and the MPI library do not belong together, or the environment is wrong.
    pub fn begin() -> Result<Self, Failure> {
        let patience = patience(|name| std::env::var_os(name))?;
        let world = MpiWorld::begin(|reason| tell(&format!("gridhunt: {reason}")));
        let world = world.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self(world.map(|world| Launched { world, patience })))
    }

    /// Runs the command on the leading rank; the others take part. Returns the exit code of the leader, on all ranks.
    pub fn run(self, command: impl FnOnce(Option<&Exchange>) -> u8) -> u8 {
        let Some(Launched { world, patience }) = self.0 else { return command(None) };
        let exchange = world.exchange();
        let is_over = AtomicBool::new(false);
        let code = std::thread::scope(|scope| {
            let pulse = std::thread::Builder::new().name("pulse".to_owned());
            let beat = || exchange.keep_alive(PULSE, patience, &|| is_over.load(Relaxed));
            if let Err(error) = pulse.spawn_scoped(scope, beat) {
                give_up(exchange, Failure::system(error));
            }
            let code = take_part(exchange, command);
            is_over.store(true, Relaxed);
            code
        });
        let code = exchange.all_gather(&code).first().copied().unwrap_or(code);
        world.end(code);
        code
    }
}

/// Runs the command on the leading rank, and follows on the others, unless the ranks do not belong together.
fn take_part(exchange: &Exchange, command: impl FnOnce(Option<&Exchange>) -> u8) -> u8 {
    let (shared, own) = options(std::env::args_os());
    let all = exchange.all_gather(&Introduction::of(MpiWorld::host(), shared, own));
    exchange.name_hosts(all.iter().map(|rank| rank.host.clone()).collect());
    let refusal = (1..all.len()).find_map(|rank| refusal(&exchange.place(rank), &all[rank], &all[0]));
    match refusal {
        Some(Failure { exit, error }) => {
            if exchange.leads() {
                tell(&format!("gridhunt: {error:#}"));
            }
            exit.code()
        }
        None if exchange.leads() => {
            all.iter()
                .enumerate()
                .filter_map(|(rank, told)| crowded(&exchange.place(rank), told, &all[0]))
                .for_each(|warning| tell(&format!("warning: {warning}")));
            let code = command(Some(exchange));
            gridhunt::hunt::dismiss(exchange);
            code
        }
        None => {
            follow(exchange, own);
            0
        }
    }
}

/// Does the work of a rank that does not lead.
fn follow(exchange: &Exchange, own: RankOptions) {
    let stop = Arc::new(StopToken::new());
    let followed = take_limits()
        .and_then(|()| Signals::of_search(&stop))
        .map_err(Failure::system)
        .and_then(|_| gridhunt::hunt::follow(exchange, own, &stop).map_err(Failure::from));
    if let Err(failure) = followed {
        give_up(exchange, failure);
    }
}

/// Ends all ranks, because this one has failed.
fn give_up(exchange: &Exchange, Failure { exit, error }: Failure) {
    exchange.abort_with(exit.code(), &format!("{}: {error:#}", exchange.place(exchange.rank())));
}
