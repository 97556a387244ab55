//! The kinds of results.

/// The subject of a result: commands write it to the `kind` of their JSON, and reports and the page read it from there; none of
/// these knows the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its command")]
pub enum ResultKind {
    Match,
    Tournament,
    Ladder,
    Strength,
    Suite,
    Human,
    Agreement,
    Value,
    Comparison,
    Regression,
    Validation,
    /// Several results together.
    Report,
}

impl ResultKind {
    /// All kinds, in the order in which messages name them.
    pub const ALL: [Self; 12] = [
        Self::Match,
        Self::Tournament,
        Self::Ladder,
        Self::Strength,
        Self::Suite,
        Self::Human,
        Self::Agreement,
        Self::Value,
        Self::Comparison,
        Self::Regression,
        Self::Validation,
        Self::Report,
    ];

    /// The `kind` in the JSON, with the version that this program writes.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Match => "tabiya-match-1",
            Self::Tournament => "tabiya-tournament-1",
            Self::Ladder => "tabiya-ladder-1",
            Self::Strength => "tabiya-strength-1",
            Self::Suite => "tabiya-suite-1",
            Self::Human => "tabiya-human-1",
            Self::Agreement => "tabiya-agreement-1",
            Self::Value => "tabiya-value-1",
            Self::Comparison => "tabiya-comparison-1",
            Self::Regression => "tabiya-regression-1",
            Self::Validation => "tabiya-validation-1",
            Self::Report => "tabiya-report-1",
        }
    }

    /// The kind of a JSON text in the version that this program writes.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.text() == text)
    }

    /// The kind of a JSON text of any version.
    #[must_use]
    pub fn of_any_version(text: &str) -> Option<Self> {
        let name = without_version(text)?;
        Self::ALL.into_iter().find(|kind| without_version(kind.text()) == Some(name))
    }
}

fn without_version(text: &str) -> Option<&str> {
    text.rsplit_once('-').map(|(name, _version)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_their_texts_and_those_of_other_versions_by_their_names() {
        for kind in ResultKind::ALL {
            assert_eq!(ResultKind::of(kind.text()), Some(kind));
            let newer = kind.text().replace("-1", "-2");
            assert_eq!((ResultKind::of(&newer), ResultKind::of_any_version(&newer)), (None, Some(kind)));
        }
        for text in ["", "match", "tabiya-match", "tabiya-nonsense-1"] {
            assert_eq!((ResultKind::of(text), ResultKind::of_any_version(text)), (None, None), "{text}");
        }
    }
}
