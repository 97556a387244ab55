//! The mean of regression trees.

use std::ops::Range;

use network::{NetworkError, container::Matrix};
use serde::Deserialize;
use smartcore::{
    ensemble::random_forest_regressor::{RandomForestRegressor, RandomForestRegressorParameters},
    linalg::basic::matrix::DenseMatrix,
};

use super::{Model, Parts};
use crate::examples::Examples;

pub(super) const KIND: &str = "forest";

/// Settings for growing a forest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    pub(super) trees: u16,
    pub(super) features_per_split: usize,
    pub(super) minimum_split: usize,
    pub(super) minimum_leaf: usize,
    pub(super) seed: u64,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// A row whose feature is at most the threshold goes to the first node, others to the second. Both come after this node.
    Split { feature: usize, threshold: f32, nodes: [usize; 2] },
    /// Prediction in pawns.
    Leaf(f32),
}

/// The trees of a forest, with all nodes in one vector.
pub(super) struct Forest {
    roots: Vec<usize>,
    nodes: Vec<Node>,
}

type Grown = RandomForestRegressor<f32, f32, DenseMatrix<f32>, Vec<f32>>;

/// The library's forest in its serialised form, because its nodes are not accessible otherwise.
#[derive(Deserialize)]
struct Written {
    forest_regressor: WrittenTrees,
}

#[derive(Deserialize)]
struct WrittenTrees {
    trees: Vec<WrittenTree>,
}

#[derive(Deserialize)]
struct WrittenTree {
    nodes: Vec<WrittenNode>,
}

#[derive(Deserialize)]
struct WrittenNode {
    output: f64,
    split_feature: usize,
    split_value: Option<f64>,
    true_child: Option<usize>,
    false_child: Option<usize>,
}

impl Forest {
    pub(super) fn fit(examples: &Examples, growth: Growth) -> Result<Self, String> {
        Self::from_grown(&grow(examples, growth)?)
    }

    fn from_grown(grown: &Grown) -> Result<Self, String> {
        let text = serde_json::to_vec(grown).map_err(|error| error.to_string())?;
        let written: Written = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let mut forest = Self { roots: Vec::new(), nodes: Vec::new() };
        for tree in written.forest_regressor.trees {
            let first = forest.nodes.len();
            forest.roots.push(first);
            forest.nodes.extend(tree.nodes.into_iter().map(|node| node.placed(first)));
        }
        Ok(forest)
    }

    fn leaf(&self, root: usize, row: &[f32]) -> f32 {
        let mut place = root;
        loop {
            match self.nodes[place] {
                Node::Leaf(pawns) => return pawns,
                Node::Split { feature, threshold, nodes: [at_most, above] } => {
                    place = if row[feature] <= threshold { at_most } else { above };
                }
            }
        }
    }
}

fn grow(examples: &Examples, growth: Growth) -> Result<Grown, String> {
    let rows = DenseMatrix::from_2d_vec(&examples.rows).map_err(|error| error.to_string())?;
    let parameters = RandomForestRegressorParameters::default()
        .with_n_trees(growth.trees.into())
        .with_m(growth.features_per_split)
        .with_min_samples_split(growth.minimum_split)
        .with_min_samples_leaf(growth.minimum_leaf)
        .with_seed(growth.seed);
    RandomForestRegressor::fit(&rows, &examples.pawns, parameters).map_err(|error| error.to_string())
}

impl WrittenNode {
    /// The node, for a tree whose first node has this index.
    fn placed(self, first: usize) -> Node {
        match (self.split_value, self.true_child, self.false_child) {
            (Some(threshold), Some(at_most), Some(above)) => Node::Split {
                feature: self.split_feature,
                threshold: threshold as f32,
                nodes: [first + at_most, first + above],
            },
            _ => Node::Leaf(self.output as f32),
        }
    }
}

/// Number of columns of the matrix of nodes: the feature, or -1 for a leaf; the threshold, or the pawns of a leaf; the node for
/// rows up to the threshold; the node for other rows.
const COLUMNS: usize = 4;
const LEAF: f32 = -1.0;

impl Model for Forest {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn predict(&self, row: &[f32]) -> f32 {
        let sum: f64 = self.roots.iter().map(|root| f64::from(self.leaf(*root, row))).sum();
        (sum / self.roots.len() as f64) as f32
    }

