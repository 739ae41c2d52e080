import Glibc
import StoreCore
import Wire

extension Simulation {
    /// Asks for what is there, or was.
    func look(_ chance: inout Chance) throws {
        switch chance.below(3) {
        case 0:
            let version = naive.version - min(naive.version, UInt64(chance.below(20)))
            let target = chance.happens(1, in: 3) ? "/state" : "/state?version=\(version)"
            let slices = target == "/state" ? naive.slices : past.slices[version]
            guard let slices else { return }
            try get(target, Bytewise(slices: slices, of: Naive<P>.names))
        case 1:
            let client = clients.isEmpty ? nil : chance.pick(clients)
            let place = Naive<P>.names.firstIndex(of: Sessions.name) ?? 0
            let session = client?.name ?? Sessions.shared
            let route = JSONText.part(naive.slices[place].bytes, at: [session, "route"])
            try get("/route", route, client)
        default:
            let module = chance.below(Naive<P>.names.count)
            let slice = naive.slices[module]
            try get("/modules/" + Naive<P>.names[module], slice == .absent ? nil : slice)
        }
    }

    private func get(_ target: String, _ expected: Bytewise?, _ client: Client? = nil) throws {
        tell("  GET \(target) as \(client?.name ?? "nobody")")
        let cookie = client.map { [("Cookie", "store-session=" + $0.secret)] } ?? []
        let exchange = try server.send("GET", target, headers: cookie)
        guard server.wait(for: exchange) else { throw Violation(.state, "no answer: \(target)") }
        server.collect()
        guard case .response(let status, let body)? = exchange.answer else {
            throw Violation(.state, "no answer: \(target)")
        }
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

    /// A client begins to read a stream.
    func openStream(_ chance: inout Chance) throws {
        guard readers.count < 12 else { return }
        let target = P.streams(&chance)
        let name = chance.happens(1, in: 3) ? "r\(chance.below(3))" : nil
        var sockets: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0 else { return }
        defer { close(sockets[1]) }
        if chance.happens(1, in: 4) {
            // One that is soon behind.
            var bytes: CInt = 4_608
            setsockopt(sockets[0], SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        let mark = target.path.contains("?") ? "&" : "?"
        let path = target.path + (name.map { mark + "subscriber=" + $0 } ?? "")
        tell("a stream: \(path)")
        let reader = Reader(target, name: name, socket: sockets[0])
        let exchange = try server.send("GET", path, socket: sockets[1])
        guard case .streaming? = exchange.answer else {
            throw Violation(.streams, "\(path) is no stream: \(exchange.answer as Any)")
        }
        readers.append(reader)
    }
}
