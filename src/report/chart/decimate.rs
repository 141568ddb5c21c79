//! Reduction of the number of points, so that charts of a million games stay small.

use super::xy::BandPoint;

/// Returns about `most` points: the first, the last, and the extremes of every bucket.
pub fn decimate(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most || most < 4 {
        return points.to_vec();
    }
    let buckets = most / 2;
    let mut kept = Vec::with_capacity(most + 2);
    kept.push(points[0]);
    for bucket in 0..buckets {
        let slice = &points[points.len() * bucket / buckets..points.len() * (bucket + 1) / buckets];
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let extremes = slice.iter().min_by(by_height).zip(slice.iter().max_by(by_height));
        if let Some((low, high)) = extremes {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            kept.extend([*first, *second]);
        }
    }
    kept.extend(points.last());
    kept.dedup();
    kept
}

/// Returns at most `most` evenly spaced points of a band, including the last one.
pub fn decimate_band(points: &[BandPoint], most: usize) -> Vec<BandPoint> {
    if points.len() <= most || most < 2 {
        return points.to_vec();
    }
    (0..most).map(|place| points[place * (points.len() - 1) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_keeps_its_ends_and_its_extremes() {
        let mut points: Vec<_> = (0..1_000_000).map(|x| (f64::from(x), (f64::from(x) / 1e4).sin())).collect();
        points[345_678].1 = 9.0;
        let few = decimate(&points, 600);
        assert!(few.len() <= 602, "{}", few.len());
        assert_eq!((few[0], few[few.len() - 1]), (points[0], points[points.len() - 1]));
        assert!(few.iter().any(|point| point.1 == 9.0), "the extreme is kept");
        assert!(few.windows(2).all(|pair| pair[0].0 <= pair[1].0), "from left to right");
    }
}
