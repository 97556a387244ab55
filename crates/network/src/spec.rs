//! The specification of a network, as written in a recipe and stored in every weights file.

mod heads;

use std::{fmt, ops::RangeInclusive};

use chess::{
    Heads,
    encoding::{InputEncoding, MoveEncoding},
};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, Error, MapAccess, Visitor},
};
use toml::{Table, Value};

use crate::{
    NetworkError,
    error::{invalid, syntax},
    kind::{Inputs, NetworkKind},
    planes::spec::PlaneKeys,
    sparse::spec::SparseKeys,
};

pub use crate::planes::spec::{Body, PlaneSpec, SqueezeExcite, Stem, Tower};
pub use crate::sparse::spec::{PolicyTable, SparseSpec};
pub use heads::{HeadBody, MovesLeftHead, PolicyHead, ValueHead, ValueKind};
pub use kernels::{Activation, sparse::Clipping};

/// Declares [`Spec`] from the kinds of network: for each its variant, its specification, its keys and its
/// name in a recipe.
macro_rules! network_kinds {
    ($($(#[$documentation:meta])* $name:ident($spec:ty, $keys:ty, $kind:literal, $words:literal),)*) => {
        /// The specification of a network that evaluates positions.
        ///
        /// ```
        /// let spec = network::Spec::from_toml(
        ///     r#"
        ///     input = "tabiya"
        ///     moves = "lc0-1858"
        ///     blocks = 4
        ///     channels = 48
        ///     "#,
        /// );
        /// assert_eq!(spec.map(|spec| spec.shape_name()).ok(), Some("4x48".into()));
        /// let spec = network::Spec::from_toml(
        ///     r#"
        ///     kind = "sparse"
        ///     features = "threats-kings"
        ///     width = 512
        ///     policy_features = "threats"
        ///     policy_width = 512
        ///     "#,
        /// );
        /// assert_eq!(spec.map(|spec| spec.shape_name()).ok(), Some("sparse-threats-kings-512+threats-512".into()));
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub enum Spec {
            $($(#[$documentation])* $name($spec),)*
        }

        /// Every kind of network. The first is the default kind.
        const NETWORK_KINDS: &[KindKeys] =
            &[$(KindKeys { name: $kind, words: $words, keys: <$keys>::KEYS },)*];

        impl Spec {
            /// The specification through the interface of all kinds.
            pub(crate) fn kind(&self) -> &dyn NetworkKind {
                match self {
                    $(Self::$name(spec) => spec,)*
                }
            }

            /// The specification of a kind from its keys.
            fn of_keys(kind: &str, keys: Table) -> Result<Self, String> {
                match kind {
                    $($kind => <$keys>::read(keys)?.try_into().map(Self::$name),)*
                    other => {
                        let known: Vec<&str> = NETWORK_KINDS.iter().map(|known| known.name).collect();
                        Err(format!("kind = {other:?}: expected one of {}", known.join(", ")))
                    }
                }
            }
        }

        impl Serialize for Spec {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(spec) => <$keys>::from(spec.clone()).serialize(serializer),)*
                }
            }
        }
    };
}

network_kinds! {
    /// Layers over the planes of a position.
    Planes(PlaneSpec, PlaneKeys, "planes", "a network that reads planes"),
    /// Tables with a row for each feature; the rows of a position's features are added.
    Sparse(SparseSpec, SparseKeys, "sparse", "a sparse network"),
}

impl Spec {
    /// Reads and checks a specification.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] for bad TOML and unknown keys, [`NetworkError::Invalid`] and
    /// [`NetworkError::UnknownEncoding`] for bad values.
    pub fn from_toml(text: &str) -> Result<Self, NetworkError> {
        let spec: Self = toml::from_str(text).map_err(|error| syntax("specification", error))?;
        spec.check("specification")?;
        Ok(spec)
    }

    /// The specification as TOML.
    ///
    /// # Errors
    /// [`NetworkError::Syntax`] if it cannot be serialised, which no specification is known to cause.
    pub fn to_toml(&self) -> Result<String, NetworkError> {
        toml::to_string(self).map_err(|error| syntax("specification", error))
    }

    /// Checks ranges and encodings, and that the layers fit together; `place` names the file in errors.
    ///
    /// # Errors
    /// [`NetworkError::Invalid`] or [`NetworkError::UnknownEncoding`].
    pub fn check(&self, place: &str) -> Result<(), NetworkError> {
        self.kind().check(place)
    }

    /// The network of planes, for code that accepts no other kind.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for any other kind.
    pub fn planes(&self) -> Result<&PlaneSpec, NetworkError> {
        let Self::Planes(spec) = self else { return Err(self.other_kind("a network that reads planes")) };
        Ok(spec)
    }

    /// The sparse network, for code that accepts no other kind.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for any other kind.
    pub fn sparse(&self) -> Result<&SparseSpec, NetworkError> {
        let Self::Sparse(spec) = self else { return Err(self.other_kind("a sparse network")) };
        Ok(spec)
    }

    pub(crate) fn other_kind(&self, expected: &'static str) -> NetworkError {
        NetworkError::Kind { found: self.kind().in_words(), expected }
    }

    /// The input encoding of a network of planes.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], and those of [`Spec::planes`].
    pub fn input_encoding(&self) -> Result<&'static dyn InputEncoding, NetworkError> {
        self.planes()?.input_encoding()
    }

    /// The move encoding of a network of planes.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], and those of [`Spec::planes`].
    pub fn move_encoding(&self) -> Result<&'static dyn MoveEncoding, NetworkError> {
        self.planes()?.move_encoding()
    }

    /// The encodings of the network's input.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn inputs(&self) -> Result<Inputs, NetworkError> {
        self.kind().inputs()
    }

    /// Number of last positions of a game that the network reads.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn history(&self) -> Result<usize, NetworkError> {
        Ok(match self.inputs()? {
            Inputs::Planes(input, _) => input.history(),
            Inputs::Features(_) => 1,
        })
    }

    /// Meaning of the value's outputs.
    pub fn value_kind(&self) -> ValueKind {
        self.kind().value_kind()
    }

    /// The heads of the network.
    pub fn heads(&self) -> Heads {
        Heads { policy: self.has_policy(), value: self.value_kind() != ValueKind::None }
    }

    /// True if the network scores moves.
    pub fn has_policy(&self) -> bool {
        self.kind().has_policy()
    }

    /// True if a step of training updates only the rows of tables that its batch reads.
    pub fn learns_rows(&self) -> bool {
        self.kind().learns_rows()
    }

    /// A short name of the shape, as used in tables: `4x48-se8`, the number of layers in a list, or features and widths.
    pub fn shape_name(&self) -> String {
        self.kind().shape_name()
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

/// Reads the keys of a specification.
///
/// The kind decides which keys are known, but may follow them, so all keys are collected first and given to the kind at the end.
/// A derived enum with a tag would do the same, but reads the keys from its own buffer, where their lines in the file are lost;
/// here an unknown key is refused while the parser is at it, and the error names its line.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Spec;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the specification of a network")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Spec, A::Error> {
        let (mut kind, mut keys) = (NETWORK_KINDS[0].name.to_owned(), Table::new());
        while let Some(key) = map.next_key_seed(KnownKey)? {
            if key == KIND {
                kind = map.next_value()?;
            } else {
                keys.insert(key, map.next_value::<Value>()?);
            }
        }
        // A key of another kind is known, so the error says which `kind` it needs instead of listing all keys.
        if let Some(own) = NETWORK_KINDS.iter().find(|known| known.name == kind)
            && let Some(key) = keys.keys().find(|key| !own.keys.contains(&key.as_str()))
        {
            let other = NETWORK_KINDS.iter().find(|known| known.keys.contains(&key.as_str()));
            let KindKeys { name, words, .. } = other.unwrap_or(&NETWORK_KINDS[0]);
            let message = format!("`{key}` belongs to {words}: expected kind = {name:?}, found {kind:?}");
            return Err(A::Error::custom(message));
        }
        Spec::of_keys(&kind, keys).map_err(A::Error::custom)
    }
}

