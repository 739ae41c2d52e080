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
        guard let text = past.texts[known], known + 1 >= journal.oldest else { return nil }
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
