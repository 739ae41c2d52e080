import StoreCore
import StoreDigest
import StoreHTTPTransport
import StorePlatform
import Synchronization

/// The sessions of one store that are open: when each was used last, and the address of the client
/// that began it. Requests are checked against it, and sessions end by it when they are idle.
///
/// The sessions themselves are a part of the state; this table has only what changes without an
/// action, in memory. Any thread may use it.
///
/// A client has a secret, its cookie. A session's name is a digest of it: the state has the name,
/// so every client may see it, and the secret can't be computed from it.
package final class SessionTable: Sendable {
    /// Why no session begins: there are ``sessionsMax`` in all, or ``perAddressMax`` of one
    /// address.
    package enum Refusal: Error {
        case full, addressFull
    }

    fileprivate struct Session: Sendable {
        /// From where it was begun; `nil` for one that an earlier process began.
        let address: String?
        /// When a request used it last, or a hold ended, in nanoseconds of the table's clock.
        var lastUsed: Int64
        /// How many of its streams are open and of its requests wait; at zero it may become idle.
        var holds = 0
        /// Whether the action that ends it is dispatched. Meanwhile it takes no request; it is
        /// removed when the action is durable, and kept where that fails.
        var isEnding = false
        /// Its place in ``Table/looks``.
        var timer: TimerHeap<String>.ID?
    }

    fileprivate struct Table: Sendable {
        /// The sessions by their names.
        var sessions: [String: Session] = [:]
        /// How many of them are ending; these count against no bound.
        var ending = 0
        /// How many of the others were begun from an address.
        var perAddress: [String: Int] = [:]
        /// How many sessions were refused for each reason.
        var full: UInt64 = 0
        var addressFull: UInt64 = 0
        /// When to look whether a session is idle, in nanoseconds of the table's clock. A session
        /// that was used since its time was set gets a later time then; so a request moves nothing
        /// here.
        var looks = TimerHeap<String>()
    }

    /// The most sessions at a time.
    package let sessionsMax: Int
    /// The most that were begun from one address.
    package let perAddressMax: Int
    /// How long a session lasts without a request.
    private let idleNanoseconds: Int64
    /// A clock that only goes forward, in nanoseconds.
    private let now: @Sendable () -> Int64
    private let table: Locked<Table>

    /// A table of the sessions that the state has, whose time begins anew.
    package init(
        _ names: [String],
        sessionsMax: Int,
        perAddressMax: Int,
        idleSeconds: Int,
        now: @escaping @Sendable () -> Int64
    ) {
        self.sessionsMax = sessionsMax
        self.perAddressMax = perAddressMax
        self.now = now
        idleNanoseconds = Int64(idleSeconds) * 1_000_000_000
        var table = Table()
        let time = now()
        for name in names { table.enter(name, from: nil, time, lookingAfter: idleNanoseconds) }
        self.table = Locked(table)
    }

    /// A secret that can't be guessed: 128 random bits in hexadecimal digits.
    static func newSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The name of the session that has this secret and belongs to a principal: half of their
    /// SHA-256, 32 hexadecimal digits. So the secret alone, in the hands of another principal, is
    /// that of no session.
    package static func name(of secret: String, for principal: String? = nil) -> String {
        // No secret has a byte of zero, so no two pairs have the same bytes.
        let owned = principal.map { secret + "\0" + $0 } ?? secret
        return String(Array(owned.utf8).withUnsafeBytes { SHA256.hex($0) }.prefix(32))
    }

    /// Whether a session is open; its idle time begins anew.
    package func use(_ name: String) -> Bool {
        let time = now()
        return table.withLock { table in
            guard let index = table.index(of: name) else { return false }
            table.sessions.values[index].lastUsed = time
            return true
        }
    }

    /// Whether a session is open. Its idle time goes on.
    func isOpen(_ name: String) -> Bool {
        table.withLock { $0.index(of: name) != nil }
    }

    /// Keeps a session from becoming idle until the hold ends; `nil` where it is not open.
    func hold(_ name: String) -> SessionHold? {
        let isThere = table.withLock { table -> Bool in
            guard let index = table.index(of: name) else { return false }
            table.sessions.values[index].holds += 1
            return true
        }
        return isThere ? SessionHold(of: name, in: self) : nil
    }

    fileprivate func release(_ name: String) {
        let time = now()
        table.withLock { table in
            guard let index = table.sessions.index(forKey: name) else { return }
            table.sessions.values[index].holds -= 1
            table.sessions.values[index].lastUsed = time
        }
    }

    /// Enters a session whose beginning is about to be dispatched, unless it would exceed a bound.
    package func begin(_ name: String, from address: String) throws(Refusal) {
        let time = now()
        let refusal = table.withLock { table -> Refusal? in
            guard table.sessions.count - table.ending < sessionsMax else {
                table.full += 1
                return .full
            }
            guard table.perAddress[address] ?? 0 < perAddressMax else {
                table.addressFull += 1
                return .addressFull
            }
            table.enter(name, from: address, time, lookingAfter: idleNanoseconds)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// How many sessions there are, and how many were refused since the start for each reason.
    var figures: (open: Int, full: UInt64, addressFull: UInt64) {
        table.withLock { ($0.sessions.count, $0.full, $0.addressFull) }
    }

    /// Removes a session: its end is durable, or its beginning was not applied.
    package func end(_ name: String) {
        table.withLock { $0.remove(name) }
    }

    /// Takes no more requests of a session, because its end is dispatched. ``end(_:)`` or
    /// ``keep(_:)`` follows.
    func beginEnding(_ name: String) {
        table.withLock { $0.beginEnding(name) }
    }

    /// Keeps a session after all, whose end was not applied. If it is still idle, the next look
    /// finds it again.
    package func keep(_ name: String) {
        table.withLock { table in
            guard let session = table.keep(name), session.timer == nil else { return }
            table.look(at: name, at: session.lastUsed + idleNanoseconds)
        }
    }

    /// Begins the end of at most `max` sessions that are idle, and returns their names. The caller
    /// dispatches the end of each; ``end(_:)`` or ``keep(_:)`` follows.
    func beginEndingIdle(max: Int) -> [String] {
        let time = now()
        return table.withLock { table in
            var idle: [String] = []
            while idle.count < max, let name = table.looks.popDue(at: Double(time)) {
                table.sessions[name]?.timer = nil
                guard let session = table.sessions[name] else { continue }
                let isUsed = session.holds > 0 || session.isEnding
                let end = (isUsed ? time : session.lastUsed) + idleNanoseconds
                // Compared as the heap does it, rounded: a session whose time is later by less than
                // the rounding would be due again at once, and this loop would not end.
                if Double(end) > Double(time) {
                    table.look(at: name, at: end)
                } else {
                    table.beginEnding(name)
                    idle.append(name)
                }
            }
            return idle
        }
    }

    /// For how many seconds from now no session can become idle.
    var secondsUntilIdle: Double {
        let time = now()
        let next = table.withLock { $0.looks.nextDue } ?? Double(time + idleNanoseconds)
        return Swift.max(0, (next - Double(time)) / 1e9)
    }
}

extension SessionTable.Table {
    fileprivate mutating func enter(
        _ name: String,
        from address: String?,
        _ time: Int64,
        lookingAfter idleNanoseconds: Int64
    ) {
        sessions[name] = SessionTable.Session(address: address, lastUsed: time)
        if let address { perAddress[address, default: 0] += 1 }
        look(at: name, at: time + idleNanoseconds)
    }

    /// Sets when a session is looked at next.
    fileprivate mutating func look(at name: String, at time: Int64) {
        sessions[name]?.timer = looks.insert(name, due: Double(time))
    }

    /// The place of a session in the dictionary; `nil` where it is not there or is ending.
    fileprivate func index(of name: String) -> [String: SessionTable.Session].Index? {
        sessions.index(forKey: name).flatMap { sessions.values[$0].isEnding ? nil : $0 }
    }

    fileprivate mutating func beginEnding(_ name: String) {
        guard let index = index(of: name) else { return }
        sessions.values[index].isEnding = true
        ending += 1
        leave(sessions.values[index].address)
    }

    /// Takes back the beginning of an end. Returns the session; `nil` where none was ending.
    fileprivate mutating func keep(_ name: String) -> SessionTable.Session? {
        guard let index = sessions.index(forKey: name), sessions.values[index].isEnding else {
            return nil
        }
        sessions.values[index].isEnding = false
        ending -= 1
        if let address = sessions.values[index].address { perAddress[address, default: 0] += 1 }
        return sessions.values[index]
    }

    fileprivate mutating func remove(_ name: String) {
        guard let session = sessions.removeValue(forKey: name) else { return }
        if let timer = session.timer { looks.remove(timer) }
        if session.isEnding { ending -= 1 } else { leave(session.address) }
    }

    /// Counts one session fewer for an address.
    private mutating func leave(_ address: String?) {
        guard let address, let count = perAddress[address] else { return }
        perAddress[address] = count > 1 ? count - 1 : nil
    }
}

/// Keeps a session from becoming idle while a stream of it is open or a request of it waits. It
/// ends with ``end()``, or when the last reference to it is gone.
package final class SessionHold: Sendable {
    private let name: String
    private let table: SessionTable
    private let isOver = Atomic(false)

    fileprivate init(of name: String, in table: SessionTable) {
        self.name = name
        self.table = table
    }

    deinit {
        end()
    }

    /// Whether the session is open: its client may have ended it meanwhile. Any thread.
    var isOpen: Bool { table.isOpen(name) }

    /// Ends the hold; the session's idle time begins anew. Any thread; a second call does nothing.
    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        table.release(name)
    }
}
