//! Win, draw and loss probabilities of a score.

use crate::engine::Score;
use crate::protocol::uci::Wdl;

/// Score in centipawns at which the probability of a win is one half, as in games at short time controls.
const EVEN_CHANCE: f64 = 130.0;
/// Difference in centipawns that raises the odds of a win by a factor of e.
const SPREAD: f64 = 70.0;

/// Returns the probabilities in per mille. Wins and losses follow one logistic curve each; the rest are draws.
pub(super) fn expected(score: Score) -> Wdl {
    let (win, loss) = match score {
        Score::Cp(cp) => (chance(f64::from(cp)), chance(-f64::from(cp))),
        Score::Mate(moves) if moves > 0 => (1000, 0),
        Score::Mate(_) => (0, 1000),
    };
    Wdl { win, draw: 1000 - win - loss, loss }
}

fn chance(cp: f64) -> u16 {
    (1000.0 / (1.0 + ((EVEN_CHANCE - cp) / SPREAD).exp())).round() as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_are_symmetric() {
        for cp in -4000..=4000 {
            let (ours, theirs) = (expected(Score::Cp(cp)), expected(Score::Cp(-cp)));
            assert_eq!(ours.win + ours.draw + ours.loss, 1000, "{cp}");
            assert_eq!((ours.win, ours.draw, ours.loss), (theirs.loss, theirs.draw, theirs.win), "{cp}");
        }
        assert_eq!(expected(Score::Mate(-3)), Wdl { win: 0, draw: 0, loss: 1000 });
    }
}
