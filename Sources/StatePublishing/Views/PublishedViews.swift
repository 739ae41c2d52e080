package import EventStream
import Texts
package import Wire

/// The projections of a state, whatever its type is.
package protocol PublishedViews: Sendable {
    /// The projections, in the order in which the state names them.
    var views: [PublishedView] { get }

    /// Whether one more may be watched; those that are read no more make room.
    func hasRoom(for request: ViewRequest) -> Bool

    /// The projection of a version as JSON; `nil` where there is nothing to show.
    ///
    /// - Throws: where the state can't be read.
    func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes?
}

/// One projection.
package struct PublishedView: Sendable {
    package let name: String
    package let parameters: any (Codable & Sendable).Type
    /// The places of the modules that it is made from.
    package let reads: Set<Int>
}

/// A projection that is asked for, with its parameters.
package struct ViewRequest: Sendable {
    /// The place of the projection among all.
    package let view: Int
    package let parameters: any Codable & Sendable
    package let topic: TopicID

    /// A view with its parameters, and `query`, the one way to write them.
    package init(
        _ view: Int,
        named name: String,
        _ parameters: any Codable & Sendable,
        _ query: String
    ) {
        self.view = view
        self.parameters = parameters
        topic = TopicID(.view(ExactText(name), query: ExactText(query)))
    }
}
