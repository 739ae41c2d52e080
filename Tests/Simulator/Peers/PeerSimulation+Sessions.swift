import StoreCore
import Wire

/// A client with a session at one of several servers.
struct PeerClient {
    /// The server, by its number.
    let peer: Int
    let secret: String
    let name: String

    var headers: [(name: String, value: String)] { [("Cookie", "store-session=" + secret)] }
}

extension PeerSimulation {
    func beginSession(_ peer: Int, _ number: Int) throws {
        let secret = "secret-\(seed)-\(number)"
        guard peers[peer].server.beginSession(secret) else { return }
        let name = SimulatedServer<P.Root>.session(of: secret)
        clients.append(PeerClient(peer: peer, secret: secret, name: name))
    }

    func endSession(_ chance: inout Chance) throws {
        guard !clients.isEmpty else { return }
        let client = clients.remove(at: chance.below(clients.count))
        let server = peers[client.peer].server
        endings.append((client, try server.send("DELETE", "/session", headers: client.headers)))
    }

    /// One of a server's clients; `nil` for one without a session.
    func client(of peer: Int, _ chance: inout Chance) -> PeerClient? {
        let own = clients.filter { $0.peer == peer }
        guard !own.isEmpty, chance.happens(2, in: 3) else { return nil }
        return own[chance.below(own.count)]
    }

    /// Each session reads the same at its own server and behind a start on the history, and of one
    /// that has ended there is nothing left at any.
    func checkSessions() throws {
        let started = try peer(on: peers[0].journal.another()).server
        for client in clients {
            let own = try state(client, at: peers[client.peer].server)
            let replayed = try state(client, at: started)
            // Where its beginning was not applied, it is in no history.
            guard started.isOpen(client.name) else { continue }
            guard own == replayed else {
                throw Violation(
                    .state,
                    "\(client.name) reads \(own) at its server, and \(replayed) behind a replay"
                )
            }
        }
        for ending in endings {
            guard case .response(204, _)? = ending.exchange.answer else { continue }
            for (number, peer) in peers.enumerated()
            where Bytewise(peer.server.state).contains(Bytewise(ending.client.name)) {
                throw Violation(
                    .sessions,
                    "server \(number) keeps something of \(ending.client.name), which has ended"
                )
            }
        }
    }

    private func state(
        _ client: PeerClient,
        at server: SimulatedServer<P.Root>
    ) throws -> Bytewise {
        let exchange = try server.send("GET", "/state", headers: client.headers)
        _ = server.wait(for: exchange)
        guard case .response(_, let body)? = exchange.answer else { return Bytewise("nothing") }
        return Bytewise(body)
    }
}

extension PeerSimulation.Asked {
    /// Whether the client surely sees what a record has changed: what its own session did.
    func sees(_ record: Record) -> Bool {
        session == nil ? record.session == nil : record.session == session
    }
}
