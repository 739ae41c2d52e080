package import StoreTexts

/// What a stream is about.
///
/// Names are compared by their bytes: they come from paths, where text that only looks alike leads
/// elsewhere.
package enum StreamSubject: Hashable, Sendable {
    /// The whole state.
    case state
    /// The part of the state that a JSON Pointer leads to.
    case part(_ pointer: ExactText)
    /// The slice of a module.
    case slice(_ module: ExactText)
    /// The changes of a module's slice, each with the slice before it.
    case changes(_ module: ExactText)
    /// The slice of one instance of a module.
    case instance(_ module: ExactText, id: ExactText)
    /// A view, with the query that has its parameters.
    case view(_ name: ExactText, query: ExactText)
    /// Every applied action.
    case actions
}

extension StreamSubject: CustomStringConvertible {
    /// What operators read.
    package var description: String {
        switch self {
        case .state: "state"
        case .part(let pointer): "state" + pointer.text
        case .slice(let module): "modules/" + module.text
        case .changes(let module): "modules/" + module.text + "?old"
        case .instance(let module, let id): "modules/" + module.text + "/" + id.text
        case .view(let name, let query): "views/" + name.text + query.text
        case .actions: "actions"
        }
    }
}
