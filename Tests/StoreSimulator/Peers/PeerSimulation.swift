import StoreCore
import StoreServer

/// Several servers of a history. A seed interleaves their steps, also in the midst of an append. A
/// single thread does all work.
final class PeerSimulation<P: Program>: @unchecked Sendable {
    // Safety: one thread makes every call, and the calls of the journals that come back here.

    /// The number of turns within which the servers have to come to rest.
    static var turnsMax: Int { 100_000 }
    /// The largest depth to which the work of servers is nested in each other.
    static var depthMax: Int { 3 }

    /// A request, and its server.
    struct Asked {
        let peer: Int
        let exchange: SimulatedExchange
        let key: String?
        let isDryRun: Bool
        let body: Bytewise
        /// The version in the request's `If-Match`.
        let expected: UInt64?
        /// The client that sent the request.
        let client: PeerClient
        var isAnswered = false
    }

    let seed: UInt64
    let clock = ManualClock(timeOfDay: 1_000_000)
    /// The roles of the clients, the same at all servers; `nil` if there is no policy.
    let roles: Roles?
    private(set) var peers: [Peer<P.Root>] = []
    private(set) var asked: [Asked] = []
    /// The open sessions. A session belongs to the server that began it.
    var clients: [PeerClient] = []
    /// The requests that have ended sessions.
    var endings: [(client: PeerClient, exchange: SimulatedExchange)] = []
    /// The requests with keys, which are repeated now and then.
    private var requests: [String: Request.Dispatch] = [:]
    /// The choices of the server that interrupts a call.
    private var interrupting: Chance
    private var depth = 0
    /// True if no call may fail any more.
    private var isCalm = false

    init(seed: UInt64) throws {
        self.seed = seed
        interrupting = Chance(seed: seed, step: -2)
        roles = try Roles.some(seed, Simulation<P>.views, StateText.names(P.Root.self))
        let history = PeerJournal(MemoryJournal(retention: .forever))
        for number in 0..<(seed % 5 == 0 ? 3 : 2) {
            let journal = number == 0 ? history : history.another()
            peers.append(try peer(on: journal))
            journal.interrupt { [unowned self] in interrupted() }
        }
    }

    /// Returns a server that begins with the history.
    func peer(on journal: PeerJournal) throws -> Peer<P.Root> {
        let recorder = Recorder()
        return try Peer(
            P.server(recorder, isIntercepted: seed / 2 % 4 != 3),
            recorder,
            on: journal,
            clock,
            P.dependencies(clock),
            roles: roles
        )
    }

    deinit { for peer in peers { peer.journal.interrupt(by: nil) } }

    /// Lets another server work in the midst of a call; returns the failure of the call.
    private func interrupted() -> PeerJournal.Fault {
        if depth < Self.depthMax, interrupting.happens(1, in: 3) {
            depth += 1
            defer { depth -= 1 }
            let peer = peers[interrupting.below(peers.count)]
            if interrupting.happens(1, in: 3) { peer.journal.announce() }
            _ = peer.turn()
        }
        guard !isCalm else { return .none }
        return interrupting.pick([(94, .none), (4, .full), (2, .away)])
    }

    /// Does the step of this number.
    func step(_ number: Int) throws {
        var chance = Chance(seed: seed, step: number)
        let peer = chance.below(peers.count)
        switch chance.below(100) {
        case 0..<45: try ask(peer, number, &chance)
        case 45..<75: _ = peers[peer].turn()
        case 75..<85: _ = peers[peer].step(&chance)
        case 85..<92: peers[peer].journal.announce()
        case 92..<94: try advance(by: chance.pick([1, 2, 5]), &chance)
        case 94..<96: try beginSession(peer, number, &chance)
        case 96..<97: try endSession(&chance)
        default: try? peers[peer].server.keepSnapshot()
        }
        try takeAnswers()
    }

    /// Lets all work come to rest, and verifies the end.
    func end() throws {
        var chance = Chance(seed: seed, step: -1)
        try rest(&chance)
        isCalm = true
        // A server that failed to read gets no second announcement of the records.
        for peer in peers { peer.server.followAll() }
        try rest(&chance)
        try advance(by: 1_000, &chance)
        try takeAnswers()
        // Other threads answer dry runs and requests for past states.
        for asked in asked where !asked.isAnswered {
            _ = peers[asked.peer].server.wait(for: asked.exchange)
        }
        try takeAnswers()
        try checkEnd()
    }

