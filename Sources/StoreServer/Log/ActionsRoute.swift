import HTTPTransport
import StoreCore
import Wire

/// `GET /actions`: the log of actions, a page at a time.
struct ActionsRoute<State: Codable & Equatable & Sendable>: Route {
    /// The most records of a page, and how many it has where nobody says.
    static var limitMax: UInt64 { 1_000 }
    static var limitDefault: UInt64 { 100 }

    let methods = ["GET", "HEAD"]
    let store: Store<State>
    let journal: any Journal
    let work: BackgroundWork

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["after", "limit", "type", "cause"])
        let reader = LogPageReader(
            journal: journal,
            epoch: store.publisher.epoch,
            newest: store.publisher.snapshot.version,
            after: try query.bounded("after", in: 0 ... .max),
            limit: try query.bounded("limit", in: 1...Self.limitMax) ?? Self.limitDefault,
            type: query["type"],
            cause: try query.bounded("cause", in: 0 ... .max)
        )
        exchange.suspend()
        let isTaken = work.submit { [store] in
            do throws(Problem) {
                exchange.complete(try reader.page().response)
            } catch {
                exchange.complete(error.response(for: RequestID.next()))
            }
            store.wake()
        }
        guard !isTaken else { return }
        let problem = Problem.overloaded("enough reads of the log wait already")
        exchange.complete(problem.response(for: RequestID.next()))
        store.wake()
    }
}

extension Query {
    /// A parameter that is a whole number within bounds, where another one is the client's fault.
    fileprivate func bounded(
        _ name: String,
        in allowed: ClosedRange<UInt64>
    ) throws(Problem) -> UInt64? {
        let number: UInt64?
        do {
            number = try self.number(name, max: allowed.upperBound)
        } catch {
            throw .badRequest(error.detail)
        }
        guard number.map(allowed.contains) ?? true else {
            throw .badQuery(
                name,
                allowed: "a whole number from \(allowed.lowerBound) to \(allowed.upperBound)"
            )
        }
        return number
    }
}
