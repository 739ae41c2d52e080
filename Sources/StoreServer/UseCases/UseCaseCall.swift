import StoreCore
import Wire

/// A method of a use case, as the server calls it.
struct UseCaseCall: Sendable {
    let path: String
    let module: String
    let input: any (Codable & Sendable).Type
    let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// The request to do the work.
    let request: @Sendable (any Codable & Sendable) throws -> ClientRequest
}

extension UseCaseCall {
    static func all<State: RootState>(of root: State.Type) -> [UseCaseCall] {
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
