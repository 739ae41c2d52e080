import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StorePublishing
import StoreWire
import Synchronization

/// How every stream begins, and from where it goes on.
enum StreamOpening {
    /// What a client should wait before it reconnects, before the jitter of ± a quarter.
    static let retryMilliseconds = 2_000
    /// The longest id that is looked at; tags take 29 bytes at the most.
    static let idBytesMax = 64

    /// The head of the response, and how long a client waits before it reconnects. On the event
    /// loop's thread.
    static func head(for request: RequestContext) -> StreamHead {
        let jitter = retryMilliseconds / 4
        // No blank line behind it: it belongs to the block of the first event.
        let retry = "retry: \(retryMilliseconds + Int.random(in: -jitter...jitter))\n"
        let response = [
            "HTTP/1.1 200 OK", "Date: \(HTTPDate.now)", "Content-Type: text/event-stream",
            "Cache-Control: no-store, no-transform", "X-Accel-Buffering: no", "Incremental: ?1",
            "Transfer-Encoding: chunked", "Connection: close",
        ]
        let lines = response + request.exchange.standingFields.map { "\($0): \($1)" } + ["", ""]
        let bytes = Bytes(utf8: lines.joined(separator: "\r\n"))
        return StreamHead(response: bytes, payload: Bytes(utf8: retry))
    }

    /// Makes a request a stream, with which the client shows a slice.
    ///
    /// - Throws: 503 where no stream has a place, and what else keeps a request from being a
    ///   stream.
    static func open(
        _ request: RequestContext,
        _ store: Store,
        _ stream: VisibleStream,
        showing slice: ShownSlice? = nil
    ) throws(Problem) {
        let (resume, owner) = try admitted(request, store, to: stream, showing: slice)
        // Now: a request that is put off is not looked at any more.
        let head = head(for: request)
        let isOpen = stream.beginNow { first in
            request.exchange.stream(
                beginning(head, of: stream.topic, resume, owner, first),
                to: store.streams
            )
        }
        guard !isOpen else { return }
        request.exchange.suspend()
        stream.begin { first in
            request.exchange.completeAsStream(
                beginning(head, of: stream.topic, resume, owner, first),
                to: store.streams
            )
        }
    }

    private static func beginning(
        _ head: StreamHead,
        of topic: TopicID,
        _ resume: Resume,
        _ owner: StreamOwner,
        _ first: VisibleStream.First?
    ) -> StreamBeginning {
        switch first {
        case nil:
            return StreamBeginning(head, topic: topic, resume: resume, owner: owner)
        case .unchanged(let since, let version):
            var known = resume
            if case .after(let seen) = resume, seen >= since, seen <= version {
                known = .after(version: since)
            }
            return StreamBeginning(head, topic: topic, resume: known, owner: owner)
        case .frame(let frame, let version):
            let (whole, known) = begin(head, resume, (frame, version))
            return StreamBeginning(whole, topic: topic, resume: known, owner: owner)
        }
    }

    /// What a reader with a first frame of its own is sent first, and where it goes on then.
    private static func begin(
        _ head: StreamHead,
        _ resume: Resume,
        _ first: (frame: Bytes, version: UInt64)
    ) -> (StreamHead, Resume) {
        switch resume {
        case .fresh: (head.followed(by: [first.frame]), .after(version: first.version))
        case .resync(let reason):
            (head.followed(by: [reason, first.frame]), .after(version: first.version))
        case .after(let seen) where seen < first.version:
            (head.followed(by: [first.frame]), .after(version: first.version))
        case .after(let seen): (head, .after(version: seen))
        }
    }

    /// Where a stream goes on, and its reader, once it has a place.
    private static func admitted(
        _ request: RequestContext,
        _ store: Store,
        to stream: VisibleStream,
        showing slice: ShownSlice?
    ) throws(Problem) -> (resume: Resume, owner: StreamOwner) {
        try requireChunks(request)
        try request.environment.web.limits?.take(.streams, of: request.exchange)
        let resume = resume(
            after: StreamParameters.lastEventID(of: request),
            in: store.reader.epoch,
            newest: store.reader.version
        )
        var owner = StreamOwner(
            name: request[StreamParameters.subscriber],
            session: try request.session()
        )
        owner.credential = try request.heldAccess(toMember: stream.member)?.credential
        guard !store.streams.isShedding else {
            // Who wants a stream rarely asks for anything else, and a connection takes memory, too.
            request.exchange.closeAfterAnswer()
            store.streams.counters.refusedForMemory.add(1, ordering: .relaxed)
            throw .overloaded("as much memory as it may have is taken", retryAfterSeconds: 5)
        }
        let topic = stream.topic
        guard store.streams.reserve(topic) else {
            throw .streamLimit(store.bounds.streamsMax)
        }
        store.streams.counters.begins(resume)
        let hold = store.hold(owner.session)
        // It may end before the stream is open, and what ends its streams then finds none.
        if owner.session != nil { owner.isOver = { hold?.isOpen != true } }
        do {
            owner.onEnd = try onEnd(request, store, stream, hold, showing: slice, in: owner.session)
        } catch {
            store.streams.abandon(topic)
            throw error == .closed
                ? .draining()
                : .overloaded("as many actions of the program's own as may wait already")
        }
        return (resume, owner)
    }

    /// What is done when a stream ends: its session may be idle again, its view disappears, its
    /// role has one less, and its pointer may be watched no more.
    private static func onEnd(
        _ request: RequestContext,
        _ store: Store,
        _ stream: VisibleStream,
        _ hold: SessionHold?,
        showing slice: ShownSlice?,
        in session: String?
    ) throws(MailboxError) -> (@Sendable () -> Void)? {
        var disappears: (@Sendable () -> Void)?
        if let slice, let presence = store.presence {
            let origin = request.origin(in: session)
            disappears = try presence.begin(slice, in: session, origin: origin)
        }
        let counted = request.countStream(stream.topic)
        let place = stream.place
        guard hold != nil || disappears != nil || counted != nil || place != nil else { return nil }
        return { [disappears] in
            // The place goes with this function.
            withExtendedLifetime(place) {
                disappears?()
                hold?.end()
                counted?()
            }
        }
    }

    /// - Throws: 400 for a client that cannot read a stream.
    static func requireChunks(_ request: RequestContext) throws(Problem) {
        guard !request.exchange.isHTTP10 else {
            throw .badRequest("A stream is sent in chunks, which HTTP/1.0 does not have.")
        }
    }

    /// Where a stream goes on, given the id that its reader saw last.
    static func resume(after id: String?, in epoch: Epoch, newest: UInt64) -> Resume {
        guard let id, !id.isEmpty else { return .fresh }
        guard id.utf8.count <= idBytesMax, let tag = Tag(id) else { return resync(.malformed) }
        guard tag.epoch == epoch else { return resync(.epochChanged) }
        return resume(after: tag.version, newest: newest)
    }

    /// Where a stream goes on after a version of this epoch.
    static func resume(after version: UInt64, newest: UInt64) -> Resume {
        // The snapshot is swapped before a version can be seen anywhere, so no client has a
        // version that is greater.
        version <= newest ? .after(version: version) : resync(.ahead)
    }

    private static func resync(_ reason: SSEFrame.ResyncReason) -> Resume {
        .resync(SSEFrame.resync(reason))
    }
}
