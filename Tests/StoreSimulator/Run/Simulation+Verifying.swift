import StoreCore
import StorePatterns

extension Simulation {
    /// Verifies each new record: first the records of clients' requests, in order, then the actions
    /// of the program itself.
    func verifyRecords(_ asked: [Prediction.Predicted] = []) throws {
        var asked = asked[...]
        for record in journal.records(after: Int(naive.version)) {
            guard record.version == naive.version + 1 else {
                throw Violation(.order, "version \(record.version) follows \(naive.version)")
            }
            let next = asked.popFirst()
            try verifyTrace(of: record, askedIn: next?.trace)
            if let next {
                try verify(record, next)
                try apply(record, from: next.session, for: next.audience)
                for version in next.hooks { expectedHooks.append((version, naive.whole)) }
                try takeNamed(next, record.version)
            } else {
                try verifyOwn(record)
            }
        }
        guard asked.isEmpty else {
            throw Violation(.order, "not in the journal: \(asked.map(\.type))")
        }
        if let hole = journal.holes.first { throw Violation(.order, hole) }
        try verifyDropped()
        try verifyCalls()
    }

    /// Begins the work of a use case, or adds the action of a notification.
    private func takeNamed(_ asked: Prediction.Predicted, _ version: UInt64) throws {
        if let note = asked.work {
            past.name(note, version)
            let id = String(asked.type.text.split(separator: "/", maxSplits: 1)[1])
            naive.works.begin(note, id: id, of: "jobs", nil, asked.session, version, as: [note])
        }
        if let action = asked.leads {
            naive.calls.dispatch(action)
            try takeDue(after: version, session: asked.session)
        }
    }

    private func verify(_ record: Record, _ expected: Prediction.Predicted) throws {
        guard Bytewise(record.type) == expected.type, Bytewise(record.payload) == expected.payload
        else {
            throw Violation(
                .order,
                "\(expected.type) \(expected.payload) was asked for, and version \(record.version) "
                    + "is \(Bytewise(record.type)) \(Bytewise(record.payload))"
            )
        }
        if let cause = record.cause {
            throw Violation(.cause, "\(name(record)) of a client names \(cause)")
        }
        if let session = expected.session, record.origin?.contains(session) != true {
            throw Violation(
                .origin,
                "\(name(record)) of \(session) comes from \(record.origin as Any)"
            )
        }
        let sender = clients.first { $0.name == expected.session }
        if let sender, record.principal != principal(of: sender) {
            throw Violation(
                .origin,
                "\(name(record)) of \(sender.name) has the principal \(record.principal as Any)"
            )
        }
    }

    /// Reduces a record, and predicts its consequences.
    private func apply(
        _ record: Record,
        from session: String?,
        for audience: Audience?
    ) throws {
        guard record.session ?? Sessions.shared == session ?? Sessions.shared else {
            throw Violation(
                .origin,
                "\(name(record)) of \(session as Any) is kept as \(record.session as Any)'s"
            )
        }
        if Bytewise(record.payload).contains(Bytewise(Words.secret)) {
            throw Violation(.secrets, "\(name(record)) has \(Bytewise(record.payload))")
        }
        let before = naive.whole
        let applied: Applied<P.Root>
        do {
            let action = try server.action(record.type, record.payload)
            applied = try naive.apply(
                action,
                from: session,
                as: record.principal,
                for: audience,
                at: record.time
            )
        } catch {
            throw Violation(.replay, "\(name(record)) can't be reduced: \(error)")
        }
        let hasChanged = applied.old != applied.new
        guard record.changed == hasChanged else {
            throw Violation(.changed, "\(name(record)) says \(record.changed)")
        }
        note("  -> \(name(record)) \(Bytewise(record.payload)) after \(record.cause as Any)")
        past.add(applied, P.note(of: applied.action), P.readers(applied))
        naive.follow(applied)
        if edition.isNew(record.type) { lastOfSecond = record.version }
        // A slice that ends takes its views with it.
        shown = shown.filter { P.isThere($0.slice.text, naive.root) }
        hash(record)
        expectedLines.append((record.version, before, record.cause))
        expectedApplied.append(
            .init(version: record.version, type: Bytewise(record.type), changed: record.changed)
        )
        if naive.isIntercepted, P.isHooked(applied.action),
            record.origin?.contains(".swift:") == true
        {
            expectedHooks.append((record.version, naive.whole))
        }
        appliedCounts[Bytewise(record.type), default: 0] += 1
        leaveOut(applied)
        try takeDue(after: record.version, session: session)
    }

    /// Marks the readers outside the recipients. They get a change with the next one.
    private func leaveOut(_ applied: Applied<P.Root>) {
        guard let audience = applied.audience else { return }
        for reader in readers where !audience.means(reader.name) {
            reader.leftOut = applied.version
        }
    }

