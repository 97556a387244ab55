//! The heads of a network that has several.

use std::borrow::Cow;

use super::{
    error::Lc0Problem,
    message::{PolicyHead, PolicyHeads, ValueHead, ValueHeads, Weights},
};

/// The heads that are read, under lc0's names for its options `policy_head` and `value_head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// One of [`Heads::POLICIES`].
    pub policy: &'static str,
    /// One of [`Heads::VALUES`].
    pub value: &'static str,
}

impl Default for Heads {
    /// lc0's defaults.
    fn default() -> Self {
        Self { policy: Self::POLICIES[0], value: Self::VALUES[0] }
    }
}

impl Heads {
    /// The policy heads that a network may have.
    pub const POLICIES: [&str; 4] = ["vanilla", "optimistic", "soft", "opponent"];
    /// The value heads that a network may have.
    pub const VALUES: [&str; 3] = ["winner", "q", "st"];

    /// The file and the heads of a name such as `BT4.pb.gz@optimistic@q`; `None` for a name without heads.
    pub fn of_name(name: &str) -> Option<(&str, Self)> {
        let (mut file, mut heads) = (name, Self::default());
        while let Some((rest, last)) = file.rsplit_once('@') {
            // lc0's option and the field of its files have two names for one head.
            let last = if last == "optimistic_st" { "optimistic" } else { last };
            if let Some(policy) = Self::POLICIES.into_iter().find(|known| *known == last) {
                heads.policy = policy;
            } else if let Some(value) = Self::VALUES.into_iter().find(|known| *known == last) {
                heads.value = value;
            } else {
                break;
            }
            file = rest;
        }
        (file.len() < name.len()).then_some((file, heads))
    }

    /// The end of a name that [`Heads::of_name`] reads; nothing for the default heads.
    pub(crate) fn suffix(self) -> String {
        let mut suffix = String::new();
        for (name, default) in [(self.policy, Self::POLICIES[0]), (self.value, Self::VALUES[0])] {
            if name != default {
                suffix += "@";
                suffix += name;
            }
        }
        suffix
    }

    /// The chosen policy head, with the embedding that it may share with the others.
    pub(super) fn policy(self, several: bool, weights: &Weights) -> Result<Cow<'_, PolicyHead>, Lc0Problem> {
        let Some(heads) = weights.policy_heads.as_deref().filter(|_| several) else {
            self.expect_one_policy()?;
            return Ok(Cow::Owned(PolicyHead {
                ip_pol_w: weights.ip_pol_w.clone(),
                ip_pol_b: weights.ip_pol_b.clone(),
                ip2_pol_w: weights.ip2_pol_w.clone(),
                ip2_pol_b: weights.ip2_pol_b.clone(),
                ip3_pol_w: weights.ip3_pol_w.clone(),
                ip3_pol_b: weights.ip3_pol_b.clone(),
                ip4_pol_w: weights.ip4_pol_w.clone(),
                pol_encoder: weights.pol_encoder.clone(),
                pol_headcount: weights.pol_headcount,
            }));
        };
        let PolicyHeads { ip_pol_w, ip_pol_b, vanilla, optimistic_st, soft, opponent } = heads;
        let head = chosen(self.policy, &Self::POLICIES, [vanilla, optimistic_st, soft, opponent])?;
        if head.ip_pol_w.is_some() && head.ip_pol_b.is_some() {
            return Ok(Cow::Borrowed(head));
        }
        let shared = [(ip_pol_w, &weights.ip_pol_w), (ip_pol_b, &weights.ip_pol_b)];
        let [weight, bias] = shared.map(|(shared, older)| shared.as_ref().or(older.as_ref()).cloned());
        Ok(Cow::Owned(PolicyHead {
            ip_pol_w: head.ip_pol_w.clone().or(weight),
            ip_pol_b: head.ip_pol_b.clone().or(bias),
            ..head.clone()
        }))
    }

    /// Refuses any policy name but that of a network's only policy.
    pub(super) fn expect_one_policy(self) -> Result<(), Lc0Problem> {
        expect_default(self.policy, &Self::POLICIES)
    }

    /// The chosen value head.
    pub(super) fn value(self, several: bool, weights: &Weights) -> Result<Cow<'_, ValueHead>, Lc0Problem> {
        let Some(heads) = weights.value_heads.as_deref().filter(|_| several) else {
            expect_default(self.value, &Self::VALUES)?;
            return Ok(Cow::Owned(ValueHead {
                ip_val_w: weights.ip_val_w.clone(),
                ip_val_b: weights.ip_val_b.clone(),
                ip1_val_w: weights.ip1_val_w.clone(),
                ip1_val_b: weights.ip1_val_b.clone(),
                ip2_val_w: weights.ip2_val_w.clone(),
                ip2_val_b: weights.ip2_val_b.clone(),
            }));
        };
        let ValueHeads { winner, q, st } = heads;
        chosen(self.value, &Self::VALUES, [winner, q, st]).map(Cow::Borrowed)
    }
}

fn chosen<'a, T, const COUNT: usize>(
    name: &str,
    names: &[&str; COUNT],
    heads: [&'a Option<Box<T>>; COUNT],
) -> Result<&'a T, Lc0Problem> {
    let mut supported = Vec::new();
    for (other, head) in names.iter().zip(heads) {
        let Some(head) = head.as_deref() else { continue };
        if *other == name {
            return Ok(head);
        }
        supported.push(*other);
    }
    Err(Lc0Problem::Unsupported { what: "head", found: name.into(), supported: supported.join(", ") })
}

/// A network's only head has the default name.
fn expect_default(name: &str, names: &[&str]) -> Result<(), Lc0Problem> {
    if name == names[0] {
        return Ok(());
    }
    Err(Lc0Problem::Unsupported { what: "head", found: name.into(), supported: names[0].into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_with_its_heads() {
        let read = |name| Heads::of_name(name).map(|(file, heads)| (file, heads.policy, heads.value));
        assert_eq!(read("a@b.pb@optimistic@q"), Some(("a@b.pb", "optimistic", "q")));
        assert_eq!(read("b.pb@st"), Some(("b.pb", "vanilla", "st")));
        assert_eq!(read("b.pb@optimistic_st"), Some(("b.pb", "optimistic", "winner")));
        assert_eq!(read("a@b.pb"), None);
        let (_, heads) = Heads::of_name("x@q@soft").unwrap();
        assert_eq!(heads.suffix(), "@soft@q");
        assert_eq!(Heads::default().suffix(), "");
    }

    #[test]
    fn a_network_with_one_head_has_no_other() {
        let file = crate::planes::lc0::synthetic::modern().bytes();
        for (name, found) in [("x@soft", "soft"), ("x@q", "q")] {
            let (_, heads) = Heads::of_name(name).unwrap();
            let message = crate::lc0::Lc0Network::from_bytes(&file, "x.pb", heads).unwrap_err().to_string();
            assert!(message.contains(&format!("head {found} is not supported; supported: ")), "{message}");
        }
    }
}
