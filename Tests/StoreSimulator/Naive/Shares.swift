import StoreServer

/// The rest of the clients' shares of actions. Each principal has a share, and all principals use
/// the share of the one address that requests come from.
struct Shares {
    /// A whole share may be used at once. Then its actions come back evenly.
    static let rate = Rate(40, in: .seconds(10))

    private static let address = ""

    /// The used part of each share: the nanoseconds until it is back, counted from a moment.
    private var missing: [String: (nanoseconds: Int64, at: Int64)] = [:]

    /// Takes the actions of a request from the shares, or nothing if a share has too few. A request
    /// above a whole share needs a whole share.
    mutating func take(_ count: Int, by principal: String?, at now: Int64) -> Bool {
        guard let rate = Self.rate else { return true }
        let each = rate.period.components.seconds * 1_000_000_000 / Int64(rate.count)
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
