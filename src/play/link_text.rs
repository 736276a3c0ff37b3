//! Restores links that mail, chats and documents have changed.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The most times that a link may have been escaped.
const MOST_ESCAPES: usize = 3;

const FIELD_KEYS: [&str; 8] = ["p", "b", "y", "o", "n", "l", "m", "best"];

/// The values of the fields of a link by key, and the number of its other parts.
pub(super) struct Fields<'a> {
    pub values: BTreeMap<&'a str, &'a str>,
    pub unknown: usize,
}

impl<'a> Fields<'a> {
    /// Finds the fields in the part of an address that has the puzzle and the board.
    pub fn of(link: &'a str) -> Self {
        let fields = |part: &'a str| {
            let pairs: Vec<_> = part.split('&').filter_map(|field| field.split_once('=')).collect();
            let unknown = part.split('&').count() - pairs.iter().filter(|(key, _)| FIELD_KEYS.contains(key)).count();
            Self { values: pairs.into_iter().collect(), unknown }
        };
        let parts = || link.rsplit(['#', '?']).map(fields);
        parts().find(Self::has_game).or_else(|| parts().next()).unwrap_or(Self { values: BTreeMap::new(), unknown: 0 })
    }

    fn has_game(&self) -> bool {
        self.values.contains_key("p") && self.values.contains_key("b")
    }
}

/// Whether a text is the link of a game, even if mail or a chat has changed it.
#[must_use]
pub fn is_link(text: &str) -> bool {
    candidates(text).iter().any(|link| Fields::of(link).has_game())
}

/// The link, then each text that it may have been before entities, escapes or marks around it were added. Each text
/// occurs once.
pub(super) fn candidates(text: &str) -> Vec<String> {
    // Mail breaks long lines after `=` and writes `=` as `=3D`.
    let joined = if text.contains("=3D") { text.replace("=\r\n", "").replace("=\n", "") } else { text.to_owned() };
    let link: String = joined.chars().filter(|c| !c.is_whitespace()).collect();
    let mut texts = vec![link.clone()];
    let mut add = |link: &str| {
        if !texts.iter().any(|known| known == link) {
            texts.push(link.to_owned());
        }
    };
    let mut plain = link.replace("=3D", "=");
    for _ in 0..MOST_ESCAPES {
        plain = without_entities(&plain).into_owned();
    }
    let mut escaped = plain;
    for _ in 0..=MOST_ESCAPES {
        add(&escaped);
        add(without_marks(&escaped));
        escaped = without_entities(&unescape(&escaped)).into_owned();
    }
    texts
}

/// Removes brackets and quotes before a link, everything from the first of them after its `#`, and closing punctuation.
fn without_marks(link: &str) -> &str {
    const MARKS: [char; 20] =
        ['<', '>', '(', ')', '[', ']', '{', '}', '"', '\'', '`', '*', '“', '”', '‘', '’', '«', '»', '|', '\\'];
    let link = link.trim_start_matches(MARKS);
    let fragment = link.rfind('#').map_or(0, |at| at + 1);
    let end = link[fragment..].find(MARKS).map_or(link.len(), |at| fragment + at);
    link[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '…'])
}

/// Replaces HTML entities, such as `&amp;` and `&#38;`, by their characters, unless the text has none that occurs in a
/// link.
fn without_entities(text: &str) -> Cow<'_, str> {
    if !text.contains("&amp") && !text.contains("&#") && !text.contains("&lt;") && !text.contains("&gt;") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let name = rest.find(';').map_or("", |end| &rest[1..end]);
        let code = name.strip_prefix('#').and_then(|code| match code.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => code.parse().ok(),
        });
        let c = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "num" => Some('#'),
            "equals" => Some('='),
            _ => code.and_then(char::from_u32),
        };
        match c {
            Some(c) => {
                plain.push(c);
                rest = &rest[name.len() + 2..];
            }
            None => {
                plain.push('&');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Restores bytes that a link or a browser has escaped as `%` and two hexadecimal digits.
pub(super) fn unescape(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
