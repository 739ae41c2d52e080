import Digest
import HTTPTransport
import Platform
import StoreCore
import Synchronization

/// The sessions that there are, as the server keeps them: by their names, with the time of their
/// last request and the address from which they were begun.
///
/// A client has a secret, its cookie. The state has its digest, which every client may see: it does
/// not lead back.
package final class SessionTable: Sendable {
    /// Why no session begins.
    package enum Refusal: Error {
        case full, addressFull
    }

    fileprivate struct Session: Sendable {
        /// From where it was begun; `nil` for one that an earlier process began.
        let address: String?
        var lastUsed: Int64
        /// How many streams of it are open, and requests of it wait.
        var holds = 0
        /// Whether its end is on its way to the journal. Until then it takes no request.
        var isEnding = false
        /// Its place among those that may be idle.
        var timer: TimerHeap<String>.ID?
    }

    fileprivate struct Table: Sendable {
        var sessions: [String: Session] = [:]
        /// How many of them end at the moment; they count against no bound.
        var ending = 0
        /// How many of the others were begun from an address.
        var perAddress: [String: Int] = [:]
        /// When each of them has to be looked at next: at the earliest when it could be idle.
        var looks = TimerHeap<String>()
    }

    /// The most sessions at a time.
    package let sessionsMax: Int
    /// The most that were begun from one address.
    package let perAddressMax: Int
    /// How long a session lasts without a request.
    private let idleNanoseconds: Int64
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

    /// The name of the session that has this secret.
    package static func name(of secret: String) -> String {
        String(Array(secret.utf8).withUnsafeBytes { SHA256.hex($0) }.prefix(32))
    }

    /// Whether a session is there; notes that it is in use.
    package func use(_ name: String) -> Bool {
        let time = now()
        return table.withLock { table in
            guard let index = table.index(of: name) else { return false }
            table.sessions.values[index].lastUsed = time
            return true
        }
    }

    /// Whether a session is there.
    func isOpen(_ name: String) -> Bool {
        table.withLock { $0.index(of: name) != nil }
    }

    /// Keeps a session from being idle until the hold ends; `nil` where there is no such session.
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

    /// Enters a session, unless there are as many as may be.
    package func begin(_ name: String, from address: String) throws(Refusal) {
        let time = now()
        let refusal = table.withLock { table -> Refusal? in
            guard table.sessions.count - table.ending < sessionsMax else { return .full }
            guard table.perAddress[address] ?? 0 < perAddressMax else { return .addressFull }
            table.enter(name, from: address, time, lookingAfter: idleNanoseconds)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Strikes a session off: its end is durable, or its beginning is not.
    package func end(_ name: String) {
        table.withLock { $0.remove(name) }
    }

    /// Takes no more requests of a session, whose end is dispatched. ``end(_:)`` or ``keep(_:)``
    /// follows.
    func beginEnding(_ name: String) {
        table.withLock { $0.beginEnding(name) }
    }

    /// Keeps a session whose end was not applied; the next look for idle ones finds it again.
    package func keep(_ name: String) {
        table.withLock { table in
            guard let session = table.keep(name), session.timer == nil else { return }
            table.look(at: name, at: session.lastUsed + idleNanoseconds)
        }
    }

    /// Begins the end of the sessions whose time is over, at most so many, and answers which they
    /// are. For each, ``end(_:)`` or ``keep(_:)`` follows.
    func beginEndingIdle(max: Int) -> [String] {
        let time = now()
        return table.withLock { table in
            var idle: [String] = []
            while idle.count < max, let name = table.looks.popDue(at: Double(time)) {
                table.sessions[name]?.timer = nil
                guard let session = table.sessions[name] else { continue }
                let isUsed = session.holds > 0 || session.isEnding
                let end = (isUsed ? time : session.lastUsed) + idleNanoseconds
                // As the heap compares them.
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

    /// How long no session can become idle, in seconds.
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

    fileprivate mutating func look(at name: String, at time: Int64) {
        sessions[name]?.timer = looks.insert(name, due: Double(time))
    }

    /// The place of a session that takes requests.
    fileprivate func index(of name: String) -> [String: SessionTable.Session].Index? {
        sessions.index(forKey: name).flatMap { sessions.values[$0].isEnding ? nil : $0 }
    }

    fileprivate mutating func beginEnding(_ name: String) {
        guard let index = index(of: name) else { return }
        sessions.values[index].isEnding = true
        ending += 1
        leave(sessions.values[index].address)
    }

    /// Answers the session where it was about to end.
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

    private mutating func leave(_ address: String?) {
        guard let address, let count = perAddress[address] else { return }
        perAddress[address] = count > 1 ? count - 1 : nil
    }
}

/// A stream or a waiting request of a session, which is not idle meanwhile.
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

    /// Ends it; the session's time begins anew. Any thread; once is enough.
    func end() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        table.release(name)
    }
}
