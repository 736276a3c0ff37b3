//! The lists of no-goods against a plain one.

use super::game::Dice;
use crate::engine::learning::no_goods::NoGoods;
use std::collections::{HashMap, HashSet};

/// A list of no-goods that is searched from one end to the other.
#[derive(Default)]
struct Plain(Vec<([u64; 4], u32)>);

impl Plain {
    fn containing(&self, set: &[u64]) -> impl Iterator<Item = usize> {
        let holds = move |held: &[u64; 4]| held.iter().zip(set).all(|(held, set)| set & !held == 0);
        self.0.iter().enumerate().filter(move |(_, (held, _))| holds(held)).map(|(number, _)| number)
    }

    fn of(no_goods: &NoGoods, uses: &HashMap<[u64; 4], u32>) -> Self {
        let all = (0..no_goods.len()).map(|number| <[u64; 4]>::try_from(no_goods.get(number)).unwrap());
        Self(all.map(|set| (set, uses.get(&set).copied().unwrap_or(0))).collect())
    }

    fn sorted(&self) -> Vec<[u64; 4]> {
        let mut sets: Vec<_> = self.0.iter().map(|held| held.0).collect();
        sets.sort_unstable();
        sets
    }
}

#[test]
fn no_goods_agree_with_a_plain_list() {
    for seed in 0..4 {
        let mut dice = Dice::of(70 + seed);
        let (mut no_goods, mut plain) = (NoGoods::new(4), Plain::default());
        let (mut removed, mut hits, mut forgotten) = (0, 0, 0);
        // 250 elements: the last word is not full, and more elements than columns.
        let part = |dice: &mut Dice, lacking: u32| {
            let mut set = [u64::MAX, u64::MAX, u64::MAX, (1 << 58) - 1];
            (0..lacking).for_each(|_| {
                let element = dice.below(250).min(dice.below(250));
                set[element as usize / 64] &= !(1 << (element % 64));
            });
            set
        };
        for step in 0..4_000 {
            let lacking = if dice.one_in(40) { 1 + dice.below(3) } else { 3 + dice.below(12) };
            let set = part(&mut dice, lacking);
            let before = plain.0.len();
            plain.0.retain(|(held, _)| held.iter().zip(set).any(|(held, set)| held & !set != 0));
            removed += before - plain.0.len();
            plain.0.push((set, 0));
            no_goods.add(&set, |element| f64::from(element % 7));
            let uses = plain.0.iter().copied().collect();
            let now = Plain::of(&no_goods, &uses);
            assert_eq!(now.sorted(), plain.sorted(), "step {step}");
            plain = now;
            for _ in 0..4 {
                let lacking = 5 + dice.below(200);
                let (asked, most) = (part(&mut dice, lacking), 1 + dice.below(20) as usize);
                let mut all = Vec::new();
                no_goods.all_containing(&asked, most, &mut all);
                assert_eq!(all, plain.containing(&asked).take(most).collect::<Vec<_>>(), "step {step}");
                let found = no_goods.containing(&asked);
                assert_eq!(found, all.first().copied(), "step {step}");
                if let Some(number) = found {
                    hits += 1;
                    no_goods.count_use(number);
                    plain.0[number].1 += 1;
                }
            }
            if dice.one_in(800) || (plain.0.len() > 600 && dice.one_in(4)) {
                let uses: HashMap<_, _> = plain.0.iter().copied().collect();
                no_goods.forget_half();
                let mut kept = Plain::of(&no_goods, &uses);
                assert_eq!(kept.0.len(), plain.0.len() / 2);
                let of: HashSet<_> = kept.0.iter().map(|held| held.0).collect();
                let least = kept.0.iter().map(|held| held.1).min().unwrap_or(u32::MAX);
                assert!(plain.0.iter().all(|(set, uses)| of.contains(set) || *uses <= least), "step {step}");
                kept.0.iter_mut().for_each(|(_, uses)| *uses /= 2);
                (plain, forgotten) = (kept, forgotten + 1);
            }
        }
        assert!(removed > 100 && hits > 1_000 && forgotten > 3, "{removed} removed, {hits} found, {forgotten} times");
    }
}
