//! Evaluations smoothed along their game: each search sees further than the one a move before, so later evaluations
//! correct a noisy one.

use chess::Wdl;

use crate::{evaluation::evaluation_to_wdl, record::RecordedMove};

/// The value of each position for its side to move: its own evaluation mixed, with weight `follow`, with the
/// smoothed value of the position after the move. Not mixed across a slip, because the later evaluations are
/// not those of good play, nor across a position without evaluation, whose value is `None`.
///
/// Evaluations become probabilities by the default curve.
pub(crate) fn smooth(moves: &[RecordedMove], follow: f32) -> Vec<Option<Wdl>> {
    let mut values = vec![None; moves.len()];
    let mut next: Option<Wdl> = None;
    for (value, recorded) in values.iter_mut().zip(moves).rev() {
        let own = recorded.evaluation.map(evaluation_to_wdl);
        let after = next.filter(|_| recorded.better.is_none()).map(Wdl::flipped);
        *value = match (own, after) {
            (Some(own), Some(after)) => Some(own.mixed(after, follow)),
            _ => own,
        };
        next = *value;
    }
    values
}

#[cfg(test)]
mod tests {
    use chess::{Chess, Position as _, Score, parse_uci_move};

    use super::*;

    /// Knights go to and fro; of each position its evaluation and whether the move played was a slip.
    fn moves(evaluations: &[(Option<i32>, bool)]) -> Vec<RecordedMove> {
        let mut position = Chess::default();
        let mut moves = Vec::new();
        for (text, &(evaluation, is_slip)) in
            ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().zip(evaluations)
        {
            let played = parse_uci_move(&position, text).unwrap();
            let better = is_slip.then(|| position.legal_moves()[0]);
            let evaluation = evaluation.map(Score::Centipawns);
            moves.push(RecordedMove { better, evaluation, ..played.into() });
            position.play_unchecked(played);
        }
        moves
    }

    fn expected_scores(evaluations: &[(Option<i32>, bool)], follow: f32) -> Vec<Option<f32>> {
        smooth(&moves(evaluations), follow).into_iter().map(|value| value.map(Wdl::expected_score)).collect()
    }

    fn own(centipawns: i32) -> f32 {
        evaluation_to_wdl(Score::Centipawns(centipawns)).expected_score()
    }

    #[test]
    fn what_follows_counts_from_the_other_side_and_fades() {
        let found = expected_scores(&[(Some(50), false), (Some(-30), false), (Some(80), false)], 0.5);
        let last = own(80);
        let middle = 0.5 * own(-30) + 0.5 * (1.0 - last);
        let first = 0.5 * own(50) + 0.5 * (1.0 - middle);
        for (found, expected) in found.into_iter().zip([first, middle, last]) {
            assert!((found.unwrap() - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn slips_and_gaps_stop_it() {
        let found =
            expected_scores(&[(Some(50), true), (Some(200), false), (None, false), (Some(9), false)], 0.5);
        assert_eq!(found, [Some(own(50)), Some(own(200)), None, Some(own(9))]);
    }

    #[test]
    fn without_weight_nothing_changes_and_probabilities_stay_such() {
        let evaluations = [(Some(50), false), (Some(-700), false), (Some(80), false)];
        let unchanged = evaluations.map(|(centipawns, _)| centipawns.map(own));
        assert_eq!(expected_scores(&evaluations, 0.0), unchanged);
        for value in smooth(&moves(&evaluations), 0.7).into_iter().flatten() {
            assert!((value.win + value.draw + value.loss - 1.0).abs() < 1e-6, "{value:?}");
        }
    }
}
