import EventStream

/// What a stream of a module's slice is about.
package enum SliceTopic: Hashable, Sendable {
    /// The slice of the module at this place.
    case slice(Int)
    /// The same, with what it was before.
    case change(Int)

    /// The place of its module.
    package var module: Int {
        switch self {
        case .slice(let index), .change(let index): index
        }
    }
}
