import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
package import StoreWire

/// `POST /usecases/<use case>/<method>`: reads the input and calls the use case. If the module has
/// instances, the path names the instance: `POST /usecases/<use case>/<id>/<method>`.
///
/// The call is journaled as the cause of the actions that it leads to. The input is neither
/// journaled nor streamed nor logged.
package struct UseCaseRoutes: RouteGroup {
    package let links: Links
    package let store: Store
    package let methods: [BoundUseCaseMethod]
    package let limits: JSONLimits

    package init(
        links: Links,
        store: Store,
        methods: [BoundUseCaseMethod],
        limits: JSONLimits
    ) {
        self.links = links
        self.store = store
        self.methods = methods
        self.limits = limits
    }

    package var routes: [Route] { methods.map(route) }

    private func route(_ method: BoundUseCaseMethod) -> Route {
        let parameters: [any RouteParameter] = method.hasInstances ? [InstanceID.parameter] : []
        let path =
            method.hasInstances
            ? links.instanceUseCase(method.path) : links.useCase(method.grantName)
        return .change(
            .post,
            path,
            "useCase." + method.path.map { $0.isLetter || $0.isNumber ? String($0) : "." }.joined(),
            "Call the use case \(method.path); its input is kept nowhere.",
            needs: .useCase(method.grantName, of: method.module),
            parameters: parameters + [CancelOnClose.parameter, HeaderParameter.prefersWait],
            body: .json(JSONSchemaDocument(of: [method.input]).roots[0]),
            answers: WorkTicket.answers,
            problems: WorkTicket.problems + [.refused, .invalidPayload]
        ) { request throws(Problem) in
            try perform(method, for: request)
        }
    }

    private func perform(
        _ method: BoundUseCaseMethod,
        for request: RequestContext
    ) throws(Problem) {
        try WorkTicket.requireNoCondition(request)
        let instance = method.hasInstances ? try InstanceID.read(request) : nil
        let input = try input(of: method, request)
        try request.environment.web.limits?.take(.actions, of: request.exchange)
        let work: ClientRequest
        let session = try request.session()
        do { work = try method.request(input, session, instance) } catch {
            let refusal = Refusal(error)
            store.logger.note(refusal, of: method.grantName, in: request.id.text)
            throw .refused(reason: refusal.reason)
        }
        try WorkTicket(request, store, by: request.caller(), asking: method.module)
            .offer(work, cancelsOnClose: request[CancelOnClose.parameter] != nil)
    }

    private func input(
        of method: BoundUseCaseMethod,
        _ request: RequestContext
    ) throws(Problem) -> any Codable & Sendable {
        let body = try request.object(limits)
        do {
            return try method.read(body, JSONDecoder(limits: limits))
        } catch {
            throw .unfit(error, for: method.path, store.logger)
        }
    }
}
