//! Every search by its name in a player's text: `search=policy`.

use std::{fmt, sync::Arc};

use chess::{Evaluator, PolyglotBook, Search, SearchOptions, Tablebases};

use crate::{
    Puct,
    auto::Auto,
    playing::{Method, PLAIN, PlayingSearch},
    policy::PolicySearch,
    pvs::Pvs,
    rollouts::{Guidance, RolloutSearch},
    value::ValueSearch,
};

/// A search that `search=NAME` selects.
#[derive(Clone, Copy)]
pub struct SearchKind {
    /// Name of the search after `search=` in the specification of a player.
    pub name: &'static str,
    /// Its method in a few words, for help texts.
    pub help: &'static str,
    method: Method,
}

/// The search that only evaluates the root. Players that imitate people, and labels of whole policies, select
/// it by name.
pub const POLICY: SearchKind = SearchKind {
    name: "policy",
    help: "the policy's move, without search",
    method: Method::new(|evaluator, options, _| Box::new(PolicySearch::new(evaluator, options))),
};

/// Every search; the first is the default.
pub const SEARCHES: &[SearchKind] = &[
    SearchKind {
        name: "auto",
        help: "pvs where the network judges single positions fast, else puct",
        method: Method::new(|evaluator, options, tables| Box::new(Auto::new(evaluator, options, tables))),
    },
    SearchKind { name: "puct", help: "tree search with priors and values", method: Method::new(make_puct) },
    SearchKind {
        name: "plain-puct",
        help: "the same tree search without refinements: no hints, constant exploration",
        method: Method::new(make_puct).with_preset(&PLAIN),
    },
    POLICY,
    SearchKind {
        name: "value",
        help: "the move with the best value after it",
        method: Method::new(|evaluator, options, _| Box::new(ValueSearch::new(evaluator, options))),
    },
    SearchKind {
        name: "mcts",
        help: "plain Monte Carlo tree search: UCB1 and random games",
        method: Method::new(|evaluator, options, _| {
            Box::new(RolloutSearch::new(evaluator, options, Guidance::Chance))
        }),
    },
    SearchKind {
        name: "policy-rollouts",
        help: "tree search with priors and games drawn from the policy",
        method: Method::new(|evaluator, options, _| {
            Box::new(RolloutSearch::new(evaluator, options, Guidance::Policy))
        }),
    },
    SearchKind {
        name: "alpha-beta",
        help: "alpha-beta with quiescence over the values",
        method: Method::new(|evaluator, options, tables| Box::new(Pvs::plain(evaluator, options, tables))),
    },
    SearchKind {
        name: "pvs",
        help: "principal variation search: alpha-beta with pruning, ordered by the policy",
        method: Method::new(|evaluator, options, tables| Box::new(Pvs::new(evaluator, options, tables))),
    },
];

pub(crate) fn make_puct(
    evaluator: Arc<dyn Evaluator>,
    options: &SearchOptions,
    tables: Option<Arc<Tablebases>>,
) -> Box<dyn Search> {
    let mut puct = Puct::new(evaluator, options);
    puct.set_tablebases(tables);
    Box::new(puct)
}

impl SearchKind {
    /// Builds the search on an evaluator, with endgame tables if there are any. Each kind reads the options that concern
    /// it, and only tree search and principal variation search probe tables.
    pub fn build(
        &self,
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
    ) -> Box<dyn Search> {
        Box::new(PlayingSearch::new(self.method, evaluator, options, tables))
    }

    /// [`SearchKind::build`] with an opening book, used if the options enable it.
    pub fn build_with_book(
        &self,
        evaluator: Arc<dyn Evaluator>,
        options: &SearchOptions,
        tables: Option<Arc<Tablebases>>,
        book: Arc<PolyglotBook>,
    ) -> Box<dyn Search> {
        Box::new(PlayingSearch::new(self.method, evaluator, options, tables).with_book(book))
    }
}

impl fmt::Debug for SearchKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// No search has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown search {found:?}; expected one of {known}")]
#[allow(missing_docs, reason = "the message says what the fields hold")]
pub struct UnknownSearch {
    pub found: String,
    /// Names of [`SEARCHES`], separated by commas.
    pub known: String,
}

/// Tree search, which reports visits of each move: for self-play and for analyses that show its tree.
///
/// # Panics
/// Never: a test asserts that [`SEARCHES`] has it.
pub fn tree_search() -> &'static SearchKind {
    SEARCHES.iter().find(|kind| kind.name == "puct").expect("a test finds it")
}

/// The search of this name.
///
/// # Errors
/// [`UnknownSearch`] with the known names.
pub fn search_kind(name: &str) -> Result<&'static SearchKind, UnknownSearch> {
    SEARCHES.iter().find(|kind| kind.name == name).ok_or_else(|| UnknownSearch {
        found: name.to_owned(),
        known: SEARCHES.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_tree_search() {
        assert_eq!(tree_search().name, "puct");
    }
}
