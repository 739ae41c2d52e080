import StoreEventStream
import StoreJSON
import StorePublishing
import StoreTexts
import StoreWire

// The streams, each on behalf of the caller that reads it.

extension StateReader {
    /// Returns the stream of the whole state.
    func stateStream(for caller: Caller) -> VisibleStream {
        let viewer = viewer(of: caller)
        return VisibleStream(.state.seen(by: viewer), streams) {
            $0.visible(to: viewer).isAtHand(.root)
        } first: { [streams] snapshot in
            streams.announce(to: viewer, in: snapshot)
            // Without a narrow role, a caller gets an event for each version, even if its own
            // slices have not changed.
            guard viewer.sight != nil else { return nil }
            let since = snapshot.visible(to: viewer).changedVersion
            return .unchanged(since: since, version: snapshot.version)
        }
    }

    /// Returns the viewer of a caller's topics. Callers that see the same state share a viewer, and
    /// so the topics.
    private func viewer(of caller: Caller) -> Viewer {
        newest.value.hasSessions ? caller.viewer : caller.viewer.withoutSession
    }

    /// Returns the session in the topics of the module at this index; `nil` if all sessions see the
    /// same slice.
    private func session(of caller: Caller, _ module: Int) -> ExactText? {
        newest.value.slices[module].isOfSessions ? caller.viewer.session : nil
    }

    /// Returns the stream of the part at a pointer. The stream takes one of the client's places for
    /// pointers.
    ///
    /// - Throws: 503 if too many different pointers are watched already.
    func stream(
        at pointer: JSONPointer,
        for caller: Caller,
        of client: WatchingClient
    ) throws(Problem) -> VisibleStream {
        let part = streams.parts.part(at: pointer, for: viewer(of: caller))
        do {
            let place = try streams.parts.place(for: part, of: client)
            return stream(of: part, in: place, ofMember: pointer.tokens.first)
        } catch {
            throw .overloaded(error.reason)
        }
    }

    /// Returns the stream of an instance of a module.
    func stream(
        ofInstance id: String,
        of module: Int,
        named name: String,
        for caller: Caller
    ) -> VisibleStream {
        let session = session(of: caller, module)
        return stream(of: WatchedPart(instance: id, of: module, named: name, for: session))
    }

    private func stream(
        of part: WatchedPart,
        in place: WatchPlace? = nil,
        ofMember member: String? = nil
    ) -> VisibleStream {
        VisibleStream(part.topic, streams, in: place, ofMember: member) { [documents] in
            part.isAtHand(in: $0, documents)
        } first: { [streams] in
            streams.announce(part, in: $0)
            return nil
        }
    }

    /// Returns the stream of the slice of the module at this index.
    func sliceStream(of module: Int, for caller: Caller) -> VisibleStream {
        let session = session(of: caller, module)
        let topic = SliceTopic.slice(module, session)
        return VisibleStream(streams.topic(of: topic), streams) {
            $0.slice(module, for: session).isAtHand
        } first: { [streams] in
            streams.announce(topic, in: $0)
            return nil
        }
    }

    /// Returns the stream of changes of the module at this index: each event has the slice before
    /// and after the change. The first event of a new reader has no earlier slice.
    func changeStream(of module: Int, for caller: Caller) -> VisibleStream {
        let session = session(of: caller, module)
        return VisibleStream(streams.topic(of: .change(module, session)), streams) {
            $0.slice(module, for: session).isAtHand
        } first: { [streams] in
            let first = streams.beginning(of: module, for: session, in: $0)
            return .frame(first.frame, version: first.version)
        }
    }

    /// Returns the request for a view as a caller sees it.
    func view(_ view: ViewRequest, for caller: Caller) -> ViewRequest {
        views?.views[view.view].isOfSession == true ? view.seen(by: caller.viewer.session) : view
    }

    /// Returns the stream of a view. The stream begins when the Core has made the view from the
    /// state.
    func stream(of view: ViewRequest) -> VisibleStream {
        VisibleStream(view.topic, streams) { _ in
            true
        } first: { [streams] _ in
            streams.announce(view)
            return nil
        }
    }

    /// Returns the topic of the log for a caller.
    func logTopic(for caller: Caller) -> TopicID { .actions.seen(by: viewer(of: caller)) }
}

extension WatchRefusal {
    /// The reason, as a text for a client.
    fileprivate var reason: String {
        switch self {
        case .client(let max): "you watch \(max) different pointers already, the bound of a client"
        case .session(let max): "\(max) different pointers of your session are watched already"
        case .all(let max): "\(max) different pointers may be watched, and too few are left"
        case .bytes(let max): "the watched parts have \(max) bytes already"
        }
    }
}

/// A stream that a caller may read: its topic and its beginning.
struct VisibleStream: Sendable {
    /// The beginning of a stream, before the frames of the topic.
    enum First {
        /// A frame for this reader alone, with the version that it shows.
        case frame(Bytes, version: UInt64)
        /// No frame. A reader that has seen any version from `since` to `version` has seen the same
        /// content.
        case unchanged(since: UInt64, version: UInt64)
    }

    private(set) var topic: TopicID
    /// The client's place among the watchers of pointers, which the open stream holds. `nil` if it
    /// needs none.
    let place: WatchPlace?
    /// The member of the root state that it shows a part of; `nil` if it shows several members.
    let member: String?
    private let beginnings: any StreamBeginnings
    /// True if ``first`` is cheap in a version.
    private let isQuick: @Sendable (Snapshot) -> Bool
    /// Makes the beginning of the stream in the newest version that readers got. Also gives the
    /// topic this version, which it may lack while it has no readers. Returns `nil` if the frames
    /// of the topic suffice.
    private let first: @Sendable (Snapshot) -> First?

    init(
        _ topic: TopicID,
        _ beginnings: any StreamBeginnings,
        in place: WatchPlace? = nil,
        ofMember member: String? = nil,
        where isQuick: @escaping @Sendable (Snapshot) -> Bool,
        first: @escaping @Sendable (Snapshot) -> First?
    ) {
        self.topic = topic
        self.beginnings = beginnings
        self.place = place
        self.member = member
        self.isQuick = isQuick
        self.first = first
    }

    /// Returns the same stream with frames of another form.
    func carrying(_ mode: StreamMode) -> VisibleStream {
        var stream = self
        stream.topic = topic.carrying(mode)
        return stream
    }

    /// Calls `open` at once, on the calling thread, if that is cheap and no version waits to be
    /// published. Returns true if it has called `open`.
    func beginNow(_ open: (First?) -> Void) -> Bool {
        beginnings.performNow(where: isQuick) { open(first($0)) }
    }

    /// Calls `open` on the publishing thread, between two versions, so that the stream misses none.
    func begin(_ open: @escaping @Sendable (First?) -> Void) {
        beginnings.perform { [first] in open(first($0)) }
    }
}
