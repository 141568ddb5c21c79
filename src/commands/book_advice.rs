//! Which book decides a test sooner: the choice between balanced and unbalanced openings by the draws of a pilot.

use crate::commands::pilot::Pilot;
use crate::stats::unbalanced_length;

/// Games of a pilot below which its draws are not judged.
const FEWEST_GAMES: u64 = 16;

/// Saving of pairs from which on another book is advised.
const WORTHWHILE: f64 = 0.1;

/// Returns advice about the book of a test, if a pilot with balanced openings gives reason for it.
pub fn book_advice(pilot: &Pilot) -> Option<String> {
    let (games, draws) = (pilot.pentanomial.games(), pilot.draw_ratio);
    if games < FEWEST_GAMES {
        return None;
    }
    let share = format!("{:.0} % of the {games} games of the pilot were drawn", 100.0 * draws);
    let saving = 1.0 - unbalanced_length(draws);
    if saving >= WORTHWHILE {
        Some(format!(
            "{share}. If its openings were balanced, openings of which one side wins every second game \
             (as in openings/unbalanced.epd.gz) need about {:.0} % fewer pairs.",
            100.0 * saving
        ))
    } else {
        Some(format!("{share}: balanced openings decide as soon as others."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Pentanomial;

    #[test]
    fn many_draws_call_for_unbalanced_openings_and_few_games_for_none() {
        let pilot = |pairs: u64, draw_ratio: f64| Pilot {
            seconds_per_pair: 1.0,
            pentanomial: Pentanomial([0, 0, pairs, 0, 0]),
            draw_ratio,
        };
        assert_eq!(book_advice(&pilot(4, 0.9)), None);
        assert!(book_advice(&pilot(20, 0.9)).unwrap().contains("fewer pairs"));
        assert!(book_advice(&pilot(20, 0.4)).unwrap().contains("balanced openings decide as soon"));
    }
}
