import StoreTexts

/// Whose actions a resource takes.
package enum ActionAudience: Sendable {
    /// Those of every client, at `POST /dispatch`.
    case everybody
    /// Those of a module's views, at `POST /modules/<name>/ui`; where an instance is named, of that
    /// one's view alone, at `POST /modules/<name>/<id>/ui`.
    case views(of: String, instance: String? = nil)

    /// The wire name of an action: views may leave the name of their module out, and the instance.
    func wireName(_ name: String) -> String {
        guard case .views(let module, let instance) = self, !name.utf8.contains(UInt8(ascii: "/"))
        else { return name }
        return instance.map { "\(module)/\($0)/\(name)" } ?? module + "/" + name
    }

    /// Whether an action is taken here.
    package func takes(_ action: FoundAction) -> Bool {
        switch (self, action.access) {
        case (.everybody, .everybody): true
        case (.views(let own, let instance), .views):
            own == action.module
                && (instance == nil || action.instance.map { instance?.isSame(as: $0) } == true)
        default: false
        }
    }

    /// Why an action is not taken here.
    package func refusal(of name: String, _ action: FoundAction) -> String {
        switch (self, action.access) {
        case (_, .program):
            "'\(name)' is what only the module's own effects and presenters dispatch."
        case (_, .views):
            "'\(name)' is what a view of the module says; it goes to POST /modules/"
                + (action.module ?? "") + (action.instance.map { "/" + $0 } ?? "") + "/ui."
        case (.views(let own, let instance), _):
            "'\(name)' is nothing that a view of '\(own)\(instance.map { "/" + $0 } ?? "")' says; "
                + "it goes to POST /dispatch."
        case (.everybody, _):
            "'\(name)' is not taken here."
        }
    }
}
