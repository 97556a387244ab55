//! The `info` message, the progress report of a search.

use std::{fmt, time::Duration};

use chess::shakmaty::{CastlingMode, uci::UciMove};

use chess::{Score, SearchInfo, Wdl};

use crate::tokens::{Tokens, one_line};

/// An `info` line; every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Selective depth in plies: that of the deepest line.
    pub selective_depth: Option<u32>,
    /// Rank of this line among the best ones, from 1.
    pub multipv: Option<u32>,
    /// Value of the line for the side to move.
    pub score: Option<InfoScore>,
    /// Win, draw and loss of the side to move.
    pub wdl: Option<PermilleWdl>,
    /// `nodes`: positions searched so far.
    pub nodes: Option<u64>,
    pub nodes_per_second: Option<u64>,
    /// Fill of the hash memory in permille.
    pub hash_full: Option<u32>,
    /// Positions found in tablebases.
    pub table_hits: Option<u64>,
    /// CPU use in permille.
    pub cpu_load: Option<u32>,
    /// Time since the search started.
    pub time: Option<Duration>,
    pub current_move: Option<UciMove>,
    /// Number of the current move among the root moves, from 1.
    pub current_move_number: Option<u32>,
    /// The best line found, from the side to move's move on.
    pub pv: Vec<UciMove>,
    /// Free text (`string`), the rest of the line.
    pub string: Option<String>,
}

/// A score, exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoScore {
    /// The score for the side to move.
    pub score: Score,
    /// The kind of bound; `None` if the score is exact.
    pub bound: Option<Bound>,
}

/// On which side of a reported score the exact one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At least the reported score.
    Lower,
    /// At most the reported score.
    Upper,
}

/// Win, draw and loss of the side to move in permille, the format of `UCI_ShowWDL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PermilleWdl {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

impl From<Wdl> for PermilleWdl {
    /// Rounded so that the sum is 1000.
    fn from(wdl: Wdl) -> Self {
        let win = (wdl.win.clamp(0.0, 1.0) * 1000.0).round() as u16;
        let loss = ((wdl.loss.clamp(0.0, 1.0) * 1000.0).round() as u16).min(1000 - win);
        Self { win, draw: 1000 - win - loss, loss }
    }
}

impl From<PermilleWdl> for Wdl {
    fn from(wdl: PermilleWdl) -> Self {
        let total = f32::from(wdl.win) + f32::from(wdl.draw) + f32::from(wdl.loss);
        if total == 0.0 {
            return Self::DRAW;
        }
        Self {
            win: f32::from(wdl.win) / total,
            draw: f32::from(wdl.draw) / total,
            loss: f32::from(wdl.loss) / total,
        }
    }
}

/// The words that start a part of an `info` line and therefore end a variation.
const KEYWORDS: &[&str] = &[
    "depth",
    "seldepth",
    "multipv",
    "score",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "cpuload",
    "time",
    "currmove",
    "currmovenumber",
    "currline",
    "refutation",
    "pv",
    "string",
];

impl Info {
    /// An `info string` line.
    pub fn text(text: impl Into<String>) -> Self {
        Self { string: Some(text.into()), ..Self::default() }
    }

    /// The lines that report `report` to a GUI, one for each variation, without a score where an evaluator that has no value
    /// called everything a draw. `multipv` is written only if there are several,
    /// `wdl` only if requested.
    pub fn from_search(report: &SearchInfo, mode: CastlingMode, wdl: ShowWdl) -> Vec<Self> {
        let several = report.variations.len() > 1;
        let ranked = (1..).zip(&report.variations);
        ranked
            .map(|(rank, variation)| Self {
                multipv: several.then_some(rank),
                ..Self::of_variation(report, variation, mode, wdl)
            })
            .collect()
    }

