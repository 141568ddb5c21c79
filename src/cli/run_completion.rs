//! Completion of run folders, added to the scripts that clap writes.

/// Commands whose first argument is a run folder.
const COMMANDS: [&str; 10] =
    ["resume", "report", "verify", "watch", "status", "pause", "continue", "concurrency", "stop", "ask"];

/// Shells whose scripts know run folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunShell {
    /// GNU Bash.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

/// Returns the script with completion of the runs in `results` and of `last`.
pub fn with_runs(shell: RunShell, script: &str) -> String {
    match shell {
        RunShell::Bash => format!("{script}{}", bash()),
        // The run folder is the only argument that is completed as a folder.
        RunShell::Zsh => script.replace(":_files -/", ":_playself_runs").replacen("\nautoload", &zsh(), 1),
        RunShell::Fish => format!("{script}{}", fish()),
    }
}

fn bash() -> String {
    format!(
        r#"
_playself_with_runs() {{
    _playself "$@"
    case "${{COMP_WORDS[1]}}" in
        {})
            local word="${{COMP_WORDS[COMP_CWORD]}}"
            if [[ "$word" != -* ]]; then
                local plans=(results/*/plan.toml)
                local runs="${{plans[*]%/plan.toml}}"
                COMPREPLY+=($(compgen -W "last ${{runs#results/\*}}" -- "$word"))
            fi
            ;;
    esac
}}
complete -F _playself_with_runs -o bashdefault -o default playself
"#,
        COMMANDS.join("|")
    )
}

fn zsh() -> String {
    r"
_playself_runs() {
    local -a runs
    runs=(last results/*/plan.toml(N:h))
    compadd -a runs
    _files -/
}

autoload"
        .to_owned()
}

fn fish() -> String {
    format!(
        "complete -c playself -n \"__fish_seen_subcommand_from {}\" -a \"last (for plan in results/*/plan.toml; dirname \
         $plan; end)\" -d 'Run folder'\n",
        COMMANDS.join(" ")
    )
}
