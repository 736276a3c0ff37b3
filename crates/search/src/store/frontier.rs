//! The frontier: ids of open nodes in stacks, one for each f and g. Nodes of later layers can be spilled to disk.

use super::{BlockFile, Id};
use std::sync::Arc;

/// The number of ids of a chunk. A chunk takes 316 bytes, and allocators give 320. Passing a chunk to another worker
/// costs little compared with expanding its nodes, and workers can still share small layers.
pub const CHUNK: usize = 63;

/// A stack of up to [`CHUNK`] ids, in five bytes each.
#[derive(Clone, Debug)]
pub struct Chunk {
    len: u8,
    bytes: [[u8; Id::BYTES]; CHUNK],
}

impl Default for Chunk {
    fn default() -> Self {
        Self { len: 0, bytes: [[0; Id::BYTES]; CHUNK] }
    }
}

impl Chunk {
    /// The number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether the chunk has no ids.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the chunk has [`CHUNK`] ids.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == CHUNK
    }

    /// Adds an id. The chunk must not be full.
    #[inline]
    pub fn push(&mut self, id: Id) {
        self.bytes[self.len()] = id.to_bytes();
        self.len += 1;
    }

    /// Removes and returns the id that was added last.
    #[inline]
    pub fn pop(&mut self) -> Option<Id> {
        self.len = self.len.checked_sub(1)?;
        Some(self.get(self.len()))
    }

    /// The id that [`Chunk::pop`] returns after `skip` other ids.
    #[must_use]
    #[inline]
    pub fn peek(&self, skip: usize) -> Option<Id> {
        self.len().checked_sub(skip + 1).map(|at| self.get(at))
    }

    #[inline]
    fn get(&self, at: usize) -> Id {
        Id::from_bytes(&self.bytes[at])
    }
}

/// The number of chunks of a run. Small in tests, so that small frontiers have runs.
const CHUNKS_PER_RUN: usize = if cfg!(test) { 2 } else { 256 };

/// The bytes of a full chunk on disk.
const CHUNK_BYTES: usize = CHUNK * Id::BYTES;

/// The bytes of a run on disk.
pub const RUN_BYTES: usize = CHUNKS_PER_RUN * CHUNK_BYTES;

/// A run: many full chunks on disk, written and read together.
#[derive(Debug)]
pub struct SpilledRun {
    file: Arc<BlockFile>,
    slot: u32,
}

impl SpilledRun {
    /// Writes full chunks. `None` when writing fails: the chunks are lost then, and the error is reported
    /// to the error latch.
    fn write(chunks: &[Box<Chunk>], file: &Arc<BlockFile>) -> Option<Self> {
        let mut bytes = Vec::with_capacity(RUN_BYTES);
        chunks.iter().for_each(|chunk| bytes.extend_from_slice(chunk.bytes.as_flattened()));
        Some(Self { slot: file.put(&bytes)?, file: Arc::clone(file) })
    }

    /// Reads the chunks. No chunks when reading fails; the error is reported to the error latch.
    #[must_use]
    pub fn read(self) -> Vec<Box<Chunk>> {
        let mut bytes = vec![0; RUN_BYTES];
        if !self.file.get(self.slot, &mut bytes) {
            return Vec::new();
        }
        let chunk = |bytes: &[u8]| {
            let mut chunk = Box::new(Chunk { len: CHUNK as u8, ..Chunk::default() });
            chunk.bytes.as_flattened_mut().copy_from_slice(bytes);
            chunk
        };
        bytes.chunks_exact(CHUNK_BYTES).map(chunk).collect()
    }
}

impl Drop for SpilledRun {
    fn drop(&mut self) {
        self.file.free(self.slot);
    }
}

/// Open nodes of one f and g, as workers pass them on.
#[derive(Debug)]
pub enum NodeBlock {
    /// In memory.
    Chunk(Box<Chunk>),
    /// On disk.
    Spilled(SpilledRun),
}

/// The stack of open nodes of one f and g.
#[derive(Debug, Default)]
pub struct IdStack {
    runs: Vec<SpilledRun>,
    #[expect(clippy::vec_box, reason = "chunks move on to queues and other threads without being copied")]
    full: Vec<Box<Chunk>>,
    /// The chunk to which ids are added; it is never full.
    top: Option<Box<Chunk>>,
}

impl IdStack {
    /// Adds an id. Removes and returns the top chunk if it is full now.
    fn push(&mut self, id: Id) -> Option<Box<Chunk>> {
        let top = self.top.get_or_insert_default();
        top.push(id);
        if top.is_full() { self.top.take() } else { None }
    }

    fn len(&self) -> usize {
        (self.runs.len() * CHUNKS_PER_RUN + self.full.len()) * CHUNK + self.top.as_ref().map_or(0, |top| top.len())
    }
}

