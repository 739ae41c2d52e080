import EventStream
import HTTPTransport
import StoreCore
import Wire

/// `GET /modules/<name>`, and below it the instances of a module that has many.
struct ModuleRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET", "HEAD"]
    let store: Store<State>
    let modules: [SliceDescription]

    func has(_ rest: String) -> Bool {
        let parts = rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let module = modules.first { $0.name == parts[0] }
        return module.map { parts.count == 1 || $0.form == .instances } ?? false
    }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let parts = rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard let index = modules.firstIndex(where: { $0.name == parts[0] }) else {
            throw .notFound(path: exchange.path)
        }
        guard parts.count > 1 else { return try document(exchange, index) }
        guard modules[index].form == .instances,
            parts.count == 2 || (parts.count == 3 && parts[2] == "events")
        else { throw .notFound(path: exchange.path) }
        guard let id = PercentEncoding.decode(parts[1]) else {
            throw .badRequest("'\(parts[1])' is badly percent-encoded.")
        }
        guard 1...InstanceID.bytesMax ~= id.utf8.count else { throw .notFound(path: exchange.path) }
        if parts.count == 3 {
            guard exchange.method == "GET" else {
                throw .methodNotAllowed(exchange.method, allowed: ["GET"])
            }
            let part = WatchedPart(instance: id, of: index, named: modules[index].name)
            let query = try Query.of(exchange, allowed: ModuleEventsRoute<State>.parameters)
            try StreamOpening.open(exchange, store, part, query)
        } else {
            try document(exchange, index, id)
        }
    }

    private func document(
        _ exchange: HTTPExchange,
        _ index: Int,
        _ instance: String? = nil
    ) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let snapshot = store.publisher.snapshot
        guard snapshot.slices[index].isStarted else { throw .notFound(path: exchange.path) }
        store.answer(
            exchange,
            with: JSONPointer(tokens: [modules[index].name] + (instance.map { [$0] } ?? [])),
            of: snapshot,
            isConditional: true,
            orElse: .path(exchange.path)
        )
    }
}

/// `GET /modules/<name>/events`: the slice as it is and whenever it changes; with `old=true` also as it
/// was before.
struct ModuleEventsRoute<State: Codable & Equatable & Sendable>: Route {
    static var parameters: [String] { ["mode", "last_event_id", "subscriber"] }

    let methods = ["GET"]
    let store: Store<State>
    let index: Int

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: Self.parameters + ["old"])
        let mode = try query.mode()
        let withOld: Bool
        do { withOld = try query.flag("old") } catch { throw .badRequest(error.detail) }
        let topic: SliceTopic = withOld ? .change(index) : .slice(index)
        let id = store.publisher.topic(of: topic)
        guard withOld else {
            return try StreamOpening.open(
                exchange,
                store,
                id.carrying(mode),
                query,
                showing: index
            ) {
                $0.slices[index].isAtHand
            } announce: {
                store.publisher.announce(topic, in: $0)
            }
        }
        guard mode == .snapshot else {
            throw .badRequest("old=true has events of its own form: leave it or mode=patch out.")
        }
        // What was before a change is no news to those who were not there.
        try StreamOpening.begin(exchange, store, id, query, showing: index) {
            $0.slices[index].isAtHand
        } first: {
            store.publisher.beginning(of: index, in: $0)
        }
    }
}
