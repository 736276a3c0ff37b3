//! Solves instances of the 15-puzzle and of pancake sorting from files, for comparisons with other programs.
//!
//!     cargo run --release -p gridhunt-search --example yardsticks -- tiles FILE [ENGINE ..]
//!     cargo run --release -p gridhunt-search --example yardsticks -- pancakes FILE [ENGINE ..]
//!
//! Each line of FILE has a number and a permutation: the sizes of the pancakes from the top, or the 16 tiles row by
//! row. Tile 0 is the gap, and the goal has it in the first place (Korf 1985). The optimum may follow the tiles; the
//! rest of the line is ignored. ENGINE is a name from `gridhunt engines`. `ida:N` sets `ida-entries` to N: `ida:0` is
//! IDA* without a table, as in Korf's program. Without ENGINE: `ida:0`, `ida`, `best-first`.
//!
//! A search runs on one thread. States, table entries and open nodes may take 4 GiB. `expanded` and `generated` count
//! nodes; `seconds` is processor time.

#[allow(dead_code, reason = "the example has a main")]
#[path = "../pancakes.rs"]
mod pancakes;
#[allow(dead_code, reason = "the example has a main, and more than is used here")]
#[path = "../sliding_tiles.rs"]
mod sliding_tiles;

use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, Outcome, Parameters, StateEngine, Status, search};
use gridhunt_search::expand::{Problem, StateSpace};
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use pancakes::{Gaps, Pancakes};
use sliding_tiles::{Manhattan, Sliding};
use std::error::Error;

/// Bytes for states, entries and open nodes.
const MEMORY: u64 = 4 << 30;

struct Instance {
    number: u64,
    order: Vec<u8>,
    optimum: Option<Cost>,
}

/// An engine with its name and parameters.
struct EngineChoice {
    name: String,
    engine: StateEngine,
    parameters: Parameters,
}

impl EngineChoice {
    fn parse(name: &str) -> Result<Self, String> {
        let (engine, entries) = name.split_once(':').map_or((name, None), |(engine, entries)| (engine, Some(entries)));
        let known = StateEngine::from_name(engine);
        let mut parameters = Parameters::default();
        if let Some(entries) = entries {
            parameters.ida_entries = entries.parse().map_err(|e| format!("{name}: found {entries:?}: {e}"))?;
        }
        let engine = known.ok_or_else(|| format!("{name}: expected an engine, see gridhunt engines"))?;
        Ok(Self { name: name.to_owned(), engine, parameters })
    }

    fn search(&self, space: &dyn StateSpace) -> Result<Outcome, Box<dyn Error>> {
        let (limits, stop) = (Limits { memory: Some(MEMORY), ..Limits::default() }, StopToken::new());
        let context = Context::new(1, limits, &Silent, &stop);
        Ok(search(self.engine, space, &self.parameters, None, &context)?)
    }
}

/// Parses instances: permutations of `len` consecutive numbers from `least`; without `len`, of all numbers in the line.
fn parse_instances(text: &str, least: u64, len: Option<usize>) -> Result<Vec<Instance>, String> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let instance = |(at, line): (usize, &str)| {
        let numbers: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|e| format!("line {at}: {e}"))?;
        let (&number, values) = numbers.split_first().ok_or_else(|| format!("line {at}: found no number"))?;
        let (order, after) = values.split_at(len.unwrap_or(values.len()).min(values.len()));
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq((least..).take(len.unwrap_or(order.len()).max(2))) {
            return Err(format!("line {at}: found no permutation of the numbers from {least} on"));
        }
        // A domain also represents the next larger number.
        if order.len() >= 255 {
            return Err(format!("line {at}: found {} numbers, expected at most 254", order.len()));
        }
        let optimum = after.first().map(|&cost| Cost::try_from(cost).unwrap_or(Cost::MAX));
        Ok(Instance { number, order: order.iter().map(|&item| item as u8).collect(), optimum })
    };
    lines.map(instance).collect()
}

/// The output line of a search; an error if its result is wrong.
fn result_line(choice: &EngineChoice, instance: &Instance, outcome: &Outcome) -> Result<String, String> {
    let (number, name) = (instance.number, &choice.name);
    let cost = outcome.incumbent.as_ref().map(|found| found.cost);
    let is_proven = outcome.status() == Status::Optimal;
    if let (true, Some(optimum)) = (is_proven, instance.optimum)
        && cost != Some(optimum)
    {
        return Err(format!("{number}: {name} has found {cost:?}, expected {optimum}"));
    }
    let cost = cost.filter(|_| is_proven).map_or("?".to_owned(), |cost| cost.to_string());
    let (work, mib) = (&outcome.statistics, outcome.statistics.peak_bytes.div_ceil(1 << 20));
    let (expanded, generated, seconds) = (work.expanded, work.generated, work.cpu_seconds);
    let rate = generated as f64 / seconds / 1e6;
    Ok(format!("{number:>6} {name:<11} {cost:>4} {expanded:>12} {generated:>12} {seconds:>9.3} {rate:>8.2} {mib:>6}"))
}

/// Searches an instance, and replays the solution.
fn solve(puzzle: &str, instance: &Instance, choice: &EngineChoice) -> Result<Outcome, Box<dyn Error>> {
    let (outcome, is_right) = if puzzle == "tiles" {
        let mut tiles = Sliding::new(4, 4, instance.order.as_slice().try_into()?);
        // Korf's order of moves.
        tiles.prefers_near = !choice.name.ends_with(":0");
        let outcome = choice.search(&Problem::new(&tiles, Manhattan))?;
        let is_right = outcome.incumbent.iter().all(|found| tiles.is_solved_by(&found.moves));
        (outcome, is_right)
    } else {
        let stack = Pancakes(instance.order.clone());
        let outcome = choice.search(&Problem::new(&stack, Gaps))?;
        let is_right = outcome.incumbent.iter().all(|found| stack.is_sorted_by(&found.moves));
        (outcome, is_right)
    };
    if is_right { Ok(outcome) } else { Err(format!("{}: the solution misses the goal", instance.number).into()) }
}

/// Searches all instances of a file by all named engines.
pub fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [puzzle, path, engines @ ..] = &arguments[..] else {
        return Err("expected: yardsticks tiles|pancakes FILE [ENGINE ..]".into());
    };
    let (least, len) = match puzzle.as_str() {
        "tiles" => (0, Some(16)),
        "pancakes" => (1, None),
        other => return Err(format!("found {other:?}, expected tiles or pancakes").into()),
    };
    let names: Vec<&str> = engines.iter().map(String::as_str).collect();
    let names = if names.is_empty() { vec!["ida:0", "ida", "best-first"] } else { names };
    let choices = names.into_iter().map(EngineChoice::parse).collect::<Result<Vec<_>, _>>()?;
    println!("number engine      cost     expanded    generated   seconds million/s    MiB");
    for instance in parse_instances(&std::fs::read_to_string(path)?, least, len)? {
        for choice in &choices {
            let outcome = solve(puzzle, &instance, choice)?;
            println!("{}", result_line(choice, &instance, &outcome)?);
        }
    }
    Ok(())
}
