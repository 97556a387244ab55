//! The tree after a search, checked node by node against the obvious way of computing each number.

use std::{collections::HashSet, sync::Arc};

use chess::{Game, MaterialEvaluator, Move, Position, Wdl, encoding::input::longest_history, laws};

use super::{
    position::{Board, Leaf},
    tree::{Node, NodeId, ROOT, State},
    *,
};
use crate::{options::parse, packed::PackedMove};

/// Checks every node of a tree whose root is the current position of `game`; returns how many there are in which state.
struct Checked {
    nodes: usize,
    proven: usize,
    repeated: usize,
}

fn check(tree: &Tree, game: &Game) -> Checked {
    let mut checked = Checked { nodes: 0, proven: 0, repeated: 0 };
    check_below(tree, ROOT, &mut Board::new(game), &mut Vec::new(), &mut checked);
    checked
}

fn check_below(
    tree: &Tree,
    id: NodeId,
    board: &mut Board,
    line: &mut Vec<PackedMove>,
    checked: &mut Checked,
) {
    board.go_to(line);
    let place = board.game().fen();
    let node = tree.node(id);
    checked.nodes += 1;
    checked.proven += usize::from(node.state.is_proven() && node.edge_count > 0);
    checked.repeated += usize::from(node.state == State::Repeated);
    assert_eq!(node.in_flight, 0, "{place}");
    if node.edge_count == 0 {
        check_leaf(&node, board, &place);
        return;
    }
    let legal: HashSet<Move> = board.game().legal_moves().into_iter().collect();
    let position = board.game().position();
    let edges: HashSet<Move> =
        tree.edges(id).iter().filter_map(|edge| edge.chess_move.unpack(position)).collect();
    assert_eq!(edges, legal, "{place}");
    let children: Vec<NodeId> = tree.child_ids(id).collect();
    let untried = &tree.edges(id)[children.len()..];
    assert!(untried.iter().all(|edge| edge.child.is_none()), "{place}");
    assert!(untried.is_sorted_by(|left, right| left.prior.get() >= right.prior.get()), "{place}");
    check_numbers(tree, id, board.game(), &place);
    for (edge, child) in tree.edges(id).iter().zip(children) {
        line.push(edge.chess_move);
        check_below(tree, child, board, line, checked);
        line.pop();
    }
}

fn check_leaf(node: &Node, board: &Board, place: &str) {
    let legal = board.game().legal_moves();
    let by_rules = board.leaf(&legal);
    // A node visited once by playouts of single positions: no edges yet, nor has a mate been looked for.
    if node.state == State::Valued {
        assert!(matches!(by_rules, Leaf::Open | Leaf::Terminal(State::Won, 1)), "{by_rules:?} in {place}");
        let own = evaluation(board.game());
        assert_eq!(node.visits, 1, "{place}");
        assert!((node.value + own.value()).abs() < 1e-6 && (node.draw - own.draw).abs() < 1e-6, "{place}");
        return;
    }
    match by_rules {
        Leaf::Terminal(state, plies) => assert_eq!((node.state, node.plies), (state, plies), "{place}"),
        Leaf::Open => assert_eq!((node.state, node.visits), (State::Fresh, 0), "{place}"),
    }
}

/// Visits, average and proof of an opened node, from its own evaluation and its children.
fn check_numbers(tree: &Tree, id: NodeId, game: &Game, place: &str) {
    let node = tree.node(id);
    let children = tree.children(id);
    let own_and_below = 1 + children.iter().map(|child| child.visits).sum::<u32>();
    let quickest = children.iter().filter(|child| child.state == State::Lost).map(|child| child.plies).min();
    let all_decided =
        children.len() == tree.run(id).len() && children.iter().all(|child| child.state.is_proven());
    let some_draw = children.iter().any(|child| child.state == State::Drawn);
    let longest = children.iter().filter(|child| child.state == State::Won).map(|child| child.plies).max();
    let expected = match (quickest, all_decided) {
        (Some(plies), _) => Some((State::Won, plies + 1)),
        (None, true) if some_draw => Some((State::Drawn, 0)),
        (None, true) => longest.map(|plies| (State::Lost, plies + 1)),
        (None, false) => None,
    };
    if let Some(proof) = expected {
        // Visits of a proven node end there.
        assert!(node.visits >= own_and_below, "{place}");
        assert_eq!((node.state, node.plies), proof, "{place}");
        assert_eq!(Some((node.value, node.draw)), node.state.exact(), "{place}");
        return;
    }
    assert_eq!((node.state, node.visits), (State::Open, own_and_below), "{place}");
    let sum = |mine: f32, of: fn(&Node) -> f32| {
        let below: f64 = children.iter().map(|child| f64::from(of(child)) * f64::from(child.visits)).sum();
        ((f64::from(mine) + below) / f64::from(node.visits)) as f32
    };
    let is_made_from = |own: Wdl| {
        let (value, draw) = (sum(own.value(), |child| child.value), sum(own.draw, |child| child.draw));
        (node.value + value).abs() < 1e-3 && (node.draw - draw).abs() < 1e-3
    };
    let own = evaluation(game);
    assert!(is_made_from(own), "value {}, draw {}, evaluated {own:?} in {place}", node.value, node.draw);
}

