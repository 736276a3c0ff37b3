//! The contract of a machine.

#[cfg(test)]
pub(crate) mod tests;

/// A machine with finitely many states that a program drives, instruction by instruction.
///
/// Each instruction leads from a state to another one and may mark one goal on the way. A marked goal stays marked. The
/// search for shortest programs is [`search_program`](crate::search_program).
///
/// # Contract
/// * The effect of an instruction depends on the state alone, never on the marked goals. So fragments with equal end
///   states and equal marks from every state are interchangeable. Synthesis relies on this.
/// * All methods are pure: equal arguments give equal results, on every thread.
/// * Every state that [`Machine::step`] returns, and the start, is below [`Machine::states`]. Every goal is below
///   [`Machine::goals`].
pub trait Machine: Sync {
    /// Number of states, at most 65,535. States are numbered from 0.
    fn states(&self) -> usize;

    /// Number of goals, at most 65,000. Goals are numbered from 0. A program is complete when all goals are marked.
    fn goals(&self) -> usize;

    /// The state in which the program begins.
    fn start(&self) -> u16;

    /// Number of instructions. They are numbered from 0, in lexical order.
    fn instructions(&self) -> u8;

    /// The state after `instruction` in `state`, and the goal that the instruction marks there, if any.
    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>);
}
