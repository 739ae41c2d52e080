import Glibc
import StoreTexts

// Conditions on one resource, `?if-match-of=`.

extension Simulation {
    /// Chooses the resource for the condition of a dispatch, and the client's version of it; `nil`
    /// for no condition.
    ///
    /// - Returns: the parameter and the header, and false if the resource has been replaced.
    func conditionSubject(
        of request: Request.Dispatch,
        _ reading: Reading,
        _ chance: inout Chance
    ) -> (parameter: String, tag: String, holds: Bool)? {
        guard case .none = request.condition, request.key == nil, request.prefers == nil,
            !request.isDryRun, !request.members.contains(where: \.isInvalid),
            chance.happens(1, in: 3)
        else { return nil }
        let known = naive.version - min(naive.version, UInt64(chance.below(8)))
        guard let text = past.texts[known], known + 1 >= journal.oldestVersion,
            known >= past.forgotten
        else { return nil }
        let resource: (path: String, now: StreamTarget.Part?, then: StreamTarget.Part?)
        if chance.happens(1, in: 2), let view = P.view(&chance, isStream: false) {
            guard reading.hasView(view.path) else { return nil }
            resource = (
                view.path, reading.part(view, of: naive.text), reading.part(view, of: text)
            )
        } else {
            let tokens = chance.pick(P.pointers)
            let part: (StateText) -> StreamTarget.Part? = {
                reading.visible($0).part(at: tokens).map { .json($0) }
            }
            resource = (Self.path(to: tokens), part(naive.text), part(text))
        }
        // A part that does not exist matches nothing.
        let holds = resource.now != nil && resource.now == resource.then
        let parameter = "if-match-of=" + PercentEncoding.encode(resource.path)
        return (parameter, "\"\(server.epoch):\(known)\"", holds)
    }

    /// Asks for a part with the tag of an older version. The answer is 304 if nothing that the
    /// client reads has changed since, and only if the part is the same. So neither answer shows a
    /// change that the client does not read.
    func lookAtTag(_ chance: inout Chance) throws {
        let client = drawn(&chance)
        let reading = reading(client)
        let known = naive.version - min(naive.version, UInt64(chance.below(8)))
        guard let text = past.texts[known] else { return }
        let resource: StreamTarget
        switch chance.below(4) {
        case 0: resource = StreamTarget(path: "/state") { .json($0.whole) }
        case 1:
            guard let view = P.view(&chance, isStream: false), reading.hasView(view.path) else {
                return
            }
            resource = view
        default:
            let tokens = chance.pick(P.pointers)
            resource = StreamTarget(path: Self.path(to: tokens)) { .part($0, tokens) }
        }
        let (now, then) = (reading.part(resource, of: naive.text), reading.part(resource, of: text))
        let tag = ("If-None-Match", "\"\(server.epoch):\(known)\"")
        let (status, body) = try answer(to: resource.path, client, headers: [tag])
        let isView = resource.path.hasPrefix("/views")
        // The store publishes only the last version of a batch. A tag of an earlier version may be
        // older than a change that the client has seen already.
        let isSame =
            known == naive.version
            || (journal.endsBatch(known) && !reading.isOperator
                && !(isView && reading.isShownUnseen)
                && known >= naive.seen.sureSince && naive.seen.isSame(for: reading, since: known))
        let holds: Bool =
            switch (status, now) {
            case (304, .json): now == then
            case (200, .json(let part)): !isSame && part.bytes == body
            case (200, .absent): isView && body == Array("null".utf8)
            case (304, .absent): isView && now == then
            case (404, .absent): !isView
            default: false
            }
        guard holds else {
            throw Violation(
                .privacy,
                "\(resource.path) as \(reading.name) with the tag of \(known), \(then), answers "
                    + "\(status) at \(naive.version): \(now)"
            )
        }
    }

    /// Lets the Core work until a request is answered whose condition another thread compares.
    func answerCondition(of open: Open) throws {
        let end = time(nil) + 30
        while open.exchange.answer == nil {
            guard time(nil) < end else {
                throw Violation(.answer, "no answer to a condition: \(open.asked.body)")
            }
            try turnCore()
            server.collect()
        }
    }
}
