//! The oracle's two levels: exclusive ors of blocks, and linear combinations modulo a power of two.
//!
//! A [`Form`] has for each product of shifted unknowns the mask of the places at which it occurs; a [`Sum`] has for each
//! product of single bits its coefficient. Both are unique: two terms are equal exactly if their forms are.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::exp::{log2, top, two};

/// Shifted unknowns: each with how far it is shifted to the right, in order and without repetition.
pub type Product = Vec<(i64, usize)>;

/// How many blocks a form may have.
const MAX_BLOCKS: usize = 60;

/// How many places a sum may have.
const MAX_PLACES: usize = 1 << 15;

/// Too much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// An exclusive or of blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form(BTreeMap<Product, BigUint>);

fn union(p: &Product, q: &Product) -> Product {
    let mut r: Product = p.iter().chain(q).copied().collect();
    r.sort_unstable();
    r.dedup();
    r
}

impl Form {
    /// A constant.
    pub fn constant(n: BigUint) -> Form {
        let mut f = Form::default();
        f.insert(Vec::new(), n);
        f
    }

    /// An unknown below a bound.
    pub fn atom(a: usize, bound: &BigUint) -> Form {
        let max = bound - bound.clone().min(BigUint::one());
        Form(BTreeMap::from([(vec![(0, a)], top(&max))]))
    }

    /// Its blocks.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = (&Product, &BigUint)> {
        self.0.iter()
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn insert(&mut self, p: Product, m: BigUint) {
        if m.is_zero() {
            return;
        }
        let old = self.0.remove(&p).unwrap_or_default() ^ m;
        if !old.is_zero() {
            self.0.insert(p, old);
        }
    }

    fn checked(self) -> Result<Form, TooLarge> {
        if self.0.len() > MAX_BLOCKS {
            Err(TooLarge)
        } else {
            Ok(self)
        }
    }

    /// Exclusive or.
    pub fn xor(&self, other: &Form) -> Result<Form, TooLarge> {
        let mut r = self.clone();
        for (p, m) in &other.0 {
            r.insert(p.clone(), m.clone());
        }
        r.checked()
    }

    /// And with a block.
    fn clip(&self, p: &Product, m: &BigUint) -> Form {
        let mut r = Form::default();
        for (q, k) in &self.0 {
            r.insert(union(p, q), m & k);
        }
        r
    }

    /// And with a constant.
    pub fn mask(&self, m: &BigUint) -> Form {
        self.clip(&Vec::new(), m)
    }

    /// And.
    pub fn and(&self, other: &Form) -> Result<Form, TooLarge> {
        let mut r = Form::default();
        for (p, m) in &self.0 {
            r = r.xor(&other.clip(p, m))?;
        }
        Ok(r)
    }

    fn shifted(&self, by: i64, mask: impl Fn(&BigUint) -> BigUint) -> Form {
        let mut r = Form::default();
        for (p, m) in &self.0 {
            r.insert(p.iter().map(|(row, a)| (row + by, *a)).collect(), mask(m));
        }
        r
    }

    /// Shift right.
    pub fn shr(&self, k: u32) -> Form {
        self.shifted(i64::from(k), |m| m >> k)
    }

    /// Shift left.
    pub fn shl(&self, k: u32) -> Form {
        self.shifted(-i64::from(k), |m| m << k)
    }

    /// A multiple, if nothing is carried.
    pub fn scale(&self, k: &BigUint) -> Result<Option<Form>, TooLarge> {
        if self.is_zero() {
            return Ok(Some(Form::default()));
        }
        if let Some(k) = log2(k) {
            return Ok(Some(self.shl(k)));
        }
        let mut sum = Form::default();
        for i in 0..k.bits() {
            if !k.bit(i) {
                continue;
            }
            let part = self.shl(u32::try_from(i).map_err(|_| TooLarge)?);
            if !sum.and(&part)?.is_zero() {
                return Ok(None);
            }
            sum = sum.xor(&part)?;
        }
        Ok(Some(sum))
    }

    /// Does it have bits only where the constant has?
    pub fn within(&self, d: &BigUint) -> bool {
        self.0.values().all(|m| (m & d) == *m)
    }

    /// The value of a single place: a monomial at which the form is not 0 and no smaller one is.
    pub fn witness(&self) -> Option<Vec<(usize, u64)>> {
        let (p, m) = self.0.iter().min_by_key(|(p, _)| p.len())?;
        let i = m.trailing_zeros()?;
        Some(bits_of(p, i as i64))
    }
}

/// The bits of unknowns that a product has at a place.
fn bits_of(p: &Product, i: i64) -> Vec<(usize, u64)> {
    p.iter()
        .filter_map(|(row, a)| Some((*a, u64::try_from(i + row).ok()?)))
        .collect()
}

/// A linear combination of products of bits modulo `2 ^ w`: for each product whose least shift is 0, and place, the
/// coefficient.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum {
    w: u32,
    places: BTreeMap<(Product, i64), BigUint>,
}

impl Sum {
    /// Nothing, modulo `2 ^ w`.
    pub fn new(w: u32) -> Sum {
        Sum {
            w,
            places: BTreeMap::new(),
        }
    }

