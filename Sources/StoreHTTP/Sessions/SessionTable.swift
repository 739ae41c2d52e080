import StoreDigest
import StoreHTTPTransport
import StorePlatform
import Synchronization

/// The open sessions of a store: the time of their last use, and the addresses of the clients that
/// began them. The server checks the sessions of requests in the table, and finds idle sessions in
/// the table.
///
/// The sessions themselves are a part of the state. The table keeps, in memory, only the data that
/// changes without an action. Any thread may use the table.
///
/// A client has a secret, which is the value of its cookie. A session's name is a digest of the
/// secret. The state has the name, so every client may see the name. The secret can't be computed
/// from the name.
package final class SessionTable: Sendable {
    /// The reason why a session can't begin: ``sessionsMax`` sessions are open, or
    /// ``sessionsPerAddressMax`` sessions from one address.
    package enum FullError: Error {
        case full, addressFull
    }

    fileprivate struct Session: Sendable {
        /// The address of the client that began the session; `nil` if an earlier process began it.
        let address: String?
        /// The time of the last request or last end of a hold, in nanoseconds of the table's clock.
        var lastUsed: Int64
        /// The number of streams and waiting requests that keep the session from becoming idle.
        var holdCount = 0
        /// True after the dispatch of the action that ends the session. The session then takes no
        /// requests. The table removes the session if the action is applied, and otherwise keeps
        /// the session.
        var isEnding = false
        /// The timer of the session's next check, in ``Table/idleCheckTimers``.
        var idleCheckTimerID: TimerHeap<String>.ID?
    }

    fileprivate struct Table: Sendable {
        var sessions: [String: Session] = [:]
        /// The number of ending sessions, which count against no bound.
        var endingCount = 0
        /// The number of sessions from each address, without the ending sessions.
        var countsByAddress: [String: Int] = [:]
        /// The numbers of refused sessions since the start, by the cases of ``FullError``.
        var fullErrorCount: UInt64 = 0
        var addressFullErrorCount: UInt64 = 0
        /// The times of the next checks for idleness, in nanoseconds of the table's clock. A
        /// request does not change these times: the check itself sets a later time for a used
        /// session.
        var idleCheckTimers = TimerHeap<String>()
    }

    /// The maximum number of open sessions.
    package let sessionsMax: Int
    /// The maximum number of open sessions that clients of one address began.
    package let sessionsPerAddressMax: Int
    /// The time for which a session lasts without a request, in nanoseconds.
    private let idleNanoseconds: Int64
    /// Returns the time in nanoseconds, by a clock that never goes back.
    private let nowNanoseconds: @Sendable () -> Int64
    private let table: Locked<Table>
    /// The functions that are called with the name of each removed session.
    private let removalObservers = Locked<[@Sendable (String) -> Void]>([])

    /// Makes a table of the sessions in the state. Their idle time begins now.
    package init(
        _ names: [String],
        sessionsMax: Int,
        sessionsPerAddressMax: Int,
        idleSeconds: Int,
        now: @escaping @Sendable () -> Int64
    ) {
        self.sessionsMax = sessionsMax
        self.sessionsPerAddressMax = sessionsPerAddressMax
        self.nowNanoseconds = now
        idleNanoseconds = Int64(idleSeconds) * 1_000_000_000
        var table = Table()
        let time = now()
        for name in names { table.add(name, from: nil, time, checkingAfter: idleNanoseconds) }
        self.table = Locked(table)
    }

    /// Makes a secret that can't be guessed: 128 random bits in hexadecimal digits.
    static func newSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns the name of the session with this secret and principal. The name is the first half
    /// of a SHA-256 over the secret and the principal: 32 hexadecimal digits. So a stolen secret is
    /// useless to another principal.
    package static func name(of secret: String, for principal: String? = nil) -> String {
        // No secret contains a zero byte, so two different pairs never have the same bytes.
        let owned = principal.map { secret + "\0" + $0 } ?? secret
        return String(Array(owned.utf8).withUnsafeBytes { SHA256.hexDigest($0) }.prefix(32))
    }

    /// True if a session is open. Restarts the session's idle time.
    package func useIfOpen(_ name: String) -> Bool {
        let time = nowNanoseconds()
        return table.withLock { table in
            guard let index = table.index(of: name) else { return false }
            table.sessions.values[index].lastUsed = time
            return true
        }
    }

    /// True if a session is open. Does not restart the session's idle time.
    func isOpen(_ name: String) -> Bool { table.withLock { $0.index(of: name) != nil } }

    /// Keeps a session from becoming idle until the hold ends. Returns `nil` if the session is not
    /// open.
    ///
    /// `onEnd` is called once, when the hold ends.
    func hold(_ name: String, onEnd: (@Sendable () -> Void)? = nil) -> SessionHold? {
        let isThere = table.withLock { table -> Bool in
            guard let index = table.index(of: name) else { return false }
            table.sessions.values[index].holdCount += 1
            return true
        }
        return isThere ? SessionHold(of: name, in: self, onEnd) : nil
    }

    fileprivate func release(_ name: String) {
        let time = nowNanoseconds()
        table.withLock { table in
            guard let index = table.sessions.index(forKey: name) else { return }
            table.sessions.values[index].holdCount -= 1
            table.sessions.values[index].lastUsed = time
        }
    }

    /// Adds a session. Call this function before the session's first action is dispatched.
    ///
    /// - Throws: a `FullError` if the session would exceed a bound.
    package func begin(_ name: String, from address: String) throws(FullError) {
        let time = nowNanoseconds()
        let refusal = table.withLock { table -> FullError? in
            guard table.sessions.count - table.endingCount < sessionsMax else {
                table.fullErrorCount += 1
                return .full
            }
            guard table.countsByAddress[address] ?? 0 < sessionsPerAddressMax else {
                table.addressFullErrorCount += 1
                return .addressFull
            }
            table.add(name, from: address, time, checkingAfter: idleNanoseconds)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// The number of open sessions, and of refused sessions since the start for each reason.
    var sessionCounts:
        (
            open: Int, refusedWhenFull: UInt64, refusedWhenAddressFull: UInt64
        )
    {
        table.withLock { ($0.sessions.count, $0.fullErrorCount, $0.addressFullErrorCount) }
    }

    /// Removes a session. Call this function when the session's end is durable, or when its
    /// beginning has failed.
    package func remove(_ name: String) {
        table.withLock { $0.remove(name) }
        for observe in removalObservers.withLock({ $0 }) { observe(name) }
    }

    /// Calls `observe` with the name of each session that is removed from now on, on any thread.
    /// The table retains the closure.
    package func onRemoval(_ observe: @escaping @Sendable (String) -> Void) {
        removalObservers.withLock { $0.append(observe) }
    }

    /// Marks a session as ending, so that the session takes no more requests. The caller dispatches
    /// the session's end, and then calls ``remove(_:)`` or ``cancelEnding(_:)``.
    func beginEnding(_ name: String) { table.withLock { $0.beginEnding(name) } }

    /// Keeps a session whose end was not applied. If the session is still idle, the next check
    /// finds it.
    package func cancelEnding(_ name: String) {
        table.withLock { table in
            guard let session = table.cancelEnding(name), session.idleCheckTimerID == nil else {
                return
            }
            table.scheduleCheck(of: name, at: session.lastUsed + idleNanoseconds)
        }
    }

    /// Marks at most `max` idle sessions as ending, and returns their names. The caller dispatches
    /// the end of each session, and then calls ``remove(_:)`` or ``cancelEnding(_:)``.
    func beginEndingIdle(max: Int) -> [String] {
        let time = nowNanoseconds()
        return table.withLock { table in
            var idle: [String] = []
            while idle.count < max, let name = table.idleCheckTimers.popDue(at: Double(time)) {
                table.sessions[name]?.idleCheckTimerID = nil
                guard let session = table.sessions[name] else { continue }
                let isUsed = session.holdCount > 0 || session.isEnding
                let end = (isUsed ? time : session.lastUsed) + idleNanoseconds
                // The heap has rounded times, so this comparison rounds, too. The idle time may end
                // after `time`, but at the same rounded value. Then an exact comparison would set
                // the same due time again and again.
                if Double(end) > Double(time) {
                    table.scheduleCheck(of: name, at: end)
                } else {
                    table.beginEnding(name)
                    idle.append(name)
                }
            }
            return idle
        }
    }

    /// The number of seconds, from now on, within which no session can become idle.
    var secondsUntilIdle: Double {
        let time = nowNanoseconds()
        let next =
            table.withLock { $0.idleCheckTimers.nextDueTime } ?? Double(time + idleNanoseconds)
        return Swift.max(0, (next - Double(time)) / 1e9)
    }
}

extension SessionTable.Table {
    fileprivate mutating func add(
        _ name: String,
        from address: String?,
        _ time: Int64,
        checkingAfter idleNanoseconds: Int64
    ) {
        sessions[name] = SessionTable.Session(address: address, lastUsed: time)
        if let address { countsByAddress[address, default: 0] += 1 }
        scheduleCheck(of: name, at: time + idleNanoseconds)
    }

    /// Sets the time of a session's next check.
    fileprivate mutating func scheduleCheck(of name: String, at time: Int64) {
        sessions[name]?.idleCheckTimerID = idleCheckTimers.insert(name, due: Double(time))
    }

    /// Returns the index of a session in the dictionary; `nil` if the session is absent or ending.
    fileprivate func index(of name: String) -> [String: SessionTable.Session].Index? {
        sessions.index(forKey: name).flatMap { sessions.values[$0].isEnding ? nil : $0 }
    }

    fileprivate mutating func beginEnding(_ name: String) {
        guard let index = index(of: name) else { return }
        sessions.values[index].isEnding = true
        endingCount += 1
        decrementCount(of: sessions.values[index].address)
    }

    /// Removes the mark of an ending session, and returns the session. Returns `nil` if the session
    /// is not ending.
    fileprivate mutating func cancelEnding(_ name: String) -> SessionTable.Session? {
        guard let index = sessions.index(forKey: name), sessions.values[index].isEnding else {
            return nil
        }
        sessions.values[index].isEnding = false
        endingCount -= 1
        if let address = sessions.values[index].address {
            countsByAddress[address, default: 0] += 1
        }
        return sessions.values[index]
    }

    fileprivate mutating func remove(_ name: String) {
        guard let session = sessions.removeValue(forKey: name) else { return }
        if let timer = session.idleCheckTimerID { idleCheckTimers.remove(timer) }
        if session.isEnding { endingCount -= 1 } else { decrementCount(of: session.address) }
    }

    /// Subtracts a session from the count of an address.
    private mutating func decrementCount(of address: String?) {
        guard let address, let count = countsByAddress[address] else { return }
        countsByAddress[address] = count > 1 ? count - 1 : nil
    }
}

/// Keeps a session from becoming idle while it has an open stream or a waiting request. The hold
/// ends with ``end()``, or with its last reference.
package final class SessionHold: Sendable {
    private let sessionName: String
    private let table: SessionTable
    private let onEnd: (@Sendable () -> Void)?
    private let isOver = Atomic(false)

    fileprivate init(
        of name: String,
        in table: SessionTable,
        _ onEnd: (@Sendable () -> Void)?
    ) {
        self.sessionName = name
        self.table = table
        self.onEnd = onEnd
    }

    deinit { end() }

    /// True if the session is still open. The session's client may have ended the session during
    /// the hold. Any thread may read this property.
    var isSessionOpen: Bool { table.isOpen(sessionName) }

    /// Ends the hold once, and restarts the session's idle time. Any thread may call this function.
    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        table.release(sessionName)
        onEnd?()
    }
}
