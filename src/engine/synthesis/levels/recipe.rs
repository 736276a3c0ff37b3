//! How fragments are put together.

use super::Id;

/// How a fragment is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::synthesis) enum Recipe {
    /// The empty program.
    Nothing,
    /// One instruction.
    Instruction(u8),
    /// An atom, and what comes after it.
    Sequence { first: Id, rest: Id },
    /// A loop. It is full when more repetitions would mark nothing more.
    Loop { body: Id, count: u16, is_full: bool },
}

/// Bytes of a recipe in a checkpoint.
pub(super) const RECIPE: usize = 12;

impl Recipe {
    pub(super) fn to_bytes(self) -> [u8; RECIPE] {
        let (head, one, other): (u32, Id, Id) = match self {
            Self::Nothing => (0, 0, 0),
            Self::Instruction(instruction) => (1, instruction.into(), 0),
            Self::Sequence { first, rest } => (2, first, rest),
            Self::Loop { body, count, is_full } => (3 + u32::from(is_full), body, count.into()),
        };
        let mut bytes = [0; RECIPE];
        for (slot, word) in bytes.chunks_exact_mut(4).zip([head, one, other]) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; RECIPE]) -> Option<Self> {
        let [head, one, other] =
            [0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        match head {
            0 => Some(Self::Nothing),
            1 => Some(Self::Instruction(u8::try_from(one).ok()?)),
            2 => Some(Self::Sequence { first: one, rest: other }),
            3 | 4 => Some(Self::Loop { body: one, count: u16::try_from(other).ok()?, is_full: head == 4 }),
            _ => None,
        }
    }
}
