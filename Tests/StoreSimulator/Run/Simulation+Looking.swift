import StoreCore
import StoreJSON
import StorePatterns

extension Simulation {
    /// Reads a part of the current state or of an older state.
    func look(_ chance: inout Chance) throws {
        switch chance.below(16) {
        case 10: try lookAtOutcomes(&chance)
        case 11: try lookAtTag(&chance)
        case 12, 13: try lookAtTimers(&chance)
        case 14, 15: try lookAtEffects(&chance)
        case 6: try lookAtPart(&chance)
        case 7: try lookAtBlame(&chance)
        case 8: try lookAtLog(&chance)
        case 9: try lookAtTrace(&chance)
        case 5:
            guard let view = P.view(&chance, isStream: false) else { return }
            let client = drawn(&chance)
            guard reading(client).hasView(view.path) else {
                return try get(view.path, nil, client, &chance)
            }
            let part = reading(client).part(view, of: naive.text)
            if case .json(let bytes) = part { return try get(view.path, bytes, client, &chance) }
            try get(view.path, Bytewise("null"), client, &chance)
        case 0, 1:
            let version = naive.version - min(naive.version, UInt64(chance.below(20)))
            let target = chance.happens(1, in: 3) ? "/state" : "/state?version=\(version)"
            let text = target == "/state" ? naive.text : past.texts[version]
            guard let text else { return }
            let client = drawn(&chance)
            try get(target, reading(client).visible(text).whole, client, &chance)
        case 2:
            let client = clients.isEmpty ? nil : chance.pick(clients)
            let place = Naive<P>.names.firstIndex(of: Sessions.name) ?? 0
            let session = client?.name ?? Sessions.shared
            let route = JSONText.part(naive.slices[place].bytes, at: [session, "route"])
            try get("/route", route, client)
        case 3: try lookAtMetrics()
        default:
            let module = chance.below(Naive<P>.names.count)
            let client = drawn(&chance)
            let path = "/modules/" + Naive<P>.names[module]
            // A field is no module, so its path answers 404 to any condition.
            if P.Root.modules[module].isField { return try get(path, nil, client) }
            // A module outside the client's sight answers 404 to any condition.
            let isSeen = reading(client).sight?.contains(Naive<P>.names[module]) ?? true
            guard isSeen else { return try get(path, nil, client) }
            let slice = reading(client).visible(naive.text).slices[module]
            let isThere = slice != .absent && (client != nil || isStarted(module))
            try get(path, isThere ? slice : nil, client, &chance)
        }
    }

    /// True if a session has the slice of a module. A shared slice counts as started.
    private func isStarted(_ module: Int) -> Bool {
        let value = P.Root.modules[module].slicePlace.memberValue(naive.root)
        guard let values = value as? any OwnedValues else { return true }
        return values.value(of: nil) != nil
            || values.owners.contains { values.value(of: $0) != nil }
    }

    func answer(
        to target: String,
        _ client: Client? = nil,
        headers: [(name: String, value: String)] = []
    ) throws -> (status: Int, body: [UInt8]) {
        note("  GET \(target) as \(client?.name ?? "nobody")")
        let exchange = try server.send("GET", target, headers: cookie(client) + headers)
        guard server.wait(for: exchange) else { throw Violation(.state, "no answer: \(target)") }
        server.collect()
        guard case .response(let status, let body)? = exchange.answer else {
            throw Violation(.state, "no answer: \(target)")
        }
        try reading(client).search(body, target)
        return (status, body)
    }

    /// The header fields with a client's session and credential.
    func cookie(_ client: Client?) -> [(name: String, value: String)] {
        guard let client else { return [] }
        let cookie = ("Cookie", "store-session=" + client.secret)
        guard let member = client.role.flatMap({ roles?.members[$0] }) else { return [cookie] }
        return [cookie, ("Authorization", "Bearer " + member.token)]
    }

    /// Verifies that metrics count the actions since the start, each under its type, and no others.
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
        var applied: [String: UInt64] = [:]
        for (type, count) in appliedCounts { applied[Self.label(of: type), default: 0] += count }
        for (type, count) in applied {
            let name = Bytewise("store_reduce_seconds_count{type=\"\(type)\"}")
            guard metrics[name] ?? 0 == count else {
                throw Violation(
                    .metrics,
                    "\(count) of \(type) were applied, and \(metrics[name] ?? 0) reduced"
                )
            }
        }
        let open = metrics.filter { $0.key.bytes.starts(with: "store_streams_open{".utf8) }
        let streams = UInt64(readers.count + logReaders.count)
        guard open.values.reduce(0, +) == streams else {
            throw Violation(.metrics, "\(open) streams are open and not \(streams)")
        }
        let expected = [
            ("store_version", naive.version),
            ("store_actions_dropped_total", recorder.droppedTotal),
        ]
        for (name, value) in expected where metrics[Bytewise(name)] != value {
            throw Violation(
                .metrics,
                "\(name) is \(metrics[Bytewise(name)] as Any) and not \(value)"
            )
        }
    }

    /// Returns the label of a wire name in metrics: `{id}` stands for an instance.
    private static func label(of type: Bytewise) -> String {
        let parts = type.text.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        let first = parts.first == "usecases" ? 2 : 1
        guard parts.count > first + 1, let last = parts.last else { return type.text }
        return parts[..<first].joined(separator: "/") + "/{id}/" + last
    }

    func get(_ target: String, _ expected: Bytewise?, _ client: Client? = nil) throws {
        let (status, body) = try answer(to: target, client)
        if try isGone(target, status) { return }
        guard status == (expected == nil ? 404 : 200), expected.map({ $0.bytes == body }) ?? true
        else {
            throw Violation(
                .state,
                "\(target) answers \(client?.name ?? "nobody") \(status) \(Bytewise(body)) and not \(expected as Any)"
            )
        }
    }

    /// Returns true if an answer says that a past version can't be made again. After a forget, no
    /// earlier version can be made again.
    func isGone(_ target: String, _ status: Int) throws -> Bool {
        guard let place = target.firstRange(of: "version=")?.upperBound,
            let version = UInt64(target[place...].prefix { $0.isNumber })
        else { return false }
        guard version >= past.forgotten || [404, 410, 412].contains(status) else {
            throw Violation(
                .personal,
                "\(target) answers \(status), and the states before \(past.forgotten) are forgotten"
            )
        }
        return status == 410
    }

    /// Verifies an answer, and by chance a second answer. The second request has `If-None-Match` or
    /// `If-Match`, or another spelling of the path.
    func get(
        _ target: String,
        _ expected: Bytewise?,
        _ client: Client?,
        _ chance: inout Chance
    ) throws {
        switch chance.below(4) {
        case 0:
            try expect(expected == nil ? 404 : 304, from: target, client, ("If-None-Match", "*"))
        case 1 where !target.hasPrefix("/views"):
            try expect(412, from: target, client, ("If-Match", #""00000000:0""#))
        case 2:
            let first = Array(target.utf8)[1]
            let spelled = "/%" + String(first, radix: 16) + target.dropFirst(2)
            try get(spelled, expected, client)
        default: break
        }
        try get(target, expected, client)
    }

    private func expect(
        _ status: Int,
        from target: String,
        _ client: Client?,
        _ header: (name: String, value: String)
    ) throws {
        let answer = try answer(to: target, client, headers: [header])
        if try isGone(target, answer.status) { return }
        guard answer.status == status, status == 404 || status == 412 || answer.body.isEmpty else {
            throw Violation(
                .state,
                "\(target) with \(header) answers \(answer.status) and not \(status)"
            )
        }
    }
}
