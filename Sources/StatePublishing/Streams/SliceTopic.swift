import EventStream

/// What a stream of a module's slice is about.
package enum SliceTopic: Hashable, Sendable {
    /// The slice of the module at this place.
    case slice(Int)
    /// The same, with what it was before.
    case change(Int)
}