fn evaluation(game: &Game) -> Wdl {
    let legal_moves = game.legal_moves();
    let request = chess::EvaluationRequest { game, legal_moves: &legal_moves };
    MaterialEvaluator.evaluate(&[request]).expect("it never fails")[0].wdl
}

fn search(puct: &mut Puct, game: &Game, nodes: u64) -> Decision {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    puct.run(game, &limits, &StopSignal::default(), &mut |_| {}).expect("a decision")
}

#[test]
fn every_node_is_what_its_children_make_it_before_and_after_reuse() {
    let endings = [
        "6k1/5ppp/8/8/8/8/3Q1PPP/6K1 w - - 10 30",
        "7k/8/8/5K2/8/8/8/R7 w - - 0 1",
        "8/8/8/8/8/1qk5/8/1K6 w - - 90 80",
    ];
    let endings =
        endings.map(|fen| Game::from_fen(fen, chess::CastlingMode::Standard).expect("a legal position"));
    let (mut proven, mut repeated, mut repeated_after) = (0, 0, 0);
    for (number, mut game) in endings.into_iter().chain(laws::sample_games(4, 30)).enumerate() {
        // 0 feeds the evaluator single positions.
        let options = parse(&format!("MiniBatchSize={}", number % 4 * 7)).expect("options");
        let mut puct = Puct::new(Arc::new(MaterialEvaluator), &options);
        for _ in 0..4 {
            if game.legal_moves().is_empty() {
                break;
            }
            let decision = search(&mut puct, &game, 4000);
            let checked = check(&puct.tree, &game);
            assert!(checked.nodes > 1);
            proven += checked.proven;
            repeated += checked.repeated;
            game.play(decision.best).expect("legal");
            puct.prepare_tree(&game, true);
            if puct.tree.node(ROOT).edge_count > 0 {
                repeated_after += check(&puct.tree, &game).repeated;
            }
            puct.anchor = Some(Anchor::new(&game));
        }
    }
    assert!(proven > 50 && repeated > 100 && repeated_after > 0, "{proven} {repeated} {repeated_after}");
}

fn mates_in_one(game: &Game) -> bool {
    game.legal_moves().into_iter().any(|chess_move| {
        let mut after = game.clone();
        after.play_unchecked(chess_move);
        after.position().is_checkmate()
    })
}

#[test]
fn leaves_end_where_the_rules_end_the_game() {
    for game in laws::sample_games(6, 300) {
        let legal = game.legal_moves();
        // At the root of a board nothing lies in the search, so that only the game's own history counts.
        let leaf = Board::new(&game).leaf(&legal);
        match game.outcome() {
            Some(outcome) => {
                let state = if outcome.winner.is_some() { State::Lost } else { State::Drawn };
                assert!(matches!(leaf, Leaf::Terminal(found, 0) if found == state), "{}", game.fen());
            }
            None if mates_in_one(&game) => {
                assert!(matches!(leaf, Leaf::Terminal(State::Won, 1)), "{}", game.fen());
            }
            None => assert!(matches!(leaf, Leaf::Open), "{}", game.fen()),
        }
    }
}

#[test]
fn the_board_keeps_what_encodings_and_repetitions_need() {
    for game in laws::sample_games(8, 200) {
        let board = Board::new(&game);
        let kept = board.game();
        assert_eq!(kept.fen(), game.fen());
        let needed = (game.position().halfmoves() as usize + 1).max(longest_history());
        assert_eq!(kept.history().len(), game.history().len().min(needed));
        for (entry, original) in kept.history().iter().rev().zip(game.history().iter().rev()) {
            assert_eq!((entry.key, entry.repetitions), (original.key, original.repetitions));
        }
    }
}

#[test]
fn branches_are_the_most_visited_nodes_and_each_stands_after_its_parent() {
    for game in laws::sample_games(12, 20).into_iter().filter(|game| game.outcome().is_none()) {
        let options = parse("Branches=60").expect("an option");
        let mut puct = Puct::new(Arc::new(MaterialEvaluator), &options);
        let decision = search(&mut puct, &game, 2000);
        let branches = &decision.info.branches;
        assert!(!branches.is_empty() && branches.len() <= 60, "{}", game.fen());
        for (place, branch) in branches.iter().enumerate() {
            let mut line = vec![branch.chess_move];
            let mut above = branch.parent;
            assert!(above.is_none_or(|parent| parent < place && branches[parent].visits >= branch.visits));
            while let Some(parent) = above {
                line.push(branches[parent].chess_move);
                above = branches[parent].parent;
            }
            let mut position = game.clone();
            assert!(line.iter().rev().all(|&one| position.play(one).is_ok()), "{}", game.fen());
        }
        let roots = branches.iter().filter(|branch| branch.parent.is_none());
        for branch in roots {
            let known = decision.info.root_moves.iter().find(|one| one.chess_move == branch.chess_move);
            let known = known.expect("a root move");
            assert_eq!((known.visits, known.wdl), (branch.visits, Some(branch.wdl)), "{}", game.fen());
        }
    }
}
