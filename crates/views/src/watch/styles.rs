//! Styles of the screens, with and without colours.

use ratatui::style::{Color, Modifier, Style};

/// The styles of the screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Styles {
    /// Whether the screens have colours.
    pub has_colour: bool,
}

impl Styles {
    fn painted(self, colour: Color) -> Style {
        if self.has_colour { Style::default().fg(colour) } else { Style::default() }
    }

    /// Headings.
    #[must_use]
    pub fn heading(self) -> Style {
        self.painted(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// Proven values. Colour-blind people can also tell blue from yellow.
    #[must_use]
    pub fn proven(self) -> Style {
        self.painted(Color::LightBlue)
    }

    /// The best solution.
    #[must_use]
    pub fn best(self) -> Style {
        self.painted(Color::Yellow)
    }

    /// Less important text.
    #[must_use]
    pub fn dim(self) -> Style {
        self.painted(Color::DarkGray)
    }

    /// The selected line.
    #[must_use]
    pub fn selected(self) -> Style {
        Style::default().add_modifier(Modifier::REVERSED)
    }

    /// A warning, or a resource that is almost full.
    #[must_use]
    pub fn warning(self) -> Style {
        self.painted(Color::LightRed).add_modifier(Modifier::BOLD)
    }
}
