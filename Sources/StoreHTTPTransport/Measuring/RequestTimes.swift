package import StorePlatform
import Synchronization

/// How long the requests of one route took, by the class of the status that they were answered
/// with: from the event loop's turn in which their line came to the end of the turn in which they
/// were answered.
///
/// The thread of the event loop observes; any thread may read.
package final class RouteTimes: Sendable {
    /// The first digits of the statuses.
    package static var classes: ClosedRange<Int> { 1...5 }

    private let cells = Cells(count: RouteTimes.classes.count * Buckets.durations.cellCount)
    private let buckets = Buckets.durations

    package init() {}

    /// Where a loop observes what it has answered. It is there for as long as this object.
    var place: Place { Place(first: cells.first) }

    /// What was observed of the requests that were answered with a class. Any thread.
    package func distribution(ofStatus status: Int) -> Distribution {
        buckets.distribution(at: cells.first + (status - 1) * buckets.cellCount)
    }
}

extension RouteTimes {
    /// The numbers of one route. A place and no object, so that no request counts references to it.
    struct Place {
        // Safety: the numbers belong to a route, which lives as long as the handler of the loop.
        fileprivate let first: UnsafeMutablePointer<Atomic<UInt64>>

        /// Adds one. The status is the first digit of the answer's; anything else counts as 5.
        func observe(_ nanoseconds: UInt64, status: Int) {
            let buckets = Buckets.durations
            let classes = RouteTimes.classes
            let index = classes.contains(status) ? status - 1 : classes.count - 1
            buckets.add(nanoseconds, at: first + index * buckets.cellCount)
        }
    }
}

/// A request that was answered in this turn of the event loop.
struct AnsweredRequest {
    let times: RouteTimes.Place
    /// When the turn began in which its line came.
    let began: UInt64
    /// The first digit of the status.
    let status: Int
}

extension EventLoop {
    /// Notes that a request is answered; how long it took is observed when the turn ends.
    @inline(__always)
    func answered(_ exchange: HTTPExchange, status: Int) {
        answered.append(
            AnsweredRequest(
                times: exchange.times ?? counters.unrouted.place,
                began: exchange.began,
                status: status / 100
            )
        )
    }

    /// Observes how long the requests took that were answered in this turn, by one reading of the
    /// clock for all of them.
    func observeAnswered() {
        guard answered.count > 0 else { return }
        let ended = SystemTime.steadyNanoseconds()
        for request in answered {
            request.times.observe(ended &- request.began, status: request.status)
        }
        answered.removeAll(keepingCapacity: true)
    }
}
