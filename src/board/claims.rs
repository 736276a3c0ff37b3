//! What a solution file says beside the moves.

/// What a solution file says beside the moves, as the keys of a configuration spell it: `domain`, `objective`, rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims(pub Vec<(String, String)>);
