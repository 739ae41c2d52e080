/// Why a role may not do something.
package enum Denial: Error, Sendable, Equatable {
    /// It may not be done, with a sentence for the client: 403.
    case mayNot(String)
    /// It may not be seen, so it is answered as if it were not there: 404.
    case hidden
}
