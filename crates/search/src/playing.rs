//! The parts around a search that do not depend on its method: an opening book, rules of play, people's ratings and pace, priors
//! from values, and the preset options of its kind.

use std::{borrow::Cow, sync::Arc};

use chess::{
    Decision, Evaluator, Game, Heads, Limits, PolyglotBook, Search, SearchError, SearchInfo, SearchOptions,
    StopSignal, Tablebases,
};

use crate::{
    book::{self, BookOptions},
    general_options::SeededRandom,
    imitation::{self, ImitationOptions},
    options::find,
    root_moves::KnownResults,
    rules::{self, RuleOptions},
    search_report,
    time::{TimeManager, TimeOptions},
    value_priors::ValuePriorOptions,
};

/// Builds a search on an evaluator, with endgame tables if there are any.
pub(crate) type Make = fn(Arc<dyn Evaluator>, &SearchOptions, Option<Arc<Tablebases>>) -> Box<dyn Search>;

/// Defaults of a kind of search that differ from those of its options.
pub(crate) struct Preset {
    /// Word put before the description of the search.
    pub(crate) word: &'static str,
    values: &'static [(&'static str, &'static str)],
}

/// `Q + c P sqrt(N) / (1 + n)` over the evaluator's own priors and values (Silver et al., "Mastering chess and shogi by self-play
/// with a general reinforcement learning algorithm", 2017). The refinements of [`crate::Puct`] are off: the policy temperature, the
/// alpha-beta over material, exploration that grows with the visits and with the spread of the values, and the first-play urgency
/// reduction, a worse value for unvisited moves than their parent's.
pub(crate) const PLAIN: Preset = Preset {
    word: "plain",
    values: &[
        ("PolicyTemperature", "1"),
        ("MaterialNodes", "0"),
        ("CPuctFactor", "0"),
        ("CPuctVariance", "0"),
        ("FpuReduction", "0"),
    ],
};

impl Preset {
    /// The options with the preset's values for options that were left at their defaults.
    pub(crate) fn over(&self, options: &SearchOptions) -> SearchOptions {
        let mut changed = options.clone();
        for &(name, value) in self.values {
            let tunable =
                find(name).expect("the list names options of this crate, and a test reads them all");
            if options.get(tunable) == tunable.default_value() {
                changed.set(tunable, tunable.parse(value).expect("the same test"));
            }
        }
        changed
    }
}

/// Constructor of a kind of search, with its preset.
#[derive(Clone, Copy)]
pub(crate) struct Method {
    make: Make,
    preset: Option<&'static Preset>,
}

impl Method {
    /// Searches that this function makes.
    pub(crate) const fn new(make: Make) -> Self {
        Self { make, preset: None }
    }

    /// Sets preset values, which replace the defaults of options that were left alone.
    pub(crate) const fn with_preset(self, preset: &'static Preset) -> Self {
        Self { preset: Some(preset), ..self }
    }

    /// The options with the preset's values for options that were left at their defaults.
    fn options<'a>(&self, options: &'a SearchOptions) -> Cow<'a, SearchOptions> {
        self.preset.map_or(Cow::Borrowed(options), |preset| Cow::Owned(preset.over(options)))
    }
}

/// The groups of options that are read here and not by the search inside.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    book: BookOptions,
    rules: RuleOptions,
    imitation: ImitationOptions,
    priors: ValuePriorOptions,
    time: TimeOptions,
}

impl Settings {
    fn read(options: &SearchOptions) -> Self {
        Self {
            book: BookOptions::read(options),
            rules: RuleOptions::read(options),
            imitation: ImitationOptions::read(options),
            priors: ValuePriorOptions::read(options),
            time: TimeOptions::read(options),
        }
    }
}

/// A search wrapped by opening book, root rules and imitation. With all of them off it returns the inner search's decision.
pub(crate) struct PlayingSearch {
    method: Method,
    evaluator: Arc<dyn Evaluator>,
    tables: Option<Arc<Tablebases>>,
    book: Option<Arc<PolyglotBook>>,
    options: SearchOptions,
    settings: Settings,
    /// The game's seed, since the last [`Search::reseed`].
    seed: Option<u64>,
    random: SeededRandom,
    inner: Box<dyn Search>,
}

impl PlayingSearch {
    /// A search made in this way on an evaluator, with endgame tables if there are any.
    pub(crate) fn new(
        method: Method,
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        let settings = Settings::read(options);
        let inner = (method.make)(settings.priors.over(&evaluator), &method.options(options), tables.clone());
        let (options, random) = (options.clone(), SeededRandom::new(options));
        Self { method, evaluator, tables, book: None, options, settings, seed: None, random, inner }
    }

