import StorePlatform
import Synchronization

/// A cache of the principals of valid tokens, by the digests of the tokens. While a token is in the
/// cache, its signature is not checked again.
///
/// The cache has a newer and an older half, which together have at most ``countMax`` tokens. When
/// the newer half is full, it becomes the older half, and the former older half is dropped. A token
/// in use moves to the newer half. Invalid tokens are not cached, because a client can make any
/// number of them.
final class VerifiedTokenCache: Sendable {
    static let countMax = 10_000

    /// The digest of a token, and the token's kind. Without the kind, a cached cookie's value would
    /// be accepted as a bearer token.
    struct Key: Hashable {
        let digest: TokenDigest
        let isCookie: Bool
    }

    private struct Halves {
        var newer: [Key: Principal] = [:]
        var older: [Key: Principal] = [:]
    }

    private let halves = Locked(Halves())
    private let halfCountMax: Int

    init(countMax: Int = VerifiedTokenCache.countMax) { halfCountMax = max(1, countMax / 2) }

    /// Returns the principal of a cached token; `nil` if the token is not cached. The token may
    /// have expired meanwhile.
    func principal(of key: Key) -> Principal? {
        halves.withLock { halves in
            if let principal = halves.newer[key] { return principal }
            guard let principal = halves.older.removeValue(forKey: key) else { return nil }
            put(principal, key, &halves)
            return principal
        }
    }

    func keep(_ principal: Principal, _ key: Key) { halves.withLock { put(principal, key, &$0) } }

    private func put(_ principal: Principal, _ key: Key, _ halves: inout Halves) {
        if halves.newer.count >= halfCountMax {
            halves.older = halves.newer
            halves.newer = [:]
        }
        halves.newer[key] = principal
    }

    /// The number of tokens.
    var count: Int { halves.withLock { $0.newer.count + $0.older.count } }
}
