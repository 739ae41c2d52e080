import StoreCore

/// A client of several servers.
struct PeerClient {
    /// A session, which belongs to the server that began it.
    struct Session {
        /// The number of the server.
        let peer: Int
        let secret: String
        let name: String
    }

    /// The client's session; `nil` if it has none.
    var session: Session?
    /// The principal and the role; `nil` for a client without a credential.
    var member: Roles.Member?
    /// The session, principal and sight of the client.
    let reading: Reading

    var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let session { headers.append(("Cookie", "store-session=" + session.secret)) }
        if let member { headers.append(("Authorization", "Bearer " + member.token)) }
        return headers
    }

    /// Returns an idempotency key with its owner.
    func own(_ key: String) -> String { (reading.keyOwner ?? "") + " " + key }

    /// True if the client surely sees the same in two versions.
    func sees(_ state: StateText, as earlier: StateText) -> Bool {
        !reading.isShownUnseen && reading.visible(state).whole == reading.visible(earlier).whole
    }
}

extension PeerSimulation {
    func beginSession(_ peer: Int, _ number: Int, _ chance: inout Chance) throws {
        let secret = "secret-\(seed)-\(number)"
        let member = anyMember(&chance)
        let principal = member?.name
        guard peers[peer].server.beginSession(secret, for: principal) else { return }
        let name = SimulatedServer<P.Root>.session(of: secret, for: principal)
        clients.append(client(PeerClient.Session(peer: peer, secret: secret, name: name), member))
    }

    func endSession(_ chance: inout Chance) throws {
        guard !clients.isEmpty else { return }
        let client = clients.remove(at: chance.below(clients.count))
        guard let session = client.session else { return }
        let server = peers[session.peer].server
        endings.append((client, try server.send("DELETE", "/session", headers: client.headers)))
    }

    /// Returns a client of a server, or a client without a session.
    func client(of peer: Int, _ chance: inout Chance) -> PeerClient {
        let own = clients.filter { $0.session?.peer == peer }
        guard !own.isEmpty, chance.happens(2, in: 3) else {
            return client(nil, anyMember(&chance))
        }
        return own[chance.below(own.count)]
    }

    /// Returns a member with a role; `nil` for a client without a role.
    private func anyMember(_ chance: inout Chance) -> Roles.Member? {
        guard let roles, chance.happens(2, in: 3) else { return nil }
        return chance.pick(roles.members)
    }

    private func client(_ session: PeerClient.Session?, _ member: Roles.Member?) -> PeerClient {
        var reading = Reading(session: session?.name, mark: "", isOperator: false)
        if let roles, let member,
            let place = roles.members.firstIndex(where: { $0.name == member.name })
        {
            reading.principal = member.name
            reading.sight = roles.sight(of: place)
            reading.views = roles.views[place]
            reading.isShownUnseen = roles.showsUnseen(to: place)
        }
        return PeerClient(session: session, member: member, reading: reading)
    }

    /// Verifies that each session reads the same at its own server and after a start on the
    /// history. A session that has ended leaves nothing at any server.
    func checkSessions() throws {
        let started = try peer(on: peers[0].journal.another()).server
        for client in clients {
            guard let session = client.session else { continue }
            let own = try state(client, at: peers[session.peer].server)
            let replayed = try state(client, at: started)
            // A session is in no history if its beginning was not applied.
            guard started.isOpen(session.name) else { continue }
            guard own == replayed else {
                throw Violation(
                    .state,
                    "\(session.name) reads \(own) at its server, and \(replayed) behind a replay"
                )
            }
        }
        for ending in endings {
            guard case .response(204, _)? = ending.exchange.answer else { continue }
            for (number, peer) in peers.enumerated()
            where Bytewise(peer.server.state).contains(Bytewise(ending.client.reading.name)) {
                throw Violation(
                    .sessions,
                    "server \(number) keeps something of \(ending.client.reading.name), which has ended"
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
