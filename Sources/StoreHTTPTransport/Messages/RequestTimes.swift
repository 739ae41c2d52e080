package import StorePlatform
import Synchronization

/// The durations of one route's requests, by the class of the answer's status. A duration lasts
/// from the start of the event loop's turn that reads the request line to the end of the turn that
/// answers.
///
/// Only the event loop's thread adds durations, and any thread may read them.
package final class RouteTimes: Sendable {
    /// The classes of statuses, by the first digit of the status.
    package static var statusClasses: ClosedRange<Int> { 1...5 }

    private let cells = CounterArray(
        count: RouteTimes.statusClasses.count * Buckets.forDurations.cellCount
    )
    private let buckets = Buckets.forDurations

    package init() {}

    /// The counters to which a loop adds durations. They are valid as long as this object exists.
    var counters: Counters { Counters(first: cells.counters) }

    /// Returns the durations of the requests whose answers had a status of this class. Any thread
    /// may call this function.
    package func distribution(ofStatusClass status: Int) -> Distribution {
        buckets.distribution(at: cells.counters + (status - 1) * buckets.cellCount)
    }
}

extension RouteTimes {
    /// A pointer to the counters of one route. With a pointer in place of an object, a request need
    /// not count references.
    struct Counters {
        // Safety: the counters belong to a ``RouteTimes``, which the handler keeps as long as the
        // loop runs.
        fileprivate let first: UnsafeMutablePointer<Atomic<UInt64>>

        /// Adds a duration. `statusClass` is the first digit of a status; other numbers count as 5.
        func observe(_ nanoseconds: UInt64, statusClass: Int) {
            let buckets = Buckets.forDurations
            let classes = RouteTimes.statusClasses
            let index = classes.contains(statusClass) ? statusClass - 1 : classes.count - 1
            buckets.add(nanoseconds, at: first + index * buckets.cellCount)
        }
    }
}

/// A request that was answered in this turn of the event loop.
struct AnsweredRequest {
    let counters: RouteTimes.Counters
    /// The start of the turn that read the request line, in nanoseconds.
    let startNanoseconds: UInt64
    /// The first digit of the status.
    let statusClass: Int
}

extension EventLoop {
    /// Notes that a request is answered. The request's duration is counted when the turn ends.
    @inline(__always)
    func noteAnswered(_ exchange: HTTPExchange, status: Int) {
        answeredRequests.append(
            AnsweredRequest(
                counters: exchange.routeCounters ?? counters.unroutedTimes.counters,
                startNanoseconds: exchange.requestStartNanoseconds,
                statusClass: status / 100
            )
        )
    }

    /// Counts the durations of the requests that this turn has answered. The clock is read once for
    /// all these requests.
    func recordAnsweredRequests() {
        guard answeredRequests.count > 0 else { return }
        let ended = SystemTime.steadyNanoseconds()
        for request in answeredRequests {
            request.counters.observe(
                ended &- request.startNanoseconds,
                statusClass: request.statusClass
            )
        }
        answeredRequests.removeAll(keepingCapacity: true)
    }
}
