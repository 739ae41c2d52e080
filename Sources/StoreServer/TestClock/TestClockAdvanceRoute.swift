import HTTPTransport
import Locks
import StoreCore
import Synchronization
import Wire

/// `POST /test/clock/advance`: moves the clock that effects pause on, wakes those whose time has come, one
/// after the other, and answers when they have done what they can. There only with `--clock test`.
final class TestClockAdvanceRoute: Route {
    /// How far the clock goes in all: a hundred years.
    static let secondsMax = 3_155_760_000.0
    /// The most wakes in one request: for who sleeps again and again, and is meant to be bounded.
    static let wakesMax = ManualClock.wakesMax

    private struct Advance: Decodable {
        let seconds: Double
    }

    let methods = ["POST"]
    private let clock: ManualClock
    private let limits: JSONLimits
    private let wake: @Sendable () -> Void
    private let isAdvancing = Atomic(false)

    init(_ clock: ManualClock, _ limits: JSONLimits, wake: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.limits = limits
        self.wake = wake
    }

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.json(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let duration = try duration(exchange)
        guard !isAdvancing.exchange(true, ordering: .acquiringAndReleasing) else {
            throw .overloaded("the clock is being advanced by another request")
        }
        exchange.suspend()
        Task { [self] in
            let isThere = await clock.advance(by: duration, wakesMax: Self.wakesMax)
            isAdvancing.store(false, ordering: .releasing)
            exchange.complete(TestClockRoute.response(isThere ? 200 : 202, clock))
            wake()
        }
    }

    private func duration(_ exchange: HTTPExchange) throws(Problem) -> Duration {
        let advance = try exchange.object(Advance.self, limits)
        let left = Self.secondsMax - clock.now.sinceStart / .seconds(1)
        guard advance.seconds >= 0, advance.seconds <= left else {
            throw .invalidPayload(
                pointer: "/seconds",
                expected: "a number of seconds from 0 to \(Int64(max(left, 0)))"
            )
        }
        return .nanoseconds(Int64((advance.seconds * 1e9).rounded()))
    }
}
