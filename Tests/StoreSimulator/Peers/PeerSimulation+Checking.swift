import StoreCore

extension PeerSimulation {
    /// Verifies the end: all servers have the state of the history. Each acknowledged action is in
    /// the history once, and there are no others.
    func checkEnd() throws {
        let records = try checkOrder()
        try checkStates(records)
        try checkAnswers(records)
        try checkParts(records)
        try checkSessions()
    }

    /// Verifies that versions follow one another without a hole, each written by one server.
    private func checkOrder() throws -> [Record] {
        var records: [Record] = []
        while true {
            let tail = try peers[0].journal.tail(from: UInt64(records.count))
            if tail.isEmpty { break }
            records += tail
        }
        guard records.map(\.version) == (0..<records.count).map({ UInt64($0) + 1 }) else {
            throw Violation(.order, "the history has versions \(records.map(\.version))")
        }
        let written = peers.flatMap { $0.journal.written }.sorted { $0.version < $1.version }
        guard written == records else {
            throw Violation(.order, "the history is not what the servers have appended")
        }
        return records
    }

    /// Verifies that each version has the same state at each server. A start on the history must
    /// lead to the last state.
    private func checkStates(_ records: [Record]) throws {
        let newest = UInt64(records.count)
        let started = try peer(on: peers[0].journal.another()).server
        for (number, peer) in peers.enumerated() {
            guard !peer.server.hasFailed else {
                throw Violation(.trap, "server \(number) has given up")
            }
            guard peer.server.version == newest else {
                throw Violation(
                    .state,
                    "server \(number) ends with version \(peer.server.version) of \(newest)"
                )
            }
            guard peer.server.state == started.state, peer.server.slices == started.slices else {
                throw Violation(
                    .state,
                    "server \(number) ends with \(Bytewise(peer.server.state)) and a replay with "
                        + "\(Bytewise(started.state))"
                )
            }
            guard peer.shown.states.count == records.count + 1 else {
                throw Violation(
                    .called,
                    "server \(number) has shown \(peer.shown.states.count - 1) of \(newest) versions"
                )
            }
            let same = zip(peer.shown.states, peers[0].shown.states)
                .prefix { $0.whole == $1.whole }.count
            guard same == records.count + 1 else {
                throw Violation(
                    .state,
                    "version \(same) is \(peer.shown.states[same].whole) at server \(number) and "
                        + "\(peers[0].shown.states[same].whole) at the first"
                )
            }
        }
        guard Bytewise(started.state) == peers[0].shown.states.last?.whole else {
            throw Violation(.state, "what is served last is not what was shown last")
        }
    }

    /// Verifies that each acknowledged request has its records once, and that no other request has
    /// records.
    private func checkAnswers(_ records: [Record]) throws {
        var claimed: Set<UInt64> = []
        var byRequest: [String: [UInt64]] = [:]
        for record in records {
            if let id = record.requestID { byRequest[id, default: []].append(record.version) }
        }
        let states = peers[0].shown.states
        var replayed: [(asked: Asked, versions: ClosedRange<UInt64>)] = []
        for asked in asked {
            guard let answer = asked.exchange.answer else {
                throw Violation(.answer, "\(asked.body) has no answer")
            }
            if case .abandoned = answer {
                throw Violation(.answer, "\(asked.body) is left with an unknown outcome")
            }
            guard !asked.isDryRun, let applied = Acknowledged(answer) else { continue }
            guard applied.first >= 1, applied.first <= applied.last, applied.last <= records.count
            else { throw Violation(.answer, "\(asked.body) was answered with \(applied)") }
            if asked.exchange.isReplay {
                replayed.append((asked, applied.first...applied.last))
                continue
            }
            // The answer to a single action names the last version, which may belong to an action
            // that an interceptor added.
            let id = records[Int(applied.last) - 1].requestID
            let own = id.flatMap { byRequest[$0] } ?? []
            guard let first = own.first, own == Array(first...applied.last), first <= applied.first
            else { throw Violation(.answer, "\(asked.body) shares its versions with others") }
            // Versions in between may have changed nothing that the client sees.
            if let expected = asked.expected,
                expected >= first
                    || (expected..<first - 1).contains(where: {
                        !asked.client.sees(states[Int($0) + 1], as: states[Int($0)])
                    })
            {
                throw Violation(
                    .answer,
                    "\(asked.body) for version \(expected) was applied as \(first)"
                )
            }
            for version in own where !claimed.insert(version).inserted {
                throw Violation(.answer, "version \(version) was acknowledged twice")
            }
        }
        for (asked, versions) in replayed where !claimed.isSuperset(of: versions) {
            throw Violation(.keys, "\(asked.body) was answered with versions of no request")
        }
        for record in records
        where record.requestID != nil && record.cause == nil && !claimed.contains(record.version)
            && record.type != "sessions/ended"
        {
            throw Violation(.trace, "\(record) was acknowledged to nobody")
        }
        try checkKeys()
    }

    /// Verifies that a key is applied once, at any number of servers.
    private func checkKeys() throws {
        var applied: [String: Bytewise] = [:]
        for asked in asked {
            guard let key = asked.key, !asked.isDryRun, let answer = asked.exchange.answer,
                Acknowledged(answer) != nil, !asked.exchange.isReplay
            else { continue }
            guard applied.updateValue(asked.body, forKey: key) == nil else {
                throw Violation(.keys, "\(asked.body) was applied twice under \(key)")
            }
        }
    }

    /// Verifies that one server does the work of middleware and effects: the server that applied
    /// the action.
    private func checkParts(_ records: [Record]) throws {
        var begun: [String: Int] = [:]
        for (number, peer) in peers.enumerated() {
            let written = peer.journal.written.map(\.version)
            guard peer.recorder.takeApplied().map(\.version) == written else {
                throw Violation(.analytics, "server \(number) says that it applied other versions")
            }
            guard peer.recorder.takeLines().map(\.version) == written else {
                throw Violation(.analytics, "server \(number) released lines of other versions")
            }
            for (note, _) in peer.recorder.takeEffects() {
                guard begun.updateValue(number, forKey: note) ?? number == number else {
                    throw Violation(.effects, "the effect of \(note) begins at two servers")
                }
            }
        }
    }
}
