//! The special registers (ISA chapter 10): their names and widths.

/// The width in bits of a special register by its name without `%`: `tid.x`, `clock64`; `None` if there is no such one.
///
/// The four-element registers are known by their components only, which is how compilers write them.
pub fn special_bits(name: &str) -> Option<u32> {
    if let Some((kind, component)) = name.split_once('.') {
        let vector = matches!(
            kind,
            "tid"
                | "ntid"
                | "ctaid"
                | "nctaid"
                | "clusterid"
                | "nclusterid"
                | "cluster_ctaid"
                | "cluster_nctaid"
        );
        return (vector && matches!(component, "x" | "y" | "z" | "w")).then_some(32);
    }
    match name {
        "laneid"
        | "warpid"
        | "nwarpid"
        | "smid"
        | "nsmid"
        | "cluster_ctarank"
        | "cluster_nctarank"
        | "lanemask_eq"
        | "lanemask_le"
        | "lanemask_lt"
        | "lanemask_ge"
        | "lanemask_gt"
        | "clock"
        | "clock_hi"
        | "globaltimer_lo"
        | "globaltimer_hi"
        | "reserved_smem_offset_begin"
        | "reserved_smem_offset_end"
        | "reserved_smem_offset_cap"
        | "reserved_smem_offset_0"
        | "reserved_smem_offset_1"
        | "total_smem_size"
        | "aggr_smem_size"
        | "dynamic_smem_size" => Some(32),
        "gridid" | "clock64" | "globaltimer" | "current_graph_exec" => Some(64),
        "is_explicit_cluster" => Some(1),
        _ => {
            let number = |prefix: &str, suffix: &str, below: u32| {
                let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
                let n: u32 = digits.parse().ok()?;
                (n < below && n.to_string() == digits).then_some(())
            };
            number("envreg", "", 32)
                .or_else(|| number("pm", "", 8))
                .map(|()| 32)
                .or_else(|| number("pm", "_64", 8).map(|()| 64))
        }
    }
}
