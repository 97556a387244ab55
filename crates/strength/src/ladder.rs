//! The ladder: opponents of known rating, first a climb to a level that is too strong (or down to one that is
//! not), then games against the most informative levels.

use std::fmt;

use figures::Percent;
use files::run::ResultKind;
use serde::{Deserialize, Serialize};

use crate::{
    StrengthTable,
    matches::{MatchConditions, given_name},
    statistics::{
        EloEstimate, EloText, Observation, PairTally, Rating, Standing, Tally, elo_from_standing,
        elo_to_score, likely_elo, rate,
    },
};

/// Score below which an opponent is too strong, which ends the climb. Chosen: a difference of 191 Elo, beyond
/// which a game has little information.
pub const TOO_STRONG: f64 = 0.25;

/// The distribution of games over the levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LadderPlan {
    /// Games per level while climbing, even.
    pub probe: u32,
    /// Total number of games; climbing may need more.
    pub games: u32,
    /// Games per batch after the climb, even; each batch goes to the most informative level.
    pub batch: u32,
}

impl LadderPlan {
    /// Default for [`LadderPlan::games`].
    pub const GAMES: u32 = 200;
    /// Default for [`LadderPlan::probe`].
    pub const PROBE: u32 = 10;
    /// Default nodes of the engine at full strength, beyond its highest level.
    pub const BEYOND: [u64; 4] = [1000, 4000, 16_000, 64_000];
}

/// One opponent and the games against it.
#[derive(Clone, Debug)]
pub struct Rung {
    /// Rating that the opponent claims at this level.
    pub elo: f64,
    /// Results of the games, for the player.
    pub standing: Standing,
}

/// The state of a climb. The caller plays the games.
#[derive(Clone, Debug)]
pub struct Ladder {
    rungs: Vec<Rung>,
    /// The rung at which the climb begins.
    first: usize,
    plan: LadderPlan,
}

impl Ladder {
    /// A ladder of opponents with these ratings, weakest first; the climb begins at the rung `first`.
    pub fn new(levels: &[f64], first: usize, plan: LadderPlan) -> Self {
        let rungs = levels.iter().map(|&elo| Rung { elo, standing: Standing::default() }).collect();
        Self { rungs, first, plan }
    }

    /// The rungs, weakest first.
    pub fn rungs(&self) -> &[Rung] {
        &self.rungs
    }

    /// Counts a game of a pair against a rung; `half_points` are the player's, 0 to 2.
    pub fn add(&mut self, rung: usize, pair: u32, half_points: u8) {
        self.rungs[rung].standing.add(pair, half_points);
    }

    /// Sets the results of a rung.
    pub fn replace(&mut self, rung: usize, standing: Standing) {
        self.rungs[rung].standing = standing;
    }

    /// The rung to play at next, and the total number of games to play there; `None` when the ladder is done.
    ///
    /// 1. Climb: from the first rung up, each rung with fewer games than a probe has, until one is too strong. If the first one is
    ///    too strong, down from there until one is not.
    /// 2. Concentrate: among the rungs where the expected score lies between a quarter and three quarters, the one with the
    ///    fewest games for the information p (1 - p) that a game there carries.
    ///
    /// Always playing the most informative rung would put every game on one level, and a rating measured against one level
    /// has that level's error: the levels of an engine are not exactly as far apart as their numbers. Spreading the games in
    /// proportion to their information costs little and averages these errors.
    pub fn next(&self) -> Option<(usize, u32)> {
        if let Some(rung) = self.next_probe() {
            return Some((rung, self.plan.probe));
        }
        let played: u64 = self.rungs.iter().map(Rung::games).sum();
        if played >= u64::from(self.plan.games) {
            return None;
        }
        let estimate = likely_elo(&self.observations());
        if estimate.is_infinite() {
            // Only the end of the ladder is informative.
            let end = if estimate > 0.0 { self.rungs.len() - 1 } else { 0 };
            return Some((end, self.target(end)));
        }
        let information: Vec<f64> = self.rungs.iter().map(|rung| rung.information(estimate)).collect();
        // If no rung is within the range, the nearest one is all there is.
        let nearest = information.iter().copied().fold(0.0, f64::max);
        let least = nearest.min(TOO_STRONG * (1.0 - TOO_STRONG));
        let (mut chosen, mut most) = (None, 0.0);
        for (index, rung) in self.rungs.iter().enumerate() {
            // Plus one, because a rung without games must not cause a division by zero.
            let need = information[index] / (rung.games() as f64 + 1.0);
            if information[index] >= least && need >= most {
                (chosen, most) = (Some(index), need);
            }
        }
        chosen.map(|index| (index, self.target(index)))
    }

