import StoreEventStream
import StorePublishing
import StoreTexts
import StoreWire

// The streams, each on behalf of the caller that reads it.

extension StateReader {
    /// The stream of the whole state.
    func stateStream(for caller: Caller) -> VisibleStream {
        let viewer = viewer(of: caller)
        return VisibleStream(.state.seen(by: viewer), streams) {
            $0.visible(to: viewer).isAtHand(.root)
        } first: { [streams] snapshot in
            streams.announce(to: viewer, in: snapshot)
            // To sessions a version may say something although it shows what was there.
            guard viewer.sight != nil else { return nil }
            let since = snapshot.visible(to: viewer).changedVersion
            return .unchanged(since: since, version: snapshot.version)
        }
    }

    /// As whom topics show the state: callers that see the same share them.
    private func viewer(of caller: Caller) -> Viewer {
        newest.value.hasSessions ? caller.viewer : caller.viewer.withoutSession
    }

    /// As which session they show the module at a place; `nil` where all see the same.
    private func session(of caller: Caller, _ module: Int) -> ExactText? {
        newest.value.slices[module].isOfSessions ? caller.viewer.session : nil
    }

    /// The stream of what a pointer leads to, which holds a place of the client.
    ///
    /// - Throws: 503 where too many different pointers are watched already.
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

    /// The stream of one of a module's instances.
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

    /// The stream of the slice of the module at a place.
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

    /// The same with what the slice was before each change. A new reader was not there before, so
    /// its first frame has no earlier slice.
    func changeStream(of module: Int, for caller: Caller) -> VisibleStream {
        let session = session(of: caller, module)
        return VisibleStream(streams.topic(of: .change(module, session)), streams) {
            $0.slice(module, for: session).isAtHand
        } first: { [streams] in
            let first = streams.beginning(of: module, for: session, in: $0)
            return .frame(first.frame, version: first.version)
        }
    }

    /// A view as a caller sees it.
    func view(_ view: ViewRequest, for caller: Caller) -> ViewRequest {
        views?.views[view.view].isOfSession == true ? view.seen(by: caller.viewer.session) : view
    }

    /// The stream of a view, as its caller sees it. It begins when the Core has shown the view the
    /// state.
    func stream(of view: ViewRequest) -> VisibleStream {
        VisibleStream(view.topic, streams) { _ in
            true
        } first: { [streams] _ in
            streams.announce(view)
            return nil
        }
    }

    /// The topic of the log of actions.
    func logTopic(for caller: Caller) -> TopicID { .actions.seen(by: viewer(of: caller)) }
}

extension WatchRefusal {
    /// The reason in words for a client.
    fileprivate var reason: String {
        switch self {
        case .client(let max): "you watch \(max) different pointers already, the most of one client"
        case .session(let max): "\(max) different pointers of your session are watched already"
        case .all(let max): "\(max) different pointers may be watched, and too few are left"
        case .bytes(let max): "what is watched by pointers has \(max) bytes already"
        }
    }
}
