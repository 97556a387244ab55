//! Parts of the description that types and handlers cannot state themselves.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::openapi::{OpenApi, RefOr, schema::Schema};

/// The path of the schemas in a description.
const SCHEMAS: &str = "#/components/schemas/";

/// Completes the description: responses hold every field (unknown values are `null`, never omitted), and every operation has a
/// unique name. The optional fields of requests may be left out.
pub(super) fn complete(description: &mut OpenApi) {
    let sent = sent(&serde_json::json!(description));
    let schemas = description.components.iter_mut().flat_map(|components| &mut components.schemas);
    for (_, schema) in schemas.filter(|(name, _)| !sent.contains(*name)) {
        require_all(schema);
    }
    for (path, item) in &mut description.paths.paths {
        let words = path.replace(['/', '{', '}'], " ");
        let words = words.split_whitespace().collect::<Vec<_>>().join("_");
        for (method, operation) in [("get", &mut item.get), ("post", &mut item.post)] {
            if let Some(operation) = operation {
                operation.operation_id = Some(format!("{method}_{words}"));
            }
        }
    }
}

fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.required = object.properties.keys().cloned().collect(),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

/// Names of the schemas of request bodies, and of their parts.
fn sent(description: &Value) -> BTreeSet<String> {
    let paths = description["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    let operations = paths.filter_map(Value::as_object).flat_map(|item| item.values());
    let mut unread: Vec<&Value> = operations.filter_map(|operation| operation.get("requestBody")).collect();
    let mut names = BTreeSet::new();
    while let Some(value) = unread.pop() {
        match value {
            Value::Object(entries) => unread.extend(entries.values()),
            Value::Array(values) => unread.extend(values),
            Value::String(text) => {
                let Some(name) = text.strip_prefix(SCHEMAS) else { continue };
                if names.insert(name.to_owned()) {
                    unread.push(&description["components"]["schemas"][name]);
                }
            }
            _ => {}
        }
    }
    names
}
