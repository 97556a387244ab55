//! The URLs of store files in a query plan, here and on the machines of a cluster.

use std::path::Path;

use datafusion::{error::Result, execution::object_store::ObjectStoreUrl};
use dataset::{Store, storage::is_url};

/// The scheme of these addresses.
const SCHEME: &str = "store";

/// URL under which a plan finds the files of a store. Each store is an object store, so file names need no
/// path or bucket. The host is the store's path or address in hexadecimal digits, because it may contain any
/// character.
pub(crate) fn place(store: &Store) -> Result<ObjectStoreUrl> {
    address(store.path())
}

fn address(path: &Path) -> Result<ObjectStoreUrl> {
    let path = match path.to_str() {
        Some(address) if is_url(address) => path.to_path_buf(),
        _ => std::path::absolute(path)?,
    };
    let digits = path.as_os_str().as_encoded_bytes().iter().map(|byte| format!("{byte:02x}"));
    ObjectStoreUrl::parse(format!("{SCHEME}://{}", digits.collect::<String>()))
}

/// The path or address of the store in such a URL; `None` for other URLs.
#[cfg(feature = "cluster")]
pub(crate) fn store_at(address: &url::Url) -> Option<String> {
    let digits = address.host_str().filter(|_| address.scheme() == SCHEME)?;
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for index in (0..digits.len()).step_by(2) {
        bytes.push(u8::from_str_radix(digits.get(index..index + 2)?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_of_its_store_alone() {
        let of = |path: &str| address(Path::new(path)).unwrap().as_str().to_owned();
        assert_eq!(of("/a b"), "store://2f612062/");
        assert_eq!(of("s3://chess/masters"), "store://73333a2f2f63686573732f6d617374657273/");
        assert_ne!(of("games"), of("/games"));
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_machine_of_a_cluster_gets_the_path_back() {
        for path in ["/stores/100 %/ä?#:@", "s3://chess/masters"] {
            let url = address(Path::new(path)).unwrap();
            assert_eq!(store_at(url.as_ref()).as_deref(), Some(path));
        }
        for other in ["file:///games", "store://games/", "store://6", "store://ff/"] {
            assert_eq!(store_at(&url::Url::parse(other).unwrap()), None, "{other}");
        }
    }
}
