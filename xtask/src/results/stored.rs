//! Result files as `tabiya match`, `tabiya ladder` and `tabiya calibrate` write them, and the figures in them.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// A result file whose kind is known.
pub(super) struct Stored {
    kind: Kind,
    json: Value,
}

enum Kind {
    Match,
    Ladder,
    /// Ratings of several settings of one network.
    Strength,
}

impl Stored {
    /// Reads a result file's text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text)?;
        let kind = match json["kind"].as_str() {
            Some("tabiya-match-1") => Kind::Match,
            Some("tabiya-ladder-1") => Kind::Ladder,
            Some("tabiya-strength-1") => Kind::Strength,
            other => bail!("kind {other:?}: expected tabiya-match-1, tabiya-ladder-1 or tabiya-strength-1"),
        };
        Ok(Self { kind, json })
    }

    /// The figure on its own: a rating, or the games and the difference of a match.
    pub(super) fn figure(&self) -> Result<String> {
        match self.kind {
            Kind::Match => {
                let [wins, draws, losses] = ["wins", "draws", "losses"].map(|part| &self.json["games"][part]);
                let difference = estimate(&self.json["elo"], "+")?;
                Ok(format!("{wins} wins, {draws} draws, {losses} losses, {difference} Elo"))
            }
            Kind::Ladder => estimate(&self.json["rating"], ""),
            Kind::Strength => bail!("it has several ratings, expected a match or a ladder"),
        }
    }

    /// The estimates with their intervals, as prose and tables write them.
    pub(super) fn estimates(&self) -> Result<Vec<String>> {
        match self.kind {
            Kind::Match => Ok(vec![estimate(&self.json["elo"], "+")?]),
            Kind::Ladder => Ok(vec![estimate(&self.json["rating"], "")?]),
            Kind::Strength => {
                let levels = self.json["levels"].as_array().context("levels are missing")?;
                levels.iter().map(|level| estimate(level, "")).collect()
            }
        }
    }

    /// The score against one level of a ladder, in percent of the games with it.
    pub(super) fn score_against(&self, level: &str) -> Result<String> {
        let levels = self.json["levels"].as_array().context("not a ladder: it has no levels")?;
        let name = format!("UCI_Elo {level}");
        let found = levels.iter().find(|found| found["opponent"] == *name);
        let found = found.with_context(|| format!("no games against {name}"))?;
        let score = found["difference"]["score"].as_f64().context("score is missing")?;
        // One digit if there is one: games end in half points, so 40 of them give 62.5 %.
        let games: u64 =
            ["wins", "draws", "losses"].iter().filter_map(|end| found["games"][end].as_u64()).sum();
        ensure!(games > 0, "no games against {name}");
        Ok(format!("{} % of {games} games", (score * 1000.0).round() / 10.0))
    }

    /// Compares what people wrote beside the figure with the file: the commit of the program, and the number of games.
    pub(super) fn check_conditions(&self, conditions: &str, commit: &str) -> Result<()> {
        let written = &self.json["conditions"];
        let program = written["program"].as_str().context("conditions.program is missing")?;
        let (_, hash) = program.rsplit_once("commit ").context("conditions.program names no commit")?;
        let short = hash.get(..7).with_context(|| format!("commit {hash}: expected a hash"))?;
        ensure!(commit.contains(short), "commit = {commit:?}: the file was written by {short}");
        ensure!(
            commit.contains("with changes") == hash.ends_with("-dirty"),
            "commit = {commit:?}: the file was written by {hash}, expected `with changes` for -dirty alone"
        );
        let games = self.games()?;
        ensure!(conditions.contains(&format!("{games} games")), "conditions: the file has {games} games");
        Ok(())
    }

    fn games(&self) -> Result<u64> {
        let estimate = match self.kind {
            Kind::Match => &self.json["elo"],
            Kind::Ladder => &self.json["rating"],
            Kind::Strength => bail!("it has several ratings, expected a match or a ladder"),
        };
        estimate["games"].as_u64().context("the number of games is missing")
    }
}

/// An estimate with its interval; `plus` is put before numbers that are not negative.
fn estimate(found: &Value, plus: &str) -> Result<String> {
    let number = |name: &str| -> Result<String> {
        let value = found[name].as_f64().with_context(|| format!("{name} is missing: too few games"))?;
        Ok(format!("{}{value:.0}", if value >= 0.0 { plus } else { "" }))
    };
    Ok(format!("{} ({} to {})", number("elo")?, number("lower")?, number("upper")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(json: &Value) -> Stored {
        Stored::parse(&json.to_string()).unwrap()
    }

    fn ladder(score: f64) -> Stored {
        let games = json!({"wins": 20, "draws": 10, "losses": 10});
        stored(&json!({
            "kind": "tabiya-ladder-1",
            "conditions": {"program": "tabiya 0.2.0, commit 4c3c2741f85379b7-dirty"},
            "rating": {"elo": 2166.6, "lower": 2114.2, "upper": 2219.0, "games": 200},
            "levels": [{"opponent": "UCI_Elo 2350", "games": games, "difference": {"score": score}}],
        }))
    }

    #[test]
    fn figures_come_from_result_files() {
        assert_eq!(ladder(0.5).figure().unwrap(), "2167 (2114 to 2219)");
        let games = json!({"wins": 47, "draws": 13, "losses": 0});
        let elo = json!({"elo": 10.4, "lower": -3.2, "upper": 24.0, "games": 60});
        let played = stored(&json!({"kind": "tabiya-match-1", "games": games, "elo": elo}));
        assert_eq!(played.figure().unwrap(), "47 wins, 13 draws, 0 losses, +10 (-3 to +24) Elo");
        assert_eq!(played.estimates().unwrap(), ["+10 (-3 to +24)"]);
        let unbounded = json!({"kind": "tabiya-ladder-1", "rating": {"elo": null, "lower": 2000.0}});
        assert!(stored(&unbounded).figure().unwrap_err().to_string().contains("elo is missing"));
        assert!(Stored::parse(r#"{"kind": "something"}"#).is_err());
        let levels =
            json!([{"elo": 1.0, "lower": 0.0, "upper": 2.0}, {"elo": 5.0, "lower": 4.0, "upper": 6.0}]);
        let strength = stored(&json!({"kind": "tabiya-strength-1", "levels": levels}));
        assert_eq!(strength.estimates().unwrap(), ["1 (0 to 2)", "5 (4 to 6)"]);
        assert!(strength.figure().is_err());
    }

    #[test]
    fn scores_keep_a_half_percent() {
        assert_eq!(ladder(0.625).score_against("2350").unwrap(), "62.5 % of 40 games");
        assert_eq!(ladder(0.5).score_against("2350").unwrap(), "50 % of 40 games");
        assert!(ladder(0.5).score_against("2450").is_err());
    }

    #[test]
    fn conditions_beside_a_file_are_those_in_it() {
        let check = |conditions, commit| ladder(0.5).check_conditions(conditions, commit);
        check("200 games, one core", "4c3c274, with changes").unwrap();
        assert!(check("200 games", "4c3c274").is_err(), "the program had changes");
        assert!(check("200 games", "d169a98, with changes").is_err(), "another commit");
        assert!(check("100 games", "4c3c274, with changes").is_err());
    }
}
