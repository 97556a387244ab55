//! Names of this server, which the command line allows in addition to the machine's own addresses.

use std::{net::IpAddr, str::FromStr};

/// A host, with or without a port: the `Host` of requests, or the `Origin` under which a proxy serves the
/// page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    /// In lower case; an IPv6 address without its brackets.
    name: String,
    /// `None` allows every port.
    port: Option<u16>,
}

/// A text is not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "found {found:?}, expected a name or address such as chess.example.org or 192.168.1.7:9000, without http:// or a path"
)]
pub struct HostError {
    /// The refused host.
    pub found: String,
}

impl FromStr for AllowedHost {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        let parsed = Self::parse(text).filter(|host| {
            let plain = host.name.chars().all(|letter| letter.is_alphanumeric() || "-._".contains(letter));
            plain || host.address().is_some()
        });
        parsed.ok_or_else(|| HostError { found: text.into() })
    }
}

impl AllowedHost {
    /// Reads `NAME`, `NAME:PORT` or `[IPV6]:PORT`, as in the header `Host`. The dot at the end of a complete name is left out. `None`
    /// without a name, or with a port that is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, Some(port.parse().ok()?)),
            _ => (text, None),
        };
        let name = match name.strip_prefix('[') {
            Some(address) => address.strip_suffix(']')?,
            None if name.contains(':') => return None,
            None => name.strip_suffix('.').unwrap_or(name),
        };
        (!name.is_empty()).then(|| Self { name: name.to_ascii_lowercase(), port })
    }

    /// The host of an origin, `http://HOST` or `https://HOST`; a scheme's own port counts as none.
    pub(crate) fn of_origin(origin: &str) -> Option<Self> {
        let (scheme, host) = origin.split_once("://")?;
        let own = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let host = Self::parse(host)?;
        Some(Self { port: host.port.filter(|port| *port != own), ..host })
    }

    /// True if this is the host of an origin.
    pub(crate) fn is_of(&self, origin: &Self) -> bool {
        let is_default = origin.port.is_none() && matches!(self.port, Some(80 | 443));
        self.name == origin.name && (self.port == origin.port || is_default)
    }

    /// True if this allows `host`.
    pub(crate) fn allows(&self, host: &Self) -> bool {
        self.name == host.name && (self.port.is_none() || self.port == host.port)
    }

    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.name.parse().ok().map(|address: IpAddr| address.to_canonical())
    }

    /// True for names that DNS cannot redirect: `localhost`, names that end in it (RFC 6761, section 6.3) and loopback addresses. A
    /// container, tunnel or proxy on this machine may listen on any port.
    pub(crate) fn is_this_machine(&self) -> bool {
        self.name == "localhost"
            || self.name.ends_with(".localhost")
            || self.address().is_some_and(|address| address.is_loopback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_with_and_without_ports_are_read() {
        let host = |name: &str, port| Ok(AllowedHost { name: name.into(), port });
        for (text, name, port) in [
            ("Chess.Example.org", "chess.example.org", None),
            ("chess:9000", "chess", Some(9000)),
            ("192.168.1.7", "192.168.1.7", None),
            ("[::1]:8080", "::1", Some(8080)),
            ("[fe80::1]", "fe80::1", None),
        ] {
            assert_eq!(text.parse(), host(name, port), "{text}");
        }
        for text in [
            "",
            ":80",
            "http://chess",
            "chess/",
            "chess:x",
            "chess:99999",
            "a b",
            "*",
            "::1",
            "[::1",
            "[chess]:80x",
        ] {
            let error = text.parse::<AllowedHost>().unwrap_err().to_string();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }
}
