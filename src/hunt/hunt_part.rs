//! The part of a hunt that one task of a job array searches: `2/8`.
//!
//! Board `i` of a hunt, from 1, belongs to part `(i - 1) mod N + 1` of `N`. So neighbours in a file, which are often
//! equally hard, go to different parts, and the sizes of the parts differ by one board at most.

use std::fmt;
use std::str::FromStr;

/// A part of the boards of a hunt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the part, from 1.
    number: usize,
    /// The number of parts.
    of: usize,
}

/// For each launcher, the variables with the number of the process, from 0, and with the number of processes: Open MPI,
/// MPICH and others with PMI, and `srun` of Slurm.
const LAUNCHERS: [[&str; 2]; 3] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"],
    ["PMI_RANK", "PMI_SIZE"],
    ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"],
];

/// A text that names no part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// The text is no part.
    #[error("found {found:?}, expected a part and the number of parts, such as 1/8, from 1/8 to 8/8")]
    Text {
        /// The text.
        found: String,
    },
    /// The text is `auto`, and nothing says which part it is.
    #[error(
        "found \"auto\" in a process that no launcher has started as one of several, expected mpirun, mpiexec or srun, a \
         job array of Slurm whose tasks are numbered at equal distances, or a part such as 1/8"
    )]
    NotLaunched,
}

impl Default for Part {
    /// All boards.
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl FromStr for Part {
    type Err = PartError;

    fn from_str(text: &str) -> Result<Self, PartError> {
        let number = |text: &str| text.trim().parse().ok();
        let part = text.split_once('/').and_then(|(part, of)| Some((number(part)?, number(of)?)));
        match part {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err(PartError::Text { found: text.to_owned() }),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Part {
    /// The text of the part that a launcher or a scheduler has given to this process.
    pub const AUTO: &str = "auto";

    /// The part that `--part` names: a part, or [`Part::AUTO`]. A configuration cannot say `auto`: several processes
    /// that all read it would be one MPI job before they know.
    ///
    /// # Errors
    /// When the text is no part, or nothing says which part `auto` is.
    pub fn of_flag(text: &str) -> Result<Self, PartError> {
        match text.trim() {
            Self::AUTO => Self::of_launcher(|name| std::env::var(name).ok()).ok_or(PartError::NotLaunched),
            text => text.parse(),
        }
    }

    /// The part that the environment names, if this process is one of several.
    fn of_launcher(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let part = |place: usize, of: usize| (of > 1 && place < of).then_some(Self { number: place + 1, of });
        let launched = |[rank, size]: [&str; 2]| part(number(rank)?, number(size)?);
        let array = || {
            let [first, last, of] = ["MIN", "MAX", "COUNT"].map(|name| number(&format!("SLURM_ARRAY_TASK_{name}")));
            let (first, last, of) = (first?, last?, of?);
            let step = number("SLURM_ARRAY_TASK_STEP").unwrap_or(1).max(1);
            // Numbers such as 1,3,7 have the step 1, and say nothing of the places between.
            let is_regular = last.checked_sub(first)? == step.checked_mul(of.checked_sub(1)?)?;
            let behind = number("SLURM_ARRAY_TASK_ID")?.checked_sub(first)?;
            (is_regular && behind.is_multiple_of(step)).then(|| part(behind / step, of)).flatten()
        };
        LAUNCHERS.into_iter().find_map(launched).or_else(array)
    }

    /// All parts of so many.
    pub fn all(of: usize) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }

    /// The number of the part, from 1.
    #[must_use]
    pub fn number(self) -> usize {
        self.number
    }

    /// The number of parts.
    #[must_use]
    pub fn of(self) -> usize {
        self.of
    }

    /// The numbers of the boards of the part, without an end.
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        (self.number..).step_by(self.of)
    }

    /// The place of a board among the boards of the part, from 0; `None` if the board belongs to another part.
    #[must_use]
    pub fn place(self, number: usize) -> Option<usize> {
        let behind = number.checked_sub(self.number)?;
        behind.is_multiple_of(self.of).then(|| behind / self.of)
    }

    /// The number of boards of the part, among `all` boards.
    #[must_use]
    pub fn share(self, all: usize) -> usize {
        (all + self.of - self.number) / self.of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_belongs_to_one_part() {
        for (of, all) in [(1, 5), (3, 10), (8, 5), (4, 8), (7, 0)] {
            let mut numbers: Vec<usize> = Vec::new();
            for part in Part::all(of) {
                let own: Vec<_> = part.numbers().take(part.share(all)).collect();
                assert!(own.iter().enumerate().all(|(place, &number)| part.place(number) == Some(place)), "{part}");
                numbers.extend(own);
            }
            numbers.sort_unstable();
            assert_eq!(numbers, (1..=all).collect::<Vec<_>>(), "{of} parts of {all} boards");
        }
        let part: Part = "2/3".parse().unwrap();
        assert_eq!([1, 2, 3, 4, 5].map(|number| part.place(number)), [None, Some(0), None, None, Some(1)]);
        assert_eq!(Part::default().numbers().take(2).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn launchers_and_schedulers_name_the_part() {
        let part = |environment: &[(&str, &str)]| {
            let variable =
                |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
            Part::of_launcher(variable).map(|part| part.to_string())
        };
        let named = |part: &str| Some(part.to_owned());
        assert_eq!(part(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "3")]), named("1/3"));
        assert_eq!(part(&[("PMI_RANK", "2"), ("PMI_SIZE", "3")]), named("3/3"));
        // The step of a task of an array has one process.
        let one = [("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1")];
        let array = |id, [first, last, count, step]: [&str; 4]| {
            let task = [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", first),
                ("SLURM_ARRAY_TASK_MAX", last),
                ("SLURM_ARRAY_TASK_COUNT", count),
                ("SLURM_ARRAY_TASK_STEP", step),
            ];
            part(&[&one[..], &task].concat())
        };
        assert_eq!(array("7", ["5", "8", "4", "1"]), named("3/4"));
        assert_eq!(array("5", ["1", "7", "4", "2"]), named("3/4"), "--array=1-7:2");
        assert_eq!(array("7", ["1", "7", "3", "1"]), None, "--array=1,3,7");
        assert_eq!(array("2", ["2", "2", "1", "1"]), None, "one task");
        assert_eq!(part(&[("PMI_RANK", "3"), ("PMI_SIZE", "3")]), None);
        assert_eq!(part(&[]), None);
        assert_eq!(Part::of_flag("auto"), Err(PartError::NotLaunched));
        assert_eq!(Part::of_flag("2/3").map(|part| part.to_string()), Ok("2/3".to_owned()));
    }

    #[test]
    fn a_text_that_names_no_part_is_refused() {
        assert_eq!(" 2 / 8".parse::<Part>().map(|part| part.to_string()), Ok("2/8".to_owned()));
        for text in ["auto", "0/8", "9/8", "1", "1/0", "-1/8", "a/b", "1/8/2", ""] {
            let error = text.parse::<Part>().unwrap_err().to_string();
            assert!(error.contains("expected a part and the number of parts, such as 1/8"), "{text}: {error}");
        }
    }
}
