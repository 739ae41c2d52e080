package import StoreCore
package import StoreJSON
import StoreTexts
package import StoreWire

/// The views of a state of any type.
package protocol PublishedViews: Sendable {
    /// The views, in the order of the state's list.
    var views: [PublishedView] { get }

    /// Returns true if one more view may be watched. Drops views without readers to make room.
    func hasRoom(for request: ViewRequest) -> Bool

    /// Watches a view for a stream that opens. Sends the first frame after the Core has passed the
    /// state to the view.
    func open(_ request: ViewRequest, in streams: StateStreams)

    /// Forgets the sent frames. Call this function if versions were published while no stream was
    /// open.
    func forgetSentFrames()

    /// Returns the view of a version as JSON; `nil` if there is nothing to show.
    ///
    /// - Throws: an error if the state can't be decoded, or the view has no JSON form.
    func bytes(of request: ViewRequest, in snapshot: Snapshot) throws(JSONError) -> Bytes?
}

/// A view of the state, as clients see it.
package struct PublishedView: Sendable {
    package let name: String
    package let parametersType: any (Codable & Sendable).Type
    /// The indices of the modules that the view lists as its sources. If the view lists no modules,
    /// all modules are its sources.
    package let sourceModules: Set<Int>
    /// The indices of the members that the view may read: ``sourceModules`` and all fields.
    package let readableMembers: Set<Int>
    /// True if the view reads slices of sessions. Its content may then differ from session to
    /// session.
    package let readsSessionSlices: Bool
    /// True if the view reads slices of users. Its content may then differ from user to user.
    package let readsUserSlices: Bool
    /// True if the view reads restricted slices. Its content may then differ from user to user, and
    /// from role to role.
    package let readsRestrictedSlices: Bool
    /// True if the view is a `ContextualViewModel`, which depends on the client that reads the
    /// view.
    package let isContextual: Bool
}

/// A request for a view, with its parameters.
package struct ViewRequest: Sendable {
    /// The index of the view in the list of all views.
    package let viewIndex: Int
    package let parameters: any Codable & Sendable
    package private(set) var topic: TopicID
    /// The client that reads the view, if the view depends on the client.
    private(set) var context = ViewContext()

    /// Makes a request. `query` is the canonical text of the parameters.
    package init(
        _ view: Int,
        named name: String,
        _ parameters: any Codable & Sendable,
        _ query: String
    ) {
        self.viewIndex = view
        self.parameters = parameters
        topic = TopicID(.view(ExactText(name), query: ExactText(query)))
    }

    /// Returns the same request on behalf of a viewer.
    package func seen(by viewer: Viewer, in context: ViewContext = ViewContext()) -> ViewRequest {
        var request = self
        request.topic = topic.forViewer(viewer)
        request.context = context
        return request
    }

    /// The viewer on whose behalf the view is requested.
    var viewer: Viewer { topic.viewer }

    /// The session, or else the user, whose bound limits the watched view; `nil` if the view is the
    /// same for all clients.
    var boundedOwner: ExactText? { viewer.session ?? viewer.owner }
}
