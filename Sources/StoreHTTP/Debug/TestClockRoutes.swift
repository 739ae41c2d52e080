import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire
import Synchronization

/// The routes that show and move the clock of effects. The routes exist only with `--clock test`.
final class TestClockRoutes: RouteGroup, Sendable {
    /// The maximum number of seconds that the clock moves in total: a hundred years.
    static let totalSecondsMax = 3_155_760_000.0

    private struct Advance: Decodable {
        let seconds: Double
    }

    private let links: Links
    private let clock: ManualClock
    private let limits: JSONLimits
    private let isAdvancing = Atomic(false)

    init(_ links: Links, _ clock: ManualClock, _ limits: JSONLimits) {
        self.links = links
        self.clock = clock
        self.limits = limits
    }

    var routes: [Route] {
        [
            .reading(
                links.testClock,
                "TestClock",
                "The time of the clock by which effects pause.",
                needs: .clock,
                answers: [.json(Self.schema, "The time, and the number of sleeping effects.")]
            ) { [clock] request in
                request.respond(Self.response(200, clock))
            },
            .changing(
                .post,
                links.testClockAdvance,
                "advanceTestClock",
                "Move the clock, and wake the effects whose time has come.",
                needs: .clock,
                body: .json(.object([.init("seconds", .number)])),
                answers: [
                    .json(Self.schema, "The woken effects have ended, or wait again."),
                    .json(Self.schema, "There were too many effects to wake at once.", status: 202),
                ],
                problems: [.invalidPayload],
                handle: advance
            ),
        ]
    }

    private static let schema = JSONSchema.object([
        .init("seconds", .number), .init("time", .string()), .init("sleeping", .unsigned),
        .init("next", .nullable(.number)),
    ])

    /// Moves the clock and wakes the sleeping effects one after the other. Answers 200 when the
    /// woken effects have ended or sleep again, or 202 if there were too many effects to wake.
    private func advance(_ request: RequestContext) throws(Problem) {
        let duration = try duration(request)
        guard !isAdvancing.exchange(true, ordering: .acquiringAndReleasing) else {
            throw .overloaded("the clock is being advanced by another request")
        }
        request.exchange.suspend()
        Task { [self] in
            let isThere = await clock.advance(by: duration, wakesMax: ManualClock.wakesMax)
            isAdvancing.store(false, ordering: .releasing)
            request.complete(.success(Self.response(isThere ? 200 : 202, clock)))
        }
    }

    private func duration(_ request: RequestContext) throws(Problem) -> Duration {
        let advance = try request.bodyObject(Advance.self, limits)
        let left = Self.totalSecondsMax - clock.now.sinceStart / .seconds(1)
        guard advance.seconds >= 0, advance.seconds <= left else {
            throw .invalidPayload(
                pointer: "/seconds",
                expected: "a number of seconds from 0 to \(Int64(max(left, 0)))"
            )
        }
        return .nanoseconds(Int64((advance.seconds * 1e9).rounded()))
    }

    private static func response(_ status: Int, _ clock: ManualClock) -> HTTPResponse {
        let time = CivilTime(nanosecondsSince1970: clock.timeOfDay.now())
        return .uncached(status: status) { json in
            json.key("seconds")
            json.raw(decimalSeconds(clock.now.sinceStart))
            json.member("time", time.rfc3339(.nanoseconds))
            json.member("sleeping", clock.sleeperCount)
            json.key("next")
            json.raw(clock.nextDeadline.map { decimalSeconds($0.sinceStart) } ?? Array("null".utf8))
        }
    }

    /// Writes a duration as a decimal number of seconds, exact to the nanosecond: `2.5`.
    private static func decimalSeconds(_ duration: Duration) -> [UInt8] {
        let (seconds, attoseconds) = duration.components
        let digits = String(attoseconds / 1_000_000_000)
        var fraction = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
        while fraction.last == "0" { fraction.removeLast() }
        return Array((fraction.isEmpty ? "\(seconds)" : "\(seconds).\(fraction)").utf8)
    }
}
