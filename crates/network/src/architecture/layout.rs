//! The list of layers of a specification.

use crate::{
    NetworkError,
    error::invalid,
    planes::layers::{Builder, LayerList},
    spec::{Body, PlaneSpec},
};

impl LayerList {
    /// The layers of a specification; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] with the first layer that does not fit, or [`NetworkError::UnknownEncoding`].
    pub(crate) fn new(spec: &PlaneSpec, place: &str) -> Result<Self, NetworkError> {
        let input = spec.input_encoding()?;
        let mut list = Self::of_sizes(spec, input.channels(), spec.move_encoding()?.size(), place)?;
        list.channels = (0..input.planes()).map(|plane| input.channel(plane)).collect();
        Ok(list)
    }

    /// Like [`LayerList::new`], for given numbers of channels (one plane each) and of moves instead of named encodings.
    pub(crate) fn of_sizes(
        spec: &PlaneSpec,
        channels: usize,
        moves: usize,
        place: &str,
    ) -> Result<Self, NetworkError> {
        let on_board =
            channels.checked_sub(spec.numbers).filter(|on_board| *on_board > 0).ok_or_else(|| {
                let expected = format!("fewer than the {channels} channels of input {}", spec.input);
                invalid(place, "network.numbers", spec.numbers, expected)
            })?;
        let mut builder = Builder::new(place, spec.activation, on_board, spec.numbers);
        let trunk = match &spec.body {
            Body::Tower(tower) => builder.tower(tower)?,
            Body::Layers(entries) => builder.sequence(entries, "body", 0)?,
        };
        let policy = builder.policy(&spec.policy, trunk, moves)?;
        let value = builder.value(&spec.value, trunk)?;
        let moves_left = spec.moves_left.map(|head| builder.moves_left(head, trunk)).transpose()?;
        if spec.numbers > 0 && !builder.reads_numbers() {
            let expected = "a layer of kind \"numbers\" that reads them".into();
            return Err(invalid(place, "network.numbers", spec.numbers, expected));
        }
        let Builder { inputs, layers, parameters, statistics, .. } = builder;
        Ok(Self {
            inputs,
            channels: (0..channels).collect(),
            layers,
            trunk,
            policy,
            value,
            moves_left,
            parameters,
            statistics,
        })
    }
}
