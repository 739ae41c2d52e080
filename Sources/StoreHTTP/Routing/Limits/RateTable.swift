/// What clients have taken of their shares: a table of fixed size, in which a client is found by
/// one look at a few rows next to each other.
///
/// A share is kept as the moment at which it is whole again (the generic cell rate algorithm): one
/// that is whole needs no row. A client without a row gets the one of its rows that is whole
/// soonest, as it is: so where more clients come than there are rows, they share, and none gets
/// more than its own by pushing others out.
struct RateTable: ~Copyable {
    /// How many clients are told apart.
    static let rowsCount = 32_768
    /// In how many rows a client may be.
    static let waysCount = 8

    /// Whose each row is.
    private let keys: UnsafeMutableBufferPointer<RateKey>
    /// When each share of a row is whole again, in nanoseconds of the clock: one behind the other.
    private let whole: UnsafeMutableBufferPointer<Int64>
    /// Chosen at random, so that no client can choose its rows.
    private let seed: UInt64

    /// Makes a table of so many rows: a power of two, and at least ``waysCount``.
    init(rowsCount: Int = Self.rowsCount, seed: UInt64 = .random(in: .min ... .max)) {
        keys = .allocate(capacity: rowsCount)
        keys.initialize(repeating: RateKey())
        whole = .allocate(capacity: rowsCount * RateLimitKind.allCases.count)
        whole.initialize(repeating: 0)
        self.seed = seed
    }

    deinit {
        keys.deallocate()
        whole.deallocate()
    }

    /// Takes so many of a client's share, unless that is more than is left. More than a whole share
    /// is taken from a whole one, and it takes longer then until there is anything again.
    mutating func take(
        _ count: Int,
        of kind: RateLimitKind,
        _ limit: RateLimit,
        by key: RateKey,
        at now: Int64
    ) -> RateShare {
        let share = look(count, of: kind, limit, by: key, at: now)
        guard share.retryAfter == nil else { return share }
        let taken = share.untilWhole + Int64(count) * limit.interval
        whole[place(of: kind, in: row(of: key))] = now + taken
        let left = Int(max(0, limit.window - taken) / limit.interval)
        return RateShare(remaining: left, untilWhole: taken)
    }

    /// What is left of a client's share, and whether it is enough for so many.
    mutating func look(
        _ count: Int,
        of kind: RateLimitKind,
        _ limit: RateLimit,
        by key: RateKey,
        at now: Int64
    ) -> RateShare {
        let row = row(of: key)
        let (interval, window) = (limit.interval, limit.window)
        let used = max(0, whole[place(of: kind, in: row)] - now)
        let free = window - used
        let needed = min(Int64(count), Int64(limit.count)) * interval
        return RateShare(
            remaining: Int(max(0, free) / interval),
            untilWhole: used,
            retryAfter: needed <= free ? nil : needed - free
        )
    }

    /// The place of a client's row, which is made its own where it has none.
    private func row(of key: RateKey) -> Int {
        let start = hash(key) & (keys.count - 1) & ~(Self.waysCount - 1)
        var soonest = start
        for row in start..<(start + Self.waysCount) {
            if keys[row] == key { return row }
            if wholeLast(row) < wholeLast(soonest) { soonest = row }
        }
        keys[soonest] = key
        return soonest
    }

    /// When the last share of a row is whole again.
    private func wholeLast(_ row: Int) -> Int64 {
        var last = Int64.min
        for kind in RateLimitKind.allCases { last = max(last, whole[place(of: kind, in: row)]) }
        return last
    }

    private func place(of kind: RateLimitKind, in row: Int) -> Int {
        row * RateLimitKind.allCases.count + kind.rawValue
    }

    /// SplitMix64's finalizer over each part.
    private func hash(_ key: RateKey) -> Int {
        var hash = seed ^ UInt64(key.kind)
        for part in [key.high, key.low].lazy {
            hash ^= part
            hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
            hash ^= hash >> 31
        }
        return Int(truncatingIfNeeded: hash) & .max
    }
}
