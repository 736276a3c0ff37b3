//! Names of colours that files use for the colours of cells: words, letters, emoji and codes.

/// Words for colours, with the colour that each means as red, green and blue.
const WORDS: [(&str, u32); 32] = [
    ("red", 0xd6_3031),
    ("green", 0x2e_a043),
    ("blue", 0x2d_69e1),
    ("yellow", 0xf5_cd32),
    ("purple", 0xa5_46be),
    ("orange", 0xfa_8c28),
    ("cyan", 0x46_c8d7),
    ("pink", 0xf5_96be),
    ("brown", 0x7d_502d),
    ("magenta", 0xff_0fff),
    ("black", 0x16_1616),
    ("white", 0xf2_f2f2),
    ("grey", 0x93_9393),
    ("gray", 0x93_9393),
    ("violet", 0x7b_3fe4),
    ("teal", 0x00_8080),
    ("lime", 0xa4_e800),
    ("navy", 0x14_1f6b),
    ("maroon", 0x80_0f1b),
    ("olive", 0x87_871b),
    ("silver", 0xc0_c0c0),
    ("gold", 0xe0_b000),
    ("indigo", 0x4b_0f92),
    ("turquoise", 0x30_d5c0),
    ("beige", 0xf0_e4c0),
    ("salmon", 0xfa_8072),
    ("coral", 0xff_7f50),
    ("crimson", 0xc0_0f3c),
    ("lavender", 0xc8_b7ff),
    ("aqua", 0x0f_ffff),
    ("fuchsia", 0xff_0f93),
    ("tan", 0xd2_b48c),
];

/// Letters for colours, with the word that each stands for.
const LETTERS: [(char, &str); 13] = [
    ('r', "red"),
    ('g', "green"),
    ('b', "blue"),
    ('y', "yellow"),
    ('o', "orange"),
    ('p', "purple"),
    ('v', "violet"),
    ('c', "cyan"),
    ('m', "magenta"),
    ('w', "white"),
    ('k', "black"),
    ('n', "brown"),
    ('t', "teal"),
];

/// Emoji for colours: squares, circles and hearts.
const EMOJI: [(&str, &str); 9] = [
    ("red", "🟥🔴❤"),
    ("orange", "🟧🟠🧡"),
    ("yellow", "🟨🟡💛"),
    ("green", "🟩🟢💚"),
    ("blue", "🟦🔵💙"),
    ("purple", "🟪🟣💜"),
    ("brown", "🟫🟤🤎"),
    ("black", "⬛⚫🖤"),
    ("white", "⬜⚪🤍"),
];

/// The character that asks for the coloured form of the emoji before it. It has no meaning of its own.
pub(crate) const VARIATION_SELECTOR: char = '\u{fe0f}';

/// The name of the colour that a text means: a word in lower case, or a code `#rrggbb`. `None` for any other text, also
/// for a letter, which is a symbol.
pub(crate) fn colour_name(text: &str) -> Option<String> {
    let word = text.to_lowercase();
    let word = if word == "gray" { "grey".to_owned() } else { word };
    if word.chars().count() > 1 && rgb_of_name(&word).is_some() {
        return Some(word);
    }
    let mut chars = text.chars().filter(|&c| c != VARIATION_SELECTOR);
    let only = chars.next().filter(|_| chars.next().is_none())?;
    EMOJI.iter().find(|(_, emoji)| emoji.contains(only)).map(|(word, _)| (*word).to_owned())
}

/// The colour that a name means, as red, green and blue.
fn rgb_of_name(name: &str) -> Option<u32> {
    if let Some(code) = name.strip_prefix('#').filter(|code| code.len() == 6) {
        return u32::from_str_radix(code, 16).ok();
    }
    WORDS.iter().find(|(word, _)| *word == name).map(|&(_, rgb)| rgb)
}

/// The colours that the names of a board mean, as red, green and blue: `None` unless every name means one, and no two
/// names mean the same one.
pub(crate) fn meanings(names: &[String]) -> Option<Vec<u32>> {
    let of_letter = |name: &str| {
        let letter = name.to_lowercase();
        LETTERS.iter().find(|(symbol, _)| letter.chars().eq([*symbol])).and_then(|(_, word)| rgb_of_name(word))
    };
    let all = names.iter().map(|name| of_letter(name).or_else(|| rgb_of_name(name))).collect::<Option<Vec<_>>>()?;
    let is_new = |(i, rgb): (usize, &u32)| !all[..i].contains(rgb);
    all.iter().enumerate().all(is_new).then_some(all)
}

/// The word whose colour is nearest to this one, by the sum of squares.
pub(crate) fn nearest_word([r, g, b]: [u8; 3]) -> &'static str {
    let distance = |rgb: u32| {
        let [_, r2, g2, b2] = rgb.to_be_bytes();
        [(r, r2), (g, g2), (b, b2)].map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).iter().sum::<u32>()
    };
    WORDS.iter().min_by_key(|(_, rgb)| distance(*rgb)).map_or("grey", |(word, _)| word)
}
