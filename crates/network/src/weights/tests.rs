use std::collections::BTreeMap;

use super::*;
use crate::{
    provenance::Source,
    spec::{Body, PlaneSpec},
    synthetic::tiny_spec,
};

fn sample() -> Weights {
    let architecture = Architecture::new(&tiny_spec()).unwrap();
    let parameters = architecture.initial_parameters(5).unwrap();
    let statistics: Statistics =
        architecture.statistics().iter().map(|shape| vec![0.5; 2 * shape.channels]).collect();
    let provenance = Provenance {
        name: "sample".into(),
        recipe: "title = \"line\"\nsecond = \"line\"".into(),
        seed: 7,
        metrics: BTreeMap::from([("top1".into(), 0.25)]),
        ..Provenance::default()
    };
    Weights::new(&architecture, &parameters, &statistics, provenance)
}

fn error(bytes: &[u8]) -> String {
    Weights::from_bytes(bytes, "net.tabiya").unwrap_err().to_string()
}

#[test]
fn weights_survive_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.tabiya");
    let weights = sample();
    weights.write(&path).unwrap();
    weights.write(&path).unwrap();
    let read = Weights::read(&path).unwrap();
    assert_eq!(read, weights);
    assert_eq!(read.parameter_count(), weights.spec.parameter_count().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn eight_bit_files_are_short_and_rounded_once() {
    let weights = sample();
    let (whole, bytes) = (weights.to_bytes().unwrap(), weights.to_eight_bit_bytes().unwrap());
    assert!(bytes.len() * 2 < whole.len(), "{} of {} bytes", bytes.len(), whole.len());
    let read = Weights::from_bytes(&bytes, "net.tabiya").unwrap();
    assert_eq!(read.to_eight_bit_bytes().unwrap(), bytes, "rounding twice changes nothing");
    assert_eq!((&read.spec, &read.provenance), (&weights.spec, &weights.provenance));
    for (found, exact) in read.matrices().iter().zip(weights.matrices()) {
        for (found, exact) in found.values.chunks(found.shape[1]).zip(exact.values.chunks(exact.shape[1])) {
            let largest = exact.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            // Half a step. A step is at most a 64th of the row's largest weight.
            let near = |(found, exact): (&f32, &f32)| (found - exact).abs() <= largest / 127.0;
            assert!(found.iter().zip(exact).all(near), "{found:?} for {exact:?}");
        }
    }
    let mut endless = sample();
    endless.matrices[0].values[0] = f32::INFINITY;
    let error = endless.to_eight_bit_bytes().unwrap_err().to_string();
    assert!(error.contains("finite") && error.contains("inf"), "{error}");
}

#[test]
fn control_characters_in_texts_are_not_kept() {
    let mut weights = sample();
    weights.provenance.name = "Evil\u{1b}]0;title\u{7}\r\n".into();
    weights.provenance.metrics = BTreeMap::from([("top\u{1b}1".into(), 0.25)]);
    let lc0 = crate::planes::lc0::Description {
        license: Some("free\u{9b}2J".into()),
        ..crate::planes::lc0::Description::default()
    };
    weights.provenance.source = Some(Source { file: "a\u{8}b".into(), hash: String::new(), lc0 });
    let read = Weights::from_bytes(&weights.to_bytes().unwrap(), "net.tabiya").unwrap().provenance;
    assert_eq!(read.name, "Evil ]0;title  \n");
    assert_eq!(read.metrics.keys().collect::<Vec<_>>(), ["top 1"]);
    let source = read.source.unwrap();
    assert_eq!((source.file.as_str(), source.lc0.license.as_deref()), ("a b", Some("free 2J")));
    assert_eq!(read.recipe, sample().provenance.recipe, "lines of a recipe stay lines");
}

#[test]
fn equal_weights_are_equal_files() {
    let bytes = sample().to_bytes().unwrap();
    assert!((0..4).all(|_| sample().to_bytes().unwrap() == bytes));
}

#[test]
fn a_missing_file_is_named() {
    let message = Weights::read(Path::new("no/such.tabiya")).unwrap_err().to_string();
    assert!(message.starts_with("cannot read no/such.tabiya: "), "{message}");
}

#[test]
fn files_that_are_no_networks_are_refused_wherever_they_end() {
    let bytes = sample().to_bytes().unwrap();
    for length in [0, 1, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        let message = error(&bytes[..length]);
        let what = if length < 9 { "content" } else { "safetensors" };
        assert!(message.starts_with(&format!("net.tabiya: {what}: found")), "{length}: {message}");
    }
    let pgn = error(b"[Event \"a PGN file, which is no network at all\"]");
    assert!(
        pgn.contains("bytes that begin with \"[Event ") && pgn.contains("expected a network: ours"),
        "{pgn}"
    );
}

#[test]
fn files_of_another_kind_or_version_are_refused() {
    let bytes = Container::default().to_bytes("tabiya-checkpoint").unwrap();
    assert_eq!(
        error(&bytes),
        "net.tabiya: header key `format`: found tabiya-checkpoint, expected tabiya-network"
    );
    let text = String::from_utf8_lossy(&sample().to_bytes().unwrap()).into_owned();
    assert!(text.contains("\"version\":\"1\""));
    let mut bytes = sample().to_bytes().unwrap();
    let at = bytes.windows(13).position(|window| window == b"\"version\":\"1\"").unwrap();
    bytes[at + 11] = b'2';
    assert_eq!(error(&bytes), "net.tabiya: header key `version`: found 2, expected 1");
}

#[test]
fn matrices_that_do_not_fit_the_specification_are_named() {
    let mut narrow = sample();
    let Spec::Planes(PlaneSpec { body: Body::Tower(tower), .. }) = &mut narrow.spec else {
        panic!("a tower")
    };
    tower.channels = 8;
    let message = error(&narrow.to_bytes().unwrap());
    assert_eq!(
        message,
        "net.tabiya: matrix `stem.weight`: found [180, 16], expected [180, 8], as the specification says"
    );
    let mut missing = sample();
    missing.matrices.remove(0);
    assert!(error(&missing.to_bytes().unwrap()).contains("matrix `stem.weight`: found nothing"));
    let mut surplus = sample();
    surplus.matrices.push(Matrix { name: "extra".into(), shape: [1, 1], values: vec![0.0] });
    assert!(error(&surplus.to_bytes().unwrap()).contains("found `extra`"));
    let mut infinite = sample();
    infinite.matrices[3].values[0] = f32::NAN;
    assert!(error(&infinite.to_bytes().unwrap()).contains("found the value NaN"));
}

#[test]
fn unknown_encodings_and_keys_are_named() {
    let mut weights = sample();
    let Spec::Planes(spec) = &mut weights.spec else { panic!("planes") };
    spec.moves = "other-1858".into();
    assert!(
        error(&weights.to_bytes().unwrap())
            .contains("unknown move encoding \"other-1858\"; expected one of lc0-1858")
    );
}

#[test]
fn negative_variances_are_refused() {
    let mut weights = sample();
    *weights.matrices.last_mut().unwrap().values.last_mut().unwrap() = -0.25;
    let message = error(&weights.to_bytes().unwrap());
    assert!(message.contains(".moments`: found the variance -0.25, expected 0 or more"), "{message}");
}
