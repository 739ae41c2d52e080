import StoreDigest
package import StoreHTTPTransport

/// The used shares of all clients: a table of fixed size, in which a look-up reads a few adjacent
/// rows.
///
/// A share is stored as the moment at which the share is whole again (the generic cell rate
/// algorithm). A whole share needs no row. A hash of the client's key chooses
/// ``candidateRowsCount`` possible rows. A new client takes over the possible row whose shares are
/// whole soonest. The row keeps its moments, so the new client begins with the shares of the former
/// client. If there are more clients than rows, some clients use up each other's shares. No client
/// gets a larger share by taking over rows.
struct RateTable: ~Copyable {
    /// The number of rows, and so the maximum number of clients with a row of their own.
    static let rowsCount = 32_768
    /// The number of adjacent rows that are possible for a client.
    static let candidateRowsCount = 8

    /// The owner of each row.
    private let keys: UnsafeMutableBufferPointer<RateKey>
    /// The moments at which the shares are whole again, in nanoseconds of the clock. Each row has a
    /// moment for each kind of event.
    private let wholeShareMoments: UnsafeMutableBufferPointer<Int64>
    /// A random number that each hash includes, so that no client can choose its rows.
    private let seed: UInt64

    /// Makes a table of this number of rows: a power of two, and at least ``candidateRowsCount``.
    init(rowsCount: Int = Self.rowsCount, seed: UInt64 = .random(in: .min ... .max)) {
        keys = .allocate(capacity: rowsCount)
        keys.initialize(repeating: RateKey())
        wholeShareMoments = .allocate(capacity: rowsCount * RateLimitKind.allCases.count)
        wholeShareMoments.initialize(repeating: 0)
        self.seed = seed
    }

    deinit {
        keys.deallocate()
        wholeShareMoments.deallocate()
    }

    /// Counts events for a client if its share allows them, and returns the remaining share. A
    /// whole share allows even a count above its limit. After a count above the limit, the share
    /// takes longer to refill.
    mutating func take(
        _ count: Int,
        of kind: RateLimitKind,
        _ limit: RateLimit,
        by key: RateKey,
        at now: Int64
    ) -> RateShare {
        let share = peek(count, of: kind, limit, by: key, at: now)
        guard share.retryAfterNanoseconds == nil else { return share }
        let taken = share.nanosecondsUntilWhole + Int64(count) * limit.nanosecondsPerEvent
        wholeShareMoments[momentIndex(of: kind, in: takeRow(of: key))] = now + taken
        let left = Int(max(0, limit.windowNanoseconds - taken) / limit.nanosecondsPerEvent)
        return RateShare(remaining: left, nanosecondsUntilWhole: taken)
    }

    /// Returns a client's remaining share. If the share is too small for the count, also returns
    /// the time until the share suffices. Counts no events, but gives the client a row.
    mutating func peek(
        _ count: Int,
        of kind: RateLimitKind,
        _ limit: RateLimit,
        by key: RateKey,
        at now: Int64
    ) -> RateShare {
        let row = takeRow(of: key)
        let (interval, window) = (limit.nanosecondsPerEvent, limit.windowNanoseconds)
        let used = max(0, wholeShareMoments[momentIndex(of: kind, in: row)] - now)
        let free = window - used
        let needed = min(Int64(count), Int64(limit.eventsMax)) * interval
        return RateShare(
            remaining: Int(max(0, free) / interval),
            nanosecondsUntilWhole: used,
            retryAfterNanoseconds: needed <= free ? nil : needed - free
        )
    }

    /// Returns the index of a client's row. A client without a row takes over the possible row
    /// whose shares are whole soonest.
    private func takeRow(of key: RateKey) -> Int {
        let start = hash(key) & (keys.count - 1) & ~(Self.candidateRowsCount - 1)
        var soonest = start
        for row in start..<(start + Self.candidateRowsCount) {
            if keys[row] == key { return row }
            if lastWholeShareMoment(of: row) < lastWholeShareMoment(of: soonest) { soonest = row }
        }
        keys[soonest] = key
        return soonest
    }

    /// Returns the moment at which all shares of a row are whole again.
    private func lastWholeShareMoment(of row: Int) -> Int64 {
        var last = Int64.min
        for kind in RateLimitKind.allCases {
            last = max(last, wholeShareMoments[momentIndex(of: kind, in: row)])
        }
        return last
    }

    private func momentIndex(of kind: RateLimitKind, in row: Int) -> Int {
        row * RateLimitKind.allCases.count + kind.rawValue
    }

    /// Hashes the key: applies SplitMix64's finalizer to each half.
    private func hash(_ key: RateKey) -> Int {
        var hash = seed ^ UInt64(key.ownerKind)
        for part in [key.high, key.low].lazy {
            hash ^= part
            hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
            hash ^= hash >> 31
        }
        return Int(truncatingIfNeeded: hash) & .max
    }
}

/// The owner of a share: an address or a principal. Its size is fixed, so that a table of keys has
/// a fixed size, too.
package struct RateKey: Sendable, Equatable {
    let high: UInt64
    let low: UInt64
    let ownerKind: UInt8

    /// Makes the key for an empty row. No client has this key.
    init() { (high, low, ownerKind) = (0, 0, 0) }

    /// Makes the key of an address. Only the first 64 bits of an IPv6 address count. All clients of
    /// unix sockets share one key. All peers that have already closed their connections share
    /// another key.
    package init(_ client: ClientAddress) {
        switch client.network {
        case .internet(let address): (high, low, ownerKind) = (address.high, address.low, 1)
        case .unix: (high, low, ownerKind) = (0, 0, 2)
        case .unknown: (high, low, ownerKind) = (0, 0, 3)
        }
    }

    /// Makes the key of a principal from the digest of its name. The digest is computed on each
    /// call: keep the key for further requests.
    package init(principal name: String) {
        let digest = Array(name.utf8).withUnsafeBytes { SHA256.digest($0) }
        high = digest.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        low = digest.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
        ownerKind = 4
    }
}
