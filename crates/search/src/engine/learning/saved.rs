//! The body of a checkpoint of the search that learns: its no-goods.
//!
//! ```text
//! | number 8 | (budget 4 | packed set)* |            all numbers little-endian
//! ```

use super::learner::Learner;
use super::refuted_sets::SharedLevels;
use crate::domain::Cost;
use crate::expand::{key_of_words, words_of_key};
use crate::store::MAX_G;
use std::io::{self, Read, Write};

/// Writes the body.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(levels: &SharedLevels, key_len: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&levels.no_good_count().to_le_bytes())?;
    let mut key = vec![0; key_len];
    for (budget, level) in (0..).zip(levels.all()) {
        let level = level.read();
        for number in 0..level.no_goods.len() {
            key_of_words(level.no_goods.get(number), &mut key);
            let budget: Cost = budget;
            out.write_all(&budget.to_le_bytes())?;
            out.write_all(&key)?;
        }
    }
    Ok(())
}

/// Reads a body of `len` bytes into `learner`.
///
/// # Errors
/// Returns what was found if the body does not have this form.
pub(super) fn read(body: &mut dyn Read, len: u64, key_len: usize, learner: &mut Learner<'_>) -> Result<(), String> {
    let mut count = [0; 8];
    body.read_exact(&mut count).map_err(|error| error.to_string())?;
    let count = u64::from_le_bytes(count);
    if count.checked_mul(4 + key_len as u64).and_then(|bytes| bytes.checked_add(8)) != Some(len) {
        return Err(format!("{len} bytes of no-goods for a count of {count}"));
    }
    let (mut budget, mut key, mut set) = ([0; 4], vec![0; key_len], vec![0; learner.all.len()]);
    for _ in 0..count {
        body.read_exact(&mut budget).and_then(|()| body.read_exact(&mut key)).map_err(|error| error.to_string())?;
        let budget = Cost::from_le_bytes(budget);
        words_of_key(&key, &mut set);
        if budget > MAX_G || !super::bits::is_subset(&set, &learner.all) || learner.is_goal(&set) {
            return Err(format!("a no-good of budget {budget} that no search has"));
        }
        // One search held these no-goods together, so none contains another.
        learner.level(budget).write().no_goods.push(&set, |_| 1.0);
    }
    learner.levels.iter().for_each(|level| level.write().no_goods.choose_early());
    Ok(())
}