    /// Verifies that an action of the program itself is due, or comes from an effect that still
    /// runs.
    private func verifyOwn(_ record: Record) throws {
        let (type, payload) = (Bytewise(record.type), Bytewise(record.payload))
        if try verifyTimer(record) { return }
        let alike = due.indices.filter { due[$0].type == type && due[$0].payload == payload }
        if let place = alike.first(where: { due[$0].allows(record.cause) }) {
            let due = due.remove(at: place)
            guard !due.isForeign else {
                throw Violation(.consequence, "\(name(record)) is another module's own")
            }
            // A start can't find the principal of a forgotten record.
            let cause = record.cause.flatMap {
                $0 >= journal.oldestVersion ? journal.record($0) : nil
            }
            if let cause, record.principal != cause.principal {
                throw Violation(
                    .origin,
                    "\(name(record)) has the principal \(record.principal as Any), and its cause "
                        + "has \(cause.principal as Any)"
                )
            }
            return try apply(record, from: due.session, for: due.audience)
        }
        if let place = alike.first {
            throw Violation(
                .cause,
                "\(name(record)) follows \(due[place].cause as Any) and names "
                    + "\(record.cause as Any)"
            )
        }
        try apply(record, from: try session(ofEffect: record), for: nil)
    }

    /// Verifies the two records of a timer. Returns false for any other record.
    private func verifyTimer(_ record: Record) throws -> Bool {
        if let fired = firedTimer {
            firedTimer = nil
            guard Bytewise(record.payload) == fired.payload, Bytewise(record.type) == fired.type,
                record.cause == fired.cause
            else { throw Violation(.consequence, "\(name(record)) follows a timer") }
            guard StateText.owner(as: record.principal?.name, in: record.session) == fired.owner
            else { throw Violation(.origin, "\(name(record)) has another owner than its timer") }
            try apply(record, from: record.session, for: nil)
            return true
        }
        guard let action = try? server.action(record.type, record.payload),
            let action = action as? Schedule.Internal
        else { return false }
        switch action {
        case .fired(let timer, let due):
            guard let entry = naive.schedule?[timer], entry.due == due, due <= record.time else {
                throw Violation(.consequence, "\(name(record)) is not due")
            }
            firedTimer = try P.fired(entry)
        case .skipped(let timer, let due):
            guard let entry = naive.schedule?[timer], entry.due == due, due < startTime,
                entry.missed == .skipped
            else { throw Violation(.consequence, "\(name(record)) is not missed") }
        case .cancelled, .declared: return false
        }
        try apply(record, from: record.session, for: nil)
        return true
    }

    private func session(ofEffect record: Record) throws -> String? {
        let (action, instance) = Naive<P>.unaddressed(
            try server.action(record.type, record.payload)
        )
        let cause = record.cause.flatMap { $0 > 0 ? journal.record($0) : nil }
        if let visibility = P.visibility(of: action) {
            let module = String(record.type.prefix { $0 != "/" })
            let slice = instance.map { module + "/" + $0 } ?? module
            return try takeVisibility(visibility, of: slice, record)
        }
        if case .ended(let version)? = action as? PendingEffects.Internal {
            guard record.cause == version else {
                throw Violation(.cause, "\(name(record)) names \(record.cause as Any)")
            }
            return past.sessions[version]
        }
        guard let note = P.note(of: action), let end = note.lastIndex(of: ">") else {
            if let property = P.explains(record, by: cause) {
                throw Violation(
                    property,
                    "nothing leads to \(name(record)) \(Bytewise(record.payload)), which names "
                        + "\(cause.map(name) as Any)"
                )
            }
            return cause.flatMap { past.sessions[$0.version] }
        }
        let parent = String(note[..<end])
        guard let version = past.notes[parent] else {
            throw Violation(.trace, "\(name(record)) follows \(parent), which was not applied")
        }
        guard record.cause == version else {
            throw Violation(
                .cause,
                "\(name(record)) follows \(parent) of \(version) and names \(record.cause as Any)"
            )
        }
        if naive.works.all[parent]?.isCut == true {
            throw Violation(.effects, "\(name(record)) comes from an effect that was cancelled")
        }
        return past.sessions[version]
    }

    /// Verifies that the actions that were dispatched in vain were due, too.
    private func verifyDropped() throws {
        for action in recorder.takeDropped() {
            let place = due.firstIndex { due in
                due.type == Bytewise(action.type) && due.allows(action.cause)
                    && due.isForeign == action.isForeign
            }
            guard let place else {
                if action.type == "effects/ended" { continue }
                // A slice may end in the step that it began in, before its view is entered.
                if action.isTooLate, try isOfView(action.type) { continue }
                throw Violation(
                    .consequence,
                    "\(action.type) after \(action.cause as Any) was dispatched in vain, and for nothing"
                )
            }
            due.remove(at: place)
        }
        if let due = due.first {
            throw Violation(
                .consequence,
                "\(due.type) \(due.payload) has to follow \(due.cause as Any), and does not"
            )
        }
    }

    private func isOfView(_ type: String) throws -> Bool {
        let (action, _) = Naive<P>.unaddressed(try server.action(type, Array("{}".utf8)))
        return P.visibility(of: action) != nil
    }

    func name(_ record: Record) -> String { "\(record.version) \(Bytewise(record.type))" }

    /// Hashes all values that a seed decides, by FNV-1a.
    private func hash(_ record: Record) {
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { journalHash = (journalHash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        add(record.type.utf8)
        add(record.payload)
        add((record.origin ?? "").utf8)
        add("\(record.version) \(record.time) \(record.changed) \(record.cause ?? 0)".utf8)
        hashed += 1
    }
}

extension Simulation.Due {
    /// True if an action names the right cause.
    func allows(_ named: UInt64?) -> Bool { named == cause || (isStart && cause == nil) }
}
