package import StoreCore
package import Wire

/// A method of a use case, as the server calls it.
package struct UseCaseCall: Sendable {
    package let path: String
    package let module: String
    package let input: any (Codable & Sendable).Type
    package let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// The request of a session to do the work.
    package let request:
        @Sendable (any Codable & Sendable, _ session: String?) throws -> ClientRequest
}

extension UseCaseCall {
    package static func all<State: RootState>(of root: State.Type) -> [UseCaseCall] {
        State.modules.flatMap { mount in
            mount.slice.useCases.map { useCase in
                UseCaseCall(
                    path: useCase.path,
                    module: mount.name,
                    input: useCase.input,
                    read: reader(of: useCase.input)
                ) { input, session in
                    let isOwn = mount.slice.ownership == .session
                    let key = SliceKey(session: isOwn ? session ?? SessionName.shared : nil)
                    return try useCase.request(input, to: SliceAddress(module: mount.name, key))
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
