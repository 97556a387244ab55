//! A network's judgements of a few positions at each validation of its training (written by
//! `crates/training/src/probes.rs`).

use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{read_file, run_folder};
use crate::error::ApiError;

/// Most moments that are sent; more are thinned evenly.
const MOST: usize = 240;

/// A moment in a training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ProbeMoment {
    /// Steps taken.
    pub(crate) step: u64,
    /// One judgement of each position.
    pub(crate) positions: Vec<ProbeSight>,
}

/// The network's judgement of a position without search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ProbeSight {
    /// The name of the position.
    pub(crate) name: String,
    /// The position, FEN.
    pub(crate) fen: String,
    /// Win, draw and loss of the side to move; `null` for a network without a value.
    #[schema(value_type = Option<(f32, f32, f32)>)]
    pub(crate) wdl: Option<[f32; 3]>,
    /// The likeliest moves, UCI, with their probabilities; none for a network without a policy.
    pub(crate) moves: Vec<(String, f32)>,
}

/// The moments of a run, including the first and the last; none for a run that an earlier version trained.
pub(crate) fn probes(runs: &Path, name: &str) -> Result<Vec<ProbeMoment>, ApiError> {
    let folder = run_folder(runs, name)?;
    let path = folder.join(files::run::PROBES);
    let Some(text) = read_file(&folder, files::run::PROBES)? else { return Ok(Vec::new()) };
    // The last line may be half written.
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let mut moments: Vec<ProbeMoment> = Vec::new();
    for (number, line) in whole.lines().enumerate() {
        moments.push(serde_json::from_str(line).map_err(|error| {
            ApiError::invalid("broken_probes", format!("{}:{}: {error}", path.display(), number + 1))
        })?);
    }
    let every = moments.len().div_ceil(MOST).max(1);
    let last = moments.len().saturating_sub(1);
    let shown =
        moments.into_iter().enumerate().filter(|(index, _)| index.is_multiple_of(every) || *index == last);
    Ok(shown.map(|(_, moment)| moment).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn long_trainings_are_thinned_and_half_a_line_is_left_out() {
        let runs = tempfile::tempdir().unwrap();
        fs::create_dir(runs.path().join("mini")).unwrap();
        assert_eq!(probes(runs.path(), "mini").unwrap(), []);
        let line = |step| {
            let sight = ProbeSight {
                name: "a".into(),
                fen: "b".into(),
                wdl: Some([0.5, 0.25, 0.25]),
                moves: vec![("e2e4".into(), 0.5)],
            };
            serde_json::to_string(&ProbeMoment { step, positions: vec![sight] }).unwrap()
        };
        let text: String = (0..1000).flat_map(|step| [line(step), "\n".into()]).collect();
        fs::write(runs.path().join("mini").join(files::run::PROBES), format!("{text}{}", &line(1000)[..30]))
            .unwrap();
        let found = probes(runs.path(), "mini").unwrap();
        assert_eq!((found[0].step, found.last().unwrap().step), (0, 999));
        assert!(found.len() <= MOST + 1 && found[0].positions[0].moves[0].1 == 0.5);
        fs::write(runs.path().join("mini").join(files::run::PROBES), "nonsense\n").unwrap();
        assert!(probes(runs.path(), "mini").unwrap_err().refusal.message.contains("probes.jsonl:1"));
    }
}