    /// Lets all servers work until none has work left.
    private func rest(_ chance: inout Chance) throws {
        var turns = 0
        var isBusy = true
        while isBusy {
            isBusy = false
            for peer in peers {
                peer.journal.announce()
                if peer.turn() { isBusy = true }
                if peer.step(&chance) { isBusy = true }
            }
            turns += 1
            guard turns < Self.turnsMax else {
                throw Violation(.trap, "the servers do not come to rest")
            }
        }
    }

    /// Moves the clock from one sleeper to the next.
    private func advance(by seconds: Int, _ chance: inout Chance) throws {
        let target = clock.now.advanced(by: .seconds(seconds))
        var wakes = 0
        while let next = clock.nextDeadline, next <= target {
            wakes += 1
            guard wakes < Self.turnsMax else {
                throw Violation(.trap, "effects do not come to rest")
            }
            try move(to: next, &chance)
        }
        try move(to: target, &chance)
    }

    private func move(to moment: ManualClock.Instant, _ chance: inout Chance) throws {
        let (clock, left) = (clock, clock.now.duration(to: moment))
        Task(executorPreference: peers[0].server.executor) { await clock.advance(by: left) }
        try rest(&chance)
    }
}

// Requests

extension PeerSimulation {
    private func ask(_ peer: Int, _ number: Int, _ chance: inout Chance) throws {
        var asker = Asker(chance, step: number)
        let client = client(of: peer, &asker.chance)
        for _ in 0..<asker.chance.pick([(3, 1), (2, 2), (1, 5)]) {
            switch P.ask(&asker, P.Root()) {
            case .dispatch(let request): try send(request, to: peer, from: client, &asker.chance)
            case .work(let path, let body, _), .notify(let path, let body, _):
                let exchange = try peers[peer].server.send(
                    "POST",
                    path,
                    headers: client.headers,
                    body: Array(body.utf8)
                )
                note(exchange, peer, client, Bytewise(path + body))
            }
        }
        chance = asker.chance
    }

    private func send(
        _ request: Request.Dispatch,
        to peer: Int,
        from client: PeerClient,
        _ chance: inout Chance
    ) throws {
        var request = request
        if let key = request.key {
            let kept = client.own(key)
            if let earlier = requests[kept] { request = earlier }
            requests[kept] = request
        }
        let server = peers[peer].server
        let body = Simulation<P>.body(of: request)
        var headers = client.headers
        if let key = request.key { headers.append(("Idempotency-Key", "\"\(key)\"")) }
        if let prefers = request.prefers { headers.append(("Prefer", prefers)) }
        // A client may have its version from another server, which is ahead.
        let version = peers[chance.below(peers.count)].server.version
        let expected: UInt64? =
            switch request.condition {
            case .none, .any: nil
            case .newest: version
            case .later: version + 1
            case .older: version > 0 ? version - 1 : nil
            }
        if let expected { headers.append(("If-Match", "\"\(server.epoch):\(expected)\"")) }
        let exchange = try server.send(
            "POST",
            request.path + (request.isDryRun ? "?dry-run=true" : ""),
            headers: headers,
            body: Array(body.utf8)
        )
        note(exchange, peer, client, Bytewise(body), request.key, request.isDryRun, expected)
    }

    private func note(
        _ exchange: SimulatedExchange,
        _ peer: Int,
        _ client: PeerClient,
        _ body: Bytewise,
        _ key: String? = nil,
        _ isDryRun: Bool = false,
        _ expected: UInt64? = nil
    ) {
        asked.append(
            Asked(
                peer: peer,
                exchange: exchange,
                key: key.map { client.own($0) },
                isDryRun: isDryRun,
                body: body,
                expected: expected,
                client: client
            )
        )
    }

    /// Verifies that a client finds the answered versions at the server that gave the answer.
    private func takeAnswers() throws {
        for peer in peers { peer.server.collect() }
        for place in asked.indices where !asked[place].isAnswered {
            guard let answer = asked[place].exchange.answer else { continue }
            asked[place].isAnswered = true
            guard let applied = Acknowledged(answer), !asked[place].isDryRun else { continue }
            let version = peers[asked[place].peer].server.version
            guard version >= applied.last else {
                throw Violation(
                    .answer,
                    "\(asked[place].body) was answered with version \(applied.last), and its server "
                        + "shows \(version)"
                )
            }
        }
    }
}
