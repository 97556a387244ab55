//! The end of an attention policy: a score for each pair of squares.

use kernels::layers::MOVE_SCORES;

use super::{Builder, Convolution, Export, Operator, Shape, operation::Operation};
use crate::{
    NetworkError,
    parameter::Gain,
    planes::onnx_graph::{Value, integer, integers},
};

/// Outputs of the promotion layer: an offset for queen, rook and bishop each, and one common to the three.
const PROMOTIONS: usize = 4;

impl Builder<'_> {
    /// Appends queries, keys and the scores of moves, whose places in the output are those of
    /// [`PolicyMap::attention`](crate::planes::policy_map::PolicyMap::attention).
    pub(crate) fn move_scores(
        &mut self,
        name: &str,
        depth: usize,
        input: usize,
    ) -> Result<usize, NetworkError> {
        let projection = Convolution::pointwise(depth);
        let queries = self.add(&format!("{name}.queries"), projection, &[input])?;
        let keys = self.add(&format!("{name}.keys"), projection, &[input])?;
        let pieces = Convolution { gain: Gain::Output, ..Convolution::plain(1, PROMOTIONS) };
        let pieces = self.add(&format!("{name}.promotions"), pieces, &[keys])?;
        self.add(&format!("{name}.last"), MoveScores, &[queries, keys, pieces])
    }
}

/// The scores of moves (lc0's attention policy): the product of the query of the square where a move starts and the key of the one where it
/// ends, over the square root of their length. A promotion to queen, rook or bishop adds the number of that piece at the square where it
/// ends, and the fourth number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MoveScores;

impl Operation for MoveScores {
    fn describe(&self) -> String {
        "scores of moves from square to square".into()
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[0] == Shape::board(inputs[0].channels) {
            return Ok(Shape::flat(MOVE_SCORES));
        }
        Err("8x8 squares, between which moves go".into())
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let depth = export.shapes[0].channels;
        let [queries, keys, pieces] = [0, 1, 2].map(|number| export.input(number));
        let perm = integers("perm", &[0, 2, 1]);
        let queries = export.reshape_to("queries", &queries, &[0, depth as i64, 64]);
        let queries = export.step("queries.turned", "Transpose", &[queries], vec![perm.clone()]);
        let keys = export.reshape_to("keys", &keys, &[0, depth as i64, 64]);
        let products = export.step("products", "MatMul", &[queries, keys], Vec::new());
        let scale = export.constant("scale", &[1], vec![1.0 / (depth as f32).sqrt()]);
        let scores = export.step("scores", "Mul", &[products, scale], Vec::new());
        // Promotions start on the seventh rank and end on the eighth, in the mover's view: of the scores those from squares 48
        // to 55 to squares 56 to 63, and of the pieces' numbers those of the last rank.
        let plain = slice(export, "plain", &scores, [&[48, 56], &[56, 64], &[1, 2]]);
        let plain = export.reshape_to("plain.board", &plain, &[-1, 8, 8, 1]);
        let pieces = slice(export, "pieces", &pieces, [&[7], &[8], &[2]]);
        let pieces = export.reshape_to("pieces.rows", &pieces, &[-1, 4, 8]);
        let pieces = export.step("pieces.turned", "Transpose", &[pieces], vec![perm]);
        let each = slice(export, "each", &pieces, [&[0], &[3], &[2]]);
        let shared = slice(export, "shared", &pieces, [&[3], &[4], &[2]]);
        let pieces = export.step("offsets", "Add", &[each, shared], Vec::new());
        let pieces = export.reshape_to("offsets.board", &pieces, &[-1, 1, 8, 3]);
        let promotions = export.step("promotions", "Add", &[plain, pieces], Vec::new());
        let promotions = export.reshape_to("promotions.row", &promotions, &[-1, 192]);
        let scores = export.reshape_to("scores.row", &scores, &[-1, 4096]);
        let all = export.step("all", "Concat", &[scores, promotions], vec![integer("axis", 1)]);
        export.reshape(&all, Shape::flat(MOVE_SCORES))
    }

    fn operator(&self) -> Operator {
        Operator::MoveScores
    }
}

/// The part of a value between `bounds`: from, to and the axes that they cut.
fn slice(export: &mut Export<'_>, part: &str, value: &Value, bounds: [&[i64]; 3]) -> Value {
    let mut values = vec![value.clone()];
    for (bound, at) in ["from", "to", "axes"].into_iter().zip(bounds) {
        values.push(export.indices(&format!("{part}.{bound}"), at.iter().copied()));
    }
    export.step(part, "Slice", &values, Vec::new())
}
