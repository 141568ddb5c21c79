//! Players whose ratings can be compared.
//!
//! The difference between two players is finite only if each can be reached from the other by a chain of players who
//! took at least half a point from the next. Such players form a group; between groups nothing was played, or one side
//! won every game.

use super::tournament::PairedCounts;

/// Returns the groups of players with games; each in ascending order, the largest group first.
pub(super) fn groups(players: usize, pairings: &[PairedCounts]) -> Vec<Vec<usize>> {
    let mut scored = vec![Vec::new(); players];
    let mut conceded = vec![Vec::new(); players];
    let mut played = vec![false; players];
    for &PairedCounts { white, black, counts: [wins, draws, losses] } in pairings {
        played[white] = true;
        played[black] = true;
        for (winner, loser, points) in [(white, black, wins + draws), (black, white, losses + draws)] {
            if points > 0.0 {
                scored[winner].push(loser);
                conceded[loser].push(winner);
            }
        }
    }
    // Kosaraju: in the reverse order of leaving, everything reachable against the edges is one group.
    let mut left = Vec::new();
    let mut seen = vec![false; players];
    for player in 0..players {
        visit(player, &scored, &mut seen, &mut left);
    }
    let mut seen: Vec<bool> = played.iter().map(|played| !played).collect();
    let mut groups = Vec::new();
    for &player in left.iter().rev() {
        let mut group = Vec::new();
        visit(player, &conceded, &mut seen, &mut group);
        group.sort_unstable();
        groups.extend((!group.is_empty()).then_some(group));
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

/// Visits everything that can be reached and adds it to `left` in the order in which it is left.
fn visit(start: usize, edges: &[Vec<usize>], seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut open = vec![(start, 0)];
    while let Some((player, next)) = open.last_mut() {
        match edges[*player].get(*next) {
            Some(&other) => {
                *next += 1;
                if !std::mem::replace(&mut seen[other], true) {
                    open.push((other, 0));
                }
            }
            None => {
                left.push(*player);
                open.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(results: &[(usize, usize, [f64; 3])]) -> Vec<PairedCounts> {
        results.iter().map(|&(white, black, counts)| PairedCounts { white, black, counts }).collect()
    }

    #[test]
    fn groups_are_players_with_points_in_both_directions() {
        let (won, even, drawn) = ([1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]);
        for (name, players, results, expected) in [
            ("one match", 2, vec![(0, 1, even)], vec![vec![0, 1]]),
            ("a draw connects", 2, vec![(0, 1, drawn)], vec![vec![0, 1]]),
            ("only wins", 3, vec![(0, 1, even), (2, 0, won)], vec![vec![0, 1], vec![2]]),
            ("a circle", 3, vec![(0, 1, won), (1, 2, won), (2, 0, won)], vec![vec![0, 1, 2]]),
            ("never met", 4, vec![(0, 1, even), (2, 3, even)], vec![vec![0, 1], vec![2, 3]]),
            ("no games", 3, vec![(1, 2, even)], vec![vec![1, 2]]),
        ] {
            assert_eq!(groups(players, &games(&results)), expected, "{name}");
        }
    }
}
