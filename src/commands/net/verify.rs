//! `tabiya net verify`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use lc0::outputs::{CaseDifference, Difference, POLICY_TOLERANCE, ReferenceOutputs, VALUE_TOLERANCE};
use network::{DeviceKind, Precision, container};
use player::{Computation, open_evaluator};
use serde_json::json;

/// Compare a network's output with lc0's in the same positions.
///
/// lc0 applies fast approximations of the exponential and the logarithm to the network's output before it prints it. So two
/// differences are shown: of exact numbers, and after the same approximations. For a file that lc0 wrote the second is judged,
/// for any other the first. On the CPU the network is computed in f32, whatever is fastest there; `net compare` shows what
/// coarser precisions change. The exit code is 1 if a position is out of tolerance.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net verify maia-1900.pb.gz --reference maia-1900.lc0.json")]
pub(super) struct Arguments {
    /// Network: .tabiya or lc0's .pb.gz
    network: String,
    /// Reference outputs; docs/formats.md describes the file
    #[arg(long, value_name = "FILE")]
    reference: PathBuf,
    /// Device: cpu, burn-cpu, cuda, vulkan or metal
    #[arg(long, default_value = "cpu")]
    device: DeviceKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The differences and what they are judged by.
struct Verdict {
    evaluator: String,
    reference: ReferenceOutputs,
    cases: Vec<CaseDifference>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let reference = read_reference(&arguments.reference)?;
    let device = arguments.device;
    let precision = (device == DeviceKind::Cpu).then_some(Precision::F32);
    let evaluator = open_evaluator(&arguments.network, Computation { device, precision })?.evaluator;
    let cases = reference.compare(evaluator.as_ref())?;
    let verdict = Verdict { evaluator: evaluator.describe(), reference, cases };
    let text = if arguments.json { verdict.json()? } else { verdict.text() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(if verdict.failed().next().is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read_reference(path: &Path) -> anyhow::Result<ReferenceOutputs> {
    let is_object =
        |beginning: &[u8]| beginning.trim_ascii_start().first().is_none_or(|first| *first == b'{');
    let bytes = container::read(path, "reference outputs (JSON)", is_object)?;
    Ok(ReferenceOutputs::from_bytes(&bytes, &path.display().to_string())?)
}

impl Verdict {
    /// The column that counts.
    fn judged(&self, case: &CaseDifference) -> Difference {
        if self.reference.from_lc0() { case.reported } else { case.exact }
    }

    fn failed(&self) -> impl Iterator<Item = &CaseDifference> {
        self.cases.iter().filter(|case| !self.judged(case).passes())
    }

    /// Positions, greatest exact and greatest reported differences: in all, with and without history.
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

    fn json(&self) -> anyhow::Result<String> {
        let groups = self.groups().map(|(name, positions, exact, reported)| {
            json!({ "name": name, "positions": positions, "exact": exact, "reported": reported })
        });
        let value = json!({
            "evaluator": self.evaluator,
            "reference": { "net": self.reference.net, "engine": self.reference.engine },
            "judged": if self.reference.from_lc0() { "reported" } else { "exact" },
            "tolerance": { "policy": POLICY_TOLERANCE, "value": VALUE_TOLERANCE },
            "holds": self.failed().next().is_none(),
            "groups": groups,
            "cases": self.cases,
        });
        Ok(serde_json::to_string_pretty(&value)?)
    }

    fn text(&self) -> String {
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
            "policy {POLICY_TOLERANCE}, win - loss {VALUE_TOLERANCE}; judged are our numbers {column}"
        );
        match self.failed().count() {
            0 => format!("holds in all {} positions ({limits})", self.cases.len()),
            failed => {
                format!("does not hold in {failed} of {} positions, marked ! ({limits})", self.cases.len())
            }
        }
    }
}
