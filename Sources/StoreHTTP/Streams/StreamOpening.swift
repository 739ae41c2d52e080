import EventStream
import HTTPTransport
import StatePublishing
import StoreCore
import Wire

/// How every stream begins, and from where it goes on.
enum StreamOpening {
    /// What a client should wait before it reconnects, before the jitter of ± a quarter.
    static let retryMilliseconds = 2_000
    /// The longest id that is looked at; tags take 29 bytes at the most.
    static let idBytesMax = 64

    /// The head of the response, and how long a client waits before it reconnects.
    static var head: StreamHead {
        let jitter = retryMilliseconds / 4
        // No blank line behind it: it belongs to the block of the first event.
        let retry = "retry: \(retryMilliseconds + Int.random(in: -jitter...jitter))\n"
        let response = [
            "HTTP/1.1 200 OK", "Date: \(HTTPDate.now)", "Content-Type: text/event-stream",
            "Cache-Control: no-store, no-transform", "X-Accel-Buffering: no", "Incremental: ?1",
            "Transfer-Encoding: chunked", "Connection: close", "", "",
        ].joined(separator: "\r\n")
        return StreamHead(response: Bytes(utf8: response), payload: Bytes(utf8: retry))
    }

    /// Makes a request the stream of a topic, of which only the newest counts.
    ///
    /// - Parameters:
    ///   - module: the place of the module that the client shows with it.
    ///   - isQuick: whether announcing costs little in a version.
    ///   - announce: gives the stream writer what the topic has in the newest version that readers
    ///     were sent; it may lack that while the topic is not read. On the publishing thread.
    static func open(
        _ request: RequestContext,
        _ store: Store,
        _ topic: TopicID,
        showing module: Int? = nil,
        where isQuick: (Snapshot) -> Bool,
        announce: @escaping @Sendable (Snapshot) -> Void
    ) throws(Problem) {
        let (resume, owner) = try admitted(request, store, topic, module)
        let isOpen = store.reader.streams.performNow(where: isQuick) { newest in
            announce(newest)
            request.exchange.stream(
                StreamBeginning(head, topic: topic, resume: resume, owner: owner),
                to: store.streams
            )
        }
        guard !isOpen else { return }
        request.exchange.suspend()
        store.reader.streams.perform { newest in
            announce(newest)
            request.exchange.completeAsStream(
                StreamBeginning(head, topic: topic, resume: resume, owner: owner),
                to: store.streams
            )
        }
    }

    /// Makes a request the stream of a part of the state.
    static func open(
        _ request: RequestContext,
        _ store: Store,
        _ part: WatchedPart
    ) throws(Problem) {
        guard !part.isPointer || store.reader.streams.parts.hasRoom(for: part) else {
            throw .overloaded("\(PartStreams.pointersMax) different pointers are watched already")
        }
        let topic = part.topic.carrying(request[StreamParameters.mode] ?? .snapshot)
        let documents = store.reader.documents
        try open(request, store, topic) { newest in
            part.isAtHand(in: newest, documents)
        } announce: {
            store.reader.streams.announce(part, in: $0)
        }
    }

    /// Makes a request the stream of a topic whose readers begin with a frame of their own.
    ///
    /// - Parameters:
    ///   - module: the place of the module that the client shows with it.
    ///   - isQuick: whether making that frame costs little in a version.
    ///   - first: that frame, and the version that it tells of. On the publishing thread.
    static func begin(
        _ request: RequestContext,
        _ store: Store,
        _ topic: TopicID,
        showing module: Int? = nil,
        where isQuick: (Snapshot) -> Bool,
        first: @escaping @Sendable (Snapshot) -> (frame: Bytes, version: UInt64)
    ) throws(Problem) {
        let (resume, owner) = try admitted(request, store, topic, module)
        let isOpen = store.reader.streams.performNow(where: isQuick) { newest in
            let (head, known) = head(for: resume, first(newest))
            request.exchange.stream(
                StreamBeginning(head, topic: topic, resume: known, owner: owner),
                to: store.streams
            )
        }
        guard !isOpen else { return }
        request.exchange.suspend()
        store.reader.streams.perform { newest in
            let (head, known) = head(for: resume, first(newest))
            request.exchange.completeAsStream(
                StreamBeginning(head, topic: topic, resume: known, owner: owner),
                to: store.streams
            )
        }
    }

    /// What a reader with a first frame of its own is sent first, and where it goes on then.
    private static func head(
        for resume: Resume,
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
        _ topic: TopicID,
        _ module: Int?
    ) throws(Problem) -> (resume: Resume, owner: StreamOwner) {
        try requireChunks(request)
        let resume = resume(
            after: StreamParameters.lastEventID(of: request),
            in: store.reader.epoch,
            newest: store.reader.version
        )
        var owner = StreamOwner(
            name: request[StreamParameters.subscriber],
            session: try request.sessions().first
        )
        guard store.streams.reserve(topic) else {
            throw .streamLimit(store.bounds.streamsMax)
        }
        do {
            owner.onEnd = try onEnd(request, store, module, owner.session)
        } catch {
            store.streams.abandon(topic)
            throw error == .closed
                ? .draining()
                : .overloaded("as many actions of the program's own as may wait already")
        }
        return (resume, owner)
    }

    /// What is done when a stream ends: its session may be idle again, and its view disappears.
    private static func onEnd(
        _ request: RequestContext,
        _ store: Store,
        _ module: Int?,
        _ session: String?
    ) throws(MailboxError) -> (@Sendable () -> Void)? {
        let hold = store.hold(session)
        var disappears: (@Sendable () -> Void)?
        if let module, let presence = store.presence {
            let origin = request.origin(in: session.map { [$0] } ?? [])
            disappears = try presence.begin(module, in: session, origin: origin)
        }
        guard hold != nil || disappears != nil else { return nil }
        return { [disappears] in
            disappears?()
            hold?.end()
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