/// A kind of network in a recipe.
struct KindKeys {
    /// The value of the key `kind`.
    name: &'static str,
    /// A description, for errors.
    words: &'static str,
    /// The other keys.
    keys: &'static [&'static str],
}

/// The key that names the kind.
const KIND: &str = "kind";

struct KnownKey;

impl<'de> DeserializeSeed<'de> for KnownKey {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let key = String::deserialize(deserializer)?;
        let mut known = vec![KIND];
        known.extend(NETWORK_KINDS.iter().flat_map(|kind| kind.keys));
        if known.contains(&key.as_str()) {
            return Ok(key);
        }
        let expected: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
        Err(D::Error::custom(format!("unknown field `{key}`, expected one of {}", expected.join(", "))))
    }
}

/// Refuses a number that is out of range.
pub(crate) fn check_range(
    place: &str,
    field: &str,
    found: usize,
    accepted: RangeInclusive<usize>,
) -> Result<(), NetworkError> {
    if accepted.contains(&found) {
        return Ok(());
    }
    Err(invalid(place, field, found, format!("{} to {}", accepted.start(), accepted.end())))
}

/// Declares the keys of a kind, all optional, and the list of their names.
macro_rules! keys {
    ($(#[$documentation:meta])* $name:ident { $($key:ident: $type:ty,)* }) => {
        $(#[$documentation])*
        #[derive(Default, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// The name of the kind, unless it is the usual one.
            #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
            kind: Option<&'static str>,
            $(
                #[serde(default, skip_serializing_if = "Option::is_none")]
                $key: Option<$type>,
            )*
        }

        impl $name {
            pub(crate) const KEYS: &[&str] = &[$(stringify!($key)),*];

            /// The keys of a table; an error names the one whose value is of another type.
            pub(crate) fn read(table: toml::Table) -> Result<Self, String> {
                table.try_into().map_err(|error: toml::de::Error| error.to_string().trim_end().replace('\n', " "))
            }
        }
    };
}

pub(crate) use keys;

/// A default of a recipe's key, for `#[serde(default = "...")]`: the integer given as the type argument, as in `default_to::<256, _>`.
///
/// # Panics
/// If the key's type cannot represent it.
pub fn default_to<const NUMBER: u32, T: TryFrom<u32, Error: fmt::Debug>>() -> T {
    T::try_from(NUMBER).expect("a default that fits its key")
}

pub(crate) fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests;
