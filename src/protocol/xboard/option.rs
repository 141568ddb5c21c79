//! Option declarations of xboard engines, as the same kinds that UCI has.

use crate::protocol::Words;
use crate::protocol::uci::{Choices, OptionDeclaration, OptionKind};

/// Parses the text of an `option` feature: `NAME -TYPE VALUES`. Returns `None` if it is not a declaration.
pub fn option_declaration(text: &str) -> Option<OptionDeclaration> {
    // A name may contain ` -`, so the first known type ends it.
    let ends = text.match_indices(" -").filter_map(|(at, _)| {
        let mut words = Words::new(&text[at + 2..]).iter();
        let kind = kind(words.next()?, words.rest())?;
        Some((text[..at].trim(), kind))
    });
    let (name, kind) = ends.into_iter().find(|(name, _)| !name.is_empty())?;
    Some(OptionDeclaration { name: name.to_owned(), kind })
}

fn kind(word: &str, rest: &str) -> Option<OptionKind> {
    Some(match word {
        "button" | "save" | "reset" => OptionKind::Button,
        "check" => OptionKind::Check { default: Some(rest == "1") },
        "spin" | "slider" => {
            let mut words = Words::new(rest).iter();
            OptionKind::Spin { default: words.number(), min: words.number(), max: words.number() }
        }
        "string" | "file" | "path" => OptionKind::String { default: rest.to_owned() },
        "combo" => {
            let choices = || rest.split("///").map(str::trim);
            // The default is marked by a star; without a mark it is the first.
            let marked = choices().find_map(|choice| choice.strip_prefix('*'));
            let mut kept = Choices::default();
            choices().for_each(|choice| kept.push(choice.trim_start_matches('*').to_owned()));
            kept.into_combo(marked.or_else(|| choices().next()).map(str::to_owned))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read() {
        let text = |default: &str| OptionKind::String { default: default.into() };
        for (line, name, kind) in [
            ("Resign -check 0", "Resign", OptionKind::Check { default: Some(false) }),
            (
                "Resign Threshold -spin 800 200 1200",
                "Resign Threshold",
                OptionKind::Spin { default: Some(800), min: Some(200), max: Some(1200) },
            ),
            (
                "Level -slider -5 -10 10",
                "Level",
                OptionKind::Spin { default: Some(-5), min: Some(-10), max: Some(10) },
            ),
            ("Multi-PV Margin - x -string happy birthday!", "Multi-PV Margin - x", text("happy birthday!")),
            ("Book -file /usr/share/book.bin", "Book", text("/usr/share/book.bin")),
            ("Clear Hash -button", "Clear Hash", OptionKind::Button),
            (
                "Style -combo Solid /// *Very Risky /// Mad",
                "Style",
                OptionKind::Combo {
                    default: Some("Very Risky".into()),
                    choices: ["Solid", "Very Risky", "Mad"].map(str::to_owned).into(),
                },
            ),
        ] {
            assert_eq!(
                option_declaration(line),
                Some(OptionDeclaration { name: name.into(), kind }),
                "{line}"
            );
        }
        for line in ["", "-spin 1 2 3", "Name", "Name -", "Name -table 3"] {
            assert_eq!(option_declaration(line), None, "{line}");
        }
    }
}
