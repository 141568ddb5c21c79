//! Symmetric matrices: solution of linear equations and inverse, by Cholesky's decomposition.

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    size: usize,
    cells: Vec<f64>,
}

impl Matrix {
    /// Creates a matrix of zeros.
    pub(super) fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(super) fn set(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] = value;
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    /// Returns the product with another matrix of the same size.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for row in 0..self.size {
            for middle in 0..self.size {
                let factor = self.get(row, middle);
                for column in 0..self.size {
                    product.add(row, column, factor * other.get(middle, column));
                }
            }
        }
        product
    }

    /// Decomposes a positive definite matrix; otherwise returns the first row that depends on those before it.
    pub(super) fn decompose(mut self) -> Result<Decomposed, usize> {
        /// A pivot this much smaller than its diagonal is a rounding error.
        const NEGLIGIBLE: f64 = 1e-11;
        for row in 0..self.size {
            let diagonal = self.get(row, row);
            for column in 0..=row {
                let (a, b) = (row * self.size, column * self.size);
                let products: f64 = self.cells[a..a + column]
                    .iter()
                    .zip(&self.cells[b..b + column])
                    .map(|(x, y)| x * y)
                    .sum();
                let rest = self.get(row, column) - products;
                if column < row {
                    self.set(row, column, rest / self.get(column, column));
                } else if rest > diagonal * NEGLIGIBLE && rest > 0.0 {
                    self.set(row, row, rest.sqrt());
                } else {
                    return Err(row);
                }
            }
        }
        Ok(Decomposed(self))
    }
}

/// The lower triangle of Cholesky's decomposition.
pub(super) struct Decomposed(Matrix);

impl Decomposed {
    /// Returns the solution of the equations with this right side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.forward(right);
        for row in (0..self.0.size).rev() {
            let value = solution[row] / self.0.get(row, row);
            solution[row] = value;
            for (before, cell) in solution[..row].iter_mut().enumerate() {
                *cell -= self.0.get(row, before) * value;
            }
        }
        solution
    }

    fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for row in 0..self.0.size {
            let known: f64 = (0..row).map(|column| self.0.get(row, column) * solution[column]).sum();
            solution[row] = (solution[row] - known) / self.0.get(row, row);
        }
        solution
    }

    /// Returns the inverse of the matrix.
    pub(super) fn inverse(&self) -> Matrix {
        let size = self.0.size;
        let mut inverse = Matrix::zero(size);
        for column in 0..size {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse.set(row, column, value);
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: [[f64; 3]; 3]) -> Matrix {
        Matrix { size: 3, cells: rows.concat() }
    }

    #[test]
    fn equations_are_solved_and_dependent_rows_found() {
        let spd = matrix([[4.0, 2.0, 1.0], [2.0, 5.0, 3.0], [1.0, 3.0, 6.0]]);
        let decomposed = spd.clone().decompose().ok().unwrap();
        let solution = decomposed.solve(&[1.0, -2.0, 0.5]);
        for row in 0..3 {
            let sum: f64 = (0..3).map(|column| spd.get(row, column) * solution[column]).sum();
            assert!((sum - [1.0, -2.0, 0.5][row]).abs() < 1e-12);
        }
        let inverse = decomposed.inverse();
        let corner: f64 = (0..3).map(|k| spd.get(2, k) * inverse.get(k, 2)).sum();
        assert!((corner - 1.0).abs() < 1e-12);
        let dependent = matrix([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(dependent.decompose().err(), Some(1));
    }
}
