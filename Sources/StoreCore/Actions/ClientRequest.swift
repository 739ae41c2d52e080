/// A client's request that dispatches no action: a call of a use case, or a notification. The type
/// conforms to ``Action``, so that the request can pass through the Core.
///
/// A request changes no state. The journal records the request with its name and its client, as the
/// cause of the actions that follow. The journal does not store the input.
package struct ClientRequest: Action {
    /// The wire name, which is the path of the route: `usecases/login/login`.
    package let name: String
    /// The slice that the request needs; `nil` if the request needs no slice. The Core refuses the
    /// request if the slice does not exist.
    package let address: SliceAddress?
    /// The work of a use case; `nil` for a notification and in a replay.
    let effect: AnyEffect?
}

extension ClientRequest {
    /// The first segment of the wire names of use cases. No module may have this name.
    package static let useCasePrefix = "usecases"
    package static let notificationPrefix = "notify"

    /// Returns the wire name of a use case's method, `usecases/cards/renamed`. If the slice is an
    /// instance, its id follows the name of the use case: `usecases/cards/7/renamed`.
    package static func name(ofUseCase path: String, instance: String?) -> String {
        guard let instance, let slash = path.firstIndex(of: "/") else {
            return useCasePrefix + "/" + path
        }
        return "\(useCasePrefix)/\(path[..<slash])/\(instance)\(path[slash...])"
    }

    /// Makes a notification of this name.
    package init(notification name: String) {
        self.init(name: "\(Self.notificationPrefix)/\(name)", address: nil, effect: nil)
    }

    /// Makes a request from the wire name in a record; `nil` if the name belongs to an action.
    package init?(recorded name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        guard parts.count == 2,
            [Self.useCasePrefix, Self.notificationPrefix].contains(where: {
                $0.utf8.elementsEqual(parts[0])
            })
        else { return nil }
        self.init(name: name, address: nil, effect: nil)
    }

    /// The wire name with `{id}` in the place of an instance's id.
    var wireNameTemplate: String {
        let slash = UInt8(ascii: "/")
        guard let instance = address?.instance, let first = name.utf8.firstIndex(of: slash),
            let second = name.utf8[name.utf8.index(after: first)...].firstIndex(of: slash),
            let end = name.utf8.index(
                second,
                offsetBy: instance.utf8.count + 1,
                limitedBy: name.endIndex
            )
        else { return name }
        return name[...second] + "{id}" + name[end...]
    }
}
