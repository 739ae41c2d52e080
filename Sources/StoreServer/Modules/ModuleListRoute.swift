import HTTPTransport
import StoreCore
import Wire

/// `GET /modules`: the modules that the state is made of, and what may be asked of each.
struct ModuleListRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET", "HEAD"]
    let store: Store<State>
    let modules: [SliceDescription]

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let snapshot = store.publisher.snapshot
        var json = JSONWriter(capacity: 1_024)
        json.object { json in
            json.member("epoch", store.publisher.epochText)
            json.member("version", snapshot.version)
            json.list("modules", of: modules.enumerated()) { json, module in
                write(module.element, snapshot.slices[module.offset], to: &json)
            }
        }
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [("Content-Type", "application/json"), ("Cache-Control", "no-cache")],
                body: .bytes(json.array)
            )
        )
    }

    private func write(
        _ module: SliceDescription,
        _ slice: PublishedSlice,
        to json: inout JSONWriter
    ) {
        json.member("name", module.name)
        json.member("started", slice.isStarted)
        json.member("href", "/modules/\(module.name)")
        json.member("events", "/modules/\(module.name)/events")
        if module.form == .instances { json.member("instances", slice.pieces?.ids ?? []) }
        json.member(
            "actions",
            store.registry.entries
                .filter { $0.module == module.name && $0.access == .everybody }
                .map(\.form.name)
        )
    }
}
