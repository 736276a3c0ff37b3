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
    /// A loop.
    Loop { body: Id, count: u16 },
}

/// A recipe and the most goals that the fragment marks, or more, as they are kept.
pub(super) type Row = [u8; RECIPE];

/// Bytes of a [`Row`].
pub(super) const RECIPE: usize = 12;

impl Recipe {
    /// Whether that makes an instruction or a loop.
    pub(in crate::engine::synthesis) fn is_atom(self) -> bool {
        matches!(self, Self::Instruction(_) | Self::Loop { .. })
    }

    pub(super) fn to_row(self, marks: u16) -> Row {
        let (head, one, other): (u32, Id, Id) = match self {
            Self::Nothing => (0, 0, 0),
            Self::Instruction(instruction) => (1, instruction.into(), 0),
            Self::Sequence { first, rest } => (2, first, rest),
            Self::Loop { body, count } => (3, body, count.into()),
        };
        let mut bytes = [0; RECIPE];
        for (slot, word) in bytes.chunks_exact_mut(4).zip([head | u32::from(marks) << 16, one, other]) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    #[inline]
    pub(super) fn from_row(bytes: &Row) -> Option<(Self, u16)> {
        let [head, one, other] =
            [0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        let recipe = match head & 0xFFFF {
            0 => Self::Nothing,
            1 => Self::Instruction(u8::try_from(one).ok()?),
            2 => Self::Sequence { first: one, rest: other },
            3 => Self::Loop { body: one, count: u16::try_from(other).ok()? },
            _ => return None,
        };
        Some((recipe, (head >> 16) as u16))
    }
}
