import StoreTexts

/// The clients from which a resource takes actions.
package enum ActionSenders: Sendable {
    /// Every client, at `POST /dispatch`.
    case everybody
    /// The views of a module, at `POST /modules/<name>/ui`. If `instance` is set, only the views of
    /// that instance, at `POST /modules/<name>/<id>/ui`.
    case views(of: String, instance: String? = nil)

    /// Returns the wire name of an action from the name that a client sent. Views may omit the
    /// names of their module and instance.
    func wireName(_ name: String) -> String {
        guard case .views(let module, let instance) = self, !name.utf8.contains(UInt8(ascii: "/"))
        else { return name }
        return instance.map { "\(module)/\($0)/\(name)" } ?? module + "/" + name
    }

    /// Returns true if these clients may dispatch an action.
    package func mayDispatch(_ action: FoundAction) -> Bool {
        switch (self, action.access) {
        case (.everybody, .everybody): true
        case (.views(let own, let instance), .views):
            own == action.module
                && (instance == nil || action.instance.map { instance?.isSame(as: $0) } == true)
        default: false
        }
    }

    /// Returns the reason why these clients may not dispatch an action.
    package func refusal(of name: String, _ action: FoundAction) -> String {
        switch (self, action.access) {
        case (_, .program):
            "'\(name)' is internal: only the module's own effects and presenters dispatch it."
        case (_, .views):
            "'\(name)' is an action of the module's views; send it to POST /modules/"
                + (action.module ?? "") + (action.instance.map { "/" + $0 } ?? "") + "/ui."
        case (.views(let own, let instance), _):
            "'\(name)' is no action of a view of '\(own)\(instance.map { "/" + $0 } ?? "")'; send "
                + "it to POST /dispatch."
        case (.everybody, _): "'\(name)' is not accepted here."
        }
    }
}
