//! Listing of every table, function and query.

use std::fmt::Write as _;

use crate::{FUNCTIONS, QUERIES, TABLES, queries::Gives};

/// Tables, functions and queries by their lists.
pub fn list() -> String {
    let mut text = String::from("Tables\n");
    for table in TABLES {
        let _ = writeln!(text, "  {:<10} {}", table.name, table.rows);
    }
    text.push_str("\nFunctions, besides those of DataFusion; arguments in brackets may be left out\n");
    for function in FUNCTIONS {
        let _ = writeln!(text, "  {}\n             {}", function.usage, function.meaning);
    }
    for (heading, gives) in [
        ("Queries for --query", Gives::Answer),
        ("Queries for --query whose rows --store can write to a new store", Gives::Samples),
    ] {
        let _ = writeln!(text, "\n{heading}");
        for query in QUERIES.iter().filter(|query| query.gives == gives) {
            let _ = writeln!(text, "  {:<17} {}", query.name, query.meaning);
        }
    }
    text
}
