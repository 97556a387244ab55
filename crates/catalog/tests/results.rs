//! The page and reports read the same results, and neither crate sees the other.

#[test]
fn every_kind_of_result_that_becomes_a_section_is_known_to_the_page() {
    for kind in strength::report::sections::kinds() {
        assert!(web::knows_result_kind(kind), "{kind}: it needs a row in crates/web/src/runs/results.rs");
    }
    assert!(!web::knows_result_kind("tabiya-nonsense-1") && !web::knows_result_kind("match"));
}
