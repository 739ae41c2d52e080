import StoreCore
import StoreJSON

// The lists of timers and of running effects, as far as a client reads their slices.

extension Simulation {
    /// Verifies that `/schedule` has the timers of the slices that the client reads, and no others.
    func lookAtTimers(_ chance: inout Chance) throws {
        guard let schedule = naive.schedule else { return }
        let client = drawn(&chance)
        let reading = reading(client)
        // A role that does not see the slice of the timers has no list.
        guard reading.sight?.contains(Schedule.name) ?? true else {
            return try get("/schedule", nil, client)
        }
        let timers = try list("timers", at: "/schedule", client).map { timer in
            "\(timer.text("module")) \(timer.text("id")) of \(timer.text("cause"))"
        }
        let expected = schedule.timers.filter { isRead($0.slice, of: $0.owner, by: reading) }.map {
            "\($0.slice.prefix { $0 != "/" }) \($0.id) of \($0.version)"
        }
        guard timers.sorted() == expected.sorted() else {
            throw Violation(
                .privacy,
                "\(reading.name) gets the timers \(timers) and not \(expected)"
            )
        }
    }

    /// Verifies that `/effects` has no effect of a slice that the client does not read.
    func lookAtEffects(_ chance: inout Chance) throws {
        let client = drawn(&chance)
        let reading = reading(client)
        for effect in try list("effects", at: "/effects", client) {
            let (id, version) = (effect.text("id"), UInt64(effect.text("cause")) ?? 0)
            let place = P.Root.modules.first { $0.name == effect.text("module") }?.slicePlace
            let hasOwners = place?.memberValue(naive.root) is any OwnedValues
            let hasInstances = place?.cardinality == .instances
            let slice = id.split(separator: "/").prefix(hasInstances ? 2 : 1)
            let owner = hasOwners ? owner(of: version) : nil
            guard isRead(slice.joined(separator: "/"), of: owner, by: reading) else {
                throw Violation(.privacy, "\(reading.name) gets the effect \(id) of \(version)")
            }
        }
    }

    private func list(
        _ name: String,
        at path: String,
        _ client: Client?
    ) throws -> [JSONNode] {
        let (status, body) = try answer(to: path, client)
        let root = try JSONDocument(parsing: body, limits: .unbounded).root
        guard status == 200, let list = root.member(named: name) else {
            throw Violation(.answer, "\(path) answers \(status) \(Bytewise(body))")
        }
        return Array(list.elements)
    }

    /// True if a client reads a slice, such as `gong` or `den/a`.
    private func isRead(_ slice: String, of owner: String?, by reading: Reading) -> Bool {
        let tokens = slice.split(separator: "/", maxSplits: 1).map { String($0) }
        guard reading.sight?.contains(tokens[0]) ?? true else { return false }
        if let owner {
            return reading.isOperator || owner == reading.owner || owner == reading.name
        }
        return reading.visible(naive.text).part(at: tokens) != nil
    }
}

extension JSONNode {
    fileprivate func text(_ name: String) -> String {
        member(named: name).map { $0.stringValue ?? String($0.sourceText) } ?? ""
    }
}
