import ActionCatalog
import HTTPTransport
import StoreCore
package import Wire

/// `POST /usecases/<use case>/<method>`: reads the input and calls the use case, nothing else.
///
/// The call is journaled, and what comes of it names it as its cause. The input is neither
/// journaled nor streamed nor logged.
package struct UseCaseRoutes: RouteGroup {
    package let links: Links
    package let store: Store
    package let calls: [UseCaseCall]
    package let limits: JSONLimits

    package init(
        links: Links,
        store: Store,
        calls: [UseCaseCall],
        limits: JSONLimits
    ) {
        self.links = links
        self.store = store
        self.calls = calls
        self.limits = limits
    }

    package var routes: [Route] { calls.map(route) }

    private func route(_ call: UseCaseCall) -> Route {
        .change(
            .post,
            links.useCase(call.path),
            "useCase." + call.path.map { $0.isLetter || $0.isNumber ? String($0) : "." }.joined(),
            "Call the use case \(call.path); its input is kept nowhere.",
            parameters: [CancelOnClose.parameter, HeaderParameter.prefersWait],
            body: .json(JSONSchemaDocument(of: [call.input]).roots[0]),
            answers: WorkTicket.answers,
            problems: WorkTicket.problems + [.refused, .invalidPayload]
        ) { request throws(Problem) in
            try perform(call, for: request)
        }
    }

    private func perform(
        _ call: UseCaseCall,
        for request: RequestContext
    ) throws(Problem) {
        let input = try input(of: call, request)
        let work: ClientRequest
        let session = try request.session()
        do { work = try call.request(input, session) } catch {
            throw .refused(reason: Refusal(error).reason)
        }
        WorkTicket(request, store, from: session)
            .offer(work, cancelsOnClose: request[CancelOnClose.parameter] != nil)
    }

    private func input(
        of call: UseCaseCall,
        _ request: RequestContext
    ) throws(Problem) -> any Codable & Sendable {
        let body = try request.object(limits)
        do {
            return try call.read(body, JSONDecoder(limits: limits))
        } catch {
            throw .unfit(error, for: call.path, store.logger)
        }
    }
}
