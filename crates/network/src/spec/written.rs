//! The written form of a specification: one flat list of keys for both kinds of network, so that errors name the line and the
//! known keys.

use serde::{Deserialize, Serialize};

use super::{
    Activation, Body, Clipping, MovesLeftHead, PlaneSpec, PolicyHead, PolicyTable, SparseSpec, Spec,
    SqueezeExcite, Stem, Tower, ValueHead,
};
use crate::layers::Entry;

/// The keys of `[network]`.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves: Option<String>,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activation: Option<Activation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<ValueHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves_left: Option<MovesLeftHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Vec<Entry>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    features: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    width: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clipping: Option<Clipping>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hidden: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    buckets: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy_features: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy_width: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    static_value: Option<bool>,
}

/// The kinds of network, distinguished by their input.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Planes,
    Sparse,
}

/// Keys, each with a flag that is true if the file has it.
macro_rules! given {
    ($written:ident: $($key:ident),+) => {
        [$((stringify!($key), $written.$key.is_some())),+]
    };
}

impl TryFrom<Written> for Spec {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        if written.kind == Some(Kind::Sparse) {
            return written.sparse().map(Self::Sparse);
        }
        let surplus = given!(
            written: features, width, clipping, hidden, buckets, policy_features, policy_width, static_value
        );
        refuse(&surplus, "belongs to a sparse network: expected kind = \"sparse\" beside it")?;
        written.planes().map(Self::Planes)
    }
}

/// Refuses the first key that is given.
fn refuse(surplus: &[(&str, bool)], reason: &str) -> Result<(), String> {
    match surplus.iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(format!("`{key}` {reason}")),
        None => Ok(()),
    }
}

impl Written {
    fn planes(self) -> Result<PlaneSpec, String> {
        let missing = |key: &str| format!("missing field `{key}`, or `body`, a list of layers");
        let body = if let Some(entries) = self.body {
            let surplus = given!(self: stem, blocks, channels, squeeze_excite);
            refuse(&surplus, "belongs to a residual tower: expected either it or `body`")?;
            Body::Layers(entries)
        } else {
            Body::Tower(Tower {
                stem: self.stem.unwrap_or_default(),
                blocks: self.blocks.ok_or_else(|| missing("blocks"))?,
                channels: self.channels.ok_or_else(|| missing("channels"))?,
                squeeze_excite: self.squeeze_excite.unwrap_or_default(),
            })
        };
        Ok(PlaneSpec {
            input: self.input.unwrap_or_else(|| "tabiya".into()),
            moves: self.moves.unwrap_or_else(|| "lc0-1858".into()),
            numbers: self.numbers.unwrap_or_default(),
            body,
            activation: self.activation.unwrap_or_default(),
            policy: self.policy.unwrap_or_default(),
            value: self.value.unwrap_or_default(),
            moves_left: self.moves_left,
        })
    }

    fn sparse(self) -> Result<SparseSpec, String> {
        let surplus = given!(
            self: input, moves, numbers, stem, blocks, channels, squeeze_excite, activation, policy, value,
            moves_left, body
        );
        refuse(&surplus, "belongs to a network that reads planes, and kind is \"sparse\"")?;
        let policy = match (self.policy_features, self.policy_width) {
            (Some(features), Some(width)) => Some(PolicyTable { features, width }),
            (None, None) => None,
            _ => return Err("`policy_features` and `policy_width` belong together: found one of them".into()),
        };
        Ok(SparseSpec {
            features: self.features.ok_or("missing field `features`, the name of a feature set")?,
            width: self.width.ok_or("missing field `width`, the sums of the first layer")?,
            clipping: self.clipping.unwrap_or_default(),
            hidden: self.hidden.unwrap_or_else(|| SparseSpec::HIDDEN.into()),
            buckets: self.buckets.unwrap_or(SparseSpec::BUCKETS),
            policy,
            static_value: self.static_value.unwrap_or_default(),
        })
    }
}

impl From<Spec> for Written {
    fn from(spec: Spec) -> Self {
        match spec {
            Spec::Planes(spec) => spec.into(),
            Spec::Sparse(spec) => spec.into(),
        }
    }
}

impl From<PlaneSpec> for Written {
    fn from(spec: PlaneSpec) -> Self {
        let (tower, body) = match spec.body {
            Body::Tower(tower) => (Some(tower), None),
            Body::Layers(entries) => (None, Some(entries)),
        };
        Self {
            input: Some(spec.input),
            moves: Some(spec.moves),
            numbers: (spec.numbers > 0).then_some(spec.numbers),
            stem: tower.as_ref().map(|tower| tower.stem),
            blocks: tower.as_ref().map(|tower| tower.blocks),
            channels: tower.as_ref().map(|tower| tower.channels),
            squeeze_excite: tower.map(|tower| tower.squeeze_excite),
            activation: Some(spec.activation),
            policy: Some(spec.policy),
            value: Some(spec.value),
            moves_left: spec.moves_left,
            body,
            ..Self::default()
        }
    }
}

impl From<SparseSpec> for Written {
    fn from(spec: SparseSpec) -> Self {
        let (policy_features, policy_width) = spec.policy.map(|table| (table.features, table.width)).unzip();
        Self {
            kind: Some(Kind::Sparse),
            features: Some(spec.features),
            width: Some(spec.width),
            clipping: Some(spec.clipping),
            hidden: Some(spec.hidden),
            buckets: Some(spec.buckets),
            static_value: spec.static_value.then_some(true),
            policy_features,
            policy_width,
            ..Self::default()
        }
    }
}