    /// The rung whose probe comes next; `None` when the climb is over.
    fn next_probe(&self) -> Option<usize> {
        for rung in self.first..self.rungs.len() {
            if !self.is_probed(rung) {
                return Some(rung);
            }
            if self.rungs[rung].is_too_strong() {
                // Only if the very first one is too strong there is reason to go down.
                return if rung == self.first { self.next_probe_below() } else { None };
            }
        }
        None
    }

    /// The rung below the first one whose probe comes next; `None` when one that is not too strong was found, or all are.
    fn next_probe_below(&self) -> Option<usize> {
        let mut below = (0..self.first).rev();
        below
            .find(|&rung| !self.is_probed(rung) || !self.rungs[rung].is_too_strong())
            .filter(|&rung| !self.is_probed(rung))
    }

    fn is_probed(&self, rung: usize) -> bool {
        self.rungs[rung].games() >= u64::from(self.plan.probe)
    }

    /// Games of a rung after one more batch; even.
    fn target(&self, rung: usize) -> u32 {
        let games = self.rungs[rung].games() as u32 + self.plan.batch;
        // Even, so that every opening is played with both colours.
        games + games % 2
    }

    /// True if even the highest level is not too strong for the player.
    pub fn is_topped(&self) -> bool {
        self.rungs.last().is_some_and(|rung| rung.games() > 0 && !rung.is_too_strong())
    }

    /// The rating so far.
    pub fn rating(&self, seed: u64) -> Option<Rating> {
        rate(&self.observations(), seed)
    }

    fn observations(&self) -> Vec<Observation> {
        self.rungs.iter().flat_map(Rung::observations).collect()
    }
}

impl Rung {
    fn games(&self) -> u64 {
        self.standing.games().games()
    }

    fn is_too_strong(&self) -> bool {
        is_too_strong(self.standing.games())
    }

    /// The information p (1 - p) of a game for the rating of a player whose estimate this is.
    fn information(&self, estimate: f64) -> f64 {
        let score = elo_to_score(estimate - self.elo);
        score * (1.0 - score)
    }

    /// Complete pairs as observations of two games, games of incomplete pairs as observations of one.
    fn observations(&self) -> Vec<Observation> {
        let PairTally(counts) = self.standing.pairs();
        let mut observations = Vec::new();
        for (half_points, count) in counts.into_iter().enumerate() {
            let points = 0.5 * half_points as f64;
            let pair = Observation { opponent_elo: self.elo, games: 2.0, points };
            observations.extend(std::iter::repeat_n(pair, count as usize));
        }
        for half_points in self.standing.open() {
            let points = 0.5 * f64::from(half_points);
            observations.push(Observation { opponent_elo: self.elo, games: 1.0, points });
        }
        observations
    }
}

/// True if the player scores less than a quarter in these games.
pub(crate) fn is_too_strong(games: Tally) -> bool {
    games.points() < TOO_STRONG * games.games() as f64
}

/// One opponent in the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderLine {
    /// Description of the opponent.
    pub opponent: String,
    /// Its rating; `None` above the scale, where only the difference is measured.
    pub elo: Option<f64>,
    /// Results of the games, for the player.
    pub games: Tally,
    /// Complete pairs by the player's points.
    pub pairs: PairTally,
    /// The difference to the opponent.
    pub difference: Option<EloEstimate>,
}

