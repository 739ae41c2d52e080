package import StoreTexts

/// The subject of a module's stream: the module's index, and the session that reads it if each
/// session has a slice.
package enum SliceTopic: Hashable, Sendable {
    /// The slice.
    case slice(Int, ExactText? = nil)
    /// The slice, with its value before the change.
    case change(Int, ExactText? = nil)

    /// The session on whose behalf the stream reads the slice.
    var session: ExactText? {
        switch self {
        case .slice(_, let session), .change(_, let session): session
        }
    }
}
