//! The verdict on whether an evaluator's outputs agree with lc0's.

use serde::Serialize;
use serde_json::{Value, json};

use super::{CaseDifference, Difference, POLICY_TOLERANCE, ReferenceOutputs, VALUE_TOLERANCE};

/// The differences, with the evaluator and the reference outputs that were compared.
pub struct Verdict {
    /// Description of the evaluator that was compared.
    pub evaluator: String,
    /// The reference outputs with which it was compared.
    pub reference: ReferenceOutputs,
    /// The differences for each position.
    pub cases: Vec<CaseDifference>,
}

impl Verdict {
    /// The differences that count for the verdict.
    fn judged(&self, case: &CaseDifference) -> Difference {
        if self.reference.from_lc0() { case.reported } else { case.exact }
    }

    /// True if every position is within the tolerance.
    pub fn holds(&self) -> bool {
        self.failed().next().is_none()
    }

    fn failed(&self) -> impl Iterator<Item = &CaseDifference> {
        self.cases.iter().filter(|case| !self.judged(case).passes())
    }

    /// The positions with and without history, and all of them.
    fn groups(&self) -> [Group; 3] {
        [("with history", Some(true)), ("without history", Some(false)), ("all", None)].map(
            |(name, history)| {
                let mut group = Group { name, ..Group::default() };
                for case in &self.cases {
                    if history.is_none_or(|history| case.history == history) {
                        group.positions += 1;
                        group.exact = group.exact.max(case.exact);
                        group.reported = group.reported.max(case.reported);
                    }
                }
                group
            },
        )
    }

    /// Groups, differences and limits as one JSON object, for `--json`.
    pub fn json(&self) -> Value {
        json!({
            "evaluator": self.evaluator,
            "reference": { "net": self.reference.net, "engine": self.reference.engine },
            "judged": if self.reference.from_lc0() { "reported" } else { "exact" },
            "tolerance": { "policy": POLICY_TOLERANCE, "value": VALUE_TOLERANCE },
            "holds": self.holds(),
            "groups": self.groups(),
            "cases": self.cases,
        })
    }

    /// The verdict as readable text, with one line per position.
    pub fn text(&self) -> String {
        let mut lines = vec![
            self.evaluator.clone(),
            format!("against {} by {}", self.reference.net, self.reference.engine),
            "greatest difference:    exact numbers         as lc0 reports them".into(),
            "                         policy  win-loss      policy  win-loss".into(),
        ];
        for case in &self.cases {
            let mark = if self.judged(case).passes() { ' ' } else { '!' };
            lines.push(format!("{mark} {:20} {}  {}", "", columns(case.exact, case.reported), case.position));
        }
        for Group { name, positions, exact, reported } in self.groups() {
            lines.push(format!("{name:15} {positions:6} {}", columns(exact, reported)));
        }
        lines.push(self.sentence());
        lines.join("\n")
    }

    fn sentence(&self) -> String {
        let column = if self.reference.from_lc0() {
            "as lc0 reports them, since the file holds lc0's report"
        } else {
            "as they are, since the file is not lc0's"
        };
        let limits = format!(
            "policy {POLICY_TOLERANCE}, win - loss {VALUE_TOLERANCE}; our numbers are judged {column}"
        );
        match self.failed().count() {
            0 => format!("holds in all {} positions ({limits})", self.cases.len()),
            failed => {
                format!("does not hold in {failed} of {} positions, marked ! ({limits})", self.cases.len())
            }
        }
    }
}

/// Some positions, and their largest differences.
#[derive(Default, Serialize)]
struct Group {
    name: &'static str,
    positions: usize,
    exact: Difference,
    reported: Difference,
}

fn columns(exact: Difference, reported: Difference) -> String {
    format!("{:9.6} {:9.6}   {:9.6} {:9.6}", exact.policy, exact.value, reported.policy, reported.value)
}