impl LadderLine {
    /// Sums up the games played so far against an opponent; `elo` as in [`LadderLine::elo`].
    pub fn new(opponent: String, elo: Option<f64>, standing: &Standing) -> Self {
        let difference = elo_from_standing(standing);
        Self { opponent, elo, games: standing.games(), pairs: standing.pairs(), difference }
    }
}

/// A measured rating with its games and conditions; the `--json` output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderReport {
    /// Type and version of the JSON: [`LadderReport::KIND`].
    pub kind: String,
    /// The conditions; the second player is the engine of the ladder.
    pub conditions: MatchConditions,
    /// The plan by which games were distributed.
    pub plan: LadderPlan,
    /// The rating on the engine's scale; `None` without games.
    pub rating: Option<Rating>,
    /// The rungs that were played, weakest first.
    pub levels: Vec<LadderLine>,
    /// Opponents above the scale, weakest first.
    pub beyond: Vec<LadderLine>,
    /// Games that a player lost by failing (time, crash, illegal move).
    pub failures: u64,
    /// Duration in seconds; that of the last run if there were several.
    pub seconds: f64,
}

impl LadderReport {
    /// Value of the JSON field `kind`.
    pub const KIND: &str = ResultKind::Ladder.text();

    /// Rating with both ends of its interval; `None` if it is only bounded, or unknown.
    pub fn bounded_rating(&self) -> Option<[f64; 3]> {
        let rating = self.rating?;
        Some([rating.elo?, rating.lower?, rating.upper?])
    }

    /// The scale, the opponents, the openings and the machine in one line.
    pub fn conditions_line(&self) -> String {
        let MatchConditions { players: [_, engine], openings, seed, machine, program, .. } = &self.conditions;
        let opponents: Vec<&str> = self.levels.iter().map(|line| line.opponent.as_str()).collect();
        format!(
            "{}, {} a move; against {}; openings {openings}, seed {seed}; {machine}; {program}",
            StrengthTable::scale_of(&engine.name),
            engine.pace,
            opponents.join(", "),
        )
    }
}

