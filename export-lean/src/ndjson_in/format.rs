//! The lines of lean4export NDJSON 3.1.0 as data. Unknown, missing and repeated keys are errors of the parser.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// One line. Exactly one of the keys that are not an index is present.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Line {
    pub meta: Option<Meta>,
    #[serde(rename = "in")]
    pub name_id: Option<u64>,
    #[serde(rename = "il")]
    pub level_id: Option<u64>,
    #[serde(rename = "ie")]
    pub term_id: Option<u64>,
    #[serde(rename = "str")]
    pub text_name: Option<TextName>,
    #[serde(rename = "num")]
    pub number_name: Option<NumberName>,
    pub succ: Option<u64>,
    pub max: Option<(u64, u64)>,
    pub imax: Option<(u64, u64)>,
    pub param: Option<u64>,
    pub bvar: Option<u64>,
    pub sort: Option<u64>,
    #[serde(rename = "const")]
    pub constant: Option<Const>,
    pub app: Option<App>,
    pub lam: Option<Binder>,
    #[serde(rename = "forallE")]
    pub pi: Option<Binder>,
    #[serde(rename = "letE")]
    pub let_: Option<Let>,
    pub proj: Option<Proj>,
    #[serde(rename = "natVal")]
    pub nat: Option<String>,
    #[serde(rename = "strVal")]
    pub string: Option<String>,
    pub mdata: Option<Mdata>,
    pub axiom: Option<Axiom>,
    pub def: Option<Def>,
    pub thm: Option<Thm>,
    pub opaque: Option<Opaque>,
    pub quot: Option<Quot>,
    pub inductive: Option<Inductive>,
}

impl Line {
    /// How many keys are present.
    pub fn keys(&self) -> usize {
        let ids = [self.name_id, self.level_id, self.term_id, self.bvar];
        let numbers = [self.succ, self.param, self.sort];
        let others = [
            self.meta.is_some(),
            self.text_name.is_some(),
            self.number_name.is_some(),
            self.max.is_some(),
            self.imax.is_some(),
            self.constant.is_some(),
            self.app.is_some(),
            self.lam.is_some(),
            self.pi.is_some(),
            self.let_.is_some(),
            self.proj.is_some(),
            self.nat.is_some(),
            self.string.is_some(),
            self.mdata.is_some(),
            self.axiom.is_some(),
            self.def.is_some(),
            self.thm.is_some(),
            self.opaque.is_some(),
            self.quot.is_some(),
            self.inductive.is_some(),
        ];
        ids.iter().chain(&numbers).flatten().count() + others.iter().filter(|x| **x).count()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Meta {
    pub format: Format,
    #[serde(rename = "exporter")]
    pub _exporter: Option<IgnoredAny>,
    #[serde(rename = "lean")]
    pub _lean: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    pub version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextName {
    pub pre: u64,
    #[serde(rename = "str")]
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NumberName {
    pub pre: u64,
    pub i: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Const {
    pub name: u64,
    pub us: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct App {
    #[serde(rename = "fn")]
    pub function: u64,
    pub arg: u64,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub(super) enum Info {
    Default,
    Implicit,
    StrictImplicit,
    InstImplicit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Binder {
    pub name: u64,
    #[serde(rename = "type")]
    pub ty: u64,
    pub body: u64,
    #[serde(rename = "binderInfo")]
    pub info: Info,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Let {
    #[serde(rename = "nondep")]
    pub _nondep: bool,
    pub name: u64,
    #[serde(rename = "type")]
    pub ty: u64,
    pub value: u64,
    pub body: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proj {
    #[serde(rename = "typeName")]
    pub type_name: u64,
    pub idx: u64,
    #[serde(rename = "struct")]
    pub of: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mdata {
    #[serde(rename = "data")]
    pub _data: Option<IgnoredAny>,
    pub expr: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Axiom {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub is_unsafe: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub(super) enum Hints {
    Opaque,
    Abbrev,
    Regular(u32),
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Safety {
    Safe,
    Unsafe,
    Partial,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Def {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub value: u64,
    pub hints: Hints,
    pub safety: Safety,
    #[serde(rename = "all")]
    pub _all: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Thm {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub value: u64,
    #[serde(rename = "all")]
    pub _all: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Opaque {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub value: u64,
    pub is_unsafe: bool,
    #[serde(rename = "all")]
    pub _all: Vec<u64>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(super) enum Kind {
    Type,
    Ctor,
    Lift,
    Ind,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Quot {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub kind: Kind,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Inductive {
    pub types: Vec<TypeVal>,
    pub ctors: Vec<CtorVal>,
    pub recs: Vec<RecVal>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TypeVal {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub num_params: u32,
    pub num_indices: u32,
    pub all: Vec<u64>,
    pub ctors: Vec<u64>,
    pub num_nested: u32,
    pub is_rec: bool,
    pub is_unsafe: bool,
    pub is_reflexive: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CtorVal {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub induct: u64,
    pub cidx: u32,
    pub num_params: u32,
    pub num_fields: u32,
    pub is_unsafe: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RecVal {
    pub name: u64,
    pub level_params: Vec<u64>,
    #[serde(rename = "type")]
    pub ty: u64,
    pub all: Vec<u64>,
    pub num_params: u32,
    pub num_indices: u32,
    pub num_motives: u32,
    pub num_minors: u32,
    pub rules: Vec<Rule>,
    pub k: bool,
    pub is_unsafe: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub ctor: u64,
    pub nfields: u32,
    pub rhs: u64,
}
