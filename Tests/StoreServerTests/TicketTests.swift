import DefaultStore
import StoreAdmission
import StoreCore
import StorePatterns
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreJSON

/// The answer to a request that the Core could not apply. Requests of each kind get the same
/// answer.
@Suite struct TicketTests {
    enum Kind: String, CaseIterable, Sendable { case dispatch, work, session }

    /// Routes whose requests are completed with one outcome.
    private struct OutcomeRoutes: RouteGroup {
        let store: Store
        let outcome: Outcome
        /// Counts the calls by which a session's ticket takes the session back.
        let takenBack: Counter

        var routes: [Route] {
            Kind.allCases.map { kind in
                .changing(
                    .post,
                    "/" + kind.rawValue,
                    kind.rawValue,
                    "Is completed.",
                    needs: .everyone,
                    answers: [.init(204, "Never.")]
                ) { request throws(Problem) in
                    let ticket = try ticket(kind, request)
                    request.exchange.park()
                    ticket.complete(outcome)
                    request.environment.wakeLoop()
                }
            }
        }

        private func ticket(_ kind: Kind, _ request: RequestContext) throws(Problem)
            -> any Completion
        {
            switch kind {
            case .dispatch:
                return DispatchTicket(
                    request: request,
                    store: store,
                    preferences: Preferences(),
                    caller: .anyone
                )
            case .work: return try ClientRequestTicket(request, store, by: request.caller())
            case .session:
                return SessionTicket(request, store) { version in
                    if version == nil { takenBack.add() }
                    return nil
                }
            }
        }
    }

    /// A route that begins a session. `early` and `parked` count the sessions that are taken back
    /// before and after the exchange is parked.
    private struct SessionRoutes: RouteGroup {
        let store: Store
        let parked: Counter
        let early: Counter
        var following: [any Action] = []

        var routes: [Route] {
            [
                .changing(
                    .post,
                    "/begun",
                    "begun",
                    "Begins a session.",
                    needs: .everyone,
                    answers: [.init(204, "Never.")]
                ) { [store, parked, early, following] request throws(Problem) in
                    let exchange = request.exchange
                    try SessionTicket(request, store) { version in
                        if version == nil {
                            if case .none = exchange.waitState { early.add() } else { parked.add() }
                        }
                        return nil
                    }.dispatch(
                        Sessions.Internal.began(session: "first"),
                        and: following,
                        from: "first"
                    )
                    request.environment.wakeLoop()
                }
            ]
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var count: Int { value.load(ordering: .relaxed) }
    }

    private static let failures: [(CoreFailure, Int, String)] = [
        (.storageFull, 507, "disk is full"),
        (.journalUnreadable, 503, "can't be read"),
        (.contended, 503, "other servers of this history"),
        (.journalFailed, 503, "journal has failed"),
    ]

    @Test(arguments: Kind.allCases)
    func `each failure of the Core has its own answer`(_ kind: Kind) throws {
        for (failure, status, text) in Self.failures {
            let counter = Counter()
            let base = try InProcessServer()
            let routes = OutcomeRoutes(
                store: base.store,
                outcome: .failed(failure),
                takenBack: counter
            )
            let answer = try InProcessServer(serving: [routes]).answer("POST", "/" + kind.rawValue)
            #expect(answer.status == status)
            #expect(answer.text.contains(text), "\(failure): \(answer.text)")
            #expect(counter.count == (kind == .session ? 1 : 0))
        }
    }

    /// A closed mailbox refuses on the same thread: no answer can come earlier.
    @Test func `a session is parked before the Core can answer it`() throws {
        let (parked, early) = (Counter(), Counter())
        let base = try InProcessServer()
        base.core.stop()
        let routes = SessionRoutes(store: base.store, parked: parked, early: early)
        let answer = try InProcessServer(serving: [routes]).answer("POST", "/begun")
        #expect(answer.status == 503)
        #expect(answer.text.contains("is stopping"), "\(answer.text)")
        #expect((parked.count, early.count) == (1, 0))
    }

    @Test func `a start without a wire form is refused, and its session is taken back`() throws {
        struct Stranger: Action {}
        let (parked, early) = (Counter(), Counter())
        let base = try InProcessServer()
        let routes = SessionRoutes(
            store: base.store,
            parked: parked,
            early: early,
            following: [Stranger()]
        )
        let answer = try InProcessServer(serving: [routes]).answer("POST", "/begun")
        #expect(answer.status == 409)
        #expect(answer.text.contains(Refusal.hiddenReasonText), "\(answer.text)")
        #expect((parked.count, early.count) == (0, 1))
    }

    @Test(arguments: [MailboxError.full, .closed])
    func `a mailbox that takes nothing has its own answer`(_ error: MailboxError) {
        let problem = error.problem(detailIfFull: "7 actions wait already")
        #expect(problem.status == 503)
        #expect(problem.slug == (error == .full ? .overloaded : .draining))
    }
}
