//! A search tree.

use super::canvas::Canvas;
use crate::{Game, SearchInfo, SearchTrace};

/// Width of a column of moves, one for each half-move.
const COLUMN: f32 = 120.0;
/// Height of the row of a leaf.
const ROW: f32 = 22.0;
const MARGIN: f32 = 40.0;
/// The widest line between two nodes.
const WIDEST: f32 = 10.0;

/// A node of the drawing.
struct Node {
    /// The place of its parent among the nodes; `None` for the root.
    parent: Option<usize>,
    depth: usize,
    /// Its place from the top, in rows.
    row: f32,
    text: String,
    visits: u64,
}

/// Draws the most visited nodes of a search ([`SearchInfo::branches`]) from left to right: each with its move, its visits and the
/// expected score in percent for the side to move at the root, on a line as wide as its share of the visits.
pub fn tree(game: &Game, info: &SearchInfo) -> String {
    let nodes = nodes(game, info);
    let depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let bottom = nodes.iter().fold(1.0_f32, |rows, node| rows.max(node.row + 1.0)).mul_add(ROW, 2.0 * MARGIN);
    let mut canvas = Canvas::new(((depth + 1) as f32 * COLUMN + MARGIN, bottom));
    let place =
        |node: &Node| ((node.depth as f32).mul_add(COLUMN, MARGIN), (node.row + 0.5).mul_add(ROW, MARGIN));
    for node in &nodes {
        if let Some(parent) = node.parent {
            let share = (node.visits as f32 / info.nodes.max(1) as f32).min(1.0);
            canvas.line(place(&nodes[parent]), place(node), (WIDEST * share).max(0.5), "#1f4e8c");
        }
    }
    for node in &nodes {
        canvas.label(place(node), &node.text);
    }
    let moves = nodes.len() - 1;
    let told = format!("{}: {} nodes, the {moves} most visited moves", game.fen(), info.nodes);
    canvas.line_of_text((MARGIN / 2.0, bottom - MARGIN / 2.0), 12.0, &told);
    canvas.finish()
}

/// The root and the branches laid out: leaves below each other, every other node in the middle of its children.
fn nodes(game: &Game, info: &SearchInfo) -> Vec<Node> {
    let root = Node { parent: None, depth: 0, row: 0.0, text: info.nodes.to_string(), visits: info.nodes };
    let mut nodes = vec![root];
    let printed = SearchTrace::new(game, info).branches;
    for branch in &printed {
        // The root is the first node.
        let parent = branch.parent.map_or(0, |parent| parent + 1);
        let judged = info.heads.judge(branch.wdl);
        let value =
            if judged { format!(" {:.0} %", 100.0 * branch.wdl.expected_score()) } else { String::new() };
        let text = format!("{} {}{value}", branch.san, branch.visits);
        let depth = nodes[parent].depth + 1;
        nodes.push(Node { parent: Some(parent), depth, row: 0.0, text, visits: branch.visits });
    }
    place(&mut nodes, 0, &mut 0.0);
    nodes
}

/// Places a node and everything below it; returns its row.
fn place(nodes: &mut [Node], at: usize, next: &mut f32) -> f32 {
    let children: Vec<usize> =
        (at + 1..nodes.len()).filter(|&child| nodes[child].parent == Some(at)).collect();
    let rows: Vec<f32> = children.into_iter().map(|child| place(nodes, child, next)).collect();
    nodes[at].row = if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        f32::midpoint(*first, *last)
    } else {
        *next += 1.0;
        *next - 1.0
    };
    nodes[at].row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Branch, Wdl, parse_uci_move};

    #[test]
    fn a_tree_has_a_line_and_a_label_for_each_branch() {
        let game = Game::default();
        let first = parse_uci_move(game.position(), "e2e4").unwrap();
        let after = game.after(first);
        let reply = |text: &str| parse_uci_move(after.position(), text).unwrap();
        let wdl = Wdl { win: 0.5, draw: 0.25, loss: 0.25 };
        let branch = |parent, chess_move, visits| Branch { parent, chess_move, visits, wdl };
        let branches = vec![
            branch(None, first, 60),
            branch(Some(0), reply("e7e5"), 30),
            branch(Some(0), reply("c7c5"), 20),
        ];
        let info = SearchInfo { nodes: 100, branches, ..SearchInfo::default() };
        let drawn = tree(&game, &info);
        assert_eq!((drawn.matches("<line").count(), drawn.matches("<rect").count()), (3, 4));
        for text in [">e4 60 62 %<", ">e5 30 62 %<", ">c5 20 62 %<", ">100<", "the 3 most visited moves"] {
            assert!(drawn.contains(text), "{text}: {drawn}");
        }
        let rows: Vec<f32> = nodes(&game, &info).iter().map(|node| node.row).collect();
        assert_eq!(rows, [0.5, 0.5, 0.0, 1.0], "a parent stands in the middle of its children");
        assert!(tree(&game, &SearchInfo::default()).ends_with("</svg>\n"));
    }
}
