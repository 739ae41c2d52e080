import StoreActionCatalog
package import StoreCore
package import StoreWire

/// A method of a use case, with its module and the function that reads the client's input.
package struct BoundUseCaseMethod: Sendable {
    package let path: String
    package let module: String
    /// True if the method belongs to an instance of the module.
    package let hasInstances: Bool
    package let input: any (Codable & Sendable).Type
    package let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// Makes the request to do the work, on behalf of a session.
    package let request:
        @Sendable (any Codable & Sendable, _ session: String?, _ instance: String?) throws
            -> ClientRequest

    /// The name of the method in a policy. For a method of instances, `{id}` follows the first
    /// part, as in the path of its route.
    package var grantName: String {
        guard hasInstances, let slash = path.firstIndex(of: "/") else { return path }
        return "\(path[..<slash])/{id}\(path[slash...])"
    }

    /// The name or pattern of the method's records in the log.
    package var loggedForm: LoggedRequest {
        let name = { ClientRequest.name(ofUseCase: path, instance: $0) }
        guard hasInstances else { return .name(name(nil)) }
        return .pattern("^" + name(".{1,\(InstanceID.bytesMax)}") + "$")
    }
}

extension BoundUseCaseMethod {
    package static func all<State: RootState>(of root: State.Type) -> [BoundUseCaseMethod] {
        State.modules.flatMap { mount in
            mount.slice.useCases.map { useCase in
                BoundUseCaseMethod(
                    path: useCase.path,
                    module: mount.name,
                    hasInstances: mount.slice.form == .instances,
                    input: useCase.input,
                    read: reader(of: useCase.input)
                ) { input, session, instance in
                    let isOwn = mount.slice.ownership == .session
                    let key = SliceKey(
                        session: isOwn ? session ?? SessionName.shared : nil,
                        instance: instance
                    )
                    return try useCase.request(input, to: SliceAddress(module: mount.name, key))
                }
            }
        }
    }
}

extension BoundUseCaseMethod {
    private static func reader<Input: Codable & Sendable>(
        of input: Input.Type
    ) -> @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable {
        { node, decoder throws(JSONError) in
            try decoder.decode(Input.self, at: node, pointerPrefix: "")
        }
    }
}
