import Glibc
import StoreCore
import StoreJSON
import StorePatterns
import StoreServer
import StoreTesting

/// A store under simulation, with its clients, its disk and its clock. A single thread does all
/// work. A seed and a list of steps always have the same result.
final class Simulation<P: Program> {
    /// The number of turns within which the Core has to come to rest.
    static var turnsMax: Int { 10_000 }

    struct Client {
        let secret: String
        let name: String
        /// The mark that only its own texts have.
        let mark: String
        /// The place of its role; `nil` for a client without a credential.
        let role: Int?
    }

    /// A request that is not answered yet.
    struct Open {
        let exchange: SimulatedExchange
        let asked: Asked
        let prediction: Prediction
        /// True if its condition names a resource, which another thread may compare.
        var hasSubject = false
    }

    /// An action that a part of the program has to dispatch.
    struct Due {
        let type: Bytewise
        let payload: Bytewise
        /// The version of its cause; `nil` if it has none.
        let cause: UInt64?
        /// True if the action has no cause but may name one, as when a store begins.
        let isStart: Bool
        let session: String?
        let audience: Audience?
        /// True if the action is another module's own, and so is refused.
        var isForeign = false
    }

    let seed: UInt64
    let recorder = Recorder()
    /// The roles of clients; `nil` if there are none.
    let roles: Roles?
    let clock = ManualClock(timeOfDay: 1_000_000)
    var disk: Disk
    var server: SimulatedServer<P.Root>
    var naive: Naive<P>
    var past: Past
    var keys: [IdempotencyKey: Prediction.Kept] = [:]
    /// The keys that the journal would have without the failure of the disk.
    var vainKeys: [IdempotencyKey: Prediction.Kept] = [:]
    var requests: [IdempotencyKey: (request: Request.Dispatch, session: String?)] = [:]
    var due: [Due] = []
    /// The records that the requests of a step have to make, and the exchanges of use cases and
    /// notifications.
    var predicted: [Prediction.Predicted] = []
    var named: [SimulatedExchange] = []
    var clients: [Client] = []
    var readers: [Reader] = []
    var logReaders: [LogReader] = []
    /// Readers that have left, and may come back.
    var departed: [Reader] = []
    /// The versions that were the newest when a stream began.
    var openedAt: Set<UInt64> = []
    /// The edition of the served program, and the version of the last record that the first edition
    /// can't read.
    var edition = ShippedEdition.first
    var lastOfSecond: UInt64?
    /// The views that sessions were reported to show.
    var shown: Set<Showing> = []
    /// All sessions that have ever begun.
    var sessionNames: Set<String> = []
    /// The action of a timer that was due, which has to be the next record.
    var firedTimer: FiredTimer?
    /// The time of the store's last start.
    var startTime: Int64 = .min
    /// The sessions that this process has begun and that have not ended.
    var begunHere: Set<String> = []
    /// The number of applied actions of each type since the start.
    var appliedCounts: [Bytewise: UInt64] = [:]
    var waiting: [Open] = []
    /// The dispatches that were answered with 202 since the start.
    var outcomes: [DispatchedOutcome] = []
    /// The rest of the clients' shares; `nil` if there is no bound.
    var shares: Shares?
    /// A line for each step; `nil` if the lines are not to be printed.
    var story: [String]?
    var expectedHooks: [(version: UInt64, state: Bytewise)] = []
    var expectedLines: [(version: UInt64, state: Bytewise, cause: UInt64?)] = []
    var expectedApplied: [Recorder.Line] = []
    var journalHash: UInt64 = 0xCBF2_9CE4_8422_2325
    var hashed = 0
    /// The number of kept outcomes that were checked.
    var keptCount = 0
    /// True while the store is ending, which cancels every effect.
    var isStopping = false

    var journal: SimulatedJournal { disk.journal }

    init(seed: UInt64, isVerbose: Bool = false) throws {
        self.seed = seed
        story = isVerbose ? [] : nil
        let isIntercepted = seed / 2 % 4 != 3
        disk = try Disk(seed: seed) { [recorder] in
            try SimulatedServer.sealer(P.server(recorder, isIntercepted: isIntercepted), in: $0)
        }
        roles = try Roles.some(seed, Self.views, StateText.names(P.Root.self))
        server = try Self.start(
            seed,
            disk.journal,
            clock,
            recorder,
            roles,
            isIntercepted: isIntercepted,
            .first
        )
        shares = Self.isLimited(seed) ? Shares() : nil
        naive = Naive(try Self.firstState(server), at: 0, isIntercepted: isIntercepted)
        past = Past(naive.text, at: 0)
        naive.begin()
        try expectFirstStarts()
        try takeDue(after: nil, session: nil)
        try Recorder.$current.withValue(recorder) {
            try turnCore()
            try verifyRecords()
        }
    }

