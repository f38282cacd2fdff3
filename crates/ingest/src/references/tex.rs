//! From TeX to plain text, as far as bibliographies use it.

use unicode_normalization::char::compose;

/// The text that a TeX string stands for. Commands that are not known leave their arguments.
///
/// Nothing here recurses, so that no nesting is too deep: an accent waits for the next letter, and braces only end
/// what waits.
pub(super) fn tex_to_text(tex: &str) -> String {
    let mut out = TexConverter { text: String::with_capacity(tex.len()), accent: None };
    let mut rest = tex;
    // An odd one out is a price.
    let formulas = tex.matches('$').count() - tex.matches("\\$").count();
    let formulas = formulas > 0 && formulas.is_multiple_of(2);
    let mut formula = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => out.read_command(after),
            '$' if formulas => {
                formula = !formula;
                after
            }
            '^' | '_' if formula => after,
            '{' => after,
            '}' => {
                out.accent = None;
                after
            }
            '~' => {
                out.push(' ');
                after
            }
            '-' if after.starts_with("--") => {
                out.push('—');
                &after[2..]
            }
            '-' if after.starts_with('-') => {
                out.push('–');
                &after[1..]
            }
            '`' if after.starts_with('`') => {
                out.push('“');
                &after[1..]
            }
            '\'' if after.starts_with('\'') => {
                out.push('”');
                &after[1..]
            }
            other => {
                out.push(other);
                after
            }
        };
    }
    out.text
}

/// An address or identifier: only escapes are undone.
pub(super) fn unescape_verbatim(tex: &str) -> String {
    let tex = tex.trim();
    // `\url{…}` around it, as in howpublished.
    let tex = tex.strip_prefix("\\url").map_or(tex, str::trim_start);
    let tex =
        tex.replace("{\\textasciitilde}", "~").replace("\\textasciitilde{}", "~").replace("\\textasciitilde", "~");
    let tex = tex.replace("{\\_}", "_").replace("\\_", "_").replace("\\~{}", "~");
    let mut out = String::with_capacity(tex.len());
    let mut chars = tex.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' => {}
            '\\' if chars.peek().is_some_and(|next| !next.is_alphanumeric()) => {}
            other => out.push(other),
        }
    }
    out.trim().to_owned()
}

struct TexConverter {
    text: String,
    /// Combining accent to be applied to the next letter.
    accent: Option<char>,
}

impl TexConverter {
    fn push(&mut self, c: char) {
        match self.accent.take() {
            Some(accent) if c.is_alphabetic() => {
                // A dotless letter is written only to carry an accent.
                let base = match c {
                    'ı' => 'i',
                    'ȷ' => 'j',
                    other => other,
                };
                match compose(base, accent) {
                    Some(composed) => self.text.push(composed),
                    None => self.text.extend([base, accent]),
                }
            }
            Some(accent) if c.is_whitespace() => self.accent = Some(accent),
            _ => self.text.push(c),
        }
    }

    /// Reads the command after a backslash and gives back what follows it.
    fn read_command<'t>(&mut self, rest: &'t str) -> &'t str {
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, after) = rest.split_at(length);
        if name.is_empty() {
            let Some(sign) = rest.chars().next() else { return rest };
            let after = &rest[sign.len_utf8()..];
            if let Some(accent) = accent_of_sign(sign) {
                self.accent = Some(accent);
            } else {
                match sign {
                    // Where a word was cut at the end of a line, it goes on after the blank.
                    '-' => return after.trim_start(),
                    '/' | '!' | '(' | ')' | '[' | ']' => {}
                    ',' | ';' | ':' | '\\' | ' ' | '\n' | '\t' => self.push(' '),
                    other => self.push(other),
                }
            }
            return after;
        }
        // A space after a command's name only ends the name.
        let next = after.trim_start_matches([' ', '\t', '\n', '\r']);
        if let Some(accent) = accent_of_name(name) {
            // `\c{c}`, `\c c`; anything else of that name is a letter of its own or nothing.
            self.accent = Some(accent);
            return next;
        }
        if let Some(symbol) = symbol_for_command(name) {
            for c in symbol.chars() {
                self.push(c);
            }
            return next;
        }
        match name {
            // The first argument is where the link leads or how it looks, not what it says.
            "href" | "textcolor" | "color" => skip_group(next),
            _ => next,
        }
    }
}

