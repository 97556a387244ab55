//! `games`: the samples of each game in one row.

use datafusion::{dataframe::DataFrame, error::Result, prelude::SessionContext};
use futures_util::FutureExt as _;

use super::Table;

pub(super) const GAMES: Table = Table {
    name: "games",
    rows: "games: `store`, `split`, `game`, `source`, `origin`, `positions` (samples), `first_ply`, `last_ply`, `result` \
           (White's view), `white_rating`, `black_rating`, `eco`, `base_seconds`, `increment_seconds`, `slips`",
    make: |context, _| make(context).boxed_local(),
};

async fn make(context: &SessionContext) -> Result<DataFrame> {
    context.sql(include_str!("games.sql")).await
}
