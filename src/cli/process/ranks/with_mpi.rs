//! Ranks under MPI: how they begin, take part and end.

use super::introduction::{RankIntroduction, oversubscription_warning, rank_timeout, refusal, split_options};
use crate::cli::output::exit::Failure;
use crate::cli::output::print_message;
use crate::cli::process::signals::Signals;
use crate::cli::process::system::adjust_limits;
use gridhunt::hunt::RankOptions;
use gridhunt_mpi::MpiWorld;
use gridhunt_search::runtime::{Exchange, StopToken};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// The time between two heartbeats of a rank.
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(200);

/// The ranks that a launcher has started, if there are several.
pub struct World(Option<Launched>);

struct Launched {
    world: MpiWorld,
    rank_timeout: Duration,
}

impl World {
    /// Finds the ranks that a launcher has started, if there are several.
    ///
    /// # Errors
    /// When the launcher and the MPI library do not belong together, or the environment is wrong.
    pub fn begin() -> Result<Self, Failure> {
        let rank_timeout = rank_timeout(|name| std::env::var_os(name))?;
        let world = MpiWorld::begin(|reason| print_message(&format!("gridhunt: {reason}")));
        let world = world.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Self(world.map(|world| Launched { world, rank_timeout })))
    }

    /// Runs the command on the leading rank; the others take part. Returns the exit code of the leader, on all ranks.
    pub fn run(self, command: impl FnOnce(Option<&Exchange>) -> u8) -> u8 {
        let Some(Launched { world, rank_timeout }) = self.0 else { return command(None) };
        let exchange = world.exchange();
        // Before there is another thread: this call of MPI is under no lock.
        let host = MpiWorld::host();
        let is_over = AtomicBool::new(false);
        let code = std::thread::scope(|scope| {
            let heartbeat = std::thread::Builder::new().name("pulse".to_owned());
            let keep_alive = || exchange.run_heartbeat(HEARTBEAT_INTERVAL, rank_timeout, &|| is_over.load(Relaxed));
            if let Err(error) = heartbeat.spawn_scoped(scope, keep_alive) {
                abort_all_ranks(exchange, Failure::system(error));
            }
            let code = run_rank(exchange, host, command);
            is_over.store(true, Relaxed);
            code
        });
        let code = exchange.all_gather(&code).first().copied().unwrap_or(code);
        world.end(code);
        code
    }
}

/// Runs the command on the leading rank, and follows the leader on the others, unless the ranks do not belong together.
fn run_rank(exchange: &Exchange, host: String, command: impl FnOnce(Option<&Exchange>) -> u8) -> u8 {
    let (shared, rank_options) = split_options(std::env::args_os());
    let ranks = exchange.all_gather(&RankIntroduction::of(host, shared, rank_options));
    exchange.set_hosts(ranks.iter().map(|rank| rank.host.clone()).collect());
    let refusal = (1..ranks.len()).find_map(|rank| refusal(&exchange.rank_label(rank), &ranks[rank], &ranks[0]));
    match refusal {
        Some(Failure { exit, error }) => {
            if exchange.is_leader() {
                print_message(&format!("gridhunt: {error:#}"));
            }
            exit.code()
        }
        None if exchange.is_leader() => {
            ranks
                .iter()
                .enumerate()
                .filter_map(|(rank, introduction)| {
                    oversubscription_warning(&exchange.rank_label(rank), introduction, &ranks[0])
                })
                .for_each(|warning| print_message(&format!("warning: {warning}")));
            let code = command(Some(exchange));
            gridhunt::hunt::end_other_ranks(exchange);
            code
        }
        None => {
            follow(exchange, rank_options);
            0
        }
    }
}

/// Does the work of a rank that does not lead.
fn follow(exchange: &Exchange, rank_options: RankOptions) {
    let stop = Arc::new(StopToken::new());
    let result = adjust_limits()
        .and_then(|()| Signals::install_for_search(&stop))
        .map_err(Failure::system)
        .and_then(|_| gridhunt::hunt::follow_leader(exchange, rank_options, &stop).map_err(Failure::from));
    if let Err(failure) = result {
        abort_all_ranks(exchange, failure);
    }
}

/// Ends all ranks, because this one has failed.
fn abort_all_ranks(exchange: &Exchange, Failure { exit, error }: Failure) {
    exchange.abort_with(exit.code(), &format!("{}: {error:#}", exchange.rank_label(exchange.rank())));
}
