//! The laws of [`Labeller`], as a check for every implementation.

use chess::{Color, Game, Score, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove};

use crate::{Labeller, LabellingError};

/// Makes a new labeller whose limits do not depend on time.
pub type Make<'a> = &'a dyn Fn() -> Result<Box<dyn Labeller>, LabellingError>;

/// Checks the laws of [`Labeller`] on new labellers. Games that are over are left out; at least two must go on.
///
/// # Errors
/// A sentence that names the law, the position and what was found.
pub fn check(make: Make<'_>, games: &[Game]) -> Result<(), String> {
    let games: Vec<Game> = games.iter().filter(|game| !game.legal_moves().is_empty()).cloned().collect();
    if games.len() < 2 {
        return Err(format!("found {} games that are not over, expected two or more", games.len()));
    }
    let mut labeller = new(make)?;
    let name = labeller.name().to_owned();
    if name.is_empty() {
        return Err("law 1: the name is empty".into());
    }
    let expected = one_by_one(labeller.as_mut(), &games)?;
    for (game, label) in games.iter().zip(&expected) {
        has_legal_moves(game, label)?;
    }
    let together = new(make)?
        .label_all(&games, &StopSignal::default())
        .map_err(|error| format!("law 3: label_all: {error}"))?;
    are_equal("law 3: by label_all", &games, &expected, &together)?;
    labeller.forget().map_err(|error| format!("law 4: {error}"))?;
    let again = one_by_one(labeller.as_mut(), &games)?;
    are_equal("law 4: after forget", &games, &expected, &again)?;
    stops(labeller.as_mut(), &games)?;
    if labeller.name() != name {
        return Err(format!("law 1: the name was {name:?} and became {:?}", labeller.name()));
    }
    Ok(())
}

/// Checks law 6 on positions in which the named colour is far ahead, for labellers that know it.
///
/// # Errors
/// A sentence that names the law, the position and what was found.
pub fn check_sides(make: Make<'_>, ahead: &[(Game, Color)]) -> Result<(), String> {
    let mut labeller = new(make)?;
    for (game, owner) in ahead {
        let label = one_by_one(labeller.as_mut(), std::slice::from_ref(game))?.remove(0);
        let is_positive = match label.evaluation {
            Some(Score::Centipawns(number) | Score::Mate(number)) => number > 0,
            None => continue,
        };
        if is_positive != (game.turn() == *owner) {
            let found = label.evaluation;
            return Err(format!("law 6: found {found:?} in {}, where {owner} is ahead", game.fen()));
        }
    }
    Ok(())
}

fn new(make: Make<'_>) -> Result<Box<dyn Labeller>, String> {
    make().map_err(|error| error.to_string())
}

fn one_by_one(labeller: &mut dyn Labeller, games: &[Game]) -> Result<Vec<Label>, String> {
    let stop = StopSignal::default();
    let mut labels = Vec::with_capacity(games.len());
    for game in games {
        let label = labeller.label(game, &stop);
        labels.push(label.map_err(|error| format!("{}: {error}", game.fen()))?);
    }
    Ok(labels)
}

/// Law 2.
fn has_legal_moves(game: &Game, label: &Label) -> Result<(), String> {
    let of_policy: Vec<PackedMove> = match &label.policy {
        PolicyLabel::BestMove => Vec::new(),
        PolicyLabel::Scores(scores) => scores.iter().map(|&(packed, _)| packed).collect(),
        PolicyLabel::Visits(visits) => visits.iter().map(|&(packed, _)| packed).collect(),
    };
    let mut moves = of_policy.into_iter().chain([label.best_move]);
    match moves.find(|packed| packed.unpack(game.position()).is_none()) {
        Some(illegal) => Err(format!("law 2: {illegal:?} is not legal in {}", game.fen())),
        None => Ok(()),
    }
}

/// Laws 3 and 4.
fn are_equal(law: &str, games: &[Game], expected: &[Label], found: &[Label]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{law}: found {} labels, expected {}", found.len(), expected.len()));
    }
    for (index, game) in games.iter().enumerate() {
        let (expected, found) = (&expected[index], &found[index]);
        if expected != found {
            return Err(format!("{law}: found {found:?}, expected {expected:?} in {}", game.fen()));
        }
    }
    Ok(())
}

/// Law 5. Several positions come last, because stopping then kills the engine: more positions were written to
/// it than it may answer.
fn stops(labeller: &mut dyn Labeller, games: &[Game]) -> Result<(), String> {
    let stopped = StopSignal::default();
    stopped.stop();
    match labeller.label(&games[0], &stopped) {
        Ok(_) | Err(LabellingError::Stopped) => {}
        Err(error) => return Err(format!("law 5: {}: {error}", games[0].fen())),
    }
    let labels = labeller.label_all(games, &stopped).map_err(|error| format!("law 5: label_all: {error}"))?;
    if labels.len() > 1 {
        return Err(format!("law 5: found {} labels after the signal, expected at most one", labels.len()));
    }
    Ok(())
}
