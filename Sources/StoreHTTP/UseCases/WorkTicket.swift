import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSONSchema
import StoreWire

/// Answers a call of a use case, or a notification, when its record is applied and its work has
/// begun. If the client prefers to wait, answers when all of the work is done.
final class WorkTicket: DispatchTicket, @unchecked Sendable {
    // Safety: the same as for the base class; the added properties are constant.

    private let request: RequestContext
    /// The count of the running effects of the call or the notification.
    private let work: EffectWatch
    /// The actions that reactions make from a notification, with the reactions' places in the
    /// source.
    private let following: [(action: any Action, place: String)]
    /// The distributed trace that the request belongs to.
    private let trace: String?

    static var answers: [OpenAPI.Answer] {
        [
            .json(.begun, "The work is done.", headers: ["ETag", "Preference-Applied"]),
            .json(
                .begun,
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
        asking module: String? = nil,
        following: [(action: any Action, place: String)] = []
    ) {
        self.request = request
        self.following = following
        work = EffectWatch()
        trace = request.exchange.ownTraceparent
        super.init(
            request: request,
            store: store,
            preferences: Preferences(returned: nil, waitSeconds: request.preferences.waitSeconds),
            caller: caller,
            // A use case returns no value.
            seesModules: false,
            askedModules: module.map { [$0] } ?? [],
            watch: work
        )
    }

    /// Refuses conditions and idempotency keys. A client relies on them, but a call of a use case
    /// or a notification would ignore them.
    ///
    /// - Throws: 400 for a condition or a key.
    static func requireNoCondition(_ request: RequestContext) throws(Problem) {
        let hasKey = request.exchange.has("idempotency-key")
        guard hasKey || request.exchange.has("if-match") else { return }
        let name = request.exchange.has("if-match") ? "If-Match" : "Idempotency-Key"
        throw .badRequest(
            "A use case or a notification takes no \(name): its input is kept nowhere, and each "
                + "request is a new call."
        )
    }

    func offer(_ request: ClientRequest, cancelsOnClose: Bool = false) {
        let origin = self.request.origin(in: caller.session)
        park(cancelsOnClose: cancelsOnClose)
        do {
            try store.core.offer(
                request: Envelope(
                    members: [EnvelopeMember(request, in: trace)],
                    requestID: id.text,
                    principal: caller.stamp,
                    watch: work,
                    session: caller.session,
                    origin: origin,
                    completion: self
                )
            )
        } catch {
            answerRefusal(
                error.problem(waiting: "too many actions of the program's own wait already")
            )
            store.wake()
        }
    }

    /// Dispatches the actions of reactions after the request is recorded, and answers or waits.
    override func finishApplied(_ applied: AppliedAnswer) {
        let answer = AppliedAnswer(first: applied.first, last: applied.last, changed: nil)
        for (action, place) in following {
            store.core.dispatchProgramAction(
                action,
                from: ActionSource(
                    cause: answer.last,
                    place: place,
                    session: caller.session,
                    principal: caller.stamp,
                    trace: trace,
                    watch: work
                )
            )
        }
        if preferences.waitSeconds == nil {
            answerBegun(work, answer)
        } else {
            waitForEffects(work, answer)
        }
        store.wake()
    }

    /// Returns `nil`: the input is no action, so a refusal's pointer does not lead into the input.
    override func pointer(_ pointer: String?, into member: Int) -> String? { nil }
}
