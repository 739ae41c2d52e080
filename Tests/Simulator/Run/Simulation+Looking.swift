import StoreCore
import Wire

extension Simulation {
    /// Asks for what is there, or was.
    func look(_ chance: inout Chance) throws {
        switch chance.below(6) {
        case 5:
            guard let view = P.view(&chance, isStream: false) else { return }
            let part = view.part(naive.text)
            if case .json(let bytes) = part { return try get(view.path, bytes) }
            try get(view.path, Bytewise("null"))
        case 0, 1:
            let version = naive.version - min(naive.version, UInt64(chance.below(20)))
            let target = chance.happens(1, in: 3) ? "/state" : "/state?version=\(version)"
            let text = target == "/state" ? naive.text : past.texts[version]
            guard let text else { return }
            try get(target, text.whole)
        case 2:
            let client = clients.isEmpty ? nil : chance.pick(clients)
            let place = Naive<P>.names.firstIndex(of: Sessions.name) ?? 0
            let session = client?.name ?? Sessions.shared
            let route = JSONText.part(naive.slices[place].bytes, at: [session, "route"])
            try get("/route", route, client)
        case 3: try lookAtMetrics()
        default:
            let module = chance.below(Naive<P>.names.count)
            let slice = naive.slices[module]
            try get("/modules/" + Naive<P>.names[module], slice == .absent ? nil : slice)
        }
    }

    private func answer(
        to target: String,
        _ client: Client? = nil
    ) throws -> (status: Int, body: [UInt8]) {
        tell("  GET \(target) as \(client?.name ?? "nobody")")
        let exchange = try server.send("GET", target, headers: Self.cookie(client))
        guard server.wait(for: exchange) else { throw Violation(.state, "no answer: \(target)") }
        server.collect()
        guard case .response(let status, let body)? = exchange.answer else {
            throw Violation(.state, "no answer: \(target)")
        }
        return (status, body)
    }

    /// The header by which a client shows its session.
    static func cookie(_ client: Client?) -> [(name: String, value: String)] {
        client.map { [("Cookie", "store-session=" + $0.secret)] } ?? []
    }

    /// Metrics count what was applied since the start, each action under its own name.
    private func lookAtMetrics() throws {
        let (_, body) = try answer(to: "/metrics")
        var metrics: [Bytewise: UInt64] = [:]
        for line in body.split(separator: 0x0A) {
            guard let space = line.lastIndex(of: 0x20), line.first != UInt8(ascii: "#") else {
                continue
            }
            let value = UInt64(String(decoding: line[(space + 1)...], as: UTF8.self))
            metrics[Bytewise(Array(line[..<space]))] = value
        }
        for (type, count) in appliedCounts {
            let name = Bytewise("store_reduce_seconds_count{type=\"\(type.text)\"}")
            // Whatever was refused or tried was reduced, too.
            guard metrics[name] ?? 0 >= count else {
                throw Violation(
                    .metrics,
                    "\(count) of \(type) were applied, and \(metrics[name] ?? 0) reduced"
                )
            }
        }
        let expected = [
            ("store_version", naive.version),
            ("store_actions_dropped_total", recorder.droppedTotal),
            ("store_streams_open", UInt64(readers.count + logReaders.count)),
        ]
        for (name, value) in expected where metrics[Bytewise(name)] != value {
            throw Violation(
                .metrics,
                "\(name) is \(metrics[Bytewise(name)] as Any) and not \(value)"
            )
        }
    }

    private func get(_ target: String, _ expected: Bytewise?, _ client: Client? = nil) throws {
        let (status, body) = try answer(to: target, client)
        // What was forgotten can't be made again.
        if status == 410, target.contains("?version") { return }
        guard status == (expected == nil ? 404 : 200), expected.map({ $0.bytes == body }) ?? true
        else {
            throw Violation(
                .state,
                "\(target) answers \(status) \(Bytewise(body)) and not \(expected as Any)"
            )
        }
    }
}
