//! Lines of the ACE console protocol, and templates of its arguments.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::chess::{Color, Position};
use playself::protocol::ace::{Invocation, Line, MoveLimit, Template, looks_like_a_move};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let position = Position::startpos();
    for line in text.lines() {
        let _ = format!("{:?}", Line::parse(line));
        for word in line.split(' ').take(64) {
            let looks = looks_like_a_move(word);
            if let Ok(mv) = position.parse_ace(word) {
                assert!(looks && position.is_legal(mv), "{word}");
            }
        }
    }
    let arguments = text.lines().map(str::to_owned).collect();
    if let Ok(template) = Template::new(arguments) {
        let game = Invocation::playing(Color::White, MoveLimit::Nodes(1), "8/8/8/8/8/8/8/8 w - -");
        let _ = template.build(&game);
    }
});
