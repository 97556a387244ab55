//! Result files as `tabiya match`, `ladder`, `calibrate`, `metrics` and `net validate` write them, and the figures in them.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::repository;

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
    /// Shares and losses over positions.
    Positions,
}

impl Stored {
    /// Reads a result file's text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(text)?;
        let kind = match json["kind"].as_str() {
            Some("tabiya-match-1") => Kind::Match,
            Some("tabiya-ladder-1") => Kind::Ladder,
            Some("tabiya-strength-1") => Kind::Strength,
            Some("tabiya-agreement-1" | "tabiya-validation-1") => Kind::Positions,
            other => {
                bail!("kind {other:?}: expected that of a match, ladder, strength, agreement or validation")
            }
        };
        Ok(Self { kind, json })
    }

    /// The figure on its own: a rating, or the games and the difference of a match.
    pub(super) fn figure(&self) -> Result<String> {
        match self.kind {
            Kind::Match => {
                let [wins, draws, losses] = ["wins", "draws", "losses"].map(|part| &self.json["games"][part]);
                let elo = &self.json["elo"];
                let difference = match elo["lower"].as_f64() {
                    Some(lower) if elo["elo"].is_null() => format!("at least {lower:+.0}"),
                    _ => estimate(elo, "+")?,
                };
                Ok(format!("{wins} wins, {draws} draws, {losses} losses, {difference} Elo"))
            }
            Kind::Ladder => estimate(&self.json["rating"], ""),
            Kind::Strength | Kind::Positions => bail!("it has several figures, expected `part`"),
        }
    }

    /// A part by its keys, and the form of its number: `table.second:%` is a percentage, `unseen.value_loss:3` has three digits
    /// after the point. A measurement is followed by its interval, `table.second.value` is its number alone. `KEYS/KEYS:FORM` is
    /// the ratio of two numbers.
    pub(super) fn part(&self, part: &str) -> Result<String> {
        let (keys, form) = part.split_once(':').with_context(|| format!("{part}: expected KEYS:FORM"))?;
        let (digits, scale, unit) = if form == "%" {
            (1, 100.0, " %")
        } else {
            (form.parse::<usize>().with_context(|| format!("{part}: digits"))?, 1.0, "")
        };
        if let Some((above, below)) = keys.split_once('/') {
            let ratio = self.number(above)? / self.number(below)? * scale;
            return Ok(format!("{ratio:.digits$}{unit}"));
        }
        if let Ok(value) = self.number(keys) {
            return Ok(format!("{:.digits$}{unit}", value * scale));
        }
        let value = self.number(&format!("{keys}.value"))? * scale;
        let lower = self.number(&format!("{keys}.lower"))? * scale;
        let upper = self.number(&format!("{keys}.upper"))? * scale;
        Ok(format!("{value:.digits$}{unit} ({lower:.digits$} to {upper:.digits$})"))
    }

    /// The number under keys with points between them.
    fn number(&self, keys: &str) -> Result<f64> {
        let found = self.json.pointer(&format!("/{}", keys.replace('.', "/")));
        found.and_then(Value::as_f64).with_context(|| format!("{keys}: expected a number"))
    }

    /// Fails unless the first player, or the network that was validated, is this file of the repository as it is now.
    pub(super) fn check_network(&self, path: &str) -> Result<()> {
        let file = repository::root().join(path);
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let now = format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes));
        let identity = [&self.json["identity"], &self.json["conditions"]["players"][0]["identity"]];
        let facts = identity.into_iter().filter_map(Value::as_array).flatten();
        let hash = facts.filter(|fact| fact[0] == "network hash").find_map(|fact| fact[1].as_str());
        let found = hash.or(self.json["network_hash"].as_str()).context("it names no network by its hash")?;
        ensure!(found == now, "a result of the network {found}, but {path} is {now}: measure again");
        Ok(())
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
            Kind::Positions => Ok(Vec::new()),
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
        let written = if self.json["program"].is_null() { &self.json["conditions"] } else { &self.json };
        let program = written["program"].as_str().context("the program is missing")?;
        let (_, hash) = program.rsplit_once("commit ").context("conditions.program names no commit")?;
        let short = hash.get(..7).with_context(|| format!("commit {hash}: expected a hash"))?;
        ensure!(commit.contains(short), "commit = {commit:?}: the file was written by {short}");
        ensure!(
            commit.contains("with changes") == hash.ends_with("-dirty"),
            "commit = {commit:?}: the file was written by {hash}, expected `with changes` for -dirty alone"
        );
        let size = self.size()?;
        ensure!(conditions.replace(',', "").contains(&size), "conditions: the file has {size}");
        Ok(())
    }

    /// The number of games or positions, in words.
    fn size(&self) -> Result<String> {
        let (number, unit) = match self.kind {
            Kind::Match => (&self.json["elo"]["games"], "games"),
            Kind::Ladder => (&self.json["rating"]["games"], "games"),
            Kind::Strength => bail!("it has several ratings, expected a match or a ladder"),
            Kind::Positions if self.json["table"].is_null() => (&self.json["positions"], "positions"),
            Kind::Positions => (&self.json["table"]["positions"], "positions"),
        };
        let number = number.as_u64().with_context(|| format!("the number of {unit} is missing"))?;
        Ok(format!("{number} {unit}"))
    }
}

