//! Names of colours that files use for the colours of cells: words, letters, emoji and codes.

/// Words for colours, each with the red, green and blue that it means.
const WORDS: &str = "\
    red=d63031 green=2ea043 blue=2d69e1 yellow=f5cd32 purple=a546be orange=fa8c28 cyan=46c8d7 pink=f596be \
    brown=7d502d magenta=ff0fff black=161616 white=f2f2f2 grey=939393 violet=7b3fe4 teal=008080 lime=a4e800 \
    navy=141f6b maroon=800f1b olive=87871b silver=c0c0c0 gold=e0b000 indigo=4b0f92 turquoise=30d5c0 beige=f0e4c0 \
    salmon=fa8072 coral=ff7f50 crimson=c00f3c lavender=c8b7ff aqua=0fffff fuchsia=ff0f93 tan=d2b48c";

/// The other words of CSS, each with its colour; `grey` for `gray`. Cells that are read from a picture never get these
/// names.
const CSS: &str = "\
    aliceblue=f0f8ff antiquewhite=faebd7 aquamarine=7fffd4 azure=f0ffff bisque=ffe4c4 blanchedalmond=ffebcd \
    blueviolet=8a2be2 burlywood=deb887 cadetblue=5f9ea0 chartreuse=7fff00 chocolate=d2691e cornflowerblue=6495ed \
    cornsilk=fff8dc darkblue=00008b darkcyan=008b8b darkgoldenrod=b8860b darkgrey=a9a9a9 darkgreen=006400 \
    darkkhaki=bdb76b darkmagenta=8b008b darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc darkred=8b0000 \
    darksalmon=e9967a darkseagreen=8fbc8f darkslateblue=483d8b darkslategrey=2f4f4f darkturquoise=00ced1 \
    darkviolet=9400d3 deeppink=ff1493 deepskyblue=00bfff dimgrey=696969 dodgerblue=1e90ff firebrick=b22222 \
    floralwhite=fffaf0 forestgreen=228b22 gainsboro=dcdcdc ghostwhite=f8f8ff goldenrod=daa520 greenyellow=adff2f \
    honeydew=f0fff0 hotpink=ff69b4 indianred=cd5c5c ivory=fffff0 khaki=f0e68c lavenderblush=fff0f5 lawngreen=7cfc00 \
    lemonchiffon=fffacd lightblue=add8e6 lightcoral=f08080 lightcyan=e0ffff lightgoldenrodyellow=fafad2 \
    lightgrey=d3d3d3 lightgreen=90ee90 lightpink=ffb6c1 lightsalmon=ffa07a lightseagreen=20b2aa lightskyblue=87cefa \
    lightslategrey=778899 lightsteelblue=b0c4de lightyellow=ffffe0 limegreen=32cd32 linen=faf0e6 \
    mediumaquamarine=66cdaa mediumblue=0000cd mediumorchid=ba55d3 mediumpurple=9370db mediumseagreen=3cb371 \
    mediumslateblue=7b68ee mediumspringgreen=00fa9a mediumturquoise=48d1cc mediumvioletred=c71585 \
    midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5 navajowhite=ffdead oldlace=fdf5e6 \
    olivedrab=6b8e23 orangered=ff4500 orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98 paleturquoise=afeeee \
    palevioletred=db7093 papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f plum=dda0dd powderblue=b0e0e6 \
    rebeccapurple=663399 rosybrown=bc8f8f royalblue=4169e1 saddlebrown=8b4513 sandybrown=f4a460 seagreen=2e8b57 \
    seashell=fff5ee sienna=a0522d skyblue=87ceeb slateblue=6a5acd slategrey=708090 snow=fffafa springgreen=00ff7f \
    steelblue=4682b4 thistle=d8bfd8 tomato=ff6347 wheat=f5deb3 whitesmoke=f5f5f5 yellowgreen=9acd32";

/// Letters for colours, each with the word that it stands for.
const LETTERS: &str =
    "r=red g=green b=blue y=yellow o=orange p=purple v=violet c=cyan m=magenta w=white k=black n=brown t=teal";

/// Words for colours, each with the emoji that mean it: squares, circles and hearts.
const EMOJI: &str = "\
    red=🟥🔴❤ orange=🟧🟠🧡 yellow=🟨🟡💛 green=🟩🟢💚 blue=🟦🔵💙 purple=🟪🟣💜 brown=🟫🟤🤎 black=⬛⚫🖤 white=⬜⚪🤍";

/// The pairs of a table, in their order.
fn pairs(table: &str) -> impl Iterator<Item = (&str, &str)> {
    table.split(' ').filter_map(|pair| pair.split_once('='))
}

/// The character that asks for the coloured form of the emoji before it. It has no meaning of its own.
pub(crate) const VARIATION_SELECTOR: char = '\u{fe0f}';

/// The name of the colour that a text means: a word in lower case, or a code `#rrggbb`. `None` for any other text. A
/// letter is a symbol, so it gives `None` too.
pub(crate) fn colour_name(text: &str) -> Option<String> {
    let word = text.to_lowercase().replace("gray", "grey");
    if word.chars().count() > 1 && rgb_of_name(&word).is_some() {
        return Some(word);
    }
    let mut chars = text.chars().filter(|&c| c != VARIATION_SELECTOR);
    let only = chars.next().filter(|_| chars.next().is_none())?;
    pairs(EMOJI).find(|(_, emoji)| emoji.contains(only)).map(|(word, _)| word.to_owned())
}

/// The colour that a name means, as red, green and blue.
fn rgb_of_name(name: &str) -> Option<u32> {
    let code_of_word = || pairs(WORDS).chain(pairs(CSS)).find(|(word, _)| *word == name).map(|(_, code)| code);
    let code = name
        .strip_prefix('#')
        .filter(|code| code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .or_else(code_of_word)?;
    u32::from_str_radix(code, 16).ok()
}

/// The colours that the names of a board mean, as red, green and blue: `None` unless every name means one, and no two
/// names mean the same one.
pub(crate) fn meanings(names: &[String]) -> Option<Vec<u32>> {
    let of_letter = |name: &str| {
        let letter = name.to_lowercase();
        pairs(LETTERS).find(|(symbol, _)| *symbol == letter).and_then(|(_, word)| rgb_of_name(word))
    };
    let all = names.iter().map(|name| of_letter(name).or_else(|| rgb_of_name(name))).collect::<Option<Vec<_>>>()?;
    first_repeat(&all).is_none().then_some(all)
}

/// The indices of the first two equal items.
pub(crate) fn first_repeat<T: PartialEq>(items: &[T]) -> Option<(usize, usize)> {
    let repeat_at = |j: usize| Some((items[..j].iter().position(|item| *item == items[j])?, j));
    (1..items.len()).find_map(repeat_at)
}

/// The word whose colour is nearest to this colour. The distance is the sum of the squares of the differences.
pub(crate) fn nearest_word([r, g, b]: [u8; 3]) -> &'static str {
    let distance = |word: &str| {
        let [_, r2, g2, b2] = rgb_of_name(word).unwrap_or_default().to_be_bytes();
        [(r, r2), (g, g2), (b, b2)].map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).iter().sum::<u32>()
    };
    pairs(WORDS).map(|(word, _)| word).min_by_key(|word| distance(word)).unwrap_or("grey")
}
