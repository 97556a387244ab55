//! The evaluation cache: a position reached by transposition, or again after its tree was discarded, is evaluated once.
//!
//! Threads share it without a lock: an entry is a fixed number of atomic words of which the first is the key
//! combined with all the others, so that a torn entry, written by two threads at once, does not match its key
//! (the lockless hashing of Hyatt and Mann, "A lock-less transposition table implementation for parallel
//! search chess engines", ICGA Journal 2002).

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use chess::{Evaluation, Game, PlayerRatings, Position, Wdl, split_mix::mix};

use crate::packed::PackedPrior;

/// Words of an entry: two cache lines. The first is the seal; the second and third hold win, draw, loss and the number of priors.
const WORDS: usize = 16;
const ENTRY_BYTES: usize = WORDS * size_of::<u64>();
const HEADER_WORDS: usize = 3;
const PRIORS_A_WORD: usize = 4;
/// Positions with more legal moves than this are not remembered; they are rare.
const LARGEST: usize = (WORDS - HEADER_WORDS) * PRIORS_A_WORD;
// Entries that are allocated together when one of them is first written: 4 KiB.
const SEGMENT: usize = 32;

/// A cached evaluation, with priors packed as in the tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Remembered {
    pub(crate) wdl: Wdl,
    pub(crate) priors: Vec<PackedPrior>,
}

impl Remembered {
    pub(crate) fn new(evaluation: &Evaluation) -> Self {
        let priors = evaluation.priors.iter().map(|&prior| PackedPrior::pack(prior)).collect();
        Self { wdl: evaluation.wdl, priors }
    }

    /// The evaluation with its priors as stored. A search uses it even when the evaluator has just answered, so that a
    /// cached position is searched exactly like one that was not cached.
    pub(crate) fn recall(&self) -> Evaluation {
        let priors = self.priors.iter().map(|prior| prior.get()).collect();
        Evaluation { wdl: self.wdl, priors, moves_left: None }
    }
}

/// Cache of evaluations, keyed by [`evaluation_key`].
pub(crate) struct EvaluationCache {
    segments: Box<[OnceLock<Box<[AtomicU64]>>]>,
}

impl EvaluationCache {
    /// A cache of at most `bytes`, rounded down to a power of two.
    pub(crate) fn new(bytes: usize) -> Self {
        let segments = 1_usize << (bytes / (ENTRY_BYTES * SEGMENT)).max(1).ilog2();
        Self { segments: (0..segments).map(|_| OnceLock::new()).collect() }
    }

    pub(crate) fn clear(&mut self) {
        self.segments.iter_mut().for_each(|segment| *segment = OnceLock::new());
    }

    /// The evaluation stored under this key for a position with this number of legal moves.
    pub(crate) fn get(&self, key: u64, moves: usize) -> Option<Remembered> {
        let segment = self.segments[self.segment(key)].get()?;
        let words: [u64; WORDS] = {
            let entry = &segment[slot(key)..][..WORDS];
            std::array::from_fn(|index| entry[index].load(Ordering::Relaxed))
        };
        let count = (words[2] >> 32) as usize;
        if seal(key, &words) != words[0] || count != moves {
            return None;
        }
        let wdl = Wdl {
            win: f32::from_bits(words[1] as u32),
            draw: f32::from_bits((words[1] >> 32) as u32),
            loss: f32::from_bits(words[2] as u32),
        };
        let mut priors = Vec::with_capacity(count);
        for index in 0..count {
            let word = words[HEADER_WORDS + index / PRIORS_A_WORD];
            let shift = 16 * (index % PRIORS_A_WORD);
            priors.push(PackedPrior::from_bits((word >> shift) as u16));
        }
        Some(Remembered { wdl, priors })
    }

    /// Stores an evaluation, replacing the entry in its place.
    pub(crate) fn put(&self, key: u64, evaluation: &Remembered) {
        let priors = &evaluation.priors;
        if priors.len() > LARGEST {
            return;
        }
        let wdl = evaluation.wdl;
        let mut words = [0; WORDS];
        words[1] = u64::from(wdl.win.to_bits()) | u64::from(wdl.draw.to_bits()) << 32;
        words[2] = u64::from(wdl.loss.to_bits()) | (priors.len() as u64) << 32;
        for (index, prior) in priors.iter().enumerate() {
            let shift = 16 * (index % PRIORS_A_WORD);
            words[HEADER_WORDS + index / PRIORS_A_WORD] |= u64::from(prior.bits()) << shift;
        }
        words[0] = seal(key, &words);
        let segment = self.segments[self.segment(key)]
            .get_or_init(|| std::iter::repeat_with(AtomicU64::default).take(SEGMENT * WORDS).collect());
        for (place, word) in segment[slot(key)..].iter().zip(words) {
            // Relaxed and in any order: a reader that catches a mixture of two entries computes another seal and takes it for a
            // miss.
            place.store(word, Ordering::Relaxed);
        }
    }

