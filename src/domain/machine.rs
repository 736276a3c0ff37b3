//! What programs are synthesised for.

/// Something that a program drives: it has finitely many states; an instruction leads from each of them to another one and may mark a
/// goal on the way, which stays marked. What an instruction does never depends on what is marked.
pub trait Machine: Sync {
    /// How many states there are: `0..states()`, at most 65,536.
    fn states(&self) -> usize;

    /// How many goals there are: `0..goals()`. A program is done as soon as all are marked.
    fn goals(&self) -> usize;

    /// Where programs begin.
    fn start(&self) -> u16;

    /// How many instructions there are: `0..instructions()`, in lexical order.
    fn instructions(&self) -> u8;

    /// The state behind an instruction, and the goal that it marks.
    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>);
}