    deinit { disk.remove() }

    static func start(
        _ seed: UInt64,
        _ journal: SimulatedJournal,
        _ clock: ManualClock,
        _ recorder: Recorder,
        _ roles: Roles?,
        isIntercepted: Bool,
        _ edition: ShippedEdition
    ) throws -> SimulatedServer<P.Root> {
        try ShippedEdition.$current.withValue(edition) {
            try SimulatedServer(
                P.server(recorder, isIntercepted: isIntercepted),
                on: journal,
                clock,
                P.dependencies(clock),
                recorder,
                operatorReads: seed / 2 % 5 == 4,
                roles: roles,
                isLimited: isLimited(seed)
            )
        }
    }

    /// True if clients have a bound of actions in a time.
    static func isLimited(_ seed: UInt64) -> Bool { seed / 2 % 4 == 1 }

    /// Takes actions from a client's share. Returns true if the share had enough.
    func take(_ count: Int, by principal: String?) -> Bool {
        shares?.take(count, by: principal, at: clock.timeOfDay.now()) ?? true
    }

    private static func firstState(_ server: SimulatedServer<P.Root>) throws -> P.Root {
        var root = try JSONDecoder(limits: .unbounded).decode(P.Root.self, from: server.state)
        P.share(&root)
        return root
    }

    func note(_ line: @autoclosure () -> String) {
        if story != nil { story?.append(line()) }
    }

    /// Returns the reader that a client is.
    func reading(_ client: Client?) -> Reading {
        Reading(
            session: client?.name,
            mark: client?.mark ?? Words.mark(of: Sessions.shared),
            isOperator: client == nil && server.operatorReads,
            principal: client?.role.flatMap { roles?.members[$0].name },
            sight: client?.role.flatMap { roles?.sight(of: $0) },
            views: client?.role.flatMap { roles?.views[$0] },
            isShownUnseen: client?.role.flatMap { roles?.showsUnseen(to: $0) } ?? false
        )
    }

    // A step

    /// Does the step of this number, and checks its results.
    func step(_ number: Int) throws {
        try Recorder.$current.withValue(recorder) {
            var chance = Chance(seed: seed, step: number)
            switch chance.below(100) {
            case 0..<3: try beginSession(number)
            case 3:
                switch chance.below(3) {
                case 0: try endSession(&chance)
                case 1 where Self.hasUsers: try signIn(&chance)
                case 1: try endSession(&chance)
                default: try forgetUser(&chance)
                }
            case 4..<13: try advance(&chance)
            case 13..<18: try openStream(&chance)
            case 18, 19: try leaveStream(&chance)
            case 20..<24: try look(&chance)
            case 24, 25: try? server.keepSnapshot()
            case 26: try restart(isKilled: chance.happens(1, in: 2), &chance)
            case 27: try askNeighbour(&chance)
            case 28: try changePolicy(&chance)
            default: try ask(number, &chance)
            }
            try settle(&chance, all: chance.happens(1, in: 3))
            try check()
        }
    }

    /// Ends the simulation: all work comes to rest, and a last start has to lead to the same state.
    func end() throws {
        try Recorder.$current.withValue(recorder) {
            var chance = Chance(seed: seed, step: -1)
            try settle(&chance, all: true)
            try check()
            try restart(isKilled: true, &chance)
            try settle(&chance, all: true)
            try check()
        }
    }

    /// Lets the Core and the effects work. Effects make only a few steps, unless `all` is true.
    func settle(_ chance: inout Chance, all: Bool) throws {
        try turnCore()
        var left = all ? Self.turnsMax : chance.below(4)
        while left > 0, server.executor.step(&chance) {
            left -= 1
            try turnCore()
        }
        try verifyRecords()
        if all { try checkRest() }
    }

    func turnCore() throws {
        var turns = 0
        while server.turnCore() {
            turns += 1
            guard turns < Self.turnsMax else {
                throw Violation(.trap, "the Core does not come to rest")
            }
        }
    }