/// The open nodes of one worker, in stacks `[f][g]`.
#[derive(Debug, Default)]
pub struct Frontier {
    stacks: Vec<Vec<IdStack>>,
    /// The number of full chunks in memory.
    chunks: u64,
}

impl Frontier {
    /// Iterates over f, g and id of all nodes. They must be in memory.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, u32, Id)> {
        let layers = self.stacks.iter().zip(0_u32..);
        layers.flat_map(|(layer, f)| layer.iter().zip(0_u32..).map(move |(stack, g)| (stack, f, g))).flat_map(
            |(stack, f, g)| {
                debug_assert!(stack.runs.is_empty());
                let chunks = stack.full.iter().chain(&stack.top);
                chunks.flat_map(move |chunk| (0..chunk.len()).map(move |at| (f, g, chunk.get(at))))
            },
        )
    }

    /// Adds an open node.
    #[inline]
    pub fn push(&mut self, f: u32, g: u32, id: Id) {
        if let Some(full) = self.push_or_take_full(f, g, id) {
            self.stacks[f as usize][g as usize].full.push(full);
            self.chunks += 1;
        }
    }

    /// Adds an open node. Removes and returns its chunk if the chunk is full now.
    #[inline]
    pub fn push_or_take_full(&mut self, f: u32, g: u32, id: Id) -> Option<Box<Chunk>> {
        let (f, g) = (f as usize, g as usize);
        if self.stacks.len() <= f {
            self.stacks.resize_with(f + 1, Vec::new);
        }
        let layer = &mut self.stacks[f];
        if layer.len() <= g {
            layer.resize_with(g + 1, IdStack::default);
        }
        layer[g].push(id)
    }

    /// Removes and returns the partly filled chunk of layer `f` at its highest g. `None` when that g has only full
    /// chunks left, or the layer is empty.
    pub fn pop_partial(&mut self, f: u32) -> Option<(u32, Box<Chunk>)> {
        let layer = self.stacks.get_mut(f as usize)?;
        while let Some(stack) = layer.last_mut() {
            if let Some(top) = stack.top.take() {
                return Some((layer.len() as u32 - 1, top));
            }
            if stack.len() > 0 {
                return None;
            }
            layer.pop();
        }
        None
    }

    /// Removes and returns all full chunks of layer `f`, the lowest g first.
    pub fn take_full(&mut self, f: u32) -> Vec<(u32, NodeBlock)> {
        let mut taken = Vec::new();
        for (g, stack) in self.stacks.get_mut(f as usize).into_iter().flatten().enumerate() {
            taken.extend(stack.runs.drain(..).map(|run| (g as u32, NodeBlock::Spilled(run))));
            self.chunks -= stack.full.len() as u64;
            taken.extend(stack.full.drain(..).map(|chunk| (g as u32, NodeBlock::Chunk(chunk))));
        }
        taken
    }

    /// Writes full chunks of layers above `layer` to disk, the highest f first, until at most `bytes` bytes are left in
    /// memory, or until no stack of these layers has enough full chunks for a run.
    pub fn spill(&mut self, layer: u32, bytes: u64, file: &Arc<BlockFile>) {
        let above = self.stacks.iter_mut().skip(layer as usize + 1).rev().flatten();
        for stack in above {
            while self.chunks * size_of::<Chunk>() as u64 > bytes && stack.full.len() >= CHUNKS_PER_RUN {
                let chunks = stack.full.drain(..CHUNKS_PER_RUN).collect::<Vec<_>>();
                self.chunks -= CHUNKS_PER_RUN as u64;
                stack.runs.extend(SpilledRun::write(&chunks, file));
            }
        }
    }

    /// The lowest f with an open node, if there is one.
    #[must_use]
    pub fn lowest(&self) -> Option<u32> {
        self.stacks.iter().position(|layer| layer.iter().any(|s| s.len() > 0)).map(|f| f as u32)
    }

    /// The number of open nodes of layer `f`.
    #[must_use]
    pub fn layer_len(&self, f: u32) -> u64 {
        self.stacks.get(f as usize).map_or(0, |layer| layer.iter().map(|s| s.len() as u64).sum())
    }

    /// The number of open nodes of each layer that has some.
    #[must_use]
    pub fn layer_lens(&self) -> Vec<(u32, u64)> {
        let layers = 0..self.stacks.len() as u32;
        layers.map(|f| (f, self.layer_len(f))).filter(|&(_, nodes)| nodes > 0).collect()
    }

    /// Removes all nodes with f at or above `limit`.
    pub fn truncate(&mut self, limit: u32) {
        for stack in self.stacks.drain((limit as usize).min(self.stacks.len())..).flatten() {
            self.chunks -= stack.full.len() as u64;
        }
    }

    /// The bytes of all full chunks in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.chunks * size_of::<Chunk>() as u64
    }
}
