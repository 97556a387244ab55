//! A network on an input encoding that has more planes than its own.

use chess::encoding::input::input_encoding;

use super::Weights;
use crate::spec::Body;

/// The first layer of a residual tower: rows by tap and then by input channel.
const STEM: &str = "stem.weight";

impl Weights {
    /// The same network on an encoding that extends its own ([`chess::encoding::InputEncoding::extends`]), in one step or several: the
    /// weights of the new planes are zero, so that it answers as before until it learns what they say. `None` where the encoding
    /// does not extend its own, or where the network is no residual tower.
    pub fn widened(&self, input: &str) -> Option<Self> {
        let (own, wider) = (input_encoding(&self.spec.input).ok()?, input_encoding(input).ok()?);
        if !wider.extended().any(|nearer| nearer.name() == own.name())
            || !matches!(self.spec.body, Body::Tower(_))
        {
            return None;
        }
        let mut widened = self.clone();
        widened.spec.input = input.into();
        // Ranges of activations are those of the network as it was measured.
        widened.calibration = None;
        let stem = widened.matrices.iter_mut().find(|matrix| matrix.name == STEM)?;
        let [rows, columns] = stem.shape;
        let (taps, added) = (rows / own.channels(), wider.channels() - own.channels());
        let of_taps = stem.values.chunks(own.channels() * columns);
        stem.values = of_taps
            .flat_map(|of_tap| of_tap.iter().copied().chain(std::iter::repeat_n(0.0, added * columns)))
            .collect();
        stem.shape = [taps * wider.channels(), columns];
        Some(widened)
    }
}
