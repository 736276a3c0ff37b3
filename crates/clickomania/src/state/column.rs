//! A column of cells as a word: bit 0 is the cell at the bottom.

use std::fmt::Debug;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// A word with a bit for each cell of a column.
pub trait Column:
    Copy
    + Default
    + Debug
    + Eq
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The most cells of a column.
    const HEIGHT: u32;

    /// Numbers of cells by colour, for the most colours that boards of such columns have.
    type Counts: Copy + Debug + Eq + Send + Sync + AsRef<[u16]> + AsMut<[u16]>;

    /// No cells of any colour.
    const NO_COUNTS: Self::Counts;

    /// What a part of a board, or a click, adds to the counts: a number of single cells for each colour, and a number
    /// of groups.
    type Shares: Copy + Send + Sync + AsRef<[i16]> + AsMut<[i16]>;

    /// No shares.
    const NO_SHARES: Self::Shares;

    /// The number of cells.
    fn count(self) -> u32;

    /// The lowest cell alone; empty for an empty column.
    #[must_use]
    fn lowest(self) -> Self;

    /// The lowest cell of the highest run of cells, and its length. The column must not be empty.
    fn highest_run(self) -> (u32, u32);

    /// The word as 64 bits.
    fn to_bits(self) -> u64;

    /// Makes a word from the lowest of these bits.
    fn from_bits(bits: u64) -> Self;

    /// Whether there is no cell.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The lowest `count` cells; all cells if the height is less than `count`.
    #[inline(always)]
    fn below(count: u32) -> Self {
        if count < Self::HEIGHT { !(!Self::default() << count) } else { !Self::default() }
    }

    /// The column after the cells of `gone` went and the cells above them fell.
    #[inline(always)]
    #[must_use]
    fn without(self, mut gone: Self) -> Self {
        let mut fallen = self;
        while !gone.is_empty() {
            let (low, count) = gone.highest_run();
            let below = Self::below(low);
            let above = if count < Self::HEIGHT { fallen >> count } else { Self::default() };
            fallen = fallen & below | above & !below;
            gone &= below;
        }
        fallen
    }
}

/// Implements [`Column`] for a word or, with the name of its field, for a structure around a word.
macro_rules! columns {
    ($($type:ident: $word:ty, $colours:literal $(, $wrap:ident . $field:tt)?;)*) => {$(
        impl Column for $type {
            const HEIGHT: u32 = <$word>::BITS;

            type Counts = [u16; $colours];

            const NO_COUNTS: Self::Counts = [0; $colours];

            type Shares = [i16; $colours + 1];

            const NO_SHARES: Self::Shares = [0; $colours + 1];

            #[inline(always)]
            fn count(self) -> u32 {
                self$(.$field)?.count_ones()
            }

            #[inline(always)]
            fn lowest(self) -> Self {
                let word = self$(.$field)?;
                $($wrap)?(word & word.wrapping_neg())
            }

            #[inline(always)]
            fn highest_run(self) -> (u32, u32) {
                let word = self$(.$field)?;
                let above = word.leading_zeros();
                let count = (word << above).leading_ones();
                (Self::HEIGHT - above - count, count)
            }

            #[inline(always)]
            fn to_bits(self) -> u64 {
                self$(.$field)?.into()
            }

            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                $($wrap)?(bits as $word)
            }
        }
    )*};
}

columns! {
    u16: u16, 7;
    u32: u32, 7;
    u64: u64, 7;
    MoreColours: u64, 15, MoreColours.0;
    ManyColours: u64, 255, ManyColours.0;
}

/// A column of 64 cells, for boards with 8 to 15 colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoreColours(u64);

/// A column of 64 cells, for boards with 16 to 255 colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManyColours(u64);

macro_rules! operators {
    ($type:ident) => {
        operators!($type: BitAnd<Self>::bitand(.0); BitOr<Self>::bitor(.0); BitXor<Self>::bitxor(.0););
        operators!($type: Shl<u32>::shl(); Shr<u32>::shr(););

        impl Not for $type {
            type Output = Self;

            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl BitAndAssign for $type {
            #[inline(always)]
            fn bitand_assign(&mut self, other: Self) {
                self.0 &= other.0;
            }
        }

        impl BitOrAssign for $type {
            #[inline(always)]
            fn bitor_assign(&mut self, other: Self) {
                self.0 |= other.0;
            }
        }
    };
    ($type:ident: $($trait:ident<$other:ty>::$method:ident($(.$field:tt)?);)*) => {$(
        impl $trait<$other> for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: $other) -> Self {
                Self(self.0.$method(other$(.$field)?))
            }
        }
    )*};
}

operators!(MoreColours);
operators!(ManyColours);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_above_falls() {
        assert_eq!(0b1011_0110_u16.without(0b0010_0100), 0b10_1010);
        assert_eq!(u64::MAX.without(u64::MAX), 0);
        assert_eq!((1_u32 << 31).without(u32::MAX >> 1), 1);
        assert_eq!(0b101_u16.without(0), 0b101);
        // One by one, from the top.
        for (cells, gone) in [(0xA5C3_u16, 0x8421_u16), (0xFFFF, 0xF00F), (0x1234, 0xFFFE), (0x8001, 0x7FFE)] {
            let mut expected = 0;
            let fallen = (0..16).filter(|at| gone >> at & 1 == 0);
            fallen.enumerate().for_each(|(to, from)| expected |= (cells >> from & 1) << to);
            assert_eq!(cells.without(gone), expected, "{cells:b} without {gone:b}");
        }
    }
}
