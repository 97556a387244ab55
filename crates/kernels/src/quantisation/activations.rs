use super::{Calibration, QuantParams};
use crate::{KernelError, plan::Plan};

/// Zero point among the levels 0 to 255 if activations can be slightly negative. Chosen, not tuned.
const RAISED_ZERO: f32 = 16.0;

/// The lower end of the range that the levels always cover, a little below the minimum of Mish. Lower activations would be clipped.
const LOWEST: f32 = -0.31;

/// The quantisation of every activation between layers.
pub(crate) struct ActivationQuantisation {
    parameters: Vec<QuantParams>,
    zero_point: f32,
}

impl ActivationQuantisation {
    /// The identity quantisation, for a format that is not quantised.
    pub(crate) fn none(plan: &Plan) -> Self {
        Self { parameters: vec![QuantParams::IDENTITY; plan.tensors().len()], zero_point: 0.0 }
    }

    /// The quantisation given by a calibration of this plan.
    ///
    /// # Errors
    /// [`KernelError::Calibration`] for ranges of another plan, [`KernelError::Range`] for activations below [`LOWEST`].
    pub(crate) fn new(plan: &Plan, calibration: Option<&Calibration>) -> Result<Self, KernelError> {
        let ranges = calibration.map_or(&[][..], |calibration| &calibration.ranges);
        let expected = plan.tensors().len();
        if ranges.len() != expected || ranges.iter().any(|range| !range.is_finite() || *range < 0.0) {
            let usable = ranges.iter().filter(|range| range.is_finite() && **range >= 0.0).count();
            return Err(KernelError::Calibration {
                part: "eight-bit activations".into(),
                found: usable,
                expected,
            });
        }
        let lowest = plan.lowest_activation();
        if lowest.least() < LOWEST {
            return Err(KernelError::Range {
                part: "eight-bit activations".into(),
                found: format!("{lowest:?} with minimum {}", lowest.least()),
                expected: format!("a minimum of {LOWEST} or more"),
            });
        }
        // Networks of ReLUs use all 256 levels for positive numbers. One activation with a small negative range raises the zero
        // point of all of them: boards are allocated once, with the zero point in their margins, and serve several layers.
        // `below` widens the step so that 16 levels reach down to `LOWEST`.
        let (zero_point, below) =
            if lowest.least() < 0.0 { (RAISED_ZERO, -LOWEST / RAISED_ZERO) } else { (0.0, 0.0) };
        let parameters = |range: &f32| QuantParams {
            scale: (range / (255.0 - zero_point)).max(below).max(1e-6),
            zero_point,
        };
        Ok(Self { parameters: ranges.iter().map(parameters).collect(), zero_point })
    }

    /// The quantisation of one activation, by its index in [`Plan::tensors`].
    pub(crate) fn of(&self, tensor: usize) -> QuantParams {
        self.parameters[tensor]
    }

    /// The level that represents zero, the same for all activations.
    pub(crate) fn zero_point(&self) -> f32 {
        self.zero_point
    }
}
