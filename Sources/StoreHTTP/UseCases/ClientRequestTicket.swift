import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSONSchema
import StoreWire

/// Answers a call of a use case, or a notification, when its record is applied and its work has
/// begun. If the client prefers to wait, answers when all of the work is done.
final class ClientRequestTicket: DispatchTicket, @unchecked Sendable {
    // Safety: the same as for the base class; the added properties are constant.

    private let request: RequestContext
    /// The count of the running effects of the call or the notification.
    private let workWatch: EffectWatch
    /// The actions that reactions make from a notification, with the source locations of the
    /// reactions.
    private let reactionActions: [(action: any Action, sourceLocation: String)]
    /// The distributed trace that the request belongs to.
    private let traceparent: String?

    static var answers: [OpenAPI.Answer] {
        [
            .json(
                .callOrNotificationAnswer,
                "The work is done.",
                headers: ["ETag", "Preference-Applied"]
            ),
            .json(
                .callOrNotificationAnswer,
                "The work has begun.",
                status: 202,
                headers: ["ETag", "Preference-Applied", "Location", "Retry-After"]
            ),
        ]
    }

    static var problems: [ProblemSlug] { [.effectFailed, .storageFull, .refused] }

    /// Makes the ticket of a request. `following` are the actions to dispatch after the request's
    /// record is applied.
    init(
        _ request: RequestContext,
        _ store: Store,
        by caller: Caller,
        addressing module: String? = nil,
        reactionActions: [(action: any Action, sourceLocation: String)] = []
    ) {
        self.request = request
        self.reactionActions = reactionActions
        workWatch = EffectWatch()
        traceparent = request.exchange.childTraceparent
        super.init(
            request: request,
            store: store,
            preferences: Preferences(returnForm: nil, waitSeconds: request.preferences.waitSeconds),
            caller: caller,
            // A use case returns no value.
            seesModules: false,
            addressedModules: module.map { [$0] } ?? [],
            watch: workWatch
        )
    }

    /// Refuses conditions and idempotency keys. A call of a use case or a notification would ignore
    /// them, although the client relies on them.
    ///
    /// - Throws: 400 for a condition or a key.
    static func requireNoCondition(_ request: RequestContext) throws(Problem) {
        let hasKey = request.exchange.hasHeader("idempotency-key")
        guard hasKey || request.exchange.hasHeader("if-match") else { return }
        let name = request.exchange.hasHeader("if-match") ? "If-Match" : "Idempotency-Key"
        throw .badRequest(
            "A use case or a notification takes no \(name): the server does not store the "
                + "input, and each request is a new call."
        )
    }

    func offer(_ request: ClientRequest, cancelsOnClose: Bool = false) {
        let origin = self.request.logOrigin(in: caller.session)
        park(cancelsOnClose: cancelsOnClose)
        do {
            try store.engine.offer(
                request: Envelope(
                    members: [EnvelopeMember(request, in: traceparent)],
                    requestID: id.text,
                    principal: caller.recordedPrincipal,
                    watch: workWatch,
                    session: caller.session,
                    origin: origin,
                    isLimitedToReadableSlices: !caller.isOperator,
                    completion: self
                )
            )
        } catch {
            answerFailure(
                error.problem(detailIfFull: "too many of the program's own actions wait already")
            )
            store.wakeLoop()
        }
    }

    /// Dispatches the actions of reactions, after the record of the request is applied. Then
    /// answers, or waits for the effects.
    override func answerOrAwaitEffects(_ applied: AppliedAnswer) {
        let answer = AppliedAnswer(
            firstVersion: applied.firstVersion,
            lastVersion: applied.lastVersion,
            hasVisibleChange: nil
        )
        for (action, place) in reactionActions {
            store.engine.dispatchProgramAction(
                action,
                from: ActionSource(
                    cause: answer.lastVersion,
                    sourceLocation: place,
                    session: caller.session,
                    principal: caller.recordedPrincipal,
                    trace: traceparent,
                    watch: workWatch
                )
            )
        }
        if preferences.waitSeconds == nil {
            answerAccepted(workWatch, answer)
        } else {
            waitForEffects(workWatch, answer)
        }
        store.wakeLoop()
    }

    /// Returns `nil`: the input is no action, so a refusal's pointer does not lead into the input.
    override func pointer(_ pointer: String?, into member: Int) -> String? { nil }
}
