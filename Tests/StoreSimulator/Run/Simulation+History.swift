import StoreCore
import StoreJSON

// Parts of versions, and their history.

extension Simulation {
    func lookAtPart(_ chance: inout Chance) throws {
        let (tokens, client) = (chance.pick(P.pointers), drawn(&chance))
        let version = naive.version - min(naive.version, UInt64(chance.below(20)))
        let isPast = chance.happens(1, in: 2)
        guard let text = isPast ? past.texts[version] : naive.text else { return }
        let part = reading(client).visible(text).part(at: tokens)
        let window = chance.happens(1, in: 3) ? Window.some(&chance) : nil
        let query = [window?.query, isPast ? "version=\(version)" : nil].compactMap { $0 }
        let path = Self.path(to: tokens)
        let target = path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        guard let window, let part else { return try get(target, part, client) }
        if let shown = window.part(part) { return try get(target, shown, client) }
        // A window of a part that is no object.
        let (status, _) = try answer(to: target, client)
        guard try isGone(target, status) || status == 400 else {
            throw Violation(.state, "\(target) answers \(status)")
        }
    }

    /// Verifies that blame names the action that last changed a part, if the client may read the
    /// action.
    func lookAtBlame(_ chance: inout Chance) throws {
        let (tokens, client) = (chance.pick(P.pointers), drawn(&chance))
        let reading = reading(client)
        let newest = naive.version
        let (status, body) = try answer(to: Self.path(to: tokens) + "?blame=true", client)
        guard status == 200 else { throw Violation(.log, "blame answers \(status)") }
        let root = try JSONDocument(parsing: body, limits: .unbounded).root
        let named = root.member(named: "changedBy")?.member(named: "version")?.intValue
        let part = { [past] (version: UInt64) in
            past.texts[version].map { reading.visible($0).part(at: tokens) }
        }
        let log = log
        if let named {
            guard let record = journal.record(UInt64(named)), log.isVisible(record, to: reading)
            else { throw Violation(.log, "\(tokens) as \(reading.name) names \(named)") }
        }
        guard root.member(named: "complete")?.sourceText == "true" else { return }
        // Only remembered versions are compared.
        var version = newest
        while version > max(1, journal.oldestVersion, past.forgotten), let new = part(version),
            let old = part(version - 1)
        {
            if new == old {
                version -= 1
                continue
            }
            guard let record = journal.record(version) else { return }
            guard !log.isVisible(record, to: reading) || named == Int(version) else {
                throw Violation(
                    .log,
                    "\(tokens) as \(reading.name) was changed by \(version), and not "
                        + "\(named as Any)"
                )
            }
            return
        }
    }

    /// Verifies that all pages of the log from a version on have the client's records, in order.
    func lookAtLog(_ chance: inout Chance) throws {
        let (client, log) = (drawn(&chance), log)
        let reading = reading(client)
        var after = naive.version - min(naive.version, UInt64(chance.below(60)))
        let limit = 1 + chance.below(20)
        var pages = 0
        while after < naive.version {
            pages += 1
            guard pages < Self.turnsMax else { throw Violation(.log, "the pages do not end") }
            let (status, body) = try answer(to: "/actions?after=\(after)&limit=\(limit)", client)
            if status == 410, after + 1 < journal.oldestVersion { return }
            let root = try JSONDocument(parsing: body, limits: .unbounded).root
            guard status == 200, let actions = root.member(named: "actions"),
                let next = root.member(named: "next")?.stringValue,
                let through = Self.after(in: next)
            else { throw Violation(.log, "a page answers \(status) \(Bytewise(body))") }
            var last = after
            for action in actions.elements {
                guard let record = log.next(after: last, for: reading) else {
                    throw Violation(.log, "a page has more than \(reading.name) may read")
                }
                try log.compare(Array(action.source), record)
                last = record.version
            }
            guard through > after, through >= last,
                log.next(after: last, for: reading).map({ $0.version > through }) ?? true
            else {
                throw Violation(.log, "a page as \(reading.name) after \(after) ends at \(through)")
            }
            after = through
        }
    }

    /// Verifies that the trace of an action shows the records that the client may read.
    func lookAtTrace(_ chance: inout Chance) throws {
        guard naive.version > 0 else { return }
        let (client, log) = (drawn(&chance), log)
        let reading = reading(client)
        let version = naive.version - min(naive.version - 1, UInt64(chance.below(30)))
        let (status, body) = try answer(to: "/trace?version=\(version)", client)
        var root = version
        while let cause = journal.record(root)?.cause, cause > 0 { root = cause }
        if status == 410, root < journal.oldestVersion { return }
        let document = try JSONDocument(parsing: body, limits: .unbounded).root
        guard status == 200, let steps = document.member(named: "steps") else {
            throw Violation(.log, "a trace answers \(status) \(Bytewise(body))")
        }
        var family: Set<UInt64> = [root]
        for record in log.records.dropFirst(Int(root)) {
            if let cause = record.cause, family.contains(cause) { family.insert(record.version) }
        }
        let expected = family.sorted().filter { version in
            journal.record(version).map { log.isVisible($0, to: reading) } == true
        }
        let told = steps.elements.filter { $0.member(named: "step")?.stringValue == "reduce" }
            .compactMap { $0.member(named: "version")?.intValue }
        guard told == expected.map({ Int($0) }) else {
            throw Violation(.log, "the trace of \(version) as \(reading.name) has \(told)")
        }
    }

    static func path(to tokens: [String]) -> String {
        let tokens = tokens.map { token in
            StreamTarget.escaped(
                String(JSONPointer(tokens: [token]).description.dropFirst())
            )
        }
        return "/state/" + tokens.joined(separator: "/")
    }

    private static func after(in target: String) -> UInt64? {
        guard let start = target.firstRange(of: "after=") else { return nil }
        return UInt64(target[start.upperBound...].prefix { $0.isNumber })
    }
}
