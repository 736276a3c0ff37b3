//! What may be typed about the puzzle.

use clap::Args;
use gridhunt::hunt::{Config, ObjectiveOptions, PuzzleOptions, RulesOptions, ScoreOptions};

/// The puzzle, its rules and its objective.
#[derive(Debug, Args)]
pub struct Game {
    #[command(flatten)]
    pub puzzle: PuzzleOptions,
    #[command(flatten)]
    pub objective: ObjectiveOptions,
    #[command(flatten)]
    pub rules: RulesOptions,
    #[command(flatten)]
    pub scoring: ScoreOptions,
}

impl Game {
    /// Puts the options that are given on top of a configuration.
    pub fn lay_over(&self, config: &mut Config) {
        self.puzzle.lay_over(config);
        self.objective.lay_over(config);
        self.rules.lay_over(config);
        self.scoring.lay_over(config);
    }

    /// The configuration with these options alone.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        self.lay_over(&mut config);
        config
    }
}