/// Returns the rest of the text after a group in braces.
fn skip_group(text: &str) -> &str {
    if !text.starts_with('{') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

const fn accent_of_sign(sign: char) -> Option<char> {
    Some(match sign {
        '`' => '\u{300}',
        '\'' | '´' => '\u{301}',
        '^' => '\u{302}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        '.' => '\u{307}',
        '"' => '\u{308}',
        _ => return None,
    })
}

fn accent_of_name(name: &str) -> Option<char> {
    Some(match name {
        "u" => '\u{306}',
        "r" => '\u{30a}',
        "H" => '\u{30b}',
        "v" => '\u{30c}',
        "d" => '\u{323}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "b" => '\u{331}',
        _ => return None,
    })
}

fn symbol_for_command(name: &str) -> Option<&'static str> {
    Some(match name {
        "aa" => "å",
        "AA" => "Å",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "l" => "ł",
        "L" => "Ł",
        "ss" => "ß",
        "SS" => "ẞ",
        "i" => "ı",
        "j" => "ȷ",
        "dh" => "ð",
        "DH" => "Ð",
        "dj" => "đ",
        "DJ" => "Đ",
        "ng" => "ŋ",
        "NG" => "Ŋ",
        "th" => "þ",
        "TH" => "Þ",
        "textendash" => "–",
        "textemdash" => "—",
        "textquoteleft" | "lq" => "‘",
        "textquoteright" | "rq" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "quotedblbase" | "textquotestraightdblbase" => "„",
        "quotesinglbase" | "textquotestraightbase" => "‚",
        "guilsinglleft" => "‹",
        "guilsinglright" => "›",
        "guillemotleft" => "«",
        "guillemotright" => "»",
        "ldots" | "dots" | "textellipsis" => "…",
        "textasciitilde" | "sim" => "~",
        "textasciicircum" => "^",
        "textbackslash" => "\\",
        "textasciigrave" => "`",
        "textasteriskcentered" => "*",
        "textbar" => "|",
        "textless" | "lt" => "<",
        "textgreater" | "gt" => ">",
        "textunderscore" => "_",
        "textdollar" => "$",
        "textbraceleft" => "{",
        "textbraceright" => "}",
        "textdagger" | "dag" | "dagger" => "†",
        "textdaggerdbl" | "ddag" | "ddagger" => "‡",
        "textexclamdown" => "¡",
        "textquestiondown" => "¿",
        "textordfeminine" => "ª",
        "textordmasculine" => "º",
        "textregistered" => "®",
        "texttrademark" => "™",
        "copyright" | "textcopyright" => "©",
        "textdegree" | "degree" => "°",
        "textmu" | "mu" | "upmu" => "μ",
        "textperiodcentered" | "cdot" => "·",
        "textbullet" => "•",
        "textsection" | "S" => "§",
        "textparagraph" | "P" => "¶",
        "pounds" | "textsterling" => "£",
        "euro" | "texteuro" => "€",
        "TeX" => "TeX",
        "LaTeX" => "LaTeX",
        "times" | "texttimes" => "×",
        "ll" => "≪",
        "gg" => "≫",
        "pm" => "±",
        "leq" | "le" => "≤",
        "geq" | "ge" => "≥",
        "neq" | "ne" => "≠",
        "approx" => "≈",
        "infty" => "∞",
        "rightarrow" | "to" => "→",
        "leftarrow" => "←",
        "alpha" => "α",
        "beta" => "β",
        "gamma" => "γ",
        "delta" => "δ",
        "epsilon" | "varepsilon" => "ε",
        "zeta" => "ζ",
        "eta" => "η",
        "theta" => "θ",
        "kappa" => "κ",
        "lambda" => "λ",
        "nu" => "ν",
        "xi" => "ξ",
        "pi" => "π",
        "rho" => "ρ",
        "sigma" => "σ",
        "tau" => "τ",
        "phi" | "varphi" => "φ",
        "chi" => "χ",
        "psi" => "ψ",
        "omega" => "ω",
        "Gamma" => "Γ",
        "Delta" => "Δ",
        "Theta" => "Θ",
        "Lambda" => "Λ",
        "Pi" => "Π",
        "Sigma" => "Σ",
        "Phi" => "Φ",
        "Psi" => "Ψ",
        "Omega" => "Ω",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tex_becomes_plain_text() {
        for (tex, expected) in [
            (r#"G{\"o}del, Erd{\H{o}}s and {\v{S}}koda"#, "Gödel, Erdős and Škoda"),
            (
                r#"\'{E}t\'e, na\"{\i}ve, na\"\i ve, \c{C}a, \c ca, {\aa}, \AA ngstr\"om"#,
                "Été, naïve, naïve, Ça, ça, å, Ångström",
            ),
            (r"{\O}rsted, {\L}ukasiewicz, stra{\ss}e, {\ae}on, S{\o}ren", "Ørsted, Łukasiewicz, straße, æon, Søren"),
            (r"50\% of R\&D costs \$5 \#1 a\_b", "50% of R&D costs $5 #1 a_b"),
            (r"``Quoted'' -- and --- so~on", "“Quoted” – and — so on"),
            (r"{The {BIG} \emph{one}}: \textbf{bold} {\em it}", "The BIG one: bold it"),
            (r"The $\alpha$ of $x^{2}$ and CO$_{2}$, H$_2$O", "The α of x2 and CO2, H2O"),
            (r"a $5 bill, snake_case", "a $5 bill, snake_case"),
            (r"\href{https://example.org/}{words} \url{x}", "words x"),
            (r"50% off\\next", "50% off next"),
            (r"\'", ""),
            (r"a \", "a "),
            (r"\unknown{kept}", "kept"),
            (r"2\texttimes{}2, x $\ll$ y, \textexclamdown s\'i! \textdagger", "2×2, x ≪ y, ¡sí! †"),
            (r"con\-tempo\- rary", "contemporary"),
            (r"\={a}\.z\^o\~n\`u\k{a}\d{h}", "āżôñùąḥ"),
        ] {
            assert_eq!(tex_to_text(tex), expected, "{tex}");
        }
        let deep = format!("{}x{}", "\\emph{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(tex_to_text(&deep), "x");
    }

    #[test]
    fn an_address_keeps_its_signs() {
        assert_eq!(
            unescape_verbatim(r"\url{https://example.org/a\_b\%20c?x=1\&y=~me}"),
            "https://example.org/a_b%20c?x=1&y=~me"
        );
        assert_eq!(unescape_verbatim(r"https://example.org/{\textasciitilde}me--x"), "https://example.org/~me--x");
        assert_eq!(unescape_verbatim(r"10.1000/a\_b{\_}c"), "10.1000/a_b_c");
    }
}