    fn matrices(&self) -> Vec<Matrix> {
        let roots = self.roots.iter().map(|root| *root as f32).collect();
        let mut nodes = Vec::with_capacity(COLUMNS * self.nodes.len());
        for node in &self.nodes {
            nodes.extend(match *node {
                Node::Leaf(pawns) => [LEAF, pawns, 0.0, 0.0],
                Node::Split { feature, threshold, nodes: [at_most, above] } => {
                    [feature as f32, threshold, at_most as f32, above as f32]
                }
            });
        }
        vec![
            Matrix { name: "roots".into(), shape: [self.roots.len(), 1], values: roots },
            Matrix { name: "nodes".into(), shape: [self.nodes.len(), COLUMNS], values: nodes },
        ]
    }
}

pub(super) fn read(parts: &mut Parts<'_>, features: usize) -> Result<Box<dyn Model>, NetworkError> {
    let values = parts.take("nodes", COLUMNS)?;
    let count = values.len() / COLUMNS;
    // Matrices contain 32-bit floats, which represent integers exactly up to this number.
    if count > 1 << f32::MANTISSA_DIGITS {
        return Err(parts.wrong("nodes", format!("{count} rows"), "at most 2^24"));
    }
    let mut nodes = Vec::with_capacity(count);
    for (place, line) in values.as_chunks::<COLUMNS>().0.iter().enumerate() {
        let [feature, number, at_most, above] = *line;
        if feature == LEAF {
            nodes.push(Node::Leaf(number));
            continue;
        }
        // Children come after their parents, so every path is finite.
        let later = place + 1..count;
        let (Some(feature), Some(at_most), Some(above)) =
            (whole(feature, 0..features), whole(at_most, later.clone()), whole(above, later))
        else {
            let expected = format!("a feature under {features} and two later rows under {count}");
            return Err(parts.wrong("nodes", format!("{line:?} in row {place}"), &expected));
        };
        nodes.push(Node::Split { feature, threshold: number, nodes: [at_most, above] });
    }
    let found = parts.take("roots", 1)?;
    let roots: Option<Vec<usize>> = found.iter().map(|root| whole(*root, 0..count)).collect();
    match roots.filter(|roots| !roots.is_empty()) {
        Some(roots) => Ok(Box::new(Forest { roots, nodes })),
        None => Err(parts.wrong(
            "roots",
            format!("{found:?}"),
            &format!("one or more rows of nodes, under {count}"),
        )),
    }
}

/// A number of a matrix as an index of the range.
fn whole(value: f32, range: Range<usize>) -> Option<usize> {
    let is_index = value.fract() == 0.0 && (range.start as f32..range.end as f32).contains(&value);
    is_index.then_some(value as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::tests::made_up;

    const GROWTH: Growth =
        Growth { trees: 4, features_per_split: 3, minimum_split: 4, minimum_leaf: 2, seed: 1 };

    #[test]
    fn the_forest_answers_as_the_library_that_grew_it() {
        let examples = made_up(400, 5, |row| row[0] * 2.0 - row[3].abs());
        let grown = grow(&examples, GROWTH).unwrap();
        let forest = Forest::from_grown(&grown).unwrap();
        assert!(forest.nodes.len() > 100 && forest.roots.len() == 4);
        let asked = made_up(200, 5, |_| 0.0);
        let expected = grown.predict(&DenseMatrix::from_2d_vec(&asked.rows).unwrap()).unwrap();
        for (row, expected) in asked.rows.iter().zip(expected) {
            assert!((forest.predict(row) - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn a_forest_finds_what_no_line_can() {
        let examples = made_up(1000, 5, |row| row[0] * row[1]);
        let forest = Forest::fit(&examples, GROWTH).unwrap();
        let asked = made_up(300, 5, |row| row[0] * row[1]);
        let error: f32 =
            asked.rows.iter().zip(&asked.pawns).map(|(row, pawns)| (forest.predict(row) - pawns).abs()).sum();
        let trivial: f32 = asked.pawns.iter().map(|pawns| pawns.abs()).sum();
        assert!(error < 0.6 * trivial, "{error} {trivial}");
    }
}
