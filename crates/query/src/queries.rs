//! Named queries that are useful for any store and too long to type. Those that `tabiya data stats` answers
//! are left out.

use crate::error::QueryError;

/// A query of the program, chosen by name (`--query`).
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Query {
    pub name: &'static str,
    /// Description of the rows.
    pub meaning: &'static str,
    pub gives: Gives,
    pub sql: &'static str,
}

/// Kind of a query's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// A table to read.
    Answer,
    /// Samples with all columns of a store, which [`crate::StoreRows`] writes as one.
    Samples,
}

/// The queries that `--query` accepts.
pub const QUERIES: &[Query] = &[
    Query {
        name: "deduplicated",
        meaning: "one sample a position, whatever the fifty-move counter: from the training split if there is one, then with an \
                  evaluation, then from the deepest search",
        gives: Gives::Samples,
        sql: include_str!("queries/deduplicated.sql"),
    },
    Query {
        name: "duplicates",
        meaning: "the positions stored most often, whatever the fifty-move counter",
        gives: Gives::Answer,
        sql: include_str!("queries/duplicates.sql"),
    },
    Query {
        name: "resplit-games",
        meaning: "a tenth of the games, and of the positions that are part of none, for validation",
        gives: Gives::Samples,
        sql: include_str!("queries/resplit-games.sql"),
    },
    Query {
        name: "resplit-positions",
        meaning: "a tenth of the positions for validation, whatever games they are from; the samples lose the hash of their game",
        gives: Gives::Samples,
        sql: include_str!("queries/resplit-positions.sql"),
    },
    Query {
        name: "without-leaks",
        meaning: "all but the validation samples whose position is also in the training split",
        gives: Gives::Samples,
        sql: include_str!("queries/without-leaks.sql"),
    },
];

/// The query of this name.
///
/// # Errors
/// [`QueryError::UnknownName`] with the names there are.
pub fn find(name: &str) -> Result<&'static Query, QueryError> {
    QUERIES.iter().find(|query| query.name == name).ok_or_else(|| {
        let known: Vec<&str> = QUERIES.iter().map(|query| query.name).collect();
        QueryError::UnknownName { found: name.into(), known: known.join(", ") }
    })
}
