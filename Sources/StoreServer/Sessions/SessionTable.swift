import Digest
import Locks
import StoreCore
import Synchronization

/// The sessions that there are, as the server knows them: by their names, with the time of their last
/// request.
///
/// A client has a secret, its cookie. The state has its digest, which anybody may see: it does not lead
/// back.
final class SessionTable: Sendable {
    /// The most sessions at a time.
    let sessionsMax: Int
    /// How long a session lasts without a request.
    private let idleSeconds: Int
    private let clock: SteadyClock
    private let lastUsed: Locked<[String: Int64]>

    init(_ sessions: Sessions.State, _ configuration: ServerConfiguration) {
        sessionsMax = configuration.sessionsMax
        idleSeconds = configuration.sessionIdleSeconds
        clock = SteadyClock()
        let now = clock.now()
        let names = sessions.sessions.keys.filter { $0 != Sessions.shared }
        lastUsed = Locked(Dictionary(uniqueKeysWithValues: names.map { ($0, now) }))
    }

    /// A secret that nobody guesses: 128 random bits in hexadecimal digits.
    static func newSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The name of the session that has this secret.
    static func name(of secret: String) -> String {
        String(Array(secret.utf8).withUnsafeBytes { SHA256.hex($0) }.prefix(32))
    }

    /// Whether a session is there; notes that it is in use.
    func use(_ name: String) -> Bool {
        let now = clock.now()
        return lastUsed.withLock { lastUsed in
            guard lastUsed[name] != nil else { return false }
            lastUsed[name] = now
            return true
        }
    }

    /// Enters a session. Answers `false` where there are as many as may be.
    func begin(_ name: String) -> Bool {
        let now = clock.now()
        return lastUsed.withLock { lastUsed in
            guard lastUsed.count < sessionsMax else { return false }
            lastUsed[name] = now
            return true
        }
    }

    /// Strikes a session off.
    func end(_ name: String) {
        lastUsed.withLock { $0[name] = nil }
    }

    /// The sessions whose time is over: they end when another one begins.
    func idle() -> [String] {
        let oldest = clock.now() - Int64(idleSeconds) * 1_000_000_000
        return lastUsed.withLock { lastUsed in lastUsed.filter { $0.value < oldest }.map(\.key) }
    }
}
