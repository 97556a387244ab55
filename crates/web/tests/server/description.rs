//! The description of the API, kept in `docs/openapi.json` so that it can be read without a server.

use std::path::Path;

use crate::stage::Stage;

#[test]
fn the_description_in_the_documentation_is_the_servers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let now = web::openapi().unwrap() + "\n";
    if std::env::var_os("TABIYA_UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == now, "docs/openapi.json is old: TABIYA_UPDATE_GOLDEN=1 cargo test -p web renews it");
    let served = Stage::new().get("/api/v1/openapi.json").json();
    assert_eq!(served, serde_json::from_str::<serde_json::Value>(&now).unwrap());
    assert!(served["paths"]["/games/{id}/moves"]["post"].is_object());
}
