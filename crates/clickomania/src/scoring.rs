//! Score rules of Clickomania: the points of a click, the bonus for a clear, the penalty for cells that are left.
//!
//! A rule is a formula in `n`, such as `(n-1)^2`, `n(n-1)` or `(n^2-n)/2`, or a table of the values for 1, 2, 3 and so
//! on cells, such as `0,0,1,4,9`. All values are whole numbers.

use gridhunt_boards::{OptionError, plural};
use std::fmt;
use std::str::FromStr;

/// The default score rule, as text. By definition a click on one cell scores 0 under this rule, not `(1-2)^2 = 1`.
const STANDARD: &str = "(n-2)^2";

/// The deepest nesting of parentheses, and the most characters, of a formula.
const MAX_NESTING: usize = 32;
const MAX_FORMULA_CHARACTERS: usize = 1_000;

/// The largest exponent in a formula.
const MAX_EXPONENT: u64 = 64;

/// A rule that gives a whole number for each number of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRule {
    /// The rule as it was written, without spaces.
    text: String,
    kind: RuleKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleKind {
    /// `(n-2)^2`, and 0 for one cell.
    Standard,
    Formula(Formula),
    /// The values for 1, 2, 3 and so on cells.
    Table(Vec<i64>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Formula {
    Cells,
    Number(i64),
    Negative(Box<Formula>),
    Power(Box<Formula>, u32),
    Binary(Operator, Box<Formula>, Box<Formula>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    /// Without remainder.
    DividedBy,
}

/// Why a rule has no value for a number of cells.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found the score rule {rule} for {}: {reason}", plural(*cells as usize, "cell"))]
pub struct ScoreRuleError {
    /// The rule.
    pub rule: String,
    /// The number of cells.
    pub cells: u32,
    /// The reason.
    pub reason: &'static str,
}

impl ScoreRule {
    /// The rule that is 0 for every number of cells.
    #[must_use]
    pub fn zero() -> Self {
        Self { text: "0".to_owned(), kind: RuleKind::Formula(Formula::Number(0)) }
    }

    /// The value for `cells` cells. For no cells the value is 0.
    ///
    /// # Errors
    /// When a table has too few entries, the value is not a whole number, or the value is too large.
    pub fn value(&self, cells: u32) -> Result<i64, ScoreRuleError> {
        let fail = |reason| Err(ScoreRuleError { rule: self.text.clone(), cells, reason });
        if cells == 0 {
            return Ok(0);
        }
        match &self.kind {
            RuleKind::Standard => {
                let excess = i64::from(cells.saturating_sub(2));
                Ok(excess * excess)
            }
            RuleKind::Table(values) => match values.get(cells as usize - 1) {
                Some(value) => Ok(*value),
                None => fail("the table has too few entries"),
            },
            RuleKind::Formula(formula) => match formula.value(cells.into()) {
                Ok(value) if value.unsigned_abs() <= u64::from(u32::MAX) => Ok(value),
                Ok(_) | Err(ValueError::TooLarge) => fail("expected a value of at most 32 bits"),
                Err(ValueError::Fraction) => fail("expected a whole number"),
            },
        }
    }
}

impl Default for ScoreRule {
    fn default() -> Self {
        Self { text: STANDARD.to_owned(), kind: RuleKind::Standard }
    }
}

impl fmt::Display for ScoreRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for ScoreRule {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let expected = "a formula in n such as (n-2)^2 or n(n-1), or a table of whole numbers such as 0,0,1,4";
        let fail = || OptionError::new(text, expected);
        let written: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        if written.len() > MAX_FORMULA_CHARACTERS && !written.contains(',') {
            return Err(fail());
        }
        let kind = if written == STANDARD {
            RuleKind::Standard
        } else if written.contains(',') {
            let values = written.trim_end_matches(',').split(',').map(|value| value.parse::<i32>().map(i64::from));
            RuleKind::Table(values.collect::<Result<_, _>>().map_err(|_| fail())?)
        } else {
            let mut parser = Parser { rest: &written, depth: 0 };
            let formula = parser.sum().filter(|_| parser.rest.is_empty()).ok_or_else(fail)?;
            RuleKind::Formula(formula)
        };
        Ok(Self { text: written, kind })
    }
}

/// Why a formula has no value.
enum ValueError {
    TooLarge,
    Fraction,
}

impl Formula {
    fn value(&self, n: i64) -> Result<i64, ValueError> {
        let checked = match self {
            Self::Cells => Some(n),
            Self::Number(number) => Some(*number),
            Self::Negative(inner) => inner.value(n)?.checked_neg(),
            Self::Power(base, exponent) => base.value(n)?.checked_pow(*exponent),
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.value(n)?, right.value(n)?);
                match operator {
                    Operator::Plus => left.checked_add(right),
                    Operator::Minus => left.checked_sub(right),
                    Operator::Times => left.checked_mul(right),
                    Operator::DividedBy if left.checked_rem(right) == Some(0) => left.checked_div(right),
                    Operator::DividedBy => return Err(ValueError::Fraction),
                }
            }
        };
        checked.ok_or(ValueError::TooLarge)
    }
}