/// An estimate with its interval; `plus` is put before numbers that are not negative.
fn estimate(found: &Value, plus: &str) -> Result<String> {
    let [elo, lower, upper] = ["elo", "lower", "upper"].map(|name| rounded(found, name, plus));
    Ok(format!("{} ({} to {})", elo?, lower?, upper?))
}

fn rounded(found: &Value, name: &str, plus: &str) -> Result<String> {
    let value = found[name].as_f64().with_context(|| format!("{name} is missing: too few games"))?;
    Ok(format!("{}{value:.0}", if value >= 0.0 { plus } else { "" }))
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
        let all = json!({"wins": 60, "draws": 0, "losses": 0});
        let won = json!({"kind": "tabiya-match-1", "games": all, "elo": {"elo": null, "lower": 538.4}});
        assert_eq!(stored(&won).figure().unwrap(), "60 wins, 0 draws, 0 losses, at least +538 Elo");
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
    fn parts_are_numbers_with_their_intervals() {
        let second = json!({"value": 0.4496, "lower": 0.4371, "upper": 0.4622, "samples": 5921});
        let agreement =
            stored(&json!({"kind": "tabiya-agreement-1", "table": {"second": second, "positions": 5921}}));
        assert_eq!(agreement.part("table.second:%").unwrap(), "45.0 % (43.7 to 46.2)");
        assert_eq!(agreement.part("table.second.value:%").unwrap(), "45.0 %");
        assert_eq!(agreement.part("table.second.value:3").unwrap(), "0.450");
        assert_eq!(agreement.part("table.second.lower/table.second.upper:%").unwrap(), "94.6 %");
        assert_eq!(agreement.size().unwrap(), "5921 positions");
        for wrong in ["table.third:%", "table.second", "table.second.value:x", "table:%"] {
            assert!(agreement.part(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_result_of_another_network_is_refused() {
        let path = "nets/human.tabiya";
        let check = |hash: &str| {
            let identity = json!([["search", "puct"], ["network hash", hash]]);
            let players = json!([{"identity": identity}]);
            let validation = json!({"kind": "tabiya-validation-1", "identity": identity});
            let played = json!({"kind": "tabiya-match-1", "conditions": {"players": players}});
            let strength = json!({"kind": "tabiya-strength-1", "network_hash": hash});
            [validation, played, strength].map(|json| stored(&json).check_network(path))
        };
        let errors = check("0123").map(|found| found.unwrap_err().to_string());
        let error = &errors[0];
        assert!(error.starts_with("a result of the network 0123, but nets/human.tabiya is "), "{error}");
        assert!(errors.iter().all(|other| other == error), "{errors:?}");
        let now = error.rsplit_once(" is ").unwrap().1.trim_end_matches(": measure again");
        assert!(check(now).iter().all(Result::is_ok));
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
