//! Questions that people ask of every store.

/// A query with a name.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// What its rows tell.
    pub meaning: &'static str,
    /// The SQL.
    pub sql: &'static str,
}

/// All of them.
pub const QUERIES: &[Query] = &[
    Query {
        name: "duplicates",
        meaning: "the positions stored most often, whatever the fifty-move counter",
        sql: include_str!("queries/duplicates.sql"),
    },
    Query {
        name: "evaluations",
        meaning: "samples by evaluation in pawns for the side to move, a split",
        sql: include_str!("queries/evaluations.sql"),
    },
    Query {
        name: "labels",
        meaning: "what the samples are labelled with, a split",
        sql: include_str!("queries/labels.sql"),
    },
    Query {
        name: "leaks",
        meaning: "validation samples whose position is also in the training split",
        sql: include_str!("queries/leaks.sql"),
    },
    Query {
        name: "openings",
        meaning: "games by opening with White's score, the most frequent first",
        sql: include_str!("queries/openings.sql"),
    },
    Query {
        name: "phases",
        meaning: "samples by part of the game, a split",
        sql: include_str!("queries/phases.sql"),
    },
    Query {
        name: "pieces",
        meaning: "samples by the pieces on the board, with the expected score and the result for the side to move",
        sql: include_str!("queries/pieces.sql"),
    },
    Query {
        name: "ratings",
        meaning: "games by the mean rating of their players, a split",
        sql: include_str!("queries/ratings.sql"),
    },
    Query { name: "results", meaning: "games by result, a split", sql: include_str!("queries/results.sql") },
    Query {
        name: "splits",
        meaning: "games, samples and bytes a split",
        sql: include_str!("queries/splits.sql"),
    },
];

/// The query of this name.
pub fn find(name: &str) -> Option<&'static Query> {
    QUERIES.iter().find(|query| query.name == name)
}