    /// The line about one variation, without its rank.
    fn of_variation(
        report: &SearchInfo,
        variation: &chess::PrincipalVariation,
        mode: CastlingMode,
        wdl: ShowWdl,
    ) -> Self {
        let milliseconds = report.elapsed.as_millis().max(1);
        let nodes_per_second =
            u64::try_from(u128::from(report.nodes) * 1000 / milliseconds).unwrap_or(u64::MAX);
        Self {
            depth: Some(report.depth),
            selective_depth: Some(report.selective_depth),
            score: report
                .heads
                .judge(variation.wdl)
                .then_some(InfoScore { score: variation.score, bound: None }),
            wdl: (wdl == ShowWdl::Yes && report.heads.judge(variation.wdl)).then(|| variation.wdl.into()),
            nodes: Some(report.nodes),
            nodes_per_second: Some(nodes_per_second),
            hash_full: Some(report.hash_full),
            table_hits: (report.table_hits > 0).then_some(report.table_hits),
            time: Some(report.elapsed),
            pv: variation.moves.iter().map(|chess_move| chess_move.to_uci(mode)).collect(),
            ..Self::default()
        }
    }

    /// Reads the tokens after `info`; unknown ones are skipped.
    pub(super) fn parse(tokens: &mut Tokens<'_>) -> Self {
        let mut info = Self::default();
        while let Some(token) = tokens.next() {
            match token {
                "depth" => info.depth = tokens.parse(),
                "seldepth" => info.selective_depth = tokens.parse(),
                "multipv" => info.multipv = tokens.parse(),
                "score" => info.score = score(tokens),
                "wdl" => info.wdl = permille_wdl(tokens),
                "nodes" => info.nodes = tokens.parse(),
                "nps" => info.nodes_per_second = tokens.parse(),
                "hashfull" => info.hash_full = tokens.parse(),
                "tbhits" => info.table_hits = tokens.parse(),
                "cpuload" => info.cpu_load = tokens.parse(),
                "time" => info.time = tokens.parse().map(Duration::from_millis),
                "currmove" => info.current_move = tokens.parse(),
                "currmovenumber" => info.current_move_number = tokens.parse(),
                "pv" => info.pv = moves(tokens),
                // Skip the whole line, rather than its moves token by token.
                "refutation" | "currline" => {
                    tokens.text_until(|token| KEYWORDS.contains(&token));
                }
                "string" => {
                    info.string = Some(one_line(tokens.rest()));
                    break;
                }
                _ => {}
            }
        }
        info
    }
}

/// Presence of win/draw/loss in `info` lines (`UCI_ShowWDL`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShowWdl {
    /// Every line that reports a search has them.
    Yes,
    /// No line has them. This is the default, because some GUIs cannot parse the extension.
    #[default]
    No,
}

fn score(tokens: &mut Tokens<'_>) -> Option<InfoScore> {
    let mut score = None;
    let mut bound = None;
    while let Some(token) = tokens.peek() {
        match token {
            "cp" | "mate" => {
                tokens.next();
                let value = tokens.parse()?;
                score = Some(if token == "cp" { Score::Centipawns(value) } else { Score::Mate(value) });
            }
            "lowerbound" | "upperbound" => {
                tokens.next();
                bound = Some(if token == "lowerbound" { Bound::Lower } else { Bound::Upper });
            }
            _ => break,
        }
    }
    score.map(|score| InfoScore { score, bound })
}

fn permille_wdl(tokens: &mut Tokens<'_>) -> Option<PermilleWdl> {
    Some(PermilleWdl { win: tokens.parse()?, draw: tokens.parse()?, loss: tokens.parse()? })
}

fn moves(tokens: &mut Tokens<'_>) -> Vec<UciMove> {
    let text = tokens.text_until(|token| KEYWORDS.contains(&token));
    // A variation is valid up to its first unreadable move.
    text.split_whitespace().map_while(|token| token.parse().ok()).collect()
}

impl fmt::Display for Info {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("info")?;
        field(formatter, "depth", self.depth)?;
        field(formatter, "seldepth", self.selective_depth)?;
        field(formatter, "multipv", self.multipv)?;
        if let Some(score) = self.score {
            match score.score {
                Score::Centipawns(centipawns) => write!(formatter, " score cp {centipawns}")?,
                Score::Mate(moves) => write!(formatter, " score mate {moves}")?,
            }
            match score.bound {
                Some(Bound::Lower) => formatter.write_str(" lowerbound")?,
                Some(Bound::Upper) => formatter.write_str(" upperbound")?,
                None => {}
            }
        }
        if let Some(wdl) = self.wdl {
            write!(formatter, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss)?;
        }
        field(formatter, "nodes", self.nodes)?;
        field(formatter, "nps", self.nodes_per_second)?;
        field(formatter, "hashfull", self.hash_full)?;
        field(formatter, "tbhits", self.table_hits)?;
        field(formatter, "cpuload", self.cpu_load)?;
        field(formatter, "time", self.time.map(|time| time.as_millis()))?;
        field(formatter, "currmove", self.current_move)?;
        field(formatter, "currmovenumber", self.current_move_number)?;
        if !self.pv.is_empty() {
            formatter.write_str(" pv")?;
        }
        self.pv.iter().try_for_each(|uci_move| write!(formatter, " {uci_move}"))?;
        field(formatter, "string", self.string.as_deref().map(one_line))
    }
}

