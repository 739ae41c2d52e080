import StoreCore
import StorePatterns

/// The expected result of a request.
enum Prediction {
    /// The server refuses the request as invalid.
    case invalid
    /// The request has more actions than the client may send now.
    case limited
    case replayed(Kept)
    case keyTaken
    case mismatch
    /// `isOfWhole`: a part of the program refused that sees the whole state. Only clients that see
    /// it too get the reason.
    case refused(member: Int, isOfWhole: Bool)
    case dryRun(changed: Bool, whole: Bytewise)
    case applied([Predicted], Kept)

    /// The values that the server keeps of an applied request.
    struct Kept: Equatable {
        let body: Bytewise
        let first: UInt64
        let last: UInt64
        let changed: Bool
    }

    /// A record that must be in the journal.
    struct Predicted {
        let type: Bytewise
        let payload: Bytewise
        let session: String?
        let audience: Audience?
        /// The versions of the actions whose hooks are called with the state of this version.
        var hooks: [UInt64] = []
        /// The name of the work that the action asks for.
        var work: String?
        /// The action that a notification leads to.
        var leads: (any Action)?
        /// The trace of the request.
        var trace: String?
    }
}

/// A request that was handed over.
struct Asked {
    let request: Request.Dispatch
    let body: Bytewise
    /// The client's session, and the mark that only its texts have.
    let client: Reading
    /// The version in the request's `If-Match`.
    let expected: UInt64?
    /// False if the resource of the condition has been replaced.
    var holds = true
    /// The version of the state that the request meets.
    let base: UInt64
    /// The time of the request, in nanoseconds since 1970.
    let time: Int64
    /// The trace in the request.
    var trace: String?

    var session: String? { client.session }

    /// The idempotency key with its owner: the principal or else the session.
    var key: IdempotencyKey? {
        request.key.map { IdempotencyKey(principal: client.keyOwner, key: $0) }
    }

    /// True if the answer may come from another thread.
    var isSlow: Bool { request.isDryRun || request.prefers?.contains("wait") != true }
}

/// A refusal by a part of the program that sees the whole state.
private struct OfWhole: Error {}

extension Naive {
    /// Predicts the result of a request, and applies it to the model.
    mutating func predict<Root>(
        _ asked: Asked,
        keys: inout [IdempotencyKey: Prediction.Kept],
        in server: SimulatedServer<Root>
    ) throws -> Prediction {
        if asked.request.members.contains(where: \.isInvalid) { return .invalid }
        let actions = try asked.request.members.map {
            try server.action($0.type, Array($0.kept.utf8))
        }
        if let key = asked.key, !asked.request.isDryRun, let kept = keys[key] {
            return kept.body == asked.body ? .replayed(kept) : .keyTaken
        }
        if !asked.holds { return .mismatch }
        if let expected = asked.expected, expected != version,
            expected > version || asked.client.isShownUnseen
                || !seen.isSame(for: asked.client, since: expected)
        {
            return .mismatch
        }
        let start = self
        var predicted: [Prediction.Predicted] = []
        var changed = false
        // The answer shows a client also the modules that it has dispatched to.
        var client = asked.client
        client.sight?.formUnion(asked.request.members.compactMap { server.module(of: $0.type) })
        for (index, action) in actions.enumerated() {
            do {
                let sent = asked.request.members[index]
                predicted += try apply(action, sent, asked, client, in: server, &changed)
            } catch {
                self = start
                return .refused(member: index, isOfWhole: error is OfWhole)
            }
        }
        if asked.request.isDryRun {
            defer { self = start }
            return .dryRun(changed: changed, whole: asked.client.visible(text).whole)
        }
        let kept = Prediction.Kept(
            body: asked.body,
            first: start.version + 1,
            last: version,
            changed: changed
        )
        if let key = asked.key { keys[key] = kept }
        return .applied(predicted, kept)
    }

    private mutating func apply<Root>(
        _ action: any Action,
        _ sent: Sent,
        _ asked: Asked,
        _ client: Reading,
        in server: SimulatedServer<Root>,
        _ changed: inout Bool
    ) throws -> [Prediction.Predicted] {
        let audience = asked.request.recipients?.audience
        let main = version + 1
        let made: [any Action]
        do {
            made = isIntercepted ? try P.intercepted(action) : [action]
        } catch {
            throw OfWhole()
        }
        let isModules = server.module(of: sent.type) != nil
        var hooked: [UInt64] = []
        var predicted: [Prediction.Predicted] = []
        for (index, action) in made.enumerated() {
            let isOwn = index > 0 || (isIntercepted && P.isReplaced(by: action, sent))
            let applied: Applied<P.Root>
            do {
                try admit(action, from: asked.session)
                let principal = asked.client.principal.map { ActionPrincipal(name: $0, role: $0) }
                applied = try apply(
                    action,
                    from: asked.session,
                    as: principal,
                    for: audience,
                    at: asked.time
                )
            } catch {
                throw isOwn || !isModules ? OfWhole() : error
            }
            changed = changed || client.differs(applied.oldText, applied.newText)
            if index == 0, isIntercepted, P.isHooked(action) { hooked = [main] }
            let wire = isOwn ? try server.wire(action) : (sent.type, Array(sent.kept.utf8))
            predicted.append(
                Prediction.Predicted(
                    type: Bytewise(wire.0),
                    payload: Bytewise(wire.1),
                    session: asked.session,
                    audience: audience,
                    hooks: index == made.count - 1 ? hooked : [],
                    trace: asked.trace
                )
            )
        }
        return predicted
    }

    /// Refuses an action of a view in a session that does not show the view.
    private func admit(_ action: any Action, from session: String?) throws {
        let (unaddressed, instance) = Self.unaddressed(action)
        let views = P.views(saying: unaddressed, instance)
        guard !views.isEmpty else { return }
        guard views.contains(where: { sessions?[session ?? Sessions.shared]?.shows($0) == true })
        else {
            throw Refusal(reason: "It is not presented.")
        }
    }
}
