//! Whether the openings last for the whole run.

use crate::opening::AfterBook;
use crate::run::plan::Plan;

/// What the user should know about openings that do not last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookSupply {
    /// It makes the result less certain than it looks.
    Warning(String),
    /// It has no effect on the result.
    Note(String),
}

/// Compares the rounds of a plan with the number of openings. Returns `None` if the openings last, or if the length of the
/// run is not known.
pub fn book_supply(plan: &Plan, openings: u64) -> Option<BookSupply> {
    let matchups = plan.schedule().matchups().len().max(1) as u64;
    let rounds = plan.last_pair()?.div_ceil(matchups);
    if rounds <= openings || plan.is_tuning() {
        return None;
    }
    let supply = match &plan.openings {
        Some(_) => format!("the book has {openings} openings for {rounds} rounds"),
        None => format!("all {rounds} rounds start from the initial position"),
    };
    Some(match (plan.after_book, plan.is_untimed()) {
        (AfterBook::Extend, _) => {
            BookSupply::Note(format!("{supply}: then each is extended by random moves that keep its balance"))
        }
        (AfterBook::Stop, _) => BookSupply::Note(format!("{supply}: the run ends after {openings} rounds")),
        (AfterBook::Repeat, true) => {
            BookSupply::Warning(format!("{supply}: pairs that repeat earlier ones are not counted"))
        }
        (AfterBook::Count, true) => BookSupply::Warning(format!(
            "{supply}: engines repeat their games, and counted again they make the result look more certain than it is"
        )),
        // Without a book every game starts alike by the user's choice.
        (AfterBook::Repeat | AfterBook::Count, false) if plan.openings.is_none() => {
            BookSupply::Note(format!("{supply}: give a book with --openings for more varied games"))
        }
        (AfterBook::Repeat | AfterBook::Count, false) => BookSupply::Warning(format!(
            "{supply}: games from the same opening are not independent, so errors will be larger than stated"
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::TimeControl;
    use crate::run::kind::RunKind;

    fn plan(pairs: u64, after_book: AfterBook) -> Plan {
        Plan { kind: RunKind::Match { pairs }, after_book, ..Plan::sample(["a", "b"]) }
    }

    #[test]
    fn openings_that_last_need_no_word() {
        assert_eq!(book_supply(&plan(10, AfterBook::Repeat), 10), None);
        assert_eq!(book_supply(&plan(1, AfterBook::Repeat), 1), None);
    }

    #[test]
    fn used_up_openings_are_a_warning_only_where_they_repeat() {
        let supply = |after_book| book_supply(&plan(11, after_book), 10);
        assert!(
            matches!(supply(AfterBook::Extend), Some(BookSupply::Note(text)) if text.contains("extended"))
        );
        assert!(
            matches!(supply(AfterBook::Stop), Some(BookSupply::Note(text)) if text.contains("ends after 10"))
        );
        assert!(
            matches!(supply(AfterBook::Repeat), Some(BookSupply::Warning(text)) if text.contains("not counted"))
        );
        let mut timed = plan(11, AfterBook::Repeat);
        timed.engines[0].limits = TimeControl::movetime(10);
        assert!(matches!(book_supply(&timed, 10), Some(BookSupply::Note(_))), "no book, by choice");
    }
}
