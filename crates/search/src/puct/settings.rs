//! The options of a search, read once.

use chess::SearchOptions;

use super::{gumbel::GumbelOptions, noise::NoiseOptions, options::PuctOptions, select::Exploration};
use crate::{GeneralOptions, temperature::TemperatureOptions, time::TimeOptions};

/// The options in the form in which a search reads them.
pub(crate) struct PuctSettings {
    pub(crate) puct: PuctOptions,
    pub(crate) exploration: Exploration,
    pub(crate) general: GeneralOptions,
    pub(crate) time: TimeOptions,
    pub(crate) temperature: TemperatureOptions,
    pub(crate) noise: NoiseOptions,
    pub(crate) gumbel: GumbelOptions,
}

impl PuctSettings {
    pub(crate) fn read(options: &SearchOptions) -> Self {
        Self {
            puct: PuctOptions::read(options),
            exploration: Exploration::new(PuctOptions::read(options)),
            general: GeneralOptions::read(options),
            time: TimeOptions::read(options),
            temperature: TemperatureOptions::read(options),
            noise: NoiseOptions::read(options),
            gumbel: GumbelOptions::read(options),
        }
    }
}
