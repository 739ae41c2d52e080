import StoreCore
import StoreHTTPTransport
import StoreWire

/// Answers a call of a use case or a notification: when its record is applied and the work has
/// begun, or, if the client prefers that, when all of the work is done.
final class WorkTicket: DispatchTicket, @unchecked Sendable {
    // Safety: as for the base; what it adds is constant.

    private let request: RequestContext
    /// Ends with the work.
    private let work: EffectWatch
    /// The actions that the program makes of it, and where that is written.
    private let following: [(action: any Action, place: String)]
    /// The trace that the request is a part of.
    private let trace: String?

    static var answers: [OpenAPI.Answer] {
        let schema = JSONSchema.begun
        return [
            .json(schema, "All of it is done.", headers: ["ETag", "Preference-Applied"]),
            .json(
                schema,
                "It has begun.",
                status: 202,
                headers: ["ETag", "Preference-Applied", "Location", "Retry-After"]
            ),
        ]
    }

    static var problems: [ProblemSlug] { [.effectFailed, .storageFull, .refused] }

    /// Makes a ticket of a request whose record is followed by these actions.
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
            preferences: Preferences(
                returned: nil,
                waitSeconds: request.preferences.waitSeconds
            ),
            caller: caller,
            // A use case gives no value.
            seesModules: false,
            askedModules: module.map { [$0] } ?? [],
            watch: work
        )
    }

    /// Refuses what is not looked at here, because its sender relies on it.
    ///
    /// - Throws: 400 for a condition or a key.
    static func requireNoCondition(_ request: RequestContext) throws(Problem) {
        let name: String
        if request.exchange.has("if-match") {
            name = "If-Match"
        } else if request.exchange.has("idempotency-key") {
            name = "Idempotency-Key"
        } else {
            return
        }
        throw .badRequest(
            "A use case or a notification takes no \(name): its input is kept nowhere, and each "
                + "request is a new call."
        )
    }

    /// Hands the request to the Core.
    func offer(_ request: ClientRequest, cancelsOnClose: Bool = false) {
        let origin = self.request.origin(in: caller.session)
        // A client that leaves is noticed in suspension alone; what takes long gets there soon by
        // itself.
        if cancelsOnClose, preferences.waitSeconds != nil {
            exchange.suspend()
            CancelOnClose.arrange(for: exchange, work, store.core.effects)
        } else {
            exchange.park()
        }
        do {
            try store.core.offer(
                request,
                requestID: id.text,
                principal: caller.stamp,
                from: caller.session,
                origin: origin,
                trace: trace,
                watch: work,
                completion: self
            )
        } catch {
            answer(
                error.problem(waiting: "as many actions of the program's own as may wait already")
            )
            store.wake()
        }
    }

    /// The request is recorded, and the work begins.
    override func finishApplied(_ applied: AppliedAnswer) {
        let answer = AppliedAnswer(first: applied.first, last: applied.last, changed: nil)
        for (action, place) in following {
            store.core.dispatchProgramAction(
                action,
                after: answer.last,
                at: place,
                from: caller.session,
                principal: caller.stamp,
                trace: trace,
                watch: work
            )
        }
        if preferences.waitSeconds == nil {
            answerBegun(work, answer)
        } else {
            waitForEffects(work, answer)
        }
        store.wake()
    }

    /// The input is no action, and what was refused stands nowhere in it.
    override func pointer(_ pointer: String?, into member: Int) -> String? { nil }
}
