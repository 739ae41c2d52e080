import StoreCore
import StoreJSON
import StorePatterns

// Persons who are forgotten, with their personal values.

extension Simulation {
    /// Forgets a user or a visitor: first in the state, and then in the history. The disk may fail
    /// between the two, and the server may end. A later try completes the forget.
    func forgetPerson(_ chance: inout Chance) throws {
        guard disk.hasFiles, let roles else { return }
        let visitors = [Sessions.shared] + clients.filter { $0.role == nil }.map(\.name)
        let user = chance.happens(3, in: 4) ? chance.pick(roles.members).name : nil
        let owner = user.map { "@" + $0 } ?? "~" + chance.pick(visitors)
        let faults = chance.pick([
            [], [], [SimulatedJournal.Fault.full], [.late], [.full, .late],
        ])
        note("\(owner) is forgotten, and the disk fails: \(faults)")
        try remove(user)
        for fault in faults {
            journal.fail(fault)
            guard (try? server.forget([owner])) == nil else {
                throw Violation(
                    .personal,
                    "\(owner) is forgotten although the disk fails: \(fault)"
                )
            }
            journal.fail(.none)
            if case .late = fault { takeForgotten(owner) }
            guard chance.happens(1, in: 2) else { continue }
            try restart(isKilled: chance.happens(1, in: 2), &chance)
            try remove(user)
        }
        let kept = try server.forget([owner])
        guard kept == naive.version else {
            throw Violation(.personal, "\(owner) is forgotten with the state of \(kept)")
        }
        takeForgotten(owner)
    }

    /// Dispatches the program's actions, which remove a user from the state.
    private func remove(_ user: String?) throws {
        let actions = user.map(P.forgetting) ?? []
        if !actions.isEmpty, server.dispatch(actions, as: nil) {
            for action in actions { try expect(action, of: nil) }
        }
        try turnCore()
        try verifyRecords()
    }

    /// Removes the values of an owner from the model.
    private func takeForgotten(_ owner: String) {
        past.forgotten = naive.version
        let keyOwner = owner.hasPrefix("~") ? String(owner.dropFirst()) : owner
        journal.replace({ Self.forgotten($0, of: owner) }) { $0.key.principal != keyOwner }
        keys = keys.filter { $0.key.principal != keyOwner }
        keptCount = journal.outcomes.count
    }

    /// Returns a record without the personal values of an owner.
    private static func forgotten(_ record: Record, of owner: String) -> Record {
        let sender = StateText.owner(as: record.principal?.name, in: record.session)
        let isSender = record.principal != nil && sender == owner
        let payload = payload(record, without: owner, sender)
        guard isSender || payload != nil else { return record }
        return Record(
            version: record.version,
            time: record.time,
            type: record.type,
            payload: payload ?? record.payload,
            meta: isSender ? nil : record.meta,
            principal: record.principal,
            requestID: record.requestID,
            changed: record.changed,
            cause: record.cause,
            origin: isSender && record.requestID != nil ? nil : record.origin,
            session: record.session,
            program: record.program,
            isForgotten: payload != nil || record.isForgotten
        )
    }

    /// Returns the payload with `null` in the place of an owner's personal value; `nil` if there is
    /// no such value.
    private static func payload(
        _ record: Record,
        without owner: String,
        _ sender: String
    ) -> [UInt8]? {
        guard let personal = P.personalMember(of: record.type),
            let root = try? JSONDocument(parsing: record.payload, limits: .unbounded).root,
            let value = root.member(named: personal.name), value.kind != .null
        else { return nil }
        let named = personal.owner.flatMap { root.member(named: $0)?.stringValue }
        guard named.map({ "@" + $0 }) ?? sender == owner else { return nil }
        let members = root.members.map { name, value in
            (name, name == personal.name ? "null" : String(value.sourceText))
        }
        return Array(JSONText.object(members).utf8)
    }
}
