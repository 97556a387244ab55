//! Classes of time controls, by their names in the configuration file and in the API.

use chess::Speed;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The class with this name in the API.
pub(crate) fn from_key(key: &str) -> Option<Speed> {
    match key {
        "ultraBullet" => Some(Speed::UltraBullet),
        "bullet" => Some(Speed::Bullet),
        "blitz" => Some(Speed::Blitz),
        "rapid" => Some(Speed::Rapid),
        "classical" => Some(Speed::Classical),
        _ => None,
    }
}

/// A class, written in the configuration file by its name in [`Speed::NAMES`].
struct Named(Speed);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let named = Speed::NAMES.iter().find(|(_, speed)| *speed == self.0);
        serializer.serialize_str(named.expect("every class has a name").0)
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = String::deserialize(deserializer)?;
        if let Some((_, speed)) = Speed::NAMES.iter().find(|(name, _)| *name == found) {
            return Ok(Self(*speed));
        }
        // In the words of serde, whose own error for this takes only a list known to the compiler.
        let known: Vec<String> = Speed::NAMES.iter().map(|(name, _)| format!("`{name}`")).collect();
        Err(D::Error::custom(format!("unknown variant `{found}`, expected one of {}", known.join(", "))))
    }
}

/// Writes classes in the form of the configuration file.
pub(crate) fn serialize<S: Serializer>(speeds: &[Speed], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(speeds.iter().copied().map(Named))
}

/// Reads classes from the configuration file.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Speed>, D::Error> {
    Ok(Vec::<Named>::deserialize(deserializer)?.into_iter().map(|named| named.0).collect())
}
