import StoreCore
import StoreJSON
import StorePatterns

extension Simulation {
    /// Verifies the calls of presenters, reactions, hooks and analytics: each applied action has
    /// its calls, and there are no others.
    func verifyCalls() throws {
        let calls = recorder.takeCalls().filter { !$0.part.hasPrefix("attempt ") }
        let expected = naive.calls.takeCalls()
        if calls != expected {
            let (calls, expected) = (byPart(calls), byPart(expected))
            for part in Set(calls.keys).union(expected.keys).sorted()
            where calls[part] != expected[part] {
                throw Violation(
                    .called,
                    "\(part) got \(calls[part] ?? []) and not \(expected[part] ?? [])"
                )
            }
        }
        let lines = recorder.takeLines()
        guard lines.elementsEqual(expectedLines, by: ==) else {
            throw Violation(
                .analytics,
                "lines \(lines.map(\.version)) for \(expectedLines.map(\.version)), or other states"
            )
        }
        let hooks = recorder.takeHooks().sorted { $0.version < $1.version }
        guard hooks.elementsEqual(expectedHooks.sorted { $0.version < $1.version }, by: ==) else {
            throw Violation(
                .analytics,
                "hooks \(hooks) and not \(expectedHooks)"
            )
        }
        let applied = recorder.takeApplied()
        guard applied == expectedApplied else {
            throw Violation(.analytics, "applied \(applied) and not \(expectedApplied)")
        }
        expectedLines = []
        expectedHooks = []
        expectedApplied = []
        for (note, _) in recorder.takeEffects() where !naive.works.began(note) {
            throw Violation(.effects, "an effect of \(note) begins for nothing that was applied")
        }
        for note in recorder.takeCut() {
            let whole = note.split(separator: "/").first.map(String.init) ?? note
            guard naive.works.all[whole]?.isCut == true || isStopping else {
                throw Violation(.effects, "the effect of \(note) is cancelled by nothing")
            }
        }
    }

    private func byPart(_ calls: [Recorder.Call]) -> [String: [Recorder.Call]] {
        Dictionary(grouping: calls, by: \.part)
    }

    /// Verifies that the served state is the state of the records.
    func check() throws {
        guard server.version == naive.version else {
            throw Violation(.state, "version \(server.version) is served, and not \(naive.version)")
        }
        if Bytewise(server.state) != naive.whole {
            throw Violation(
                .state,
                "at version \(naive.version) is served \(Bytewise(server.state)) "
                    + "and not \(naive.whole)"
            )
        }
        if naive.whole.contains(Bytewise(Words.secret)) {
            throw Violation(.secrets, "\(naive.whole)")
        }
        let kept = journal.outcomes
        for outcome in kept[keptCount...] {
            let known = keys[outcome.key]
            guard let known, known.first == outcome.firstVersion, known.last == outcome.lastVersion,
                known.changed == outcome.changed
            else { throw Violation(.keys, "\(outcome) is kept, and not \(known as Any)") }
        }
        keptCount = kept.count
        guard kept.count == keys.count else {
            throw Violation(.keys, "\(kept.count) keys are kept, and not \(keys.count)")
        }
        try takeLateAnswers()
        try checkStreams()
        // A view may send an action if its stream has ended.
        try turnCore()
        try verifyRecords()
        try checkShown()
    }

    /// Verifies that no work is left: effects have begun, and each client that waits for their end
    /// has an answer.
    func checkRest() throws {
        guard server.executor.isEmpty else { throw Violation(.trap, "effects do not come to rest") }
        let now = clock.timeOfDay.now()
        if let late = naive.schedule?.timers.first(where: { $0.due <= now }) {
            throw Violation(.consequence, "the timer \(late.id) is due since \(late.due)")
        }
        if let (note, _) = naive.works.due.first {
            throw Violation(.effects, "no effect of \(note) has begun")
        }
        try takeLateAnswers()
        try checkLeftovers()
        if server.runningEffects == 0, let open = waiting.first {
            throw Violation(.answer, "\(open.asked.body) waits for its effects, and none is left")
        }
    }

    /// Verifies that ended work leaves no timers behind, and that the log's readers have all
    /// records.
    private func checkLeftovers() throws {
        let waits = waiting.count { $0.exchange.answer == nil }
        guard server.timerCount <= waits else {
            throw Violation(.leftovers, "\(server.timerCount) timers for \(waits) requests")
        }
        try checkLogReaders()
    }

