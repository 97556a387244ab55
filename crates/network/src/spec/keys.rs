//! The keys of a kind of network in a specification.

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