    /// The exponent of the modulus.
    pub fn width(&self) -> u32 {
        self.w
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.places.is_empty()
    }

    /// The last `k` digits, as many as there are of which each is a single product or a constant, and the rest divided by
    /// `2 ^ k`; `None` if there are none.
    pub fn split(&self) -> Option<(u32, Form, Sum)> {
        let constant = self
            .places
            .get(&(Product::new(), 0))
            .cloned()
            .unwrap_or_default();
        let products = || self.places.iter().filter(|((p, _), _)| !p.is_empty());
        let single = |k: u32| {
            let mut taken = constant.clone() % two(k);
            products()
                .filter(|(_, c)| c.trailing_zeros().is_some_and(|z| z < u64::from(k)))
                .all(|(_, c)| {
                    let free = (&taken & c).is_zero() && log2(c).is_some();
                    taken |= c;
                    free
                })
        };
        let k = (1..=self.w).take_while(|k| single(*k)).last()?;
        let mut low = Form::constant(constant.clone() % two(k));
        let mut high = Sum::new(self.w - k);
        let rest = constant >> k;
        if !rest.is_zero() {
            high.places.insert((Product::new(), 0), rest);
        }
        for ((p, i), c) in products() {
            match log2(c).filter(|z| *z < k) {
                Some(z) => {
                    let by = i - i64::from(z);
                    low.insert(p.iter().map(|(row, a)| (row + by, *a)).collect(), c.clone());
                }
                None => {
                    high.places.insert((p.clone(), *i), c >> k);
                }
            }
        }
        Some((k, low, high))
    }

    /// Its terms, places with doubling coefficients together: product, first place, how many places, coefficient of the first.
    pub fn runs(&self) -> Vec<(Product, i64, u64, BigUint)> {
        let mut runs: Vec<(Product, i64, u64, BigUint)> = Vec::new();
        let mut last = BigUint::zero();
        for ((p, i), c) in &self.places {
            last = (last * 2u32) % two(self.w);
            match runs.last_mut() {
                Some((q, from, count, _))
                    if q == p && *i == *from + *count as i64 && *c == last =>
                {
                    *count += 1;
                }
                _ => {
                    last = c.clone();
                    runs.push((p.clone(), *i, 1, c.clone()));
                }
            }
        }
        runs
    }

    /// The same modulo a smaller power of two.
    pub fn reduced(&self, w: u32) -> Sum {
        let mut r = Sum::new(w);
        for (key, c) in &self.places {
            let c = c % two(w);
            if !c.is_zero() {
                r.places.insert(key.clone(), c);
            }
        }
        r
    }

    /// `c` times a block added.
    fn block(&mut self, c: &BigUint, p: &Product, m: &BigUint) -> Result<(), TooLarge> {
        if p.is_empty() {
            let old = self.places.remove(&(Product::new(), 0)).unwrap_or_default();
            let new = (old + c * m) % two(self.w);
            if !new.is_zero() {
                self.places.insert((Product::new(), 0), new);
            }
            return Ok(());
        }
        let least = p.iter().map(|(row, _)| *row).min().unwrap_or(0);
        let q: Product = p.iter().map(|(row, a)| (row - least, *a)).collect();
        let modulus = two(self.w);
        for i in 0..m.bits() {
            if !m.bit(i) || i >= u64::from(self.w) {
                continue;
            }
            let key = (q.clone(), i as i64 + least);
            let old = self.places.remove(&key).unwrap_or_default();
            let new = (old + (c << i)) % &modulus;
            if !new.is_zero() {
                self.places.insert(key, new);
            }
        }
        if self.places.len() > MAX_PLACES {
            Err(TooLarge)
        } else {
            Ok(())
        }
    }

    /// `c` times a constant added.
    pub fn constant(&mut self, c: &BigUint, n: &BigUint) -> Result<(), TooLarge> {
        self.block(c, &Vec::new(), n)
    }

    /// `c` times a form added.
    pub fn form(&mut self, c: &BigUint, f: &Form) -> Result<(), TooLarge> {
        let mut steps = 0;
        self.expand(c, f, &mut steps)
    }

    fn expand(&mut self, c: &BigUint, f: &Form, steps: &mut usize) -> Result<(), TooLarge> {
        let mut rest = f.clone();
        while let Some((p, m)) = rest.0.pop_first() {
            *steps += 1;
            if *steps > 4 * MAX_BLOCKS {
                return Err(TooLarge);
            }
            self.block(c, &p, &m)?;
            let twice = (c * (two(self.w) - 1u32) * 2u32) % two(self.w);
            let both = rest.clip(&p, &m);
            if !both.is_zero() && !twice.is_zero() {
                logic::subst::with_stack(|| self.expand(&twice, &both, steps))?;
            }
        }
        Ok(())
    }

    /// The coefficient of an unknown by itself, as far as its lowest bit tells.
    pub fn coefficient(&self, a: usize) -> Option<&BigUint> {
        self.places.get(&(vec![(0, a)], 0))
    }

    /// A product of bits with a coefficient that is not 0 while those of its parts are.
    pub fn witness(&self) -> Option<Vec<(usize, u64)>> {
        let ((p, i), _) = self.places.iter().min_by_key(|((p, _), _)| p.len())?;
        Some(bits_of(p, *i))
    }
}
