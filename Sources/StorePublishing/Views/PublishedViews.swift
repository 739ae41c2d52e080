package import StoreEventStream
package import StoreTexts
package import StoreWire

/// The projections of a state, whatever its type is.
package protocol PublishedViews: Sendable {
    /// The projections, in the order in which the state names them.
    var views: [PublishedView] { get }

    /// Whether one more may be watched; those that are read no more make room.
    func hasRoom(for request: ViewRequest) -> Bool

    /// The projection of a version as JSON; `nil` where there is nothing to show.
    ///
    /// - Throws: where the state can't be read, or the view has no JSON form.
    func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes?
}

/// One projection.
package struct PublishedView: Sendable {
    package let name: String
    package let parameters: any (Codable & Sendable).Type
    /// The places of the modules that it says it is made from; of all where it names none.
    package let names: Set<Int>
    /// The places of the members that it may be made from: these, and all fields.
    package let reads: Set<Int>
    /// Whether it shows each session something else: it reads slices of sessions.
    package let isOfSession: Bool
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
        self.init(view, parameters, TopicID(.view(ExactText(name), query: ExactText(query))))
    }

    private init(_ view: Int, _ parameters: any Codable & Sendable, _ topic: TopicID) {
        self.view = view
        self.parameters = parameters
        self.topic = topic
    }

    /// The same as a session sees it.
    package func seen(by session: ExactText?) -> ViewRequest {
        ViewRequest(view, parameters, topic.seen(by: session))
    }

    /// As which session it is asked for.
    var session: ExactText? { topic.viewer.session }
}
