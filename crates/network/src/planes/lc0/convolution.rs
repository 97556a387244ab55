//! Convolutions, with batch norm folded into weights and bias.

use crate::planes::lc0::{
    error::Lc0Problem,
    layer::{expect_len, optional, required},
    message::ConvBlock,
};

/// Added to variances before the square root (`kEpsilon` in lc0's `network_legacy.cc`). A constant of the file format,
/// independent of [`kernels::layers::EPSILON`].
const EPSILON: f32 = 1e-5;

/// A convolution in the form that every backend needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoldedConvolution {
    /// `[kernel rows][kernel columns][inputs][outputs]`.
    pub(crate) weights: Vec<f32>,
    /// `[outputs]`.
    pub(crate) bias: Vec<f32>,
}

/// Unpacks a convolution of kernel size `kernel * kernel` that reads `inputs` channels.
///
/// The number of outputs is the length of the biases or batch norm statistics, because files do not state it.
pub(crate) fn convolution(
    block: Option<&ConvBlock>,
    name: &str,
    kernel: usize,
    inputs: usize,
) -> Result<FoldedConvolution, Lc0Problem> {
    let block = block.ok_or_else(|| Lc0Problem::missing(name))?;
    let weights_name = format!("{name}.weights");
    let mut weights = required(block.weights.as_deref(), &weights_name)?;
    let biases = optional(block.biases.as_deref(), &format!("{name}.biases"))?;
    let norm = BatchNorm::unpack(block, name)?;
    let outputs = match (&biases, &norm) {
        (_, Some(norm)) => norm.means.len(),
        (Some(biases), None) => biases.len(),
        (None, None) => return Err(Lc0Problem::missing(format!("{name}.biases"))),
    };
    let mut bias = biases.unwrap_or_else(|| vec![0.0; outputs]);
    expect_len(&bias, outputs, &format!("{name}.biases"))?;
    expect_len(&weights, outputs.saturating_mul(inputs).saturating_mul(kernel * kernel), &weights_name)?;
    if let Some(norm) = norm {
        for (output, kernel) in weights.chunks_exact_mut(inputs * kernel * kernel).enumerate() {
            for weight in kernel {
                *weight *= norm.scales[output];
            }
            bias[output] = norm.scales[output] * (bias[output] - norm.means[output]) + norm.shifts[output];
        }
    }
    // In the file the order is [outputs][inputs][kernel rows][kernel columns].
    let taps = kernel * kernel;
    let mut ordered = Vec::with_capacity(weights.len());
    for tap in 0..taps {
        for input in 0..inputs {
            ordered.extend((0..outputs).map(|output| weights[(output * inputs + input) * taps + tap]));
        }
    }
    Ok(FoldedConvolution { weights: ordered, bias })
}

/// `scale * (x - mean) + shift`.
struct BatchNorm {
    means: Vec<f32>,
    scales: Vec<f32>,
    shifts: Vec<f32>,
}

impl BatchNorm {
    fn unpack(block: &ConvBlock, name: &str) -> Result<Option<Self>, Lc0Problem> {
        let Some(means) = optional(block.bn_means.as_deref(), &format!("{name}.bn_means"))? else {
            return Ok(None);
        };
        let channels = means.len();
        let variances_name = format!("{name}.bn_stddivs");
        let variances = required(block.bn_stddivs.as_deref(), &variances_name)?;
        expect_len(&variances, channels, &variances_name)?;
        // Networks from 2018 have neither gammas nor betas: their batch norm does not scale or shift.
        let gammas_name = format!("{name}.bn_gammas");
        let gammas = optional(block.bn_gammas.as_deref(), &gammas_name)?;
        let mut scales = gammas.unwrap_or_else(|| vec![1.0; channels]);
        expect_len(&scales, channels, &gammas_name)?;
        let betas_name = format!("{name}.bn_betas");
        let betas = optional(block.bn_betas.as_deref(), &betas_name)?;
        let shifts = betas.unwrap_or_else(|| vec![0.0; channels]);
        expect_len(&shifts, channels, &betas_name)?;
        for (index, (scale, variance)) in scales.iter_mut().zip(&variances).enumerate() {
            if variance + EPSILON <= 0.0 {
                let (found, expected) = (*variance, "a variance, not negative");
                return Err(Lc0Problem::Value { layer: variances_name, index, found, expected });
            }
            *scale /= (variance + EPSILON).sqrt();
        }
        Ok(Some(Self { means, scales, shifts }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::lc0::synthetic::float32 as layer;

    #[test]
    fn batch_norm_folds_into_weights_and_bias() {
        let block = ConvBlock {
            weights: layer(&[1.0, 2.0, 3.0, 4.0]),
            biases: layer(&[0.5, 0.0]),
            bn_means: layer(&[1.0, -1.0]),
            bn_stddivs: layer(&[4.0 - EPSILON, 1.0 - EPSILON]),
            bn_gammas: layer(&[3.0, -2.0]),
            bn_betas: layer(&[0.25, 0.75]),
        };
        let folded = convolution(Some(&block), "value", 1, 2).unwrap();
        assert_eq!(folded.weights, [1.5, -6.0, 3.0, -8.0]);
        assert_eq!(folded.bias, [1.5 * (0.5 - 1.0) + 0.25, -2.0 * 1.0 + 0.75]);
    }

    #[test]
    fn a_plain_bias_stays() {
        let block =
            ConvBlock { weights: layer(&[1.0, 2.0]), biases: layer(&[0.5, 0.0]), ..ConvBlock::default() };
        let folded = convolution(Some(&block), "policy", 1, 1).unwrap();
        assert_eq!(folded, FoldedConvolution { weights: vec![1.0, 2.0], bias: vec![0.5, 0.0] });
    }

    #[test]
    fn wrong_sizes_and_variances_are_refused_by_name() {
        let refused = |block: &ConvBlock| convolution(Some(block), "input", 1, 2).unwrap_err().to_string();
        let block = ConvBlock { weights: layer(&[1.0; 3]), biases: layer(&[0.5]), ..ConvBlock::default() };
        assert_eq!(refused(&block), "layer input.weights has 3 numbers; expected 2");
        let block = ConvBlock { weights: layer(&[1.0; 2]), ..ConvBlock::default() };
        assert_eq!(refused(&block), "layer input.biases is missing");
        let block = ConvBlock {
            weights: layer(&[1.0; 2]),
            bn_means: layer(&[0.0]),
            bn_stddivs: layer(&[-1.0]),
            ..ConvBlock::default()
        };
        assert!(refused(&block).starts_with("layer input.bn_stddivs: number 0 is -1"));
    }
}
