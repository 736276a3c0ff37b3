//! What is played: the rules, the goal and the scoring; and the options that select them.

use crate::{Columns, Goal, Rules, ScoreRule, Scoring, score_table};
use gridhunt_boards::{Board, Corner, whole_number_parser};
use gridhunt_puzzle::{
    Fact, FactInfo, FactValue, Objective, ObjectiveSense, OptionValues, PuzzleError, PuzzleOption, Result,
};
use std::fmt;
use std::str::FromStr;

/// What is played: the rules, the goal, and the scoring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The rules.
    pub rules: Rules,
    /// The goal.
    pub goal: Goal,
    /// The scoring; it matters for the goal [`Goal::Score`] alone.
    pub scoring: Scoring,
}

/// The options, in the order in which help and facts list them.
pub(crate) const OPTIONS: [PuzzleOption; 7] = [
    PuzzleOption {
        value_name: "OBJECTIVE",
        values: &[Goal::Clear.name(), Goal::Clicks.name(), Goal::Left.name(), Goal::Score.name()],
        ..option::<Goal>(
            "objective",
            "The objective: any clear, the fewest clicks, the fewest cells left, or the highest score [default: clear]",
        )
    },
    PuzzleOption {
        value_name: "N",
        check: |text| parse_min_group(text).map(drop).map_err(|error| error.to_string()),
        is_number: true,
        is_rule: true,
        fact: fact("min_group", "The fewest cells of a group that a click removes; null without rules."),
        ..option::<Goal>("min-group", "The least number of cells in a group that can be clicked away [default: 2]")
    },
    PuzzleOption {
        value_name: "COLUMNS",
        values: &[Columns::Close.name(), Columns::Stay.name()],
        is_rule: true,
        fact: fact("columns", "What happens to an empty column; null without rules."),
        ..option::<Columns>("columns", "What happens to a column without cells [default: close]")
    },
    PuzzleOption {
        value_name: "CORNER",
        values: &[
            Corner::BottomLeft.name(),
            Corner::BottomRight.name(),
            Corner::TopLeft.name(),
            Corner::TopRight.name(),
        ],
        is_rule: true,
        fact: fact("corner", "The corner to which cells fall and columns close up; null without rules."),
        ..option::<Corner>("corner", "The corner to which cells fall and columns close up [default: bottom-left]")
    },
    PuzzleOption {
        fields: &["scorerule"],
        fact: fact("score_rule", "The points of a click on `n` cells; null if the objective is not the score."),
        ..option::<ScoreRule>(
            "score",
            "The points of a click on n cells: a formula such as (n-1)^2 or n(n-1), or a table for 1, 2, 3, ... cells \
             such as 0,0,1,4 [default: (n-2)^2, and 0 for one cell]",
        )
    },
    PuzzleOption {
        value_name: "N",
        check: |text| parse_bonus(text).map(drop).map_err(|error| error.to_string()),
        is_number: true,
        fact: fact("clear_bonus", "The bonus for a clear; null if the objective is not the score."),
        ..option::<Goal>("clear-bonus", "The points for clearing the board [default: 1000]")
    },
    PuzzleOption {
        fact: fact(
            "left_penalty",
            "The penalty for `n` cells of a colour that are left; null if the objective is not the score.",
        ),
        ..option::<ScoreRule>(
            "left-penalty",
            "The penalty for n cells of one colour that are left, summed over the colours: a formula or a table \
             [default: 0]",
        )
    },
];

/// Makes an option whose values are those that `T` parses.
const fn option<T: FromStr<Err: fmt::Display>>(name: &'static str, help: &'static str) -> PuzzleOption {
    PuzzleOption {
        name,
        help,
        value_name: "RULE",
        values: &[],
        check: |text| text.parse::<T>().map(drop).map_err(|error| error.to_string()),
        fields: &[],
        is_number: false,
        is_rule: false,
        fact: None,
    }
}

const fn fact(name: &'static str, help: &'static str) -> Option<FactInfo> {
    Some(FactInfo { name, help })
}

fn parse_min_group(text: &str) -> Result<u32, gridhunt_boards::OptionError> {
    whole_number_parser(1..=u32::MAX.into(), "2", |number| u32::try_from(number).ok())(text)
}

fn parse_bonus(text: &str) -> Result<u32, gridhunt_boards::OptionError> {
    whole_number_parser(0..=u32::MAX.into(), "1000", |number| u32::try_from(number).ok())(text)
}

