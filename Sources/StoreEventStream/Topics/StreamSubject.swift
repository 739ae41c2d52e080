package import StoreTexts

/// The subject of a stream.
///
/// Names are compared by their bytes. They come from paths, and a name that only looks alike leads
/// to another resource.
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
    /// The subject as operators read it.
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
