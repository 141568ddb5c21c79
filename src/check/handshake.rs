//! Checks of the handshake, of options and of commands that an engine need not know.

use crate::check::examination::{Broken, Examination, ms};
use crate::check::report::Judgement;
use crate::protocol::uci::{OptionDeclaration, OptionKind};

/// `uci` is answered by a name, an author and `uciok`.
pub(super) fn handshake(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let time = ms(engine.uciok_after);
        Ok(match (&engine.id_name, &engine.author) {
            (Some(name), Some(_)) => Judgement::pass(format!("{name}, uciok after {time}")),
            (None, _) => Judgement::warn(format!("no `id name`; uciok after {time}")),
            (Some(name), None) => Judgement::warn(format!("{name} sends no `id author`; uciok after {time}")),
        })
    })
}

/// Declared ranges and defaults fit together.
pub(super) fn options(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let options = &engine.options;
        let mut problems: Vec<String> = options.iter().filter_map(problem_of).collect();
        for (at, option) in options.iter().enumerate() {
            if options[..at].iter().any(|other| other.name.eq_ignore_ascii_case(&option.name)) {
                problems.push(format!("{} is declared twice", option.name));
            }
        }
        let count = options.len();
        Ok(match (&problems[..], engine.option("Hash")) {
            ([], Some(_)) => Judgement::pass(format!("{count} options")),
            ([], None) => Judgement::warn(format!("{count} options, none of them Hash")),
            (problems, _) => Judgement::fail(problems.join("; ")),
        })
    })
}

/// Returns what is wrong with a declaration.
fn problem_of(option: &OptionDeclaration) -> Option<String> {
    let name = &option.name;
    match &option.kind {
        OptionKind::Spin { default, min, max } => match (default, min, max) {
            (_, Some(min), Some(max)) if min > max => {
                Some(format!("{name}: its range {min} to {max} is empty"))
            }
            (Some(default), min, max)
                if min.is_some_and(|min| *default < min) || max.is_some_and(|max| *default > max) =>
            {
                Some(format!("{name}: its default {default} is outside its range"))
            }
            (Some(_), Some(_), Some(_)) => None,
            _ => Some(format!("{name}: a spin option needs default, min and max")),
        },
        OptionKind::Combo { default: Some(default), choices } => {
            let known = choices.iter().any(|choice| choice.eq_ignore_ascii_case(default));
            (!known).then(|| format!("{name}: its default {default} is not among its values"))
        }
        OptionKind::Combo { default: None, .. } | OptionKind::Check { default: None } => {
            Some(format!("{name}: it has no default"))
        }
        OptionKind::Check { .. } | OptionKind::Button | OptionKind::String { .. } => None,
    }
}

/// Every option accepts its own default.
pub(super) fn set_options(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let lines: Vec<String> = engine.options.iter().filter_map(set_to_default).collect();
        let sent: Vec<&str> = lines.iter().map(String::as_str).collect();
        engine.send(&sent).await?;
        let took = engine.ready().await?;
        Ok(Judgement::pass(format!(
            "{} options set to their defaults, readyok after {}",
            lines.len(),
            ms(took)
        )))
    })
}

fn set_to_default(option: &OptionDeclaration) -> Option<String> {
    let value = match &option.kind {
        OptionKind::Check { default } => default.map(|value| value.to_string()),
        OptionKind::Spin { default, .. } => default.map(|value| value.to_string()),
        OptionKind::Combo { default, .. } => default.clone(),
        // Buttons act, and texts may name files.
        OptionKind::Button | OptionKind::String { .. } => None,
    };
    value.map(|value| format!("setoption name {} value {value}", option.name))
}

/// Unknown commands and options are ignored.
pub(super) fn unknown_commands(examination: &mut Examination) -> Result<Judgement, Broken> {
    examination.with(async |engine| {
        let lines = [
            "",
            "   ",
            "xyzzy",
            "joho debug on",
            "setoption name No Such Option value 7",
            "stop",
            "ponderhit",
        ];
        engine.send(&lines).await?;
        let took = engine.ready().await?;
        Ok(Judgement::pass(format!("ignored, readyok after {}", ms(took))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_that_contradict_themselves_are_found() {
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let combo = |default: &str| OptionKind::Combo {
            default: Some(default.to_owned()),
            choices: vec!["Solid".to_owned(), "Risky".to_owned()],
        };
        for (kind, problem) in [
            (spin(Some(16), Some(1), Some(1024)), None),
            (spin(Some(0), Some(1), Some(1024)), Some("outside its range")),
            (spin(Some(5), Some(10), Some(1)), Some("is empty")),
            (spin(Some(5), None, None), Some("needs default, min and max")),
            (combo("solid"), None),
            (combo("Mad"), Some("not among its values")),
            (OptionKind::Check { default: None }, Some("no default")),
            (OptionKind::Button, None),
        ] {
            let found = problem_of(&OptionDeclaration { name: "X".to_owned(), kind: kind.clone() });
            match problem {
                None => assert_eq!(found, None, "{kind:?}"),
                Some(part) => {
                    assert!(found.as_deref().is_some_and(|text| text.contains(part)), "{kind:?}: {found:?}");
                }
            }
        }
    }
}
