//! The verdict on whether an evaluator's outputs agree with lc0's.

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

    /// Number of positions, largest exact and largest reported differences: overall, with and without history.
    fn groups(&self) -> [(&'static str, usize, Difference, Difference); 3] {
        [("with history", Some(true)), ("without history", Some(false)), ("all", None)].map(
            |(name, history)| {
                let group =
                    self.cases.iter().filter(|case| history.is_none_or(|history| case.history == history));
                let start = (0, Difference::default(), Difference::default());
                let (count, exact, reported) = group.fold(start, |(count, exact, reported), case| {
                    (count + 1, exact.max(case.exact), reported.max(case.reported))
                });
                (name, count, exact, reported)
            },
        )
    }

    /// Groups, differences and limits as one JSON object, for `--json`.
    pub fn json(&self) -> Value {
        let groups = self.groups().map(|(name, positions, exact, reported)| {
            json!({ "name": name, "positions": positions, "exact": exact, "reported": reported })
        });
        json!({
            "evaluator": self.evaluator,
            "reference": { "net": self.reference.net, "engine": self.reference.engine },
            "judged": if self.reference.from_lc0() { "reported" } else { "exact" },
            "tolerance": { "policy": POLICY_TOLERANCE, "value": VALUE_TOLERANCE },
            "holds": self.holds(),
            "groups": groups,
            "cases": self.cases,
        })
    }

    /// The verdict as readable text, with one line per position.
    pub fn text(&self) -> String {
        let columns = |exact: Difference, reported: Difference| {
            format!(
                "{:9.6} {:9.6}   {:9.6} {:9.6}",
                exact.policy, exact.value, reported.policy, reported.value
            )
        };
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
        for (name, count, exact, reported) in self.groups() {
            lines.push(format!("{name:15} {count:6} {}", columns(exact, reported)));
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
