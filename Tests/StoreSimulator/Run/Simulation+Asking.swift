import StoreCore
import StoreJSON
import StorePatterns
import StoreTexts

extension Simulation {
    /// Sends some requests at once, which the Core applies together.
    func ask(_ step: Int, _ chance: inout Chance) throws {
        let count = chance.pick([(3, 1), (2, 2), (1, 4), (1, 8)])
        let fault = chance.pick([
            (94, SimulatedJournal.Fault.none), (4, .full), (1, .lost), (1, .late),
        ])
        var scratch = naive
        var keys = keys
        var asker = Asker(chance, step: step)
        asker.edition = edition
        var open: [Open] = []
        predicted = []
        for _ in 0..<count {
            let client = drawn(&asker.chance)
            asker.client = reading(client)
            switch P.ask(&asker, naive.root) {
            case .dispatch(let request):
                // Other requests in the mailbox could be applied before or after its comparison.
                var isAlone = false
                if case .none = fault { isAlone = count == 1 }
                open.append(try hand(over: request, client, isAlone, &asker, &scratch, &keys))
                predicted += open[open.count - 1].prediction.records
            case .work(let path, let body, let note):
                try name(path, body, client, &scratch, &asker.chance, work: note)
            case .notify(let path, let body, let action):
                try name(path, body, client, &scratch, &asker.chance, leads: action)
            }
        }
        chance = asker.chance
        if case .none = fault {
            self.keys = keys
            try turnCore()
            for open in open where open.hasSubject { try answerCondition(of: open) }
            try verifyRecords(predicted)
            try verifyNamed()
            try verifyAnswers(open)
        } else {
            vainKeys = keys
            try askInVain(open, fault, &chance)
        }
    }

    /// Applies the requests while the disk fails.
    private func askInVain(
        _ open: [Open],
        _ fault: SimulatedJournal.Fault,
        _ chance: inout Chance
    ) throws {
        note("  and the disk fails: \(fault)")
        let before = (server.state, journal.count)
        journal.fail(fault)
        try turnCore()
        server.collect()
        for open in open {
            let isKnown: Bool =
                switch open.prediction {
                case .invalid, .replayed, .keyTaken: true
                default: false
                }
            if case .response(let status, _)? = open.exchange.answer, [200, 202].contains(status),
                !isKnown, !open.asked.request.isDryRun
            {
                throw Violation(.answer, "answered \(status) while the disk fails")
            }
        }
        guard server.state == before.0 else {
            throw Violation(.trace, "the state moves while the disk fails")
        }
        named = []
        guard server.hasFailed else {
            guard journal.count == before.1 else {
                throw Violation(.trace, "the journal grows while the disk is full")
            }
            journal.fail(.none)
            naive.seen.tookBack(to: naive.version)
            while server.executor.step(&chance) { try turnCore() }
            _ = recorder.takeDropped()
            return
        }
        try restart(isKilled: true, &chance)
    }

    func drawn(_ chance: inout Chance) -> Client? {
        clients.isEmpty || chance.happens(1, in: 3) ? nil : chance.pick(clients)
    }

    /// Calls a use case or a notification. The journal has its record, without the input.
    private func name(
        _ path: String,
        _ body: String,
        _ client: Client?,
        _ scratch: inout Naive<P>,
        _ chance: inout Chance,
        work: String? = nil,
        leads: (any Action)? = nil
    ) throws {
        let trace = Self.trace(&chance)
        note("  POST \(path) \(body) as \(client?.name ?? "nobody") in \(trace ?? "no trace")")
        let exchange = try server.send(
            "POST",
            path,
            headers: cookie(client).within(trace),
            body: Array(body.utf8)
        )
        guard take(1, by: reading(client).principal) else { return try expectLimited(exchange) }
        named.append(exchange)
        let type = String(path.dropFirst())
        let principal = principal(of: client)
        let action = try server.action(type, [])
        _ = try scratch.apply(
            action,
            from: client?.name,
            as: principal,
            for: nil,
            at: clock.timeOfDay.now()
        )
        predicted.append(
            Prediction.Predicted(
                type: Bytewise(type),
                payload: Bytewise("{}"),
                session: client?.name,
                audience: nil,
                work: work,
                leads: leads,
                trace: trace
            )
        )
    }

    private func expectLimited(_ exchange: SimulatedExchange) throws {
        server.collect()
        guard case .response(429, _)? = exchange.answer else {
            throw Violation(.answer, "more than a client's share: \(exchange.answer as Any)")
        }
    }

    /// Verifies that the use cases and notifications have begun.
    private func verifyNamed() throws {
        server.collect()
        for exchange in named {
            guard case .response(202, _)? = exchange.answer else {
                throw Violation(.answer, "what was asked for by name: \(exchange.answer as Any)")
            }
        }
        named = []
    }

