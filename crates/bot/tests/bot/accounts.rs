//! Tokens and accounts.

use std::sync::Arc;

use bot::{Bot, Token};

use crate::{
    double::Lichess,
    stage::{Log, Running, quick},
};

#[test]
fn wrong_tokens_and_accounts_of_people_are_named() {
    let lichess = Lichess::start();
    lichess.account("Person", "lip_PersonalSecret", None);
    let folder = tempfile::tempdir().unwrap();
    let connect = |token: &str| {
        let settings = Running::settings(&lichess, "", folder.path());
        let token = Token::parse(token, "test").unwrap();
        Bot::connect(settings, token, Arc::new(quick()), Arc::new(Log::default())).err()
    };
    let unknown = connect("lip_WrongSecret").unwrap().to_string();
    assert!(unknown.contains("status 401") && !unknown.contains("Secret"), "{unknown}");
    let person = connect("lip_PersonalSecret").unwrap().to_string();
    assert!(person.contains("Person is not a bot account"), "{person}");
    // Defect N9: the server uses the token as a name.
    lichess.account("lip_NameSecret", "lip_NameSecret", None);
    let named = connect("lip_NameSecret").unwrap().to_string();
    assert!(named.contains("(token) is not a bot account"), "{named}");
    let settings = Running::settings(&lichess, "", folder.path());
    Bot::upgrade(&settings, Token::parse("lip_PersonalSecret", "test").unwrap()).unwrap();
    assert!(connect("lip_PersonalSecret").is_none());
}
