import HTTPTransport
import StoreCore
import Wire

/// `GET /test/clock`: where the clock stands that effects pause on. There only with `--clock test`.
struct TestClockRoute: Route {
    let methods = ["GET", "HEAD"]
    let clock: ManualClock

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.respond(Self.response(200, clock))
    }

    static func response(_ status: Int, _ clock: ManualClock) -> HTTPResponse {
        let time = CivilTime(nanosecondsSince1970: clock.timeOfDay.now())
        var json = JSONWriter()
        json.object { json in
            json.key("seconds")
            json.raw(seconds(clock.now.sinceStart))
            json.member("time", time.rfc3339(.nanoseconds))
            json.member("sleeping", clock.sleeping)
            json.key("next")
            json.raw(clock.nextDeadline.map { seconds($0.sinceStart) } ?? Array("null".utf8))
        }
        return HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(json.array)
        )
    }

    /// Exact to the nanosecond: `2.5`.
    private static func seconds(_ duration: Duration) -> [UInt8] {
        let (seconds, attoseconds) = duration.components
        let digits = String(attoseconds / 1_000_000_000)
        var fraction = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
        while fraction.last == "0" { fraction.removeLast() }
        return Array((fraction.isEmpty ? "\(seconds)" : "\(seconds).\(fraction)").utf8)
    }
}
