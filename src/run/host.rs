//! The machine that plays a run, in one line.

use std::fs;

/// Describes this machine by processor, number of processors and kernel: `AMD EPYC 7B13, 8 processors, Linux 6.1.0`. Parts
/// that cannot be read are left out. The name of the machine is not included, because pages are published.
pub(super) fn host_description() -> String {
    let processors = std::thread::available_parallelism().ok().map(|count| match count.get() {
        1 => "1 processor".to_owned(),
        many => format!("{many} processors"),
    });
    let model = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| processor_model(&text));
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let kernel = kernel.map(|release| format!("Linux {}", release.trim()));
    [model, processors, kernel].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the name of the first processor in the text of `/proc/cpuinfo`.
fn processor_model(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    let name = line.trim_start().strip_prefix(':')?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_once_and_without_padding() {
        let text =
            "processor\t: 0\nmodel name\t: Fast   CPU  @ 3 GHz\nprocessor\t: 1\nmodel name\t: Fast CPU\n";
        assert_eq!(processor_model(text).as_deref(), Some("Fast CPU @ 3 GHz"));
        assert_eq!(processor_model("processor: 0\n"), None);
        assert!(host_description().contains("processor"));
    }
}
