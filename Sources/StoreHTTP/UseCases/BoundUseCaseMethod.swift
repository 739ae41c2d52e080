import StoreActionCatalog
package import StoreCore
package import StoreWire

/// A method of a use case, with its module and its way to read the input that a client sends.
package struct BoundUseCaseMethod: Sendable {
    package let path: String
    package let module: String
    /// Whether it is asked of one of the module's instances.
    package let hasInstances: Bool
    package let input: any (Codable & Sendable).Type
    package let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> any Codable & Sendable
    /// The request of a session to do the work.
    package let request:
        @Sendable (any Codable & Sendable, _ session: String?, _ instance: String?) throws
            -> ClientRequest

    /// How a policy names it: where it is asked of instances, with `{id}` behind the first part, as
    /// in the path of its route.
    package var grantName: String {
        guard hasInstances, let slash = path.firstIndex(of: "/") else { return path }
        return "\(path[..<slash])/{id}\(path[slash...])"
    }

    /// What the log has of it.
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
