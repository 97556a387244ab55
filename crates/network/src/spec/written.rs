//! A specification as it is written down: a residual tower's keys stand beside those of the heads, as they always did.

use serde::{Deserialize, Serialize};

use super::{Activation, Body, MovesLeftHead, PolicyHead, Spec, SqueezeExcite, Stem, Tower, ValueHead};
use crate::layers::Entry;

/// The keys of `[network]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default = "default_input")]
    input: String,
    #[serde(default = "default_moves")]
    moves: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stem: Option<Stem>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocks: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channels: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    squeeze_excite: Option<SqueezeExcite>,
    #[serde(default)]
    activation: Activation,
    #[serde(default)]
    policy: PolicyHead,
    #[serde(default)]
    value: ValueHead,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves_left: Option<MovesLeftHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Vec<Entry>>,
}

fn default_input() -> String {
    "tabiya".into()
}

fn default_moves() -> String {
    "lc0-1858".into()
}

impl TryFrom<Written> for Spec {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { stem, blocks, channels, squeeze_excite, body, .. } = written;
        let missing = |key: &str| format!("missing field `{key}`, or `body`, a list of layers");
        let body = if let Some(entries) = body {
            let surplus = [
                ("stem", stem.is_some()),
                ("blocks", blocks.is_some()),
                ("channels", channels.is_some()),
                ("squeeze_excite", squeeze_excite.is_some()),
            ];
            if let Some((key, _)) = surplus.into_iter().find(|(_, given)| *given) {
                return Err(format!("`{key}` belongs to a residual tower: expected either it or `body`"));
            }
            Body::Layers(entries)
        } else {
            Body::Tower(Tower {
                stem: stem.unwrap_or_default(),
                blocks: blocks.ok_or_else(|| missing("blocks"))?,
                channels: channels.ok_or_else(|| missing("channels"))?,
                squeeze_excite: squeeze_excite.unwrap_or_default(),
            })
        };
        Ok(Self {
            input: written.input,
            moves: written.moves,
            numbers: written.numbers.unwrap_or_default(),
            body,
            activation: written.activation,
            policy: written.policy,
            value: written.value,
            moves_left: written.moves_left,
        })
    }
}

impl From<Spec> for Written {
    fn from(spec: Spec) -> Self {
        let (tower, body) = match spec.body {
            Body::Tower(tower) => (Some(tower), None),
            Body::Layers(entries) => (None, Some(entries)),
        };
        Self {
            input: spec.input,
            moves: spec.moves,
            numbers: (spec.numbers > 0).then_some(spec.numbers),
            stem: tower.as_ref().map(|tower| tower.stem),
            blocks: tower.as_ref().map(|tower| tower.blocks),
            channels: tower.as_ref().map(|tower| tower.channels),
            squeeze_excite: tower.map(|tower| tower.squeeze_excite),
            activation: spec.activation,
            policy: spec.policy,
            value: spec.value,
            moves_left: spec.moves_left,
            body,
        }
    }
}