fn field(formatter: &mut fmt::Formatter<'_>, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(formatter, " {name} {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Response;
    use chess::{Game, PrincipalVariation};

    fn info(line: &str) -> Info {
        match line.parse() {
            Ok(Response::Info(info)) => *info,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_line_of_stockfish_is_read_whole() {
        let line = "info depth 12 seldepth 17 multipv 1 score cp 38 wdl 92 885 23 nodes 12345 nps 617250 hashfull 5 \
                    tbhits 0 time 20 pv e2e4 e7e5 g1f3";
        let read = info(line);
        assert_eq!(read.depth, Some(12));
        assert_eq!(read.score, Some(InfoScore { score: Score::Centipawns(38), bound: None }));
        assert_eq!(read.wdl, Some(PermilleWdl { win: 92, draw: 885, loss: 23 }));
        assert_eq!(read.pv.len(), 3);
        assert_eq!(read.to_string(), line);
    }

    #[test]
    fn bounds_mates_and_strings_are_read() {
        let bound = |line: &str| info(line).score.unwrap();
        assert_eq!(bound("info score cp -5 upperbound").bound, Some(Bound::Upper));
        assert_eq!(bound("info score lowerbound mate -3 nodes 1").score, Score::Mate(-3));
        assert_eq!(
            info("info string depth 3  is not a depth").string.as_deref(),
            Some("depth 3  is not a depth")
        );
        assert_eq!(info("info string depth 3").depth, None);
        assert_eq!(info("info string a\rb").string.as_deref(), Some("a b"), "found by fuzzing");
    }

    #[test]
    fn unknown_and_broken_parts_are_skipped() {
        let read = info("info depth x blah 7 nodes 12 score cp many time 3 pv e2e4 e9e9 e7e5 nps 4");
        assert_eq!((read.depth, read.nodes, read.score), (None, Some(12), None));
        assert_eq!((read.pv.len(), read.nodes_per_second), (1, Some(4)));
        let read = info("info refutation d1h5 g6h5 depth 3 currline 1 e2e4");
        assert_eq!((read.depth, read.pv.len()), (Some(3), 0));
    }

    #[test]
    fn thousandths_add_up() {
        for (win, loss) in [(0.3333, 0.3333), (0.9996, 0.0004), (0.0005, 0.9995), (1.0, 0.0), (0.5, 0.5)] {
            let permille = PermilleWdl::from(Wdl { win, draw: 1.0 - win - loss, loss });
            assert_eq!(permille.win + permille.draw + permille.loss, 1000);
        }
    }

    #[test]
    fn reports_become_one_line_a_variation() {
        let game = Game::default();
        let variation = PrincipalVariation {
            moves: vec![game.legal_moves()[0]],
            score: Score::Centipawns(1),
            wdl: Wdl { win: 0.25, draw: 0.5, loss: 0.25 },
        };
        let mut report = SearchInfo {
            depth: 3,
            selective_depth: 5,
            nodes: 100,
            elapsed: Duration::from_millis(50),
            hash_full: 1,
            variations: vec![variation.clone()],
            ..SearchInfo::default()
        };
        let lines = Info::from_search(&report, CastlingMode::Standard, ShowWdl::No);
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].multipv, lines[0].wdl, lines[0].nodes_per_second), (None, None, Some(2000)));
        report.variations.push(variation);
        let lines = Info::from_search(&report, CastlingMode::Standard, ShowWdl::Yes);
        assert_eq!((lines[1].multipv, lines[1].wdl.unwrap().draw), (Some(2), 500));
    }
}
