//! Near matches for misspelt words.

/// The candidates near to `word`, nearest first, at most three. What counts are characters put in, taken out, replaced, and
/// swapped with their neighbours.
pub fn near<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    let len = word.chars().count();
    if len > 64 {
        return Vec::new();
    }
    let limit = (len / 3).clamp(1, 3);
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|c| c.chars().count().abs_diff(len) <= limit)
        .map(|c| (strsim::osa_distance(word, c), c))
        .filter(|(d, _)| *d <= limit)
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(3).map(|(_, c)| c).collect()
}
