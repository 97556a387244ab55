//! The search behind the conversation: PUCT, which keeps its tree when options change what they can, or one of the others,
//! which are made anew.

use std::sync::Arc;

use chess::{Decision, Evaluator, Game, Limits, Search, SearchError, SearchInfo, StopSignal, Tablebases};
use search::{Puct, PuctOptions, SEARCHES, SearchKind};

/// A search with the options it was made with.
pub(super) enum Thinker {
    /// The first of the searches.
    Puct(Box<Puct>),
    /// Any other.
    Other {
        /// What it is made of again when options change.
        kind: &'static SearchKind,
        evaluator: Arc<dyn Evaluator>,
        options: Box<PuctOptions>,
        search: Box<dyn Search>,
    },
}

impl Thinker {
    /// A search of this kind. Only PUCT probes tables.
    pub(super) fn new(
        kind: &'static SearchKind,
        evaluator: Arc<dyn Evaluator>,
        options: PuctOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Self {
        if kind.name == SEARCHES[0].name {
            let mut puct = Puct::new(evaluator, options);
            puct.set_tablebases(tables);
            return Self::Puct(Box::new(puct));
        }
        let search = (kind.make)(Arc::clone(&evaluator), options.clone(), tables);
        Self::Other { kind, evaluator, options: Box::new(options), search }
    }

    /// Changes the options for the next search.
    pub(super) fn set_options(&mut self, wanted: PuctOptions) {
        match self {
            Self::Puct(puct) => puct.set_options(wanted),
            Self::Other { kind, evaluator, options, search } if **options != wanted => {
                *search = (kind.make)(Arc::clone(evaluator), wanted.clone(), None);
                **options = wanted;
            }
            Self::Other { .. } => {}
        }
    }

    /// Probes these tables from the next search on, where the search probes any.
    pub(super) fn set_tablebases(&mut self, tables: Option<Arc<Tablebases>>) {
        if let Self::Puct(puct) = self {
            puct.set_tablebases(tables);
        }
    }

    fn search(&mut self) -> &mut dyn Search {
        match self {
            Self::Puct(puct) => puct.as_mut(),
            Self::Other { search, .. } => search.as_mut(),
        }
    }
}

impl Search for Thinker {
    fn describe(&self) -> String {
        match self {
            Self::Puct(puct) => puct.describe(),
            Self::Other { search, .. } => search.describe(),
        }
    }

    fn new_game(&mut self) {
        self.search().new_game();
    }

    fn run(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopSignal,
        report: &mut dyn FnMut(&SearchInfo),
    ) -> Result<Decision, SearchError> {
        self.search().run(game, limits, stop, report)
    }
}
