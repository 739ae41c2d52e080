/// Whose actions a resource takes.
package enum ActionAudience: Sendable {
    /// Those of every client, at `POST /dispatch`.
    case everybody
    /// Those of a module's views, at `POST /modules/<name>/ui`.
    case views(of: String)

    /// The wire name of an action: views may leave their module's name out.
    func wireName(_ name: String) -> String {
        guard case .views(let module) = self, !name.utf8.contains(UInt8(ascii: "/"))
        else { return name }
        return module + "/" + name
    }

    /// Whether an action is taken here.
    package func takes(_ action: RegisteredAction) -> Bool {
        switch (self, action.access) {
        case (.everybody, .everybody): true
        case (.views(let own), .views): own == action.module
        default: false
        }
    }

    /// Why an action is not taken here.
    package func refusal(of name: String, _ action: RegisteredAction) -> String {
        switch (self, action.access) {
        case (_, .program):
            "'\(name)' is what only the module's own effects and presenters dispatch."
        case (.everybody, _):
            "'\(name)' is what a view of the module says; it goes to "
                + "POST /modules/\(action.module ?? "")/ui."
        case (.views(let own), _):
            "'\(name)' is nothing that a view of '\(own)' says; it goes to POST /dispatch."
        }
    }
}
