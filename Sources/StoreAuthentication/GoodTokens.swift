import StorePlatform
import Synchronization

/// Tokens that were found to be good, by their digests, so that a signature is checked once.
///
/// At most ``countMax``: of two halves the newer one is filled, and then is the older one, whose
/// tokens are forgotten unless they come again. Bad tokens are not kept: making them costs nothing.
final class GoodTokens: Sendable {
    static let countMax = 10_000

    /// What was shown, and as what: a cookie's value is no bearer token.
    struct Key: Hashable {
        let digest: TokenDigest
        let isCookie: Bool
    }

    private struct Halves {
        var newer: [Key: Principal] = [:]
        var older: [Key: Principal] = [:]
    }

    private let halves = Locked(Halves())
    private let halfMax: Int

    init(countMax: Int = GoodTokens.countMax) { halfMax = max(1, countMax / 2) }

    /// The principal of a token that was good; it may have come to its end meanwhile.
    func principal(of key: Key) -> Principal? {
        halves.withLock { halves in
            if let principal = halves.newer[key] { return principal }
            guard let principal = halves.older.removeValue(forKey: key) else { return nil }
            put(principal, key, &halves)
            return principal
        }
    }

    func keep(_ principal: Principal, _ key: Key) {
        halves.withLock { put(principal, key, &$0) }
    }

    private func put(_ principal: Principal, _ key: Key, _ halves: inout Halves) {
        if halves.newer.count >= halfMax {
            halves.older = halves.newer
            halves.newer = [:]
        }
        halves.newer[key] = principal
    }

    /// How many there are.
    var count: Int { halves.withLock { $0.newer.count + $0.older.count } }
}