/// Reads a formula. Each method returns `None` if the text is not a formula.
struct Parser<'a> {
    rest: &'a str,
    /// The number of open parentheses and signs.
    depth: usize,
}

impl Parser<'_> {
    fn accept(&mut self, symbol: char) -> bool {
        let rest = self.rest.strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> Option<Formula> {
        let mut sum = self.product()?;
        loop {
            let operator = match () {
                () if self.accept('+') => Operator::Plus,
                () if self.accept('-') => Operator::Minus,
                () => return Some(sum),
            };
            sum = Formula::Binary(operator, Box::new(sum), Box::new(self.product()?));
        }
    }

    /// Reads a product. Factors may stand side by side, without a sign: `2n(n-1)`.
    fn product(&mut self) -> Option<Formula> {
        let mut product = self.power()?;
        loop {
            let operator = match () {
                () if self.accept('*') || self.rest.starts_with(['n', '(']) => Operator::Times,
                () if self.accept('/') => Operator::DividedBy,
                () => return Some(product),
            };
            product = Formula::Binary(operator, Box::new(product), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Option<Formula> {
        if self.accept('-') {
            self.depth += 1;
            let inner = (self.depth <= MAX_NESTING).then(|| self.power()).flatten()?;
            self.depth -= 1;
            return Some(Formula::Negative(Box::new(inner)));
        }
        let base = self.factor()?;
        if !self.accept('^') {
            return Some(base);
        }
        let exponent = self.number().filter(|exponent| *exponent <= MAX_EXPONENT)?;
        Some(Formula::Power(Box::new(base), exponent as u32))
    }

    fn factor(&mut self) -> Option<Formula> {
        if self.accept('n') {
            return Some(Formula::Cells);
        }
        if self.accept('(') {
            self.depth += 1;
            let inner = (self.depth <= MAX_NESTING).then(|| self.sum()).flatten()?;
            self.depth -= 1;
            return self.accept(')').then_some(inner);
        }
        self.number().and_then(|number| i64::try_from(number).ok()).map(Formula::Number)
    }

    fn number(&mut self) -> Option<u64> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }
}

/// How a game of Clickomania is scored.
///
/// The score is the sum of the points of all clicks, plus the bonus if no cell is left, less the penalty. The penalty
/// is a sum over the colours: the value of `left_penalty` for the number of cells of that colour that are left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// The points of a click on `n` cells.
    pub points: ScoreRule,
    /// The bonus for clearing the board.
    pub clear_bonus: u32,
    /// The penalty for `n` cells of one colour that are left.
    pub left_penalty: ScoreRule,
}

impl Default for Scoring {
    /// `(n-2)^2` for each click, 1000 for a clear, no penalty.
    fn default() -> Self {
        Self { points: ScoreRule::default(), clear_bonus: 1000, left_penalty: ScoreRule::zero() }
    }
}

impl fmt::Display for Scoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { points, clear_bonus, left_penalty } = self;
        write!(f, "score {points}, {clear_bonus} for a clear, penalty {left_penalty}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<i64> {
        let rule: ScoreRule = text.parse().unwrap();
        (1..=5).map(|cells| rule.value(cells).unwrap()).collect()
    }

    #[test]
    fn formulas_and_tables_mean_what_they_say() {
        for (text, expected) in [
            ("(n-2)^2", [0, 0, 1, 4, 9]),
            (" ( n - 2 ) ^ 2 ", [0, 0, 1, 4, 9]),
            ("n^2-4n+4", [1, 0, 1, 4, 9]),
            ("(n-1)^2", [0, 1, 4, 9, 16]),
            ("n(n-1)", [0, 2, 6, 12, 20]),
            ("(n^2-n)/2", [0, 1, 3, 6, 10]),
            ("2n(n-1)+3", [3, 7, 15, 27, 43]),
            ("-n^2+10", [9, 6, 1, -6, -15]),
            ("5*n*n", [5, 20, 45, 80, 125]),
            ("7", [7; 5]),
            ("1,-2,3,4,5", [1, -2, 3, 4, 5]),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
        assert_eq!(ScoreRule::default().to_string().parse(), Ok(ScoreRule::default()));
        assert_eq!("3 n".parse::<ScoreRule>().unwrap().value(0), Ok(0), "no cells, no points");
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        let deep = format!("{}n{}", "(".repeat(1_000), ")".repeat(1_000));
        let signs = "-".repeat(900) + "n";
        for text in ["", "m", "n+", "(n", "n)", "n^n", "n^65", "n^", "1,x", "1,2.5", "2^-1", "nn^", &deep, &signs] {
            assert!(text.parse::<ScoreRule>().is_err(), "{text}");
        }
        for (text, cells, reason) in [
            ("n/2", 3, "expected a whole number"),
            ("n/(n-3)", 3, "expected a whole number"),
            ("n^40", 9, "expected a value of at most 32 bits"),
            ("n^5", 4_096, "expected a value of at most 32 bits"),
            ("1,2", 3, "the table has too few entries"),
        ] {
            let error = text.parse::<ScoreRule>().unwrap().value(cells).unwrap_err();
            assert_eq!((error.reason, error.cells), (reason, cells), "{text}");
        }
    }
}