    fn segment(&self, key: u64) -> usize {
        (key >> 32) as usize & (self.segments.len() - 1)
    }
}

fn slot(key: u64) -> usize {
    (key as usize % SEGMENT) * WORDS
}

/// The first word of an entry. The rotation keeps equal words from cancelling each other.
fn seal(key: u64, words: &[u64; WORDS]) -> u64 {
    words[1..].iter().fold(mix(key), |seal, word| seal.rotate_left(7) ^ word)
}

/// The key of everything that an evaluation of the current position depends on: the last `history` positions
/// with their repetitions, the half-moves without capture or pawn move, and the players' ratings. The
/// evaluator cannot distinguish two games with the same key.
pub(crate) fn evaluation_key(game: &Game, history: usize) -> u64 {
    let halfmoves = u64::from(game.position().halfmoves());
    let PlayerRatings { white, black } = game.ratings();
    let mut key = mix(halfmoves | rating_bits(white) << 32 | rating_bits(black) << 49);
    for entry in game.history().iter().rev().take(history.max(1)) {
        key = mix(key ^ entry.key).wrapping_add(u64::from(entry.repetitions));
    }
    key
}

/// 17 bits, 0 for a player without a rating.
fn rating_bits(rating: Option<u16>) -> u64 {
    rating.map_or(0, |rating| 1 + u64::from(rating))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered(number: u64, count: usize) -> Remembered {
        let win = 1.0 / (2 + number) as f32;
        let priors = (0..count).map(|index| PackedPrior::pack(1.0 / (index as u64 + number + 1) as f32));
        Remembered { wdl: Wdl { win, draw: 0.5 - win, loss: 0.5 }, priors: priors.collect() }
    }

    #[test]
    fn what_was_put_is_got_until_it_is_overwritten() {
        let mut cache = EvaluationCache::new(1 << 20);
        for number in 0..100 {
            let count = number as usize % (LARGEST + 1);
            cache.put(mix(number), &remembered(number, count));
            assert_eq!(cache.get(mix(number), count), Some(remembered(number, count)));
            assert_eq!(cache.get(mix(number), count + 1), None, "another number of moves");
        }
        assert_eq!(cache.get(mix(1000), 3), None);
        cache.put(mix(1), &remembered(1, LARGEST + 1));
        assert_eq!(cache.get(mix(1), 1), Some(remembered(1, 1)), "too long to be remembered");
        cache.clear();
        assert_eq!(cache.get(mix(1), 1), None);
    }

    #[test]
    fn entries_that_threads_write_at_once_are_whole_or_not_there() {
        let cache = EvaluationCache::new(1);
        // All keys share one place.
        let keys: Vec<u64> = (1..=4).map(|number| number << 40).collect();
        std::thread::scope(|scope| {
            for (number, &key) in keys.iter().enumerate() {
                let cache = &cache;
                scope.spawn(move || {
                    for _ in 0..2000 {
                        cache.put(key, &remembered(number as u64, 40));
                        if let Some(found) = cache.get(key, 40) {
                            assert_eq!(found, remembered(number as u64, 40));
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn a_key_tells_what_the_evaluator_sees_and_nothing_else() {
        let game = |moves: &str| {
            let mut game = Game::default();
            for text in moves.split_whitespace() {
                game.play_uci(text).unwrap();
            }
            game
        };
        let (one, other) = (game("g1f3 g8f6 b1c3"), game("b1c3 g8f6 g1f3"));
        assert_eq!(evaluation_key(&one, 1), evaluation_key(&other, 1));
        assert_ne!(evaluation_key(&one, 2), evaluation_key(&other, 2));
        let repeated = game("g1f3 g8f6 f3g1 f6g8");
        assert_ne!(evaluation_key(&Game::default(), 1), evaluation_key(&repeated, 1), "clock and repetition");
        let rated =
            |white, black| evaluation_key(&Game::default().with_ratings(PlayerRatings { white, black }), 1);
        let keys = [rated(None, None), rated(Some(0), None), rated(None, Some(0)), rated(None, Some(1))];
        assert!(keys.iter().enumerate().all(|(index, key)| !keys[..index].contains(key)), "{keys:?}");
    }
}