impl fmt::Display for LadderReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [player, engine] = &self.conditions.players;
        writeln!(formatter, "{} on the ladder of {}", given_name(&player.specification), engine.name)?;
        let rating = self.rating.map_or_else(|| "unknown".into(), |rating| rating.to_string());
        let games = self.rating.map_or(0, |rating| rating.games);
        writeln!(formatter, "  rating       {rating} (95 %), from {games} games")?;
        for (number, line) in self.levels.iter().chain(&self.beyond).enumerate() {
            let label = if number == 0 { "games" } else { "" };
            let LadderLine { opponent, games, difference, .. } = line;
            let share = Percent(games.share());
            let difference = difference.map(|elo| EloText(elo).to_string()).unwrap_or_default();
            writeln!(formatter, "  {label:<12} {opponent:<24} {games} ({share})  {difference}")?;
        }
        if self.failures > 0 {
            writeln!(formatter, "  caution      {} games were lost by failing, not by chess", self.failures)?;
        }
        writeln!(formatter, "  time         {:.0} s", self.seconds)?;
        write!(formatter, "{}", self.conditions)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    const PLAN: LadderPlan = LadderPlan { probe: 10, games: 300, batch: 10 };

    fn levels() -> Vec<f64> {
        (0..16).map(|step| 1350.0 + 100.0 * f64::from(step)).collect()
    }

    /// Plays a ladder with a player of this rating.
    fn climb(elo: f64, plan: LadderPlan, seed: u64) -> Ladder {
        climb_from(elo, &levels(), 0, seed, plan)
    }

    fn climb_from(elo: f64, levels: &[f64], first: usize, seed: u64, plan: LadderPlan) -> Ladder {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut ladder = Ladder::new(levels, first, plan);
        while let Some((rung, games)) = ladder.next() {
            let played = ladder.rungs()[rung].standing.games().games() as u32;
            assert!(games > played && games % 2 == 0, "{games} after {played}");
            for game in played..games {
                let won = random.random::<f64>() < elo_to_score(elo - ladder.rungs()[rung].elo);
                ladder.add(rung, game / 2, if won { 2 } else { 0 });
            }
        }
        ladder
    }

    #[test]
    fn a_known_rating_is_found_with_games_around_it() {
        let mut covered = 0;
        for seed in 0..40 {
            let ladder = climb(1780.0, PLAN, seed);
            let rating = ladder.rating(seed).unwrap();
            let (lower, upper) = (rating.lower.unwrap(), rating.upper.unwrap());
            covered += u32::from((lower..=upper).contains(&1780.0));
            assert!((300..400).contains(&rating.games), "{}", rating.games);
            let near = ladder.rungs().iter().filter(|rung| (rung.elo - 1780.0).abs() < 260.0);
            let near: u64 = near.map(|rung| rung.standing.games().games()).sum();
            assert!(near * 2 > rating.games, "{near} of {}", rating.games);
        }
        assert!(covered >= 34, "{covered} of 40");
    }

    #[test]
    fn the_ends_of_the_ladder_are_bounds_or_tops() {
        let hopeless = climb(-1000.0, PLAN, 1);
        let rating = hopeless.rating(1).unwrap();
        assert_eq!((rating.elo, rating.lower), (None, None));
        assert!(rating.upper.unwrap() < 1000.0 && !hopeless.is_topped());
        assert!(hopeless.rungs()[1].standing.games().games() == 0, "no climbing beyond what is too strong");
        let master = climb(4000.0, PLAN, 1);
        assert!(master.is_topped() && master.rating(1).unwrap().elo.is_none());
        assert!(master.rating(1).unwrap().lower.unwrap() > 2850.0);
    }

    #[test]
    fn whom_the_first_rung_beats_is_rated_below_it() {
        let levels: Vec<f64> = [400.0, 600.0, 800.0, 1000.0, 1200.0].into_iter().chain(levels()).collect();
        let of = |elo, seed| climb_from(elo, &levels, 5, seed, PLAN);
        let games = |ladder: &Ladder, rung: usize| ladder.rungs()[rung].standing.games().games();
        let mut covered = 0;
        for seed in 0..40 {
            let ladder = of(700.0, seed);
            let rating = ladder.rating(seed).unwrap();
            covered += u32::from((rating.lower.unwrap()..=rating.upper.unwrap()).contains(&700.0));
            assert!(games(&ladder, 5) == 10 && games(&ladder, 6) == 0, "nothing above the first rung");
            assert!(games(&ladder, 1) + games(&ladder, 2) > 120, "the games are around the rating");
        }
        assert!(covered >= 34, "{covered} of 40");
        let stronger = of(1780.0, 1);
        assert!((0..5).all(|rung| games(&stronger, rung) == 0), "who holds the first rung goes up alone");
        let hopeless = of(-1000.0, 1);
        assert!((0..5).all(|rung| games(&hopeless, rung) >= 10), "down to the lowest");
        let bound = hopeless.rating(1).unwrap();
        assert!(bound.elo.is_none() && bound.upper.unwrap() < 300.0, "{bound:?}");
    }

    #[test]
    fn an_interrupted_pair_still_counts() {
        let mut ladder = Ladder::new(&[1350.0], 0, PLAN);
        assert_eq!(ladder.rating(0), None);
        assert_eq!(ladder.next(), Some((0, 10)));
        for (pair, half_points) in [(0, 2), (0, 0), (1, 1)] {
            ladder.add(0, pair, half_points);
        }
        let rating = ladder.rating(0).unwrap();
        assert_eq!(rating.games, 3);
        assert!((rating.elo.unwrap() - 1350.0).abs() < 1e-3);
    }
}
