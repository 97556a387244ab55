//! The mean of the nearest training samples.

use network::{NetworkError, container::Matrix};
use smartcore::{algorithm::neighbour::linear_search::LinearKNNSearch, metrics::distance::Distance};

use super::{Model, Parts};

pub(super) const KIND: &str = "nearest-neighbours";

/// The training samples, and the number of neighbours that are used.
pub(crate) struct Neighbours {
    search: LinearKNNSearch<Vec<f32>, Euclidean>,
    rows: Vec<Vec<f32>>,
    pawns: Vec<f32>,
    count: usize,
}

/// The Euclidean distance between rows, accumulated in 32 bits over eight lanes. Most of the time of a prediction is spent
/// here.
#[derive(Clone, Copy, Debug)]
struct Euclidean;

impl Distance<Vec<f32>> for Euclidean {
    fn distance(&self, a: &Vec<f32>, b: &Vec<f32>) -> f64 {
        let mut lanes = [0.0_f32; 8];
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
        for (a, b) in a.iter().zip(b) {
            for lane in 0..8 {
                let difference = a[lane] - b[lane];
                lanes[lane] += difference * difference;
            }
        }
        let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
        f64::from(lanes.iter().sum::<f32>() + rest).sqrt()
    }
}

/// One of the nearest samples.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    distance: f64,
    pawns: f32,
}

impl Neighbours {
    /// Stores the samples; fails if there are fewer than `count`.
    pub(crate) fn new(rows: Vec<Vec<f32>>, pawns: Vec<f32>, count: usize) -> Result<Self, String> {
        if count > rows.len() {
            return Err(format!(
                "found {} samples, expected at least {count}, the number of neighbours",
                rows.len()
            ));
        }
        let search = LinearKNNSearch::new(rows.clone(), Euclidean).map_err(|error| error.to_string())?;
        Ok(Self { search, rows, pawns, count })
    }

    /// The nearest samples, nearest first; equally near ones are in the order of the store.
    fn nearest(&self, row: &[f32], count: usize) -> Vec<Neighbour> {
        let found = self.search.find(&row.to_vec(), count);
        let mut found = found.expect("the number of neighbours was checked when the model was made");
        found.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        found
            .into_iter()
            .map(|(index, distance, _)| Neighbour { distance, pawns: self.pawns[index] })
            .collect()
    }

    /// The predictions with different numbers of neighbours.
    ///
    /// # Shapes
    /// `counts` `[C]` -> `[C]`
    pub(crate) fn sweep(&self, row: &[f32], counts: &[usize]) -> Vec<f32> {
        let most = counts.iter().copied().max().unwrap_or(1);
        let nearest = self.nearest(row, most);
        counts.iter().map(|count| weighted_mean(&nearest[..*count])).collect()
    }
}

/// The mean weighted by 1 / distance. If there are samples at distance zero, only these are used.
fn weighted_mean(neighbours: &[Neighbour]) -> f32 {
    let any_equal = neighbours.iter().any(|neighbour| neighbour.distance == 0.0);
    let (mut weights, mut sum) = (0.0, 0.0);
    for &Neighbour { distance, pawns } in neighbours {
        let weight = if any_equal { f64::from(u8::from(distance == 0.0)) } else { 1.0 / distance };
        weights += weight;
        sum += weight * f64::from(pawns);
    }
    (sum / weights) as f32
}

impl Model for Neighbours {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn predict(&self, row: &[f32]) -> f32 {
        weighted_mean(&self.nearest(row, self.count))
    }

    fn matrices(&self) -> Vec<Matrix> {
        let columns = self.rows.first().map_or(0, Vec::len);
        vec![
            Matrix { name: "rows".into(), shape: [self.rows.len(), columns], values: self.rows.concat() },
            Matrix { name: "pawns".into(), shape: [self.pawns.len(), 1], values: self.pawns.clone() },
            Matrix { name: "count".into(), shape: [1, 1], values: vec![self.count as f32] },
        ]
    }
}

pub(super) fn read(parts: &mut Parts<'_>, features: usize) -> Result<Box<dyn Model>, NetworkError> {
    let rows: Vec<Vec<f32>> =
        parts.take("rows", features)?.chunks_exact(features).map(<[f32]>::to_vec).collect();
    let pawns = parts.take("pawns", 1)?;
    if pawns.len() != rows.len() {
        return Err(parts.wrong("pawns", format!("{} rows", pawns.len()), &format!("{} rows", rows.len())));
    }
    let count = parts.take("count", 1)?;
    let [number] = count[..] else {
        return Err(parts.wrong("count", format!("{} rows", count.len()), "one number"));
    };
    if number < 1.0 || number.fract() != 0.0 {
        return Err(parts.wrong("count", number.to_string(), "a whole number from 1"));
    }
    let model = Neighbours::new(rows, pawns, number as usize);
    Ok(Box::new(model.map_err(|reason| parts.wrong("rows", reason, "enough of them"))?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn near_samples_count_more_and_equal_ones_decide() {
        let rows = vec![vec![0.0, 0.0], vec![3.0, 4.0], vec![0.0, 10.0]];
        let model = |count| Neighbours::new(rows.clone(), vec![1.0, 2.0, 6.0], count).unwrap();
        assert_eq!(model(1).predict(&[0.0, 1.0]), 1.0);
        // At distances 1 and 9 from the first and third: (1 / 1 + 6 / 9) / (1 + 1 / 9); the second is farther than the first.
        let expected = (1.0 / 1.0 + 2.0 / 18.0_f64.sqrt()) / (1.0 + 1.0 / 18.0_f64.sqrt());
        assert!((f64::from(model(2).predict(&[0.0, 1.0])) - expected).abs() < 1e-6);
        assert_eq!(model(3).predict(&[3.0, 4.0]), 2.0);
        assert_eq!(model(3).sweep(&[3.0, 4.0], &[1, 3]), [2.0, 2.0]);
        assert!(Neighbours::new(rows.clone(), vec![0.0; 3], 4).is_err());
    }

    proptest! {
        #[test]
        fn the_nearest_are_those_of_a_full_sort(
            rows in prop::collection::vec(prop::collection::vec(-6.0_f32..6.0, 11), 5..40),
            asked in prop::collection::vec(-6.0_f32..6.0, 11),
        ) {
            let mut distances: Vec<f64> = rows.iter()
                .map(|row| row.iter().zip(&asked).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt())
                .collect();
            let pawns = vec![0.0; rows.len()];
            let found = Neighbours::new(rows, pawns, 5).unwrap().nearest(&asked, 5);
            distances.sort_by(f64::total_cmp);
            for (found, expected) in found.iter().zip(distances) {
                prop_assert!((found.distance - expected).abs() < 1e-4);
            }
        }
    }
}
