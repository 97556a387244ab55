//! A player's results on puzzles.

use std::{collections::BTreeMap, fmt};

use figures::{Percent, text_table};
use serde::{Deserialize, Serialize};

use super::Puzzle;
use crate::{
    panel::{Lateness, Panel, PanelError},
    player::Baselines,
    statistics::{Measurement, Observation, Rating, mean, rate},
};

/// Width of a rating band. Chosen.
const BAND: u32 = 200;

/// Fewest puzzles for which a theme gets its own rating. Chosen.
const THEME_MIN_PUZZLES: usize = 50;

/// The puzzles of a rating band or theme.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleGroup {
    /// The band or theme.
    pub name: String,
    /// Share solved.
    pub solved: Measurement,
    /// Share that a random mover is expected to solve.
    pub random: f64,
    /// Share that is solved by the first move in generation order.
    pub first_legal: f64,
    /// Share that the greedy mover is expected to solve.
    pub material: f64,
    /// The rating fitted to this group alone, if it has one.
    pub rating: Option<Rating>,
}

impl PuzzleGroup {
    /// The rating in words; empty without one.
    pub(crate) fn rating_text(&self) -> String {
        self.rating.map(|rating| rating.to_string()).unwrap_or_default()
    }

    /// The rating, weakest first; groups without one come last.
    fn sort_key(&self) -> f64 {
        self.rating.and_then(|rating| rating.elo).unwrap_or(f64::INFINITY)
    }

    /// The cells of its row in a table: name, puzzles, share solved with its interval, and the shares of the baselines.
    pub(crate) fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.solved.samples.to_string(),
            self.solved.percent(),
            Percent(self.random).to_string(),
            Percent(self.first_legal).to_string(),
            Percent(self.material).to_string(),
        ]
    }
}

/// The result of a set of puzzles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleResult {
    /// File of the puzzles, as given.
    pub puzzles: String,
    /// All puzzles as one group.
    pub overall: PuzzleGroup,
    /// By rating, easiest first.
    pub bands: Vec<PuzzleGroup>,
    /// By theme, in the order of the fitted rating, weakest first.
    pub themes: Vec<PuzzleGroup>,
    /// Puzzles in which the player failed instead of answering.
    pub failures: u64,
    /// Moves that took longer than allowed.
    #[serde(default)]
    pub late: Lateness,
    /// Lichess's ids of the puzzles that were solved.
    pub solved: Vec<String>,
}

/// Tests a player on puzzles.
///
/// # Errors
/// [`PanelError`] if the player does not start, if it was interrupted, or without a puzzle.
pub fn play_puzzles(panel: &Panel<'_>, name: &str, puzzles: &[Puzzle]) -> Result<PuzzleResult, PanelError> {
    let answers = panel
        .ask(puzzles, |player, limits, puzzle: &Puzzle| puzzle.is_solved_by(player, limits, panel.stop))?;
    let solved: Vec<bool> = answers.replies.iter().map(|reply| reply.answer() == Some(&true)).collect();
    let result = PuzzleResult {
        failures: answers.failures(),
        late: answers.late,
        ..summarise(name, puzzles, &solved)?
    };
    Ok(result)
}

/// Contribution of one puzzle to a group.
struct Line<'a> {
    puzzle: &'a Puzzle,
    solved: bool,
    chances: Baselines<f64>,
}

fn summarise(name: &str, puzzles: &[Puzzle], solved: &[bool]) -> Result<PuzzleResult, PanelError> {
    let lines: Vec<Line<'_>> = puzzles
        .iter()
        .zip(solved)
        .map(|(puzzle, &solved)| Line {
            puzzle,
            solved,
            chances: Baselines::of(|moves_of| puzzle.chance(moves_of)),
        })
        .collect();
    let mut by_band: BTreeMap<u32, Vec<&Line<'_>>> = BTreeMap::new();
    let mut by_theme: BTreeMap<&str, Vec<&Line<'_>>> = BTreeMap::new();
    for line in &lines {
        by_band.entry(line.puzzle.rating / BAND * BAND).or_default().push(line);
        for theme in &line.puzzle.themes {
            by_theme.entry(theme).or_default().push(line);
        }
    }
    let mut bands = Vec::new();
    for (low, lines) in &by_band {
        bands.extend(group(&format!("{low}-{}", low.saturating_add(BAND - 1)), lines));
    }
    let mut themes: Vec<PuzzleGroup> = by_theme
        .iter()
        .filter(|(_, lines)| lines.len() >= THEME_MIN_PUZZLES)
        .filter_map(|(theme, lines)| rated_group(theme, lines))
        .collect();
    themes.sort_by(|one, other| one.sort_key().total_cmp(&other.sort_key()));
    Ok(PuzzleResult {
        puzzles: name.into(),
        overall: rated_group("all", &lines.iter().collect::<Vec<_>>()).ok_or(PanelError::NoQuestion)?,
        bands,
        themes,
        failures: 0,
        late: Lateness::default(),
        solved: lines.iter().filter(|line| line.solved).map(|line| line.puzzle.id.clone()).collect(),
    })
}

