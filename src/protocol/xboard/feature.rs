//! The features that an engine announces with protocol version 2.

use super::option_declaration;
use crate::protocol::uci::OptionDeclaration;

/// Something that an engine has or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Answers `ping`.
    Ping,
    /// Accepts `setboard`.
    SetBoard,
    /// Uses standard algebraic notation in both directions.
    San,
    /// Wants `usermove` before moves.
    UserMove,
    /// Wants to know the clocks.
    Time,
    /// Wants to know that a draw was offered.
    Draw,
    /// Can play another game in the same process.
    Reuse,
    /// Can count time in nodes.
    NodeRate,
    /// Accepts `memory`.
    Memory,
    /// Accepts `cores`.
    Cores,
}

impl Capability {
    /// Every capability with the name of its feature, and whether an engine that does not send it has it.
    const TABLE: [(Self, &'static str, Unmentioned); 10] = [
        (Self::Ping, "ping", Unmentioned::Absent),
        (Self::SetBoard, "setboard", Unmentioned::Absent),
        (Self::San, "san", Unmentioned::Absent),
        (Self::UserMove, "usermove", Unmentioned::Absent),
        (Self::Time, "time", Unmentioned::Present),
        (Self::Draw, "draw", Unmentioned::Present),
        (Self::Reuse, "reuse", Unmentioned::Present),
        (Self::NodeRate, "nps", Unmentioned::Absent),
        (Self::Memory, "memory", Unmentioned::Absent),
        (Self::Cores, "smp", Unmentioned::Absent),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(_, known, _)| *known == name).map(|(capability, ..)| *capability)
    }
}

/// Whether an engine that does not mention a capability has it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unmentioned {
    Present,
    Absent,
}

/// One announcement of a `feature` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feature<'a> {
    /// The engine has a capability.
    Has(Capability),
    /// It lacks one.
    Lacks(Capability),
    /// `done=1`: nothing follows.
    Done,
    /// `done=0`: more follows, however long it takes.
    Wait,
    /// `myname="…"`.
    Name(&'a str),
    /// `variants="…"`: the names of variants, separated by commas.
    Variants(&'a str),
    /// `option="…"`, if it can be read.
    Option(Option<OptionDeclaration>),
    /// A feature that the harness does not use, wanted by the engine.
    Unused(&'a str),
    /// A feature that the harness does not use, and the engine does not want.
    Declined(&'a str),
}

/// The announcements of a `feature` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureList<'a>(pub(super) &'a str);

impl<'a> FeatureList<'a> {
    /// Returns the announcements in order, each with its name.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, Feature<'a>)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (name, after) = rest.trim_start().split_once('=')?;
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
                None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            rest = after;
            let name = name.trim();
            Some((name, Feature::of(name, value)))
        })
    }
}

impl<'a> Feature<'a> {
    fn of(name: &'a str, value: &'a str) -> Self {
        let off = value == "0";
        match (Capability::named(name), name) {
            (Some(capability), _) if off => Self::Lacks(capability),
            (Some(capability), _) => Self::Has(capability),
            (None, "done") if off => Self::Wait,
            (None, "done") => Self::Done,
            (None, "myname") => Self::Name(value),
            (None, "variants") => Self::Variants(value),
            (None, "option") => Self::Option(option_declaration(value)),
            (None, name) if off => Self::Declined(name),
            (None, name) => Self::Unused(name),
        }
    }
}

/// What an engine can do, as far as it has announced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureSet {
    has: Vec<Capability>,
    /// Its name.
    pub name: Option<String>,
    variants: String,
}

impl FeatureSet {
    /// What an engine can do that has announced nothing: all that protocol version 1 promises.
    pub fn silent() -> Self {
        let present =
            Capability::TABLE.iter().filter(|(.., unmentioned)| *unmentioned == Unmentioned::Present);
        Self {
            has: present.map(|(capability, ..)| *capability).collect(),
            name: None,
            variants: "normal".to_owned(),
        }
    }

    /// Applies an announcement.
    pub fn apply(&mut self, feature: &Feature<'_>) {
        match *feature {
            Feature::Has(capability) if !self.has(capability) => self.has.push(capability),
            Feature::Lacks(capability) => self.has.retain(|known| *known != capability),
            Feature::Name(name) => self.name = Some(name.to_owned()),
            Feature::Variants(variants) => variants.clone_into(&mut self.variants),
            _ => {}
        }
    }

    /// Returns whether the engine has a capability.
    pub fn has(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Returns whether the engine can play a variant.
    pub fn plays(&self, variant: &str) -> bool {
        self.variants.split(',').any(|known| known.trim() == variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_quoted_values_is_taken_apart() {
        let line =
            "ping=1 setboard=0 myname=\"A = B 1.0\" variants=\"normal,fischerandom\" san=1 colors=0 done=1";
        let list: Vec<_> = FeatureList(line).iter().map(|(_, feature)| feature).collect();
        assert_eq!(
            list,
            [
                Feature::Has(Capability::Ping),
                Feature::Lacks(Capability::SetBoard),
                Feature::Name("A = B 1.0"),
                Feature::Variants("normal,fischerandom"),
                Feature::Has(Capability::San),
                Feature::Declined("colors"),
                Feature::Done,
            ]
        );
        let mut set = FeatureSet::silent();
        assert!(set.has(Capability::Reuse) && !set.has(Capability::Ping) && set.plays("normal"));
        list.iter().for_each(|feature| set.apply(feature));
        assert!(set.has(Capability::Ping) && set.plays("fischerandom") && !set.plays("atomic"));
        assert_eq!(set.name.as_deref(), Some("A = B 1.0"));
        set.apply(&Feature::Lacks(Capability::Reuse));
        assert!(!set.has(Capability::Reuse));
    }

    #[test]
    fn broken_lines_yield_what_can_be_read() {
        for (line, names) in [
            ("", &[][..]),
            ("nonsense", &[]),
            ("ping=1 myname=\"open", &["ping", "myname"]),
            ("  ping=1  done=0 ", &["ping", "done"]),
            ("=", &[""]),
        ] {
            let found: Vec<&str> = FeatureList(line).iter().map(|(name, _)| name).collect();
            assert_eq!(found, names, "{line:?}");
        }
    }
}
