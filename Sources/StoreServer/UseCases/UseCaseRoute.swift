import HTTPTransport
import StoreCore
import Wire

/// A method of a use case, as the server calls it.
struct UseCaseCall<State: Sendable>: Sendable {
    let path: String
    let module: String
    let input: any (Codable & Sendable).Type
    let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// The request to do the work.
    let request: @Sendable (any Codable & Sendable) throws -> ClientRequest
}

extension UseCaseCall where State: RootState {
    static func all(of root: State.Type) -> [UseCaseCall] {
        State.modules.flatMap { mount in
            mount.slice.useCases.map { useCase in
                UseCaseCall(
                    path: useCase.path,
                    module: mount.name,
                    input: useCase.input,
                    read: reader(of: useCase.input)
                ) { input in
                    try useCase.request(input, to: SliceAddress(module: mount.name))
                }
            }
        }
    }
}

extension UseCaseCall {
    private static func reader<Input: Codable & Sendable>(
        of input: Input.Type
    ) -> @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable {
        { node, decoder throws(JSONError) in
            try decoder.decode(Input.self, at: node, pointerPrefix: "")
        }
    }
}

/// `POST /usecases/<use case>/<method>`: reads the input and calls the use case, nothing else.
///
/// The call is journaled, and what comes of it names it as its cause. The input is neither journaled nor
/// streamed nor logged.
struct UseCaseRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let call: UseCaseCall<State>
    let limits: JSONLimits

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.json(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: [CancelOnClose.parameter])
        let cancelsOnClose = try CancelOnClose.isAsked(by: query)
        let input = try input(exchange)
        let request: ClientRequest
        do { request = try call.request(input) } catch {
            throw .refused(reason: Refusal(error).reason)
        }
        let sessions = try store.sessions(of: exchange)
        WorkTicket(exchange, store, from: sessions)
            .offer(request, cancelsOnClose: cancelsOnClose)
    }

    private func input(_ exchange: HTTPExchange) throws(Problem) -> any Codable & Sendable {
        let body = try exchange.object(limits)
        do {
            return try call.read(body, JSONDecoder(limits: limits))
        } catch {
            throw .unfit(error, for: call.path)
        }
    }
}
