/// What a client asks for besides actions: a call of a use case, or a notification.
///
/// It changes nothing. It is journaled, so that what comes of it has a cause of its own: what was
/// asked, and by which client. The input is not kept.
package struct ClientRequest: Action {
    /// Its wire name, which is the route's path: `usecases/login/login`.
    package let name: String
    /// The slice that has to be there; `nil` for none.
    package let address: SliceAddress?
    /// The work that is asked for; `nil` in a replay.
    let effect: PendingEffect?

    /// The first parts of the names, which no module may have.
    package static let useCases = "usecases"
    package static let notifications = "notify"

    /// The wire name of a method of a use case, `usecases/cards/renamed`; of one that is asked of
    /// an instance, with the id behind the use case's name, `usecases/cards/7/renamed`.
    package static func name(ofUseCase path: String, instance: String?) -> String {
        guard let instance, let slash = path.firstIndex(of: "/") else {
            return useCases + "/" + path
        }
        return "\(useCases)/\(path[..<slash])/\(instance)\(path[slash...])"
    }

    /// A notification of this name.
    package init(notification name: String) {
        self.init(name: "\(Self.notifications)/\(name)", address: nil, effect: nil)
    }

    /// The request that the journal has under a wire name; `nil` where that is another action's.
    package init?(recorded name: String) {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        guard parts.count == 2,
            [Self.useCases, Self.notifications].contains(where: {
                $0.utf8.elementsEqual(parts[0])
            })
        else { return nil }
        self.init(name: name, address: nil, effect: nil)
    }

    /// The wire name with `{id}` in the place of an instance's id.
    var kind: String {
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

    init(name: String, address: SliceAddress?, effect: PendingEffect?) {
        self.name = name
        self.address = address
        self.effect = effect
    }
}
