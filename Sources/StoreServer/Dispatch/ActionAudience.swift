/// Whose actions a resource takes.
enum ActionAudience: Sendable {
    /// Everybody's, at `POST /dispatch`.
    case everybody
    /// Those of a module's views, at `POST /modules/<name>/ui`.
    case views(of: String)

    /// The wire name of an action: views may leave their module's name out.
    func wireName(_ name: String) -> String {
        guard case .views(let module) = self, !name.contains("/") else { return name }
        return module + "/" + name
    }

    /// Why an action is not taken here; `nil` where it is.
    func refusal(of name: String, _ access: ActionAccess, _ module: String?) -> String? {
        switch (self, access) {
        case (.everybody, .everybody): nil
        case (.views(let own), .views) where own == module: nil
        case (.everybody, .views):
            "'\(name)' is what a view of the module says; it goes to POST /modules/\(module ?? "")/ui."
        case (.everybody, .program), (.views, .program):
            "'\(name)' is what only the module's own effects and presenters dispatch."
        case (.views(let own), _):
            "'\(name)' is nothing that a view of '\(own)' says; it goes to POST /dispatch."
        }
    }
}
