//! The table of parameters: one definition for each number that tunes an engine.

/// A parameter of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: the flag, and the key in a configuration.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The name of the engine that uses it.
    pub engine: &'static str,
    /// The least value: 0 or 1.
    pub min: usize,
    /// Its field in [`Parameters`].
    pub field: fn(&mut Parameters) -> &mut usize,
}

macro_rules! parameters {
    ($(
        $(#[doc = $help:tt])+
        $field:ident: $name:literal of $engine:literal = $default:literal $(from $min:literal)?;
    )*) => {
        /// The parameters of all engines.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Parameters {
            $($(#[doc = $help])+ pub $field: usize,)*
        }

        impl Default for Parameters {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Every parameter, in the order in which help lists them.
        pub const PARAMETERS: &[Parameter] = &[$(
            Parameter {
                name: $name,
                help: concat!($($help),+).trim_ascii(),
                engine: $engine,
                min: { let choices = [1, $($min)?]; choices[choices.len() - 1] },
                field: |parameters| &mut parameters.$field,
            },
        )*];
    };
}

parameters! {
    /// States that the first beam of the engine auto keeps of each depth
    auto_beam_width: "auto-beam-width" of "auto" = 8;
    /// States that a beam keeps of each depth
    beam_width: "beam-width" of "beam" = 1_000;
    /// Table entries of the engine ida for each state of the previous layer; 0 is no table: a state is then expanded
    /// once for each path to it
    ida_entries: "ida-entries" of "ida" = 20 from 0;
    /// How often the engine anneal restarts
    anneal_rounds: "anneal-rounds" of "anneal" = 100;
    /// Changes that the engine anneal tries in its first round; for moves, each further round tries twice as
    /// many, up to 256 times the first number; for programs, equally many
    anneal_changes: "anneal-changes" of "anneal" = 20_000;
    /// Selects the random numbers of the engine anneal
    anneal_seed: "anneal-seed" of "anneal" = 1 from 0;
}
