//! The frontier against a map.

use super::super::frontier::CHUNK;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;

#[test]
fn a_chunk_is_a_stack() {
    let mut chunk = Chunk::default();
    assert!(chunk.is_empty() && chunk.pop().is_none() && chunk.peek(0).is_none());
    let mut random = random(3);
    let ids: Vec<Id> = (0..CHUNK).map(|_| Id(random.next_u64() & low(38))).collect();
    for (number, &id) in ids.iter().enumerate() {
        assert!(!chunk.is_full());
        chunk.push(id);
        assert_eq!(chunk.len(), number + 1);
        assert_eq!((chunk.peek(0), chunk.peek(number), chunk.peek(number + 1)), (Some(id), Some(ids[0]), None));
    }
    assert!(chunk.is_full());
    assert_eq!(ids, std::iter::from_fn(|| chunk.pop()).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>());
    assert!(chunk.is_empty() && chunk.pop().is_none());
    chunk.push(Id::NONE);
    assert_eq!(chunk.pop(), Some(Id::NONE));
}

#[derive(Clone, Debug)]
enum Step {
    Push { f: u32, g: u32, count: usize, apart: bool },
    PopPartial { f: u32 },
    TakeFull { f: u32 },
    Truncate { limit: u32 },
    Spill { layer: u32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let count = prop_oneof![4 => 1..6_usize, 1 => Just(CHUNK), 1 => 0..3 * CHUNK];
    let push = (0..6_u32, 0..4_u32, count, any::<bool>());
    let step = prop_oneof![
        6 => push.prop_map(|(f, g, count, apart)| Step::Push { f, g, count, apart }),
        3 => (0..7_u32).prop_map(|f| Step::PopPartial { f }),
        2 => (0..7_u32).prop_map(|f| Step::TakeFull { f }),
        1 => (0..9_u32).prop_map(|limit| Step::Truncate { limit }),
        2 => (0..5_u32).prop_map(|layer| Step::Spill { layer }),
    ];
    vec(step, 0..60)
}

/// A scratch file, with the store that it belongs to.
fn scratch() -> (tempfile::TempDir, Store, Arc<BlockFile>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(Layout { key_len: 4, mask_bits: 0, shards: 1 });
    let config = Arc::new(StorageConfig::unlimited(folder.path().to_owned()));
    store.attach_files(config, Arc::default(), Arc::new(NoSink)).unwrap();
    let scratch = store.files().unwrap().create_block_file(0, RUN_BYTES).unwrap();
    (folder, store, scratch)
}

/// The ids of a chunk in the order in which they were added.
fn ids_of(mut chunk: Box<Chunk>) -> Vec<Id> {
    let mut ids: Vec<Id> = std::iter::from_fn(|| chunk.pop()).collect();
    ids.reverse();
    ids
}

fn ids_of_nodes(nodes: NodeBlock) -> Vec<Id> {
    match nodes {
        NodeBlock::Chunk(chunk) => ids_of(chunk),
        NodeBlock::Spilled(run) => run.read().into_iter().flat_map(ids_of).collect(),
    }
}

/// Open nodes by f and g, in the order in which they were added: whole chunks first, then the partly filled one.
type Model = BTreeMap<(u32, u32), Vec<Id>>;

fn pop_partial(model: &mut Model, f: u32) -> Option<(u32, Vec<Id>)> {
    let ((_, g), ids) = model.range_mut((f, 0)..=(f, u32::MAX)).rfind(|(_, ids)| !ids.is_empty())?;
    let partial = ids.split_off(ids.len() / CHUNK * CHUNK);
    (!partial.is_empty()).then_some((*g, partial))
}

fn take_full(model: &mut Model, f: u32) -> Vec<(u32, Vec<Id>)> {
    let mut taken = Vec::new();
    for (&(_, g), ids) in model.range_mut((f, 0)..=(f, u32::MAX)) {
        let partial = ids.split_off(ids.len() / CHUNK * CHUNK);
        let full = std::mem::replace(ids, partial);
        taken.extend(full.chunks(CHUNK).map(|chunk| (g, chunk.to_vec())));
    }
    taken
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn the_frontier_agrees_with_a_map(steps in steps()) {
        let (mut frontier, mut model, mut next, mut spilled) = (Frontier::default(), Model::new(), 0, 0);
        let (_folder, _store, scratch) = scratch();
        for step in steps {
            match step {
                Step::Push { f, g, count, apart } => for _ in 0..count {
                    let (id, ids) = (Id(next), model.entry((f, g)).or_default());
                    next += 1;
                    ids.push(id);
                    if apart {
                        let full = ids.len().is_multiple_of(CHUNK).then(|| ids.split_off(ids.len() - CHUNK));
                        prop_assert_eq!(frontier.push_or_take_full(f, g, id).map(ids_of), full);
                    } else {
                        frontier.push(f, g, id);
                    }
                },
                Step::PopPartial { f } => {
                    let popped = frontier.pop_partial(f).map(|(g, chunk)| (g, ids_of(chunk)));
                    prop_assert_eq!(popped, pop_partial(&mut model, f));
                }
                Step::TakeFull { f } => {
                    let mut taken: Vec<(u32, Vec<Id>)> = Vec::new();
                    for (g, nodes) in frontier.take_full(f) {
                        let ids = ids_of_nodes(nodes);
                        taken.extend(ids.chunks(CHUNK).map(|ids| (g, ids.to_vec())));
                    }
                    prop_assert_eq!(taken, take_full(&mut model, f));
                }
                Step::Truncate { limit } => {
                    frontier.truncate(limit);
                    model.retain(|&(f, _), _| f < limit);
                }
                Step::Spill { layer } => {
                    frontier.spill(layer, 0, &scratch);
                    spilled += 1;
                }
            }
            prop_assert_eq!(frontier.lowest(), model.iter().find(|(_, ids)| !ids.is_empty()).map(|((f, _), _)| *f));
            for f in 0..8 {
                let open: usize = model.range((f, 0)..=(f, u32::MAX)).map(|(_, ids)| ids.len()).sum();
                prop_assert_eq!(frontier.layer_len(f), open as u64);
            }
            let chunks: usize = model.values().map(|ids| ids.len() / CHUNK).sum();
            let bytes = (chunks * size_of::<Chunk>()) as u64;
            prop_assert!(frontier.bytes() == bytes || spilled > 0 && frontier.bytes() < bytes);
        }
    }
}

#[test]
fn all_nodes_of_a_frontier_are_listed() {
    let (mut frontier, mut random) = (Frontier::default(), random(4));
    let mut expected = Vec::new();
    for number in 0..500 {
        let (f, g) = (random.next_u32() % 3, random.next_u32() % 2);
        frontier.push(f, g, Id(number));
        expected.push((f, g, number));
    }
    let mut found: Vec<_> = frontier.nodes().map(|(f, g, id)| (f, g, id.0)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}
