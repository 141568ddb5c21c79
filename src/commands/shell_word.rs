//! Paths in commands that a user may copy into a shell.

use std::path::Path;

/// Quotes a path for a shell.
pub(super) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
    if plain { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_signs_of_a_shell_is_quoted() {
        assert_eq!(shell_word(Path::new("results/20260131-a_b")), "results/20260131-a_b");
        assert_eq!(shell_word(Path::new("my runs/it's; rm")), "'my runs/it'\\''s; rm'");
    }
}
