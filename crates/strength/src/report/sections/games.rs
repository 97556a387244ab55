//! Results of games: matches, tournaments, ladders, strength tables.

use figures::Percent;
use serde_json::Value;

use super::{Section, SectionRating, empty, part, short};
use crate::{
    ladder::LadderReport,
    matches::{MatchConditions, MatchReport, OutcomeTable},
    statistics::{EloText, elo_range},
    strength_table::StrengthTable,
    tournament::TournamentReport,
};

/// The conditions, with the identity of each player.
fn conditions(conditions: &MatchConditions) -> Vec<(String, String)> {
    let mut lines = conditions.lines();
    for ((_, text), player) in lines.iter_mut().zip(&conditions.players) {
        text.extend(player.identity.iter().map(|(name, value)| format!("; {name} {value}")));
    }
    lines.into_iter().map(|(name, text)| (name.into(), text)).collect()
}

pub(super) fn match_(value: &Value) -> Result<Section, serde_json::Error> {
    let report: MatchReport = part(value)?;
    let [first, second] = &report.conditions.players;
    let mut section =
        empty(format!("{} against {}", short(&first.specification), short(&second.specification)));
    let games = report.games;
    let elo = report.elo.map_or_else(|| "no game was finished".into(), |elo| format!("Elo {}", EloText(elo)));
    section.summary.push(format!(
        "{} of {} points ({} won, {} drawn, {} lost). {elo}.",
        games.points(),
        games.games(),
        games.wins,
        games.draws,
        games.losses
    ));
    section.summary.extend(report.sprt.map(|sprt| format!("Sequential test: {sprt}.")));
    let OutcomeTable { wins, pseudo_wins, pseudo_draws, pseudo_losses, losses } = report.outcomes;
    let outcomes = [
        ("won", wins),
        ("drawn, more material", pseudo_wins),
        ("drawn, as much", pseudo_draws),
        ("drawn, less", pseudo_losses),
        ("lost", losses),
    ];
    let names: Vec<&str> = outcomes.iter().map(|(name, _)| *name).collect();
    section.table(&names, vec![outcomes.iter().map(|(_, count)| count.to_string()).collect()]);
    section.provenance = conditions(&report.conditions);
    Ok(section)
}

pub(super) fn tournament(value: &Value) -> Result<Section, serde_json::Error> {
    let report: TournamentReport = part(value)?;
    let mut section = empty(format!("Tournament of {} players", report.table.len()));
    section.summary.push(
        "Ratings are the most likely ones for all games at once, relative to the middle of the players that have one.".into(),
    );
    let numbers: Vec<String> = (1..=report.table.len()).map(|number| number.to_string()).collect();
    let mut header = vec!["player", "Elo (95 %)", "points", "games"];
    header.extend(numbers.iter().map(String::as_str));
    let rows = report.table.iter().enumerate().map(|(number, line)| {
        let mut row = vec![
            format!("{}. {}", number + 1, short(&line.player)),
            elo_range(line.elo, line.lower, line.upper),
            line.games.points().to_string(),
            line.games.games().to_string(),
        ];
        row.extend(line.against_cells());
        row
    });
    section.table(&header, rows);
    if let Some(first) = report.matches.first() {
        section.provenance = conditions(&first.conditions);
    }
    Ok(section)
}

pub(super) fn ladder(value: &Value) -> Result<Section, serde_json::Error> {
    let report: LadderReport = part(value)?;
    let [player, engine] = &report.conditions.players;
    let mut section = empty(format!("{} on the ladder of {}", short(&player.specification), engine.name));
    let rating = report.rating.map_or("no rating".into(), |rating| {
        format!("Rating {rating} (95 %) on the engine's scale, from {} games", rating.games)
    });
    section.summary.push(format!("{rating}; {} games lost by failing.", report.failures));
    section.ratings.extend(report.rating.map(|rating| SectionRating {
        name: short(&player.specification),
        scale: format!("{}, {} a move, UCI_Elo", engine.name, engine.pace),
        elo: rating.elo,
        interval: [rating.lower, rating.upper],
    }));
    let rows = report.levels.iter().chain(&report.beyond).map(|line| {
        vec![
            line.opponent.clone(),
            line.games.to_string(),
            Percent(line.games.share()).to_string(),
            line.difference.map(|elo| EloText(elo).to_string()).unwrap_or_default(),
        ]
    });
    section.table(&["opponent", "games", "score", "Elo difference (95 %)"], rows);
    section.provenance = conditions(&report.conditions);
    Ok(section)
}

pub(super) fn strength(value: &Value) -> Result<Section, serde_json::Error> {
    let report: StrengthTable = part(value)?;
    let mut section = empty(format!("Strength by setting: {}", report.network));
    section.summary.push("Rating of each setting with its 95 % interval.".into());
    section.provenance.push(("network hash".into(), report.network_hash.clone()));
    let rows = report.levels.iter().map(|level| {
        vec![
            match level.setting.imitated {
                Some(rating) => format!("people rated {rating}, temperature {}", level.setting.temperature),
                None => format!("{} nodes, temperature {}", level.setting.nodes, level.setting.temperature),
            },
            format!("{:.0} ({:.0} to {:.0})", level.elo, level.lower, level.upper),
            level.games.to_string(),
        ]
    });
    section.table(&["setting", "Elo (95 %)", "games"], rows);
    section.provenance.push(("conditions".into(), report.conditions));
    Ok(section)
}
