//! How a fragment is composed of smaller fragments.

/// The number of a fragment. Fragments are numbered level by level.
pub(crate) type Id = u32;

/// The composition of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// The empty program.
    Empty,
    /// One instruction.
    Instruction(u8),
    /// An atom, and the fragment that follows it.
    Sequence { first: Id, rest: Id },
    /// A loop around a fragment.
    Loop { body: Id, count: u16 },
}

/// The stored form of a recipe and of an upper bound on the number of goals that the fragment marks:
///
/// ```text
/// | kind 2 | marks 2 | first id, instruction or body 4 | rest id or count 4 |      little endian
/// ```
pub(super) type Row = [u8; ROW_BYTES];

/// Bytes of a [`Row`].
pub(super) const ROW_BYTES: usize = 12;

impl Recipe {
    /// Whether the fragment is an instruction or a loop.
    pub(super) fn is_atom(self) -> bool {
        matches!(self, Self::Instruction(_) | Self::Loop { .. })
    }

    pub(super) fn to_row(self, marks: u16) -> Row {
        let (kind, first_operand, second_operand): (u32, Id, Id) = match self {
            Self::Empty => (0, 0, 0),
            Self::Instruction(instruction) => (1, instruction.into(), 0),
            Self::Sequence { first, rest } => (2, first, rest),
            Self::Loop { body, count } => (3, body, count.into()),
        };
        let mut bytes = [0; ROW_BYTES];
        let words = [kind | u32::from(marks) << 16, first_operand, second_operand];
        for (field, word) in bytes.chunks_exact_mut(4).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The recipe and the marks of a row; `None` for a row that [`Recipe::to_row`] cannot make.
    #[inline]
    pub(super) fn from_row(bytes: &Row) -> Option<(Self, u16)> {
        let [head, first_operand, second_operand] =
            [0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        let recipe = match head & 0xFFFF {
            0 => Self::Empty,
            1 => Self::Instruction(u8::try_from(first_operand).ok()?),
            2 => Self::Sequence { first: first_operand, rest: second_operand },
            3 => Self::Loop { body: first_operand, count: u16::try_from(second_operand).ok()? },
            _ => return None,
        };
        Some((recipe, (head >> 16) as u16))
    }
}
