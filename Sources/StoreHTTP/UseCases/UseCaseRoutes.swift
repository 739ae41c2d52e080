import StoreActionCatalog
package import StoreAdmission
package import StoreCore
import StoreHTTPTransport
package import StoreJSON
package import StoreJSONSchema
import StoreWire

/// `POST /usecases/<use case>/<method>`: reads the input and calls the use case. If the module has
/// instances, the path names the instance: `POST /usecases/<use case>/<id>/<method>`.
///
/// The call is journaled as the cause of the actions that it leads to. The input is neither
/// journaled nor streamed nor logged.
struct UseCaseRoutes: RouteGroup {
    let store: Store
    let methods: [BoundUseCaseMethod]

    private var limits: JSONLimits { store.bounds.json }

    var routes: [Route] { methods.map(route) }

    private func route(_ method: BoundUseCaseMethod) -> Route {
        let parameters: [any RouteParameter] = method.hasInstances ? [InstanceID.parameter] : []
        let path =
            method.hasInstances
            ? store.links.instanceUseCaseTemplate(method.path)
            : store.links.useCase(method.grantName)
        return .changing(
            .post,
            path,
            "useCase." + method.path.map { $0.isLetter || $0.isNumber ? String($0) : "." }.joined(),
            "Call the use case \(method.path). The server does not store the input.",
            needs: .useCase(method.grantName, of: method.module),
            parameters: parameters + [CancelOnClose.parameter, HeaderParameter.preferWait],
            body: .json(JSONSchemaDocument(of: [method.inputType]).roots[0]),
            answers: ClientRequestTicket.answers,
            problems: ClientRequestTicket.problems + [.refused, .invalidPayload]
        ) { request throws(Problem) in
            try perform(method, for: request)
        }
    }

    private func perform(
        _ method: BoundUseCaseMethod,
        for request: RequestContext
    ) throws(Problem) {
        try ClientRequestTicket.requireNoCondition(request)
        let instance = method.hasInstances ? try InstanceID.read(request) : nil
        let input = try input(of: method, request)
        try request.environment.web.limits?.take(.actions, of: request.exchange)
        let work: ClientRequest
        let caller = try request.caller()
        do { work = try method.makeRequest(input, caller, instance) } catch {
            let refusal = Refusal(error)
            store.logger.note(refusal, of: method.grantName, in: request.id.text)
            throw .refused(reason: refusal.reason)
        }
        ClientRequestTicket(request, store, by: caller, addressing: method.module)
            .offer(work, cancelsOnClose: request[CancelOnClose.parameter] != nil)
    }

    private func input(
        of method: BoundUseCaseMethod,
        _ request: RequestContext
    ) throws(Problem) -> any Codable & Sendable {
        let body = try request.bodyObject(limits)
        do {
            return try method.readInput(body, JSONDecoder(limits: limits))
        } catch {
            throw .unfitValue(error, for: method.path, store.logger)
        }
    }
}

/// A method of a use case, with its module and the function that reads the client's input.
package struct BoundUseCaseMethod: Sendable {
    package let path: String
    package let module: String
    /// True if the method belongs to an instance of the module.
    package let hasInstances: Bool
    package let inputType: any (Codable & Sendable).Type
    package let readInput:
        @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// Makes the ``ClientRequest`` for the work, on behalf of a caller.
    package let makeRequest:
        @Sendable (any Codable & Sendable, Caller, _ instance: String?) throws -> ClientRequest

    /// The name of the method in a policy. For a method of instances, `{id}` follows the name of
    /// the use case, as in the path of the route.
    package var grantName: String {
        guard hasInstances, let slash = path.firstIndex(of: "/") else { return path }
        return "\(path[..<slash])/{id}\(path[slash...])"
    }

    /// The schema of the name that the method's records have in the log: one name, or a pattern
    /// with the ids of instances.
    package var recordTypeSchema: JSONSchema {
        let name = { ClientRequest.name(ofUseCase: path, instance: $0) }
        guard hasInstances else { return .stringEnum([name(nil)]) }
        return .text(pattern: "^" + name(".{1,\(InstanceID.bytesMax)}") + "$")
    }
}

extension BoundUseCaseMethod {
    package static func all<State: RootState>(of root: State.Type) -> [BoundUseCaseMethod] {
        State.modules.flatMap { mount in
            mount.useCases.map { useCase in
                BoundUseCaseMethod(
                    path: useCase.path,
                    module: mount.name,
                    hasInstances: mount.slicePlace.cardinality == .instances,
                    inputType: useCase.inputType,
                    readInput: { node, decoder throws(JSONError) in
                        try decoder.decode(useCase.inputType, at: node, pointerPrefix: "")
                    }
                ) { input, caller, instance in
                    let owner = mount.slicePlace.ownership.owner(
                        of: caller.identity?.name,
                        in: caller.session
                    )
                    let key = SliceKey(owner: owner, instance: instance)
                    return try useCase.makeRequest(input, to: SliceAddress(module: mount.name, key))
                }
            }
        }
    }
}
