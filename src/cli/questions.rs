//! Questions to a person at a terminal.

use std::io::{self, BufRead, IsTerminal, Write};

/// Returns whether there is someone to ask: standard input and standard error are a terminal.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a line of text; an empty line means `default`.
pub fn ask_text(question: &str, default: &str) -> io::Result<String> {
    let mut output = io::stderr();
    write!(output, "{question} [{default}] ")?;
    output.flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "no answer"));
    }
    let line = line.trim();
    Ok(if line.is_empty() { default.to_owned() } else { line.to_owned() })
}

/// Asks for one of `choices`, by number or by name; another text is returned as it is.
pub fn ask_choice(question: &str, choices: &[String], default: &str) -> io::Result<String> {
    let mut output = io::stderr();
    for (number, choice) in (1..).zip(choices) {
        writeln!(output, "  {number:>2}  {choice}")?;
    }
    let answer = ask_text(question, default)?;
    Ok(chosen(&answer, choices))
}

fn chosen(answer: &str, choices: &[String]) -> String {
    let number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.and_then(|place| choices.get(place)).cloned().unwrap_or_else(|| answer.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_made_by_number_or_by_name() {
        let choices = ["match".to_owned(), "sprt".to_owned()];
        for (answer, expected) in
            [("2", "sprt"), ("sprt", "sprt"), ("./engine", "./engine"), ("9", "9"), ("0", "0")]
        {
            assert_eq!(chosen(answer, &choices), expected);
        }
    }
}