    /// Moves the clock from one sleeper to the next.
    func advance(_ chance: inout Chance) throws {
        let seconds = chance.pick([1, 1, 2, 5, 60])
        note("the clock goes on by \(seconds) s")
        let target = clock.now.advanced(by: .seconds(seconds))
        var wakes = 0
        while let next = clock.nextDeadline, next <= target, wakes < Self.turnsMax {
            wakes += 1
            try move(to: next, &chance)
        }
        try move(to: target, &chance)
    }

    private func move(to moment: ManualClock.Instant, _ chance: inout Chance) throws {
        let clock = clock
        let left = clock.now.duration(to: moment)
        Task(executorPreference: server.executor) { await clock.advance(by: left) }
        while server.executor.step(&chance) { try turnCore() }
        try verifyRecords()
    }

    private func beginSession(_ number: Int) throws {
        let secret = "secret-\(seed)-\(number)"
        let hasRoom = begunHere.count < SimulatedServer<P.Root>.sessionsPerAddressMax
        // Sessions take each of the roles, and no role, in turns.
        let role = roles.flatMap { roles in
            let place = number % (roles.members.count + 1)
            return place < roles.members.count ? place : nil
        }
        let principal = role.flatMap { roles?.members[$0].name }
        guard server.beginSession(secret, for: principal) == hasRoom else {
            throw Violation(.sessions, "one begins beside \(begunHere.count), or does not")
        }
        guard hasRoom else { return }
        let name = SimulatedServer<P.Root>.session(of: secret, for: principal)
        let mark = Words.mark(of: "\(number)")
        clients.append(Client(secret: secret, name: name, mark: mark, role: role))
        begunHere.insert(name)
        sessionNames.insert(name)
        note("a session begins: \(name)")
        for action in SimulatedServer<P.Root>.beginning(of: name) { try expect(action, of: name) }
    }

    /// Returns the principal of a client's records; `nil` for a visitor.
    func principal(of client: Client?) -> ActionPrincipal? {
        client?.role.flatMap { roles?.members[$0].name }.map { ActionPrincipal(name: $0, role: $0) }
    }

    /// Joins the slices of a visitor with the slices of a user.
    private func signIn(_ chance: inout Chance) throws {
        let visitors = clients.filter { $0.role == nil }
        guard !visitors.isEmpty, let roles else { return }
        let (visitor, user) = (chance.pick(visitors).name, chance.pick(roles.members).name)
        note("\(visitor) signs in as \(user)")
        let actions: [any Action] = [
            Users.Internal.signedIn(visitor: visitor, principal: user),
            Sessions.Internal.ended(session: visitor),
        ]
        guard server.dispatch(actions, as: ActionPrincipal(name: user, role: user)) else { return }
        for action in actions { try expect(action, of: nil) }
        try turnCore()
        try verifyRecords()
        guard naive.sessions?[visitor] == nil else { return }
        clients.removeAll { $0.name == visitor }
        begunHere.remove(visitor)
        server.closeSession(visitor)
    }

    private func forgetUser(_ chance: inout Chance) throws {
        guard Self.hasUsers, let roles else { return }
        if disk.hasFiles, !P.forgetting("").isEmpty { return try forgetPerson(&chance) }
        let user = chance.pick(roles.members).name
        note("\(user) is forgotten")
        let action = Users.Internal.forgotten(principal: user)
        if server.dispatch([action], as: nil) { try expect(action, of: nil) }
    }

    private static var hasUsers: Bool { P.Root.modules.contains { $0.name == Users.name } }

    /// Expects an action that the program dispatches without a cause.
    func expect(_ action: any Action, of session: String?) throws {
        let wire = try server.wire(action)
        due.append(
            Due(
                type: Bytewise(wire.type),
                payload: Bytewise(wire.payload),
                cause: nil,
                isStart: false,
                session: session,
                audience: nil
            )
        )
    }

    /// Expects the actions for the modules that start with the store, if it has no history.
    func expectFirstStarts() throws {
        guard server.isFresh else { return }
        for action in P.Root.startActions { try expect(action, of: nil) }
    }

    // Consequences

    /// Adds the actions that have to follow an action.
    func takeDue(after cause: UInt64?, session: String?, isStart: Bool = false) throws {
        for own in naive.calls.takeOwn() {
            let wire = try server.wire(own.action)
            due.append(
                Due(
                    type: Bytewise(wire.type),
                    payload: Bytewise(wire.payload),
                    cause: cause,
                    isStart: cause == nil,
                    session: own.session ?? session,
                    audience: own.audience,
                    isForeign: own.isForeign
                )
            )
        }
    }
}
