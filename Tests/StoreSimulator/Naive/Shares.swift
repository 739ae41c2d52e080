import StoreServer

/// What clients have left of their shares of actions. Each principal has one, and all have that of
/// the one address that requests come from.
struct Shares {
    /// They may come all at once; then what was taken comes back evenly.
    static let rate = Rate(40, in: 10)

    private static let address = ""

    /// What is missing of a share, in nanoseconds until it is back, at a moment.
    private var missing: [String: (nanoseconds: Int64, at: Int64)] = [:]

    /// Takes so many for a request, or nothing where a share has not so many left. More than a
    /// whole share is taken from a whole one.
    mutating func take(_ count: Int, by principal: String?, at now: Int64) -> Bool {
        guard let rate = Self.rate else { return true }
        let each = Int64(rate.seconds) * 1_000_000_000 / Int64(rate.count)
        let needed = Int64(min(count, rate.count)) * each
        let owners = [principal, Self.address].compactMap { $0 }
        for owner in owners {
            let (left, before) = missing[owner] ?? (0, now)
            missing[owner] = (max(0, left - (now - before)), now)
        }
        let isEnough = owners.allSatisfy { owner in
            needed <= Int64(rate.count) * each - (missing[owner]?.nanoseconds ?? 0)
        }
        guard isEnough else { return false }
        for owner in owners { missing[owner]?.nanoseconds += Int64(count) * each }
        return true
    }
}
