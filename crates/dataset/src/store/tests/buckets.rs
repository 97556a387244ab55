//! Stores in buckets are those of folders.

use std::{path::Path, sync::Arc};

use super::{
    super::{Store, integrity::verify_files, manifest::Manifest, place::Place, publish::publish_to},
    store,
};
use crate::{DatasetError, Sample, Split, Storage};

fn rows(store: &Store, split: Split) -> Vec<Sample> {
    store.row_groups(split).flat_map(Result::unwrap).collect()
}

#[test]
fn a_published_store_gives_the_samples_of_the_one_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let place = store(folder.path());
    let storage = Arc::new(Storage::in_memory());
    let mut heard = Vec::new();
    let bytes = publish_to(&place, &storage, |bytes| heard.push(bytes)).unwrap();
    assert_eq!(heard.last(), Some(&bytes));
    let here = Store::open_at(&place).unwrap();
    let there = Store::open_at(&Place::Bucket(Arc::clone(&storage))).unwrap();
    assert_eq!((there.hash(), there.path()), (here.hash(), Path::new("memory://bucket/stores")));
    for split in [Split::Train, Split::Validation] {
        assert!(!rows(&here, split).is_empty());
        assert_eq!(rows(&there, split), rows(&here, split), "{split:?}");
        let keys = rows(&here, split).iter().map(|sample| sample.position.key()).collect();
        assert_eq!(there.known(split, &keys).unwrap(), keys);
    }
    assert_eq!(verify_files(&Place::Bucket(storage), here.manifest()).unwrap(), bytes);
}

#[test]
fn a_store_is_published_once_and_only_whole() {
    let folder = tempfile::tempdir().unwrap();
    let place = store(folder.path());
    let storage = Arc::new(Storage::in_memory());
    publish_to(&place, &storage, |_| {}).unwrap();
    assert!(matches!(publish_to(&place, &storage, |_| {}), Err(DatasetError::Exists { .. })));

    let file = Manifest::read_from(&place).unwrap().train[0].name.clone();
    let path = folder.path().join("store").join(&file);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let storage = Arc::new(Storage::in_memory());
    let refused = publish_to(&place, &storage, |_| {}).unwrap_err().to_string();
    assert!(refused.contains(&format!("memory://bucket/stores/{file}")), "{refused}");
    assert_eq!(storage.get("manifest.json").unwrap(), None);
    let refused = Store::open_at(&Place::Bucket(storage)).unwrap_err().to_string();
    assert!(refused.contains("no manifest.json"), "{refused}");
}

#[test]
fn damage_in_a_bucket_is_found_where_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let place = store(folder.path());
    let storage = Arc::new(Storage::in_memory());
    publish_to(&place, &storage, |_| {}).unwrap();
    let store = Store::open_at(&Place::Bucket(Arc::clone(&storage))).unwrap();
    let file = store.manifest().train[0].name.clone();
    let mut bytes = storage.get(&file).unwrap().unwrap();
    bytes[100] ^= 1;
    storage.replace(&file, bytes.clone()).unwrap();
    let refused = store.row_groups(Split::Train).next().unwrap().unwrap_err().to_string();
    assert!(refused.contains(&file) && refused.contains("damage in bytes"), "{refused}");
    bytes.truncate(bytes.len() - 9);
    storage.replace(&file, bytes).unwrap();
    let refused = Store::open_at(&Place::Bucket(Arc::clone(&storage))).unwrap_err().to_string();
    assert!(refused.contains(&file) && refused.contains("damage in bytes"), "{refused}");
    storage.remove(&file).unwrap();
    let refused = Store::open_at(&Place::Bucket(storage)).unwrap_err().to_string();
    assert!(refused.contains(&file) && refused.contains("memory://bucket/stores"), "{refused}");
}
