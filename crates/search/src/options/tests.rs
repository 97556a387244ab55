use super::*;

#[test]
fn every_default_is_what_the_list_says_and_is_accepted() {
    let mut names = Vec::new();
    for tunable in TUNABLES {
        let mut options = PuctOptions::default();
        let default = tunable.get(&options).to_string();
        let listed = match tunable.kind {
            Kind::Float { default, .. } => Value::Float(default),
            Kind::Integer { default, .. } => Value::Integer(default),
            Kind::Flag { default } => Value::Flag(default),
        };
        assert_eq!(tunable.get(&options), listed, "{}", tunable.name);
        tunable.set(&mut options, &default).unwrap();
        assert_eq!(options, PuctOptions::default(), "{}", tunable.name);
        assert!(tunable.help.ends_with('.'), "{}", tunable.name);
        assert!(!names.contains(&canonical(tunable.name)), "{} is listed twice", tunable.name);
        names.push(canonical(tunable.name));
    }
}

#[test]
fn both_ends_of_each_range_are_accepted_and_nothing_beyond() {
    for tunable in TUNABLES {
        let mut options = PuctOptions::default();
        let (inside, outside) = match tunable.kind {
            Kind::Float { min, max, .. } => {
                ([min.to_string(), max.to_string()], vec![(min - 0.01).to_string(), "NaN".into(), "x".into()])
            }
            Kind::Integer { min, max, .. } => {
                ([min.to_string(), max.to_string()], vec![format!("{max}0"), "-1".into(), "1.5".into()])
            }
            Kind::Flag { .. } => (["true".into(), "off".into()], vec!["2".into(), String::new()]),
        };
        for text in inside {
            tunable.set(&mut options, &text).unwrap();
            assert_eq!(
                canonical(&tunable.get(&options).to_string()),
                canonical(&text).replace("off", "false")
            );
        }
        let before = options.clone();
        for text in outside {
            let error = tunable.set(&mut options, &text).unwrap_err().to_string();
            assert!(error.contains(tunable.name) && error.contains(&tunable.expected()), "{error}");
            assert_eq!(options, before, "a refused value changes nothing");
        }
    }
}

#[test]
fn names_are_found_however_they_are_written() {
    for name in ["Move Overhead", "MoveOverhead", "move_overhead", "move-overhead"] {
        let mut options = PuctOptions::default();
        options.set(name, "75").unwrap();
        assert_eq!(options.move_overhead, 75);
    }
    let error = PuctOptions::default().set("CPuckt", "1").unwrap_err().to_string();
    assert!(error.contains("CPuckt") && error.contains("CPuct,"), "{error}");
}

#[test]
fn uci_lines_announce_type_default_and_range() {
    assert_eq!(find("cpuct").unwrap().uci_line(), "option name CPuct type string default 1.745");
    assert_eq!(find("hash").unwrap().uci_line(), "option name Hash type spin default 256 min 1 max 8192");
    assert_eq!(find("TreeReuse").unwrap().uci_line(), "option name TreeReuse type check default true");
}
