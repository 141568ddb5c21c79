//! Rules of what simulated workers do.

/// What workers do.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// Least and most milliseconds of a pair.
    pub(crate) length: [u64; 2],
    pub(crate) dies: f64,
    pub(crate) twice: f64,
    pub(crate) acks: f64,
    pub(crate) lies: f64,
    pub(crate) forfeits: f64,
    pub(crate) favours: f64,
    pub(crate) version: String,
}

impl Script {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut script = Self {
            length: [100, 1000],
            dies: 0.0,
            twice: 0.0,
            acks: 0.0,
            lies: 0.0,
            forfeits: 0.0,
            favours: 0.0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("this is not a rule: {line}");
            let words: Vec<&str> = line.split_whitespace().collect();
            let word = |at: usize| words.get(at).copied().ok_or_else(wrong);
            let number = |at: usize| word(at)?.parse::<f64>().map_err(|_| wrong());
            match words[0] {
                "length" => script.length = [number(1)? as u64, number(2)? as u64],
                "dies" => script.dies = number(1)?,
                "twice" => script.twice = number(1)?,
                "acks" => script.acks = number(1)?,
                "lies" => script.lies = number(1)?,
                "forfeits" => script.forfeits = number(1)?,
                "favours" => script.favours = number(1)?,
                "version" => word(1)?.clone_into(&mut script.version),
                _ => return Err(wrong()),
            }
        }
        Ok(script)
    }
}
