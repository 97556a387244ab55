//! The commands, options and paths that a Markdown document names.

/// The lines of code blocks, fenced or indented by four spaces, with continued lines joined.
pub(crate) fn code_lines(text: &str) -> Vec<String> {
    let (mut lines, mut fenced) = (Vec::<String>::new(), false);
    let mut continued = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if fenced || line.starts_with("    ") {
            let part = line.trim().trim_end_matches('\\').trim_end();
            match lines.last_mut().filter(|_| continued) {
                Some(last) => *last = format!("{last} {part}"),
                None => lines.push(part.to_string()),
            }
            continued = line.ends_with('\\');
        }
    }
    lines
}

/// Texts between single backquotes outside code blocks; a span may continue on the next line.
pub(crate) fn code_spans(text: &str) -> Vec<String> {
    let (mut prose, mut fenced) = (String::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    let spans = prose.split("\n\n").flat_map(|paragraph| paragraph.split('`').skip(1).step_by(2));
    spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The targets of links that lead to files of the repository, without their anchors.
pub(crate) fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let local = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or(target).to_string()).collect()
}

/// The arguments of a line that runs `program`, without its comment, a pipe's other programs and a leading `$`.
pub(crate) fn arguments(line: &str, program: &str) -> Option<Vec<String>> {
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let line = line.split(" #").next()?.split(" | ").next()?;
    let mut words = words(line).into_iter();
    (words.next()? == program).then(|| words.collect())
}

/// Words as a shell divides them: at white space outside quotes, which are taken away.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for letter in line.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            None if letter.is_whitespace() => words.push(String::new()),
            _ => words.last_mut().expect("begins with one word").push(letter),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).collect()
}
