/// The softmax of the logits at `slots`, written to `probabilities`, which has the same length: the legal moves of a
/// position picked from a network's whole policy.
///
/// # Panics
/// If a slot lies outside the logits.
pub fn softmax(logits: &[f32], slots: &[u32], probabilities: &mut [f32]) {
    for (probability, &slot) in probabilities.iter_mut().zip(slots) {
        *probability = logits[slot as usize];
    }
    // Without the greatest logit subtracted, `exp` would overflow for large ones.
    let greatest = probabilities.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for probability in probabilities.iter_mut() {
        *probability = (*probability - greatest).exp();
        sum += *probability;
    }
    for probability in probabilities {
        *probability /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_and_normalises_large_logits() {
        let mut probabilities = [0.0; 3];
        softmax(&[1000.0, 5.0, -1000.0, 1000.0], &[3, 0, 2], &mut probabilities);
        assert_eq!(probabilities, [0.5, 0.5, 0.0]);
    }
}