    /// Adds an opening book; [`BookOptions`] decide whether it is used.
    pub(crate) fn with_book(self, book: Arc<PolyglotBook>) -> Self {
        Self { book: Some(book), ..self }
    }

    /// A book move, if the book has one and may be used.
    fn book_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Option<Decision> {
        let moves = self.settings.book.candidates(self.book.as_deref()?, game, limits);
        if moves.is_empty() {
            return None;
        }
        let chosen = self.settings.book.choose(game, &moves, self.random.generator());
        Some(search_report::decide(book::findings_of(&moves), chosen, report))
    }
}

impl Search for PlayingSearch {
    fn describe(&self) -> String {
        let book = if self.settings.book.own_book && self.book.is_some() { "book, " } else { "" };
        match self.method.preset {
            Some(preset) => format!("{book}{} {}", preset.word, self.inner.describe()),
            None => format!("{book}{}", self.inner.describe()),
        }
    }

    fn new_game(&mut self) {
        self.seed = None;
        self.inner.new_game();
        self.random.new_game();
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = Some(seed);
        self.inner.reseed(seed);
        self.random.reseed(seed);
    }

    fn set_options(&mut self, options: &SearchOptions) {
        // Called before every move: options that have not changed are not read again.
        if *options == self.options {
            return;
        }
        self.options = options.clone();
        self.random.set_options(options);
        let before = std::mem::replace(&mut self.settings, Settings::read(options));
        // Three cases. New priors need a new search, because a search keeps its evaluator. A new rating changes what the evaluator
        // sees, so what the search remembers has to go. Anything else is the business of the search inside.
        if self.settings.priors == before.priors {
            self.inner.set_options(&self.method.options(options));
            if self.settings.imitation.rating == before.imitation.rating {
                return;
            }
            // Everything in memory was found for another rating.
            self.inner.new_game();
        } else {
            // In effect another evaluator, for which nothing is remembered either.
            let evaluator = self.settings.priors.over(&self.evaluator);
            let options = self.method.options(options);
            self.inner = (self.method.make)(evaluator, &options, self.tables.clone());
        }
        if let Some(seed) = self.seed {
            self.inner.reseed(seed);
        }
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        if let Some(decision) = self.book_move(game, limits, report) {
            return Ok(decision);
        }
        // An analysis must be as long as requested, and of the best move.
        let plays = !limits.infinite && !limits.ponder;
        if plays
            && self.settings.rules.mate_first
            && let Some(info) = rules::mate(game, limits, self.random.general())
        {
            return Ok(search_report::decide(info, 0, report));
        }
        let mut time = TimeManager::new(game, limits, stop, &self.settings.time);
        let rated = self.settings.imitation.rated(game);
        let heads = self.settings.priors.over(&self.evaluator).heads();
        let known = self.tables.as_deref().and_then(|tables| KnownResults::of(tables, game));
        let mut report_known = |info: &SearchInfo| {
            // Most reports need no change, hence no copy.
            if heads == Heads::BOTH && known.is_none() {
                return report(info);
            }
            let mut info = info.clone();
            add_known(&mut info, heads, known.as_ref());
            report(&info);
        };
        let game_for_network = rated.as_ref().unwrap_or(game);
        let mut decision = self.inner.run(game_for_network, limits, stop, &mut report_known)?;
        add_known(&mut decision.info, heads, known.as_ref());
        if self.settings.imitation.human_time {
            imitation::wait(game, &decision, &mut time, self.random.generator());
        }
        Ok(if plays && self.settings.rules.opening_variety {
            rules::vary(game, decision, self.random.generator())
        } else {
            decision
        })
    }
}

/// Adds to a report what the search inside does not know: the evaluator's heads and the results of the endgame tables.
fn add_known(info: &mut SearchInfo, heads: Heads, known: Option<&KnownResults>) {
    info.heads = heads;
    if let Some(known) = known {
        known.tell(info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hints::HINTS, options::parse};

    #[test]
    fn no_hint_is_left_on_and_what_was_set_is_kept() {
        let plain = PLAIN.over(&SearchOptions::default());
        assert!(HINTS.iter().all(|kind| (kind.make)(&plain).is_none()));
        let changed = PLAIN.over(&parse("FpuReduction=0.5 CPuct=1.5").unwrap());
        assert_eq!(changed.get(find("FpuReduction").unwrap()), chess::Value::Float(0.5));
        assert_eq!(changed.get(find("CPuct").unwrap()), chess::Value::Float(1.5));
    }
}
