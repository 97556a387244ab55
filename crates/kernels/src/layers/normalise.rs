//! Normalisation over a batch and over groups of channels.

use super::{
    list::Shape,
    rows::{ColumnSums, Deviations, GradientSums, Scale, Unnormalise},
    work::Crew,
};
use crate::{
    simd::GradientLanes,
    training::{EPSILON, Folded, Unfolded},
};

/// Mean and biased variance of each channel over the rows of a batch, `[2][channels]`.
pub(super) fn moments<S: GradientLanes<f32>>(crew: Crew<S>, input: &[f32], shape: Shape) -> Vec<f32> {
    let (width, length) = (shape.width(), input.len());
    let rows = (length / width) as f64;
    let mean = |sums: Vec<f64>| -> Vec<f32> { sums.iter().map(|sum| (sum / rows) as f32).collect() };
    let middle = mean(crew.sums((length, width), width, |part, sums| {
        crew.simd.run(ColumnSums { rows: &input[part], sums });
    }));
    let variance = mean(crew.sums((length, width), width, |part, sums| {
        crew.simd.run(Deviations { rows: &input[part], mean: &middle, sums });
    }));
    [&middle[..shape.channels], &variance[..shape.channels]].concat()
}

/// `output = input * factor + shift`.
pub(super) fn scale<S: GradientLanes<f32>>(
    crew: Crew<S>,
    folded: &Folded,
    input: &[f32],
    output: &mut [f32],
) {
    crew.change((output, folded.factor.len()), |first, output| {
        let input = &input[first..first + output.len()];
        crew.simd.run(Scale { input, factor: &folded.factor, shift: &folded.shift, output });
    });
}

/// Turns the gradient of a batch normalisation's output into that of its input; gives those of scale and shift.
pub(super) fn unnormalise<S: GradientLanes<f32>>(
    crew: Crew<S>,
    folded: &Folded,
    input: &[f32],
    gradient: &mut [f32],
    channels: usize,
) -> [Vec<f32>; 2] {
    let width = folded.factor.len();
    let length = gradient.len();
    let sums = crew.sums((length, width), 2 * width, |part, sums| {
        let (input, gradient) = (&input[part.clone()], &gradient[part]);
        crew.simd.run(GradientSums { input, mean: &folded.mean, gradient, sums });
    });
    let unfolded = Unfolded::new(folded, &sums, length / width, channels);
    // Of centred numbers, which few boards with a large mean are better for than the folded shift.
    let rows = (length / width) as f64;
    let shift = sums[..width].iter().zip(&folded.factor);
    let shift: Vec<f32> = shift.map(|(sum, factor)| (-f64::from(*factor) * sum / rows) as f32).collect();
    crew.change((gradient, width), |first, gradient| {
        let input = &input[first..first + gradient.len()];
        let (mean, factor, slope) = (&folded.mean, &unfolded.factor, &unfolded.slope);
        crew.simd.run(Unnormalise { input, mean, factor, slope, shift: &shift, gradient });
    });
    unfolded.parameters
}

/// Group normalisation: groups, and the map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    pub(super) groups: usize,
    pub(super) shape: Shape,
}

impl Groups {
    /// The places of a group's numbers on a map.
    fn places(self, group: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (each, width) = (self.shape.channels / self.groups, self.shape.width());
        let channels = group * each..(group + 1) * each;
        (0..self.shape.squares())
            .flat_map(move |square| channels.clone().map(move |channel| (square * width + channel, channel)))
    }

    fn count(self) -> f64 {
        (self.shape.channels / self.groups * self.shape.squares()) as f64
    }

    /// Mean, and one over the root of the variance, of a group's numbers.
    fn moments(self, board: &[f32], group: usize) -> [f64; 2] {
        let values = self.places(group).map(|(at, _)| f64::from(board[at]));
        let mean = values.clone().sum::<f64>() / self.count();
        let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / self.count();
        [mean, 1.0 / (variance + f64::from(EPSILON)).sqrt()]
    }

    /// Normalises a board.
    pub(super) fn forward(self, input: &[f32], [scale, shift]: [&[f32]; 2], output: &mut [f32]) {
        for group in 0..self.groups {
            let [mean, inverse] = self.moments(input, group);
            for (at, channel) in self.places(group) {
                let normalised = ((f64::from(input[at]) - mean) * inverse) as f32;
                output[at] = normalised * scale[channel] + shift[channel];
            }
        }
    }

    /// Turns the gradient of a board's output into that of its input, and adds to those of scale and shift.
    pub(super) fn backward(
        self,
        input: &[f32],
        scale: &[f32],
        gradient: &mut [f32],
        [of_scale, of_shift]: [&mut [f64]; 2],
    ) {
        for group in 0..self.groups {
            let [mean, inverse] = self.moments(input, group);
            let normalised = |at: usize| (f64::from(input[at]) - mean) * inverse;
            let [mut sum, mut bent] = [0.0; 2];
            for (at, channel) in self.places(group) {
                let behind = f64::from(gradient[at]);
                of_shift[channel] += behind;
                of_scale[channel] += behind * normalised(at);
                let behind = behind * f64::from(scale[channel]);
                sum += behind;
                bent += behind * normalised(at);
            }
            for (at, channel) in self.places(group) {
                let behind = f64::from(gradient[at]) * f64::from(scale[channel]);
                let value = inverse * (behind - (sum + normalised(at) * bent) / self.count());
                gradient[at] = value as f32;
            }
        }
    }
}
