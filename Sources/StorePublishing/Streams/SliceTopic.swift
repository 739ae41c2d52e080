package import StoreTexts

/// What a stream of a module's slice is about, by the module's place; and as which session it is
/// read, where each has a slice.
package enum SliceTopic: Hashable, Sendable {
    /// The slice.
    case slice(Int, ExactText? = nil)
    /// The same, with what it was before.
    case change(Int, ExactText? = nil)

    /// As which session it is read.
    var session: ExactText? {
        switch self {
        case .slice(_, let session), .change(_, let session): session
        }
    }
}
