import StoreAdmission
import StoreCore
import StoreJSON
import StorePublishing
import StoreTexts
import StoreWire

// The functions that return streams, each for the caller that reads the stream.

extension StateReader {
    func stateStream(for caller: Caller) -> VisibleStream {
        stream(.whole(topicViewer(of: caller)))
    }

    private func stream(
        _ content: StateStream,
        in place: WatchReservation? = nil,
        ofMember member: String? = nil
    ) -> VisibleStream {
        let topic = streams.topic(of: content)
        return VisibleStream(content: content, topic: topic, watchPlace: place, memberName: member)
    }

    /// Returns the viewer for a caller's topics. The viewer has the names of the caller's session
    /// and user only if slices depend on them. So callers that see the same state share their
    /// topics.
    private func topicViewer(of caller: Caller) -> Viewer {
        newestSnapshot.value.canonicalViewer(of: caller.viewer)
    }

    /// Returns the owner whose slice of a module the caller's topics show; `nil` if all clients see
    /// the same slice.
    private func topicOwner(of caller: Caller, _ module: Int) -> ExactText? {
        newestSnapshot.value.owner(of: caller.viewer, module)
    }

    /// Returns the stream of a part, or of a window of the part. Counts the pointer as watched by
    /// the client.
    ///
    /// - Throws: 503 if too many different pointers are watched already.
    func stream(
        at pointer: JSONPointer,
        _ window: MemberWindow? = nil,
        for caller: Caller,
        of client: WatchingClient
    ) throws(Problem) -> VisibleStream {
        let part = streams.parts.part(at: pointer, window, for: topicViewer(of: caller))
        do {
            let place = try streams.parts.reservePlace(for: part, of: client)
            return stream(.part(part), in: place, ofMember: pointer.tokens.first)
        } catch {
            throw .overloaded(error.reason)
        }
    }

    func stream(
        ofInstance id: String,
        of module: Int,
        named name: String,
        for caller: Caller
    ) -> VisibleStream {
        let owner = topicOwner(of: caller, module)
        let part = WatchedPart(instance: id, of: module, named: name, for: owner)
        return stream(.part(part))
    }

    func sliceStream(of module: Int, for caller: Caller) -> VisibleStream {
        stream(.slice(.slice(module, topicOwner(of: caller, module))))
    }

    /// Returns the stream of changes of the module at this index: each event has the slice before
    /// and after the change. The first event of a new reader has no earlier slice.
    func changeStream(of module: Int, for caller: Caller) -> VisibleStream {
        stream(.slice(.change(module, topicOwner(of: caller, module))))
    }

    /// Returns the request for a view, with the caller's session and user if the view depends on
    /// them.
    func viewRequest(_ view: ViewRequest, for caller: Caller) -> ViewRequest {
        guard let published = views?.views[view.viewIndex] else { return view }
        let viewer = caller.withFullSight.viewer
        guard published.isContextual else {
            return view.seen(
                by: viewer.keeping(
                    session: published.readsSessionSlices,
                    owner: published.readsUserSlices,
                    restricted: published.readsRestrictedSlices
                )
            )
        }
        let principal = caller.recordedPrincipal
        let session = caller.session ?? SessionName.shared
        let name = principal.map { ExactText($0.description) }
        return view.seen(
            by: Viewer(
                session: viewer.session,
                owner: viewer.owner,
                role: viewer.role,
                principal: name
            ),
            in: ViewContext(as: principal, session: session)
        )
    }

    func stream(of view: ViewRequest) -> VisibleStream { stream(.view(view)) }

    func logTopic(for caller: Caller) -> TopicID { .actions.forViewer(topicViewer(of: caller)) }
}

extension WatchRefusal {
    fileprivate var reason: String {
        switch self {
        case .clientPointers(let max):
            "you already watch \(max) different pointers, the maximum for a client"
        case .sessionPointers(let max):
            "your session already watches \(max) different pointers, the maximum for a "
                + "session"
        case .allPointers(let max):
            "all clients together may watch \(max) different pointers, and the last places are "
                + "reserved for clients that watch few pointers"
        case .bytes(let max): "the watched parts already use \(max) bytes, the maximum"
        }
    }
}

struct VisibleStream: Sendable {
    let content: StateStream
    let topic: TopicID
    /// The client's place for the watched pointer, which the open stream keeps; `nil` if the stream
    /// watches no pointer of a client.
    let watchPlace: WatchReservation?
    /// The member of the root state with the shown part; `nil` if the stream shows several members.
    let memberName: String?
}
