/// The reason why a role may not do something.
package enum Denial: Error, Sendable, Equatable {
    /// The request is forbidden, with a sentence for the client: 403.
    case mayNot(String)
    /// The role may not see the resource, so the answer is that of a missing resource: 404.
    case hidden
}