/// A group with the rating at which its puzzles are solved as often as they were.
fn rated_group(name: &str, lines: &[&Line<'_>]) -> Option<PuzzleGroup> {
    let mut observations = Vec::with_capacity(lines.len());
    for line in lines {
        let points = f64::from(u8::from(line.solved));
        observations.push(Observation { opponent_elo: f64::from(line.puzzle.rating), games: 1.0, points });
    }
    Some(PuzzleGroup { rating: rate(&observations, 1), ..group(name, lines)? })
}

/// A group without a rating.
fn group(name: &str, lines: &[&Line<'_>]) -> Option<PuzzleGroup> {
    let solved = lines.iter().filter(|line| line.solved).count() as u64;
    Some(PuzzleGroup {
        name: name.into(),
        solved: Measurement::share(solved, lines.len() as u64)?,
        random: mean(lines.iter().map(|line| line.chances.random))?,
        first_legal: mean(lines.iter().map(|line| line.chances.first_legal))?,
        material: mean(lines.iter().map(|line| line.chances.material))?,
        rating: None,
    })
}

impl fmt::Display for PuzzleResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let overall = &self.overall;
        writeln!(
            formatter,
            "{}: {} of {} puzzles solved; puzzle rating {} (95 %)",
            self.puzzles,
            self.solved.len(),
            overall.solved.samples,
            overall.rating_text()
        )?;
        let header = ["rating", "puzzles", "solved (95 %)", "random", "first legal", "material"];
        let rows = self.bands.iter().chain([overall]).map(PuzzleGroup::cells);
        formatter.write_str(&text_table(&header, rows))?;
        for theme in self.themes.iter().take(3) {
            write!(formatter, "\n  weakest   theme {:<20} {}", theme.name, theme.rating_text())?;
        }
        for theme in self.themes.iter().rev().take(3) {
            write!(formatter, "\n  strongest theme {:<20} {}", theme.name, theme.rating_text())?;
        }
        if self.failures > 0 {
            write!(formatter, "\n  caution: the player failed in {} puzzles", self.failures)?;
        }
        write!(formatter, "{}", self.late)
    }
}

#[cfg(test)]
mod tests {
    use dataset::source::Columns;

    use super::*;
    use crate::puzzles::COLUMNS;

    fn puzzle(rating: u32, theme: &str) -> Puzzle {
        let table = Columns::new(&[&COLUMNS[..], &["Themes"]].concat().join(",")).unwrap();
        let row = format!("id,6k1/5ppp/8/q7/8/8/5PPP/R5K1 b - - 0 1,h7h6 a1a5,{rating},{theme}");
        Puzzle::parse(&table.row(&row).unwrap()).unwrap()
    }

    #[test]
    fn a_result_has_bands_and_a_rating() {
        let puzzles: Vec<Puzzle> =
            (0..60).flat_map(|_| [puzzle(900, "hangingPiece"), puzzle(600, "mateIn2")]).collect();
        let solved: Vec<bool> = (0..120).map(|index| index % 4 == 0 || index % 2 == 1).collect();
        let result = summarise("file", &puzzles, &solved).unwrap();
        assert_eq!(
            result.bands.iter().map(|band| band.name.as_str()).collect::<Vec<_>>(),
            ["600-799", "800-999"]
        );
        let rating = result.overall.rating.unwrap();
        assert!(rating.lower < rating.elo && rating.elo < rating.upper, "{rating:?}");
        let hanging = result.themes.iter().find(|theme| theme.name == "hangingPiece").unwrap();
        assert!((hanging.rating.unwrap().elo.unwrap() - 900.0).abs() < 1e-3, "half of them solved");
        let all = result.themes.iter().find(|theme| theme.name == "mateIn2").unwrap();
        assert_eq!(all.rating.unwrap().elo, None, "all solved is a bound");
    }

    /// Each puzzle has its own rating; when they were drawn opponent by opponent, all samples were the same.
    #[test]
    fn puzzles_of_different_ratings_leave_the_rating_uncertain() {
        let puzzles: Vec<Puzzle> = (0..100).map(|number| puzzle(1000 + 7 * number, "short")).collect();
        let solved: Vec<bool> = (0..100).map(|number| number < 40 || number % 3 == 0).collect();
        let rating = summarise("file", &puzzles, &solved).unwrap().overall.rating.unwrap();
        assert!(rating.upper.unwrap() - rating.lower.unwrap() > 80.0, "{rating:?}");
    }
}
