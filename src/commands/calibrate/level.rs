//! The levels of the engine that a setting meets.

use strength::statistics::Standing;

/// Games against the engine after which a setting that has lost or won nearly all of them has little more to learn there.
pub(super) const ENOUGH_GAMES: u32 = 20;

/// Elo between the two levels of a setting at most: after a match won or lost entirely, the fit alone would go to the end of the
/// scale.
const REACH: f64 = 400.0;

/// Index of the level nearest to what is known of a setting's rating, of the lowest where nothing is.
pub(super) fn first_level(levels: &[i64], known: Option<f64>) -> usize {
    nearest(levels, known.unwrap_or(f64::NEG_INFINITY))
}

/// Index of the level after the games of `standing` against the level `before`: another one, the nearest to what is known now, at most
/// [`REACH`] away, because the levels may be uneven. At an end of the scale the same again, or none where nearly every point went
/// to one player.
pub(super) fn second_level(
    levels: &[i64],
    known: Option<f64>,
    before: usize,
    standing: &Standing,
) -> Option<usize> {
    let games = standing.games();
    let is_above = 2.0 * games.points() >= games.games() as f64;
    let middle = levels[before] as f64;
    let far = if is_above { middle + REACH } else { middle - REACH };
    let level = nearest(levels, known.unwrap_or(far).clamp(middle - REACH, middle + REACH));
    if level != before {
        return Some(level);
    }
    let beside = if is_above { Some(before + 1) } else { before.checked_sub(1) };
    beside
        .filter(|&beside| beside < levels.len())
        .or_else(|| Some(before).filter(|_| !is_one_sided(standing)))
}

/// Whether one player has nearly every point, at least 19 of 20, of enough games.
pub(super) fn is_one_sided(standing: &Standing) -> bool {
    let tally = standing.games();
    let (points, games) = (tally.points(), tally.games() as f64);
    games >= f64::from(ENOUGH_GAMES) && points.min(games - points) <= games / 20.0
}

fn nearest(levels: &[i64], elo: f64) -> usize {
    let distance = |index: &usize| (levels[*index] as f64 - elo).abs();
    (0..levels.len()).min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use strength::statistics::Standing;

    use super::*;

    const LEVELS: [i64; 4] = [1350, 1750, 2150, 2550];

    fn after(won: u32, lost: u32) -> Standing {
        let mut standing = Standing::default();
        let points = (0..won).map(|_| 2).chain((0..lost).map(|_| 0));
        points.enumerate().for_each(|(game, half_points)| standing.add(game as u32 / 2, half_points));
        standing
    }

    #[test]
    fn a_setting_of_unknown_rating_begins_at_the_lowest_level() {
        assert_eq!(first_level(&LEVELS, None), 0);
        assert_eq!(first_level(&LEVELS, Some(1999.0)), 2);
    }

    #[test]
    fn a_setting_meets_two_levels() {
        assert_eq!(second_level(&LEVELS, Some(1700.0), 1, &after(4, 6)), Some(0), "weaker than the level");
        assert_eq!(second_level(&LEVELS, Some(1800.0), 1, &after(6, 4)), Some(2), "stronger than the level");
        assert_eq!(second_level(&LEVELS, Some(2100.0), 1, &after(9, 1)), Some(2), "nearer to another level");
    }

    #[test]
    fn a_match_won_entirely_leads_one_step_up() {
        assert_eq!(second_level(&LEVELS, None, 0, &after(20, 0)), Some(1));
        assert_eq!(second_level(&LEVELS, Some(7000.0), 0, &after(20, 0)), Some(1), "not to the highest");
    }

    #[test]
    fn beyond_the_ends_of_the_scale_there_is_no_second_level() {
        assert_eq!(second_level(&LEVELS, Some(-4000.0), 0, &after(0, 20)), None);
        assert_eq!(
            second_level(&LEVELS, Some(1200.0), 0, &after(6, 14)),
            Some(0),
            "the same level tells more"
        );
        assert_eq!(second_level(&LEVELS, Some(3000.0), 3, &after(19, 1)), None);
    }
}