    private func hand(
        over request: Request.Dispatch,
        _ client: Client?,
        _ isAlone: Bool,
        _ asker: inout Asker,
        _ scratch: inout Naive<P>,
        _ keys: inout [IdempotencyKey: Prediction.Kept]
    ) throws -> Open {
        var request = request
        if let key = request.key {
            // Now and then the client repeats a request, as if it had lost the answer.
            let key = IdempotencyKey(principal: asker.client.keyOwner, key: key)
            if let earlier = requests[key], asker.chance.happens(1, in: 2),
                earlier.session == asker.client.session || Self.isKept(earlier.request, keys[key])
            {
                request = earlier.request
            } else {
                requests[key] = (request, asker.client.session)
            }
        }
        let body = Self.body(of: request)
        let trace = Self.trace(&asker.chance)
        var headers = cookie(client).within(trace)
        if let key = request.key { headers.append(("Idempotency-Key", "\"\(key)\"")) }
        if let prefers = request.prefers { headers.append(("Prefer", prefers)) }
        let expected = condition(request.condition, &headers, &asker.chance)
        let subject =
            isAlone ? conditionSubject(of: request, asker.client, &asker.chance) : nil
        if let subject { headers.append(("If-Match", subject.tag)) }
        let asked = Asked(
            request: request,
            body: Bytewise(body),
            client: asker.client,
            expected: expected,
            holds: subject?.holds ?? true,
            base: scratch.version,
            time: clock.timeOfDay.now(),
            trace: trace
        )
        var query = request.isDryRun ? ["dry-run=true"] : []
        if let subject { query.append(subject.parameter) }
        let link = "action=" + PercentEncoding.encode(body)
        // A target has a bound, so links have to be shorter.
        let isLink = request.isLink && link.utf8.count < 4_096
        if isLink { query.append(link) }
        let target = request.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        note("  POST \(target) \(Bytewise(body)) \(headers)")
        let sent = isLink ? [] : Array(body.utf8)
        let exchange = try server.send("POST", target, headers: headers, body: sent)
        // A request that can't be read is not counted.
        let isInvalid = request.members.contains(where: \.isInvalid)
        let prediction =
            isInvalid || take(request.members.count, by: asked.client.principal)
            ? try scratch.predict(asked, keys: &keys, in: server) : .limited
        return Open(
            exchange: exchange,
            asked: asked,
            prediction: prediction,
            hasSubject: subject != nil
        )
    }

    /// True if the outcome of a request is kept, so that the answer has it. A session repeats a
    /// request of another session of the same principal only then. The request has the marks of the
    /// other session.
    private static func isKept(_ request: Request.Dispatch, _ kept: Prediction.Kept?) -> Bool {
        !request.isDryRun && kept?.body == Bytewise(body(of: request))
    }

    private func condition(
        _ condition: Request.Condition,
        _ headers: inout [(name: String, value: String)],
        _ chance: inout Chance
    ) -> UInt64? {
        func tag(_ version: UInt64) -> String { "\"\(server.epoch):\(version)\"" }
        let version = naive.version
        switch condition {
        case .none: return nil
        case .any:
            headers.append(("If-Match", "*"))
            return nil
        case .newest:
            headers.append(("If-Match", tag(version)))
            return version
        case .later:
            headers.append(("If-Match", tag(version + 1)))
            return version + 1
        case .older:
            let older = version - min(version, UInt64(1 + chance.below(6)))
            guard older < version, older >= naive.seen.sureSince else { return nil }
            headers.append(("If-Match", tag(older)))
            return older
        }
    }

    static func body(of request: Request.Dispatch) -> String {
        let members = request.members.map { sent in
            let payload = sent.payload.map { ",\"payload\":" + $0 } ?? ""
            let recipients = request.recipients.map { "," + $0.json } ?? ""
            return "{\"type\":" + JSONText.string(sent.type) + payload + recipients + "}"
        }
        return request.isArray ? "[" + members.joined(separator: ",") + "]" : members[0]
    }

    /// Ends a session, as its client does.
    func endSession(_ chance: inout Chance) throws {
        guard !clients.isEmpty else { return }
        let client = clients.remove(at: chance.below(clients.count))
        begunHere.remove(client.name)
        note("a session ends: \(client.name)")
        let trace = Self.trace(&chance)
        let exchange = try server.send(
            "DELETE",
            "/session",
            headers: cookie(client).within(trace)
        )
        let wire = try server.wire(Sessions.Internal.ended(session: client.name))
        try turnCore()
        try verifyRecords([
            Prediction.Predicted(
                type: Bytewise(wire.type),
                payload: Bytewise(wire.payload),
                session: client.name,
                audience: nil,
                trace: trace
            )
        ])
        server.collect()
        guard case .response(204, _)? = exchange.answer else {
            throw Violation(.answer, "a session does not end")
        }
    }
}

extension Prediction {
    /// The records that the request leads to.
    var records: [Predicted] {
        if case .applied(let records, _) = self { records } else { [] }
    }
}