const CLICKS: Objective = Objective {
    name: "clicks",
    unit: ["click", "clicks"],
    sense: ObjectiveSense::Minimise,
    counts_moves: true,
    is_published: false,
    solved_word: "cleared",
    advice: Some("--objective left shows how few cells are left on the best path found"),
};

/// The objective of each goal. The ceiling of the score depends on the board.
pub(crate) const OBJECTIVES: [Objective; 4] = [
    Objective { name: "clear", sense: ObjectiveSense::Reach, counts_moves: false, ..CLICKS },
    CLICKS,
    Objective { name: "left", unit: ["cell left", "cells left"], counts_moves: false, advice: None, ..CLICKS },
    Objective { name: "score", unit: ["point", "points"], sense: ObjectiveSense::Maximise(0), advice: None, ..CLICKS },
];

impl Goal {
    /// The objective of this goal. The objective of the score does not have its ceiling yet.
    fn objective(self) -> Objective {
        let [clear, clicks, left, score] = OBJECTIVES;
        match self {
            Self::Clear => clear,
            Self::Clicks => clicks,
            Self::Left => left,
            Self::Score => score,
        }
    }
}

impl Options {
    /// Reads the options from values. An option without a value has its default.
    #[must_use]
    pub fn of(values: &OptionValues) -> Self {
        let defaults = Self::default();
        let number = |name: &str, parse: fn(&str) -> Result<u32, gridhunt_boards::OptionError>| {
            values.get(name).and_then(|text| parse(text).ok())
        };
        Self {
            rules: Rules {
                min_group: number("min-group", parse_min_group).unwrap_or(defaults.rules.min_group),
                columns: values.parsed("columns").unwrap_or_default(),
                corner: values.parsed("corner").unwrap_or_default(),
            },
            goal: values.parsed("objective").unwrap_or_default(),
            scoring: Scoring {
                points: values.parsed("score").unwrap_or(defaults.scoring.points),
                clear_bonus: number("clear-bonus", parse_bonus).unwrap_or(defaults.scoring.clear_bonus),
                left_penalty: values.parsed("left-penalty").unwrap_or(defaults.scoring.left_penalty),
            },
        }
    }

    /// What the plain rules need to judge a solution.
    #[must_use]
    pub fn replay_rules(&self) -> (Rules, Goal, &Scoring) {
        (self.rules, self.goal, &self.scoring)
    }

    /// The objective on a board.
    ///
    /// # Errors
    /// When the scoring cannot be used on the board.
    pub(crate) fn objective(&self, board: &Board) -> Result<Objective> {
        let objective = self.goal.objective();
        match self.goal {
            Goal::Clear | Goal::Clicks | Goal::Left => Ok(objective),
            Goal::Score => {
                let table = score_table(board, self.rules, &self.scoring).map_err(PuzzleError::invalid_position)?;
                Ok(objective.with_ceiling(table.ceiling()))
            }
        }
    }

    /// The facts that a record holds: the rules, and the scoring where it matters.
    pub(crate) fn facts(&self) -> Vec<Fact> {
        let Self { rules, scoring, goal } = self;
        let text = |name, value: &dyn fmt::Display| Fact { name, value: FactValue::Text(value.to_string()) };
        let number = |name, value| Fact { name, value: FactValue::Number(value) };
        let mut facts =
            vec![number("min_group", rules.min_group), text("columns", &rules.columns), text("corner", &rules.corner)];
        match goal {
            Goal::Score => facts.extend([
                text("score_rule", &scoring.points),
                number("clear_bonus", scoring.clear_bonus),
                text("left_penalty", &scoring.left_penalty),
            ]),
            Goal::Clear | Goal::Clicks | Goal::Left => {}
        }
        facts
    }
}

/// The texts of all options.
impl From<&Options> for OptionValues {
    fn from(Options { rules, goal, scoring }: &Options) -> Self {
        let texts = [
            goal.to_string(),
            rules.min_group.to_string(),
            rules.columns.to_string(),
            rules.corner.to_string(),
            scoring.points.to_string(),
            scoring.clear_bonus.to_string(),
            scoring.left_penalty.to_string(),
        ];
        let mut values = Self::default();
        for (option, text) in OPTIONS.iter().zip(texts) {
            // This cannot fail: each text is that of a value.
            let _ = values.set(option, &text);
        }
        values
    }
}

/// Writes the options as a part of a checkpoint's identity.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules: Rules { min_group, columns, corner }, goal, scoring } = self;
        write!(f, "{goal}, groups of {min_group}, columns {columns}, corner {corner}")?;
        if *scoring == Scoring::default() { Ok(()) } else { write!(f, ", {scoring}") }
    }
}