    /// Verifies the reports of visibility. A view of a slice that exists is shown in the sessions
    /// that read the slice's stream, and in no others.
    private func checkShown() throws {
        let reading: [Showing] = readers.compactMap { reader in
            guard let slice = reader.target.shown, P.isThere(slice, naive.root) else { return nil }
            let session = reader.session ?? Sessions.shared
            return Showing(session: Bytewise(session), slice: Bytewise(slice))
        }
        guard shown == Set(reading) else {
            throw Violation(.sessions, "shown is \(shown), and read \(reading)")
        }
    }

    /// Verifies the answers against the predictions.
    func verifyAnswers(_ all: [Open]) throws {
        server.collect()
        for open in all {
            if open.asked.isSlow {
                guard server.wait(for: open.exchange) else {
                    throw Violation(.answer, "no answer to \(open.asked.body)")
                }
                server.collect()
            }
            guard let answer = open.exchange.answer else {
                waiting.append(open)
                continue
            }
            guard case .response(let status, let body) = answer else {
                throw Violation(.answer, "no answer to \(open.asked.body), but an end")
            }
            try verify(status, body, open)
        }
    }

    func verify(_ status: Int, _ body: [UInt8], _ open: Open) throws {
        func wrong(_ what: String) -> Violation {
            Violation(.answer, "\(what): \(status) \(Bytewise(body)) to \(open.asked.body)")
        }
        try open.asked.client.search(body, "an answer")
        if Bytewise(body).contains(Bytewise(Words.secret)) {
            throw Violation(.secrets, "\(status) \(Bytewise(body)) to \(open.asked.body)")
        }
        let document = try? JSONDocument(parsing: body, limits: .unbounded)
        let problem = document?.root.member(named: "type")?.stringValue
        switch open.prediction {
        case .invalid: guard (400..<500) ~= status else { throw wrong("invalid") }
        case .limited: guard status == 429 else { throw wrong("more than a client's share") }
        case .keyTaken:
            guard problem == "/problems/idempotency-mismatch" else { throw wrong("a taken key") }
        case .mismatch: guard status == 412 else { throw wrong("another version") }
        case .refused(_, let isOfWhole):
            guard (400..<600) ~= status, ![404, 412, 413, 507].contains(status) else {
                throw wrong("refused")
            }
            let text = Bytewise(body).description
            // A defect of the program has one text for all.
            if text.contains("The reducer failed") { return }
            let isNeutral = text.contains("The store refuses this.")
            guard isNeutral == (isOfWhole && open.asked.client.sight != nil) else {
                throw wrong("refused, and its reason is \(isNeutral ? "hidden" : "shown")")
            }
        case .replayed(let kept), .applied(_, let kept):
            try verifyValue(in: document, of: DispatchedOutcome(open, kept))
            // A client that waits for effects gets their failure as its answer.
            if open.asked.request.prefers?.contains("wait") == true, status == 424 { return }
            if status == 202 { try remember(open, kept) }
            guard status == (isPending(body) ? 202 : 200), let root = document?.root,
                root.member(named: "version")?.intValue == Int(kept.last),
                root.member(named: "changed")?.sourceText == "\(kept.changed)",
                !open.asked.request.isArray
                    || root.member(named: "first")?.intValue == Int(kept.first)
            else { throw wrong("applied as \(kept.first)...\(kept.last), \(kept.changed)") }
            guard let state = root.member(named: "state") else { return }
            guard let text = past.texts[kept.last] else { return }
            let whole = open.asked.client.visible(text).whole
            guard Bytewise(Array(state.source)) == whole else {
                throw wrong("state \(whole.parting(from: Bytewise(Array(state.source))))")
            }
        case .dryRun(let changed, let whole):
            guard status == 200, let root = document?.root,
                root.member(named: "changed")?.sourceText == "\(changed)",
                let patch = root.member(named: "patch")
            else { throw wrong("a dry run that changes: \(changed)") }
            guard let base = past.texts[open.asked.base] else { return }
            let old = open.asked.client.visible(base).whole
            let new = JSONText.patched(old.bytes, by: Array(patch.source))
            guard new.flatMap({ JSONText.canonical($0.bytes) }) == JSONText.canonical(whole.bytes)
            else { throw wrong("leads to \(whole)") }
        }
    }
}
