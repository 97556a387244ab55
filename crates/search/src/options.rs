//! Every option of every search. Each part of a search declares its own (`tunables!`); [`TUNABLES`] lists them all,
//! and UCI `option` lines, command-line flags and recipes follow from it.

use chess::{OptionError, SearchOptions, Tunable};

use crate::{
    book::BookOptions,
    general_options::GeneralOptions,
    hints::{MaterialOptions, PolicyTemperatureOptions},
    imitation::ImitationOptions,
    puct::{GumbelOptions, NoiseOptions, PuctOptions},
    rollouts::RolloutOptions,
    rules::RuleOptions,
    temperature::TemperatureOptions,
    time::TimeOptions,
    value::{EmulationOptions, OnePlyOptions},
    value_priors::ValuePriorOptions,
};

/// All options, by the part of the search that declares them.
pub const TUNABLES: &[&[Tunable]] = &[
    PuctOptions::TUNABLES,
    PolicyTemperatureOptions::TUNABLES,
    MaterialOptions::TUNABLES,
    GeneralOptions::TUNABLES,
    TimeOptions::TUNABLES,
    TemperatureOptions::TUNABLES,
    RolloutOptions::TUNABLES,
    NoiseOptions::TUNABLES,
    GumbelOptions::TUNABLES,
    BookOptions::TUNABLES,
    RuleOptions::TUNABLES,
    OnePlyOptions::TUNABLES,
    EmulationOptions::TUNABLES,
    ValuePriorOptions::TUNABLES,
    ImitationOptions::TUNABLES,
];

/// All options of all groups, in the order in which UCI declares them.
pub fn tunables() -> impl Iterator<Item = &'static Tunable> {
    TUNABLES.iter().copied().flatten()
}

/// The option of this name, however it is written ([`Tunable::is_named`]).
pub fn find(name: &str) -> Option<&'static Tunable> {
    tunables().find(|tunable| tunable.is_named(name))
}

/// The option of this name ([`find`]), or an error with the most similar names.
///
/// # Errors
/// [`OptionError::Unknown`].
pub fn named(name: &str) -> Result<&'static Tunable, OptionError> {
    /// Names in the message. Chosen, not tuned: enough for a misspelt name, and still one line.
    const SHOWN: usize = 3;
    find(name).ok_or_else(|| {
        let mut names: Vec<&str> = tunables().map(|tunable| tunable.name).collect();
        names.sort_by_key(|known| edits(known, name));
        OptionError::Unknown { found: name.to_owned(), similar: names[..SHOWN].join(", ") }
    })
}

/// The edit distance: the least number of letters to insert, remove or replace to turn one word into the other (V. Levenshtein,
/// "Binary codes capable of correcting deletions, insertions and reversals", 1966), ignoring case.
fn edits(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.to_lowercase().chars().collect();
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut costs: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut diagonal = costs[0];
        costs[0] = row + 1;
        for column in 0..other.len() {
            let replaced = diagonal + usize::from(*letter != other[column]);
            diagonal = costs[column + 1];
            costs[column + 1] = replaced.min(diagonal + 1).min(costs[column] + 1);
        }
    }
    costs[other.len()]
}

/// Sets one option by name.
///
/// # Errors
/// [`OptionError`] if no option has this name or the text is not a value of it; the options are unchanged.
pub fn set(options: &mut SearchOptions, name: &str, text: &str) -> Result<(), OptionError> {
    let tunable = named(name)?;
    options.set(tunable, tunable.parse(text)?);
    Ok(())
}

/// The defaults changed by settings such as `Hash=64 MultiPV=3`.
///
/// # Errors
/// [`OptionError`] for the first word that is not a setting.
pub fn parse(settings: &str) -> Result<SearchOptions, OptionError> {
    let mut options = SearchOptions::default();
    for setting in settings.split_whitespace() {
        let (name, text) = setting.split_once('=').unwrap_or((setting, ""));
        set(&mut options, name, text)?;
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use chess::{TunableKind, Value};

    use super::*;

    #[test]
    fn every_default_lies_in_its_range_and_no_name_is_taken_twice() {
        let mut names: Vec<&str> = Vec::new();
        for tunable in tunables() {
            let default = tunable.default_value();
            assert_eq!(tunable.parse(&default.to_string()), Ok(default), "{}", tunable.name);
            assert!(tunable.help.ends_with('.'), "{}", tunable.name);
            assert!(!names.iter().any(|name| tunable.is_named(name)), "{} is listed twice", tunable.name);
            names.push(tunable.name);
        }
    }

    #[test]
    fn groups_read_what_was_set_by_name_and_write_it_back() {
        for tunable in tunables() {
            let mut options = SearchOptions::default();
            let value = match tunable.kind {
                TunableKind::Float { max, .. } => Value::Float(max),
                TunableKind::Integer { max, .. } => Value::Integer(max),
                TunableKind::Flag { default } => Value::Flag(!default),
            };
            set(&mut options, tunable.name, &value.to_string()).unwrap();
            assert_eq!(options.get(tunable), value);
            let mut written = options.clone();
            PuctOptions::read(&options).write(&mut written);
            GeneralOptions::read(&options).write(&mut written);
            TimeOptions::read(&options).write(&mut written);
            assert_eq!(written, options, "{}", tunable.name);
        }
        let general = GeneralOptions::read(&parse("multi_pv=3 Hash=7").unwrap());
        assert_eq!(general, GeneralOptions { multi_pv: 3, hash: 7, ..GeneralOptions::default() });
    }

    #[test]
    fn unknown_names_are_answered_with_the_nearest_known_ones() {
        let error = parse("CPuckt=1").unwrap_err().to_string();
        assert!(error.starts_with("unknown search option \"CPuckt\"; similar ones are CPuct, "), "{error}");
        assert!(error.matches(',').count() < 5, "{error}");
        assert_eq!([edits("hash", "Hash"), edits("", "abc"), edits("kitten", "sitting")], [0, 3, 3]);
    }
}
