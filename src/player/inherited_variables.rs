//! The variables of our environment that engines inherit.

use std::ffi::OsString;

/// What programs need to find their libraries, files and language, and to use processors and graphics cards as usual. Nothing
/// here names a secret. A name may end in `*`.
const USUAL: [&str; 31] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TERM",
    "NO_COLOR",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MALLOC_*",
    "XDG_*",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "WINE*",
    "JAVA_HOME",
    "DOTNET_*",
    "PYTHON*",
    "VIRTUAL_ENV",
    "RUST_BACKTRACE",
    "OMP_*",
    "MKL_*",
    "OPENBLAS_*",
    "CUDA_*",
    "NVIDIA_*",
    "ROCR_*",
    "HIP_*",
];

/// Returns the variables among `ours` that an engine inherits: the usual ones, and those that its plan names.
pub(super) fn inherited_variables(
    named: &[String],
    ours: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    ours.filter(move |(name, _)| {
        let mut patterns = USUAL.iter().copied().chain(named.iter().map(String::as_str));
        name.to_str().is_some_and(|name| patterns.any(|pattern| matches(pattern, name)))
    })
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_usual_and_named_variables_are_inherited() {
        let ours = ["PATH", "LC_ALL", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_NET", "MY_KEY", "PATHS"];
        let inherited = |named: &[&str]| {
            let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
            let ours = ours.iter().map(|&name| (OsString::from(name), OsString::from("x")));
            inherited_variables(&named, ours).map(|(name, _)| name.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(inherited(&[]), ["PATH", "LC_ALL"]);
        assert_eq!(inherited(&["MY_NET"]), ["PATH", "LC_ALL", "MY_NET"]);
        assert_eq!(inherited(&["MY_*"]), ["PATH", "LC_ALL", "MY_NET", "MY_KEY"]);
        assert_eq!(inherited(&["*"]), ours);
    }
}
