//! From games to a store of samples that networks are trained on.

use std::path::Path;

use dataset::{
    DatasetError, Filters, PolicyLabel, Sample, StoreWriter,
    packed_move::PackedMove,
    record::{GameRecord, Origin},
    sample::SearchValue,
    sampler::Sampler,
    source::PositionRules,
    store::manifest::{SampleSettings, SourceFile},
};

use crate::{
    game::SelfPlayGame,
    generation::{GameStatistics, WindowSummary},
    replay::{ReplayError, ReplayStore, games_of},
};

/// The games of a window cannot become samples.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum WindowError {
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error("none of {games} games can be used for training; the first: {first}")]
    Unreadable { games: u64, first: String },
    #[error(transparent)]
    Samples(#[from] DatasetError),
}

/// Games to collect into a window of samples.
#[derive(Clone, Copy, Debug)]
pub struct WindowRequest<'a> {
    /// The sample store to write, which must not exist.
    pub output: &'a Path,
    /// The first and the last generation.
    pub generations: [u32; 2],
    /// Positions kept with each sample, including its own.
    pub history: usize,
    /// Share of the games that are held out.
    pub validation_share: f64,
}

/// Writes a sample store of the games of some generations, and returns statistics of the last generation's games. Games that cannot
/// be read, or that repeat others, are left out and counted.
///
/// # Errors
/// [`WindowError`].
pub fn collect_window(
    replay: &ReplayStore,
    request: WindowRequest<'_>,
) -> Result<(WindowSummary, GameStatistics), WindowError> {
    let [first, last] = request.generations;
    let settings = SampleSettings {
        validation_share: request.validation_share,
        // Early networks play the same games again and again; repeated games would count as often as they occur.
        deduplicated: true,
        seed: 0,
        filters: Filters::default(),
        most_repeats: None,
        without_leaks: false,
        rules: PositionRules::Strict,
        smoothing: 0.0,
        random_moves: 0.0,
        after_lines: false,
    };
    // Games are added in the order of their names, whichever worker was first, so the same games always give the same store.
    let mut store = StoreWriter::create(request.output, request.history, settings)?;
    let mut sampler = GameSampler::new(request.history);
    let mut newest = GameStatistics::default();
    let (mut skipped, mut sources) = (Vec::new(), Vec::new());
    for generation in first..=last {
        let source = (generation - first) as u16;
        let (games_before, positions_before) = (store.counts.games_read, store.counts.positions);
        for name in replay.games(generation)? {
            store.counts.games_read += 1;
            let game = match replay.game(&name) {
                Ok(game) => game,
                // Damage to a game costs only that game; a failing storage would fail for the next game too.
                Err(error @ (ReplayError::Game(_) | ReplayError::Object { .. })) => {
                    skipped.push(error.to_string());
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if generation == last {
                newest.add(&game);
            }
            let Some((hash, mut samples)) = sampler.samples(&game, source) else { continue };
            if !store.is_duplicate(hash)? {
                store.write(hash, &mut samples)?;
            }
        }
        sources.push(SourceFile {
            path: format!("{}/{}", replay.place(), games_of(generation)),
            bytes: 0,
            xxh3: String::new(),
            games: store.counts.games_read - games_before,
            positions: store.counts.positions - positions_before,
        });
    }
    // Nothing to learn although there are games: the error that says why must not be lost.
    if let (0, Some(first)) = (store.counts.positions, skipped.first()) {
        return Err(WindowError::Unreadable { games: store.counts.games_read, first: first.clone() });
    }
    let manifest = store.finish(Vec::new(), sources, || Ok(()))?;
    let window = WindowSummary {
        generations: request.generations,
        games: manifest.counts.games,
        duplicates: manifest.counts.duplicates,
        positions: manifest.counts.positions,
        skipped,
    };
    Ok((window, newest))
}

/// Turns games into samples.
#[derive(Debug)]
pub struct GameSampler(Sampler);

impl GameSampler {
    /// Samples that keep `history` positions, including their own.
    pub fn new(history: usize) -> Self {
        Self(Sampler::new(history, 0, Filters::default()))
    }

    /// The positions of a game that had a full search, with its results, and the hash of the game. `None` for a game without a
    /// valid start position.
    pub fn samples(&mut self, game: &SelfPlayGame, source: u16) -> Option<(u64, Vec<Sample>)> {
        let begun = game.begin().ok()?;
        let record = GameRecord {
            winner: Some(game.winner),
            origin: Some(Origin::SelfPlay),
            start: begun.position().clone(),
            castling_mode: begun.castling_mode(),
            moves: game.moves.iter().map(|played| played.chess_move.into()).collect(),
            ..GameRecord::default()
        };
        let hash = self.0.game_hash(&record);
        let mut samples = Vec::new();
        self.0.sample(&record, hash, source, &mut samples);
        let mut learned = Vec::new();
        for (mut sample, played) in samples.into_iter().zip(&game.moves) {
            // Moves of the opening have no search, quick searches no policy.
            let Some(search) = played.search.as_ref().filter(|search| !search.policy.is_empty()) else {
                continue;
            };
            let policy: Box<[(PackedMove, u32)]> = search
                .policy
                .iter()
                .map(|&(chess_move, share)| (PackedMove::pack(chess_move), share))
                .collect();
            let played = PackedMove::pack(played.chess_move);
            // The policy is in order of preference; the move played may be another one, drawn by temperature.
            sample.best_move = policy[0].0;
            sample.played_move = (played != sample.best_move).then_some(played);
            sample.policy = PolicyLabel::Visits(policy);
            sample.search_value = Some(SearchValue::new(search.value));
            learned.push(sample);
        }
        Some((hash, learned))
    }
}

#[cfg(test)]
mod tests;
