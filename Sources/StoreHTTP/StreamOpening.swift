import StoreAdmission
import StoreCore
package import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePublishing
package import StoreWire
import Synchronization

/// Opens streams: checks the request, finds the position to resume at, and sends the beginning.
enum StreamOpening {
    /// The milliseconds that a client should wait before it reconnects, before the jitter of ± a
    /// quarter.
    static let retryMilliseconds = 2_000
    /// The most bytes of an id that is parsed; tags have at most 29 bytes.
    static let idBytesMax = 64

    /// Makes the head of the response, with the time that a client waits before it reconnects.
    /// Called on the event loop's thread.
    static func head(for request: RequestContext) -> StreamHead {
        let jitter = retryMilliseconds / 4
        // No blank line follows: the `retry` field belongs to the block of the first event.
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

    /// Turns a request into a stream. `slice` is the slice that the client shows by reading it.
    ///
    /// - Throws: 503 if the streams or the memory are used up, 429 above a rate limit, and 400 for
    ///   HTTP/1.0. Also throws the problems of the session and the credential.
    static func open(
        _ request: RequestContext,
        _ store: Store,
        _ stream: VisibleStream,
        showing slice: ShownSlice? = nil
    ) throws(Problem) {
        let (resume, owner) = try admitted(request, store, to: stream, showing: slice)
        // Make the head now: a suspended request must not be read any more.
        let head = head(for: request)
        let (states, mode) = (store.reader.streams, stream.topic.mode)
        let isOpen = states.beginNow(stream.content, in: mode) { first in
            request.exchange.stream(
                beginning(head, of: stream.topic, resume, owner, first),
                to: store.streams
            )
        }
        guard !isOpen else { return }
        request.exchange.suspend()
        states.begin(stream.content, in: mode) { first in
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
        _ first: FirstFrame?
    ) -> StreamBeginning {
        switch first {
        case nil:
            return StreamBeginning(head, topic: topic, resume: resume, owner: owner)
        case .shared(let first, let newest):
            var known = resume
            // The reader has seen the same content under a later version.
            if case .after(let seen) = resume, seen >= first.number, seen <= newest {
                known = .after(version: first.number)
            }
            return StreamBeginning(head, topic: topic, resume: known, owner: owner, first: first)
        case .own(let frame, let version):
            let (whole, known) = begin(head, resume, (frame, version))
            return StreamBeginning(whole, topic: topic, resume: known, owner: owner)
        }
    }

    /// Returns the head with the frame for this reader, and the position to resume at behind it. A
    /// reader that has seen the frame's version does not get the frame.
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

    /// Reserves a place for the stream. Returns the position to resume at, and the owner of the
    /// stream.
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
        owner.credential = try request.accessLease(toMember: stream.member)?.credential
        let topic = stream.topic
        let hold = try reserve(topic, for: &owner, request, store)
        store.streams.counters.begins(resume)
        do {
            owner.onEnd = try onEnd(request, store, stream, hold, showing: slice, in: owner.session)
        } catch {
            store.streams.abandon(topic)
            throw error == .closed
                ? .draining()
                : .overloaded("too many actions of the program's own wait already")
        }
        return (resume, owner)
    }

    /// Reserves a place for a stream of this owner, and holds the owner's session.
    ///
    /// - Throws: 503 if the streams or the memory are used up.
    static func reserve(
        _ topic: TopicID,
        for owner: inout StreamOwner,
        _ request: RequestContext,
        _ store: Store
    ) throws(Problem) -> SessionHold? {
        guard !store.streams.isShedding else {
            // A client that opens a stream rarely sends other requests, and an idle connection
            // takes memory, too.
            request.exchange.closeAfterAnswer()
            store.streams.counters.refusedForMemory.add(1, ordering: .relaxed)
            throw .overloaded("the server uses all memory that it may have", retryAfterSeconds: 5)
        }
        guard store.streams.reserve(topic) else {
            throw .streamLimit(store.bounds.streamsMax)
        }
        let hold = store.hold(owner.session)
        // The session may end before the stream is open. The function that ends its streams would
        // not find this stream then.
        if owner.session != nil { owner.isOver = { hold?.isOpen != true } }
        return hold
    }

    /// Returns the closure for the end of a stream, or `nil` if there is nothing to do. The closure
    /// dispatches the end of the view, ends the hold on the session, and corrects the count of the
    /// role. At its release, the place for a pointer is given back.
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
            // The place is given back when this closure is released.
            withExtendedLifetime(place) {
                disappears?()
                hold?.end()
                counted?()
            }
        }
    }

    /// Checks that the client can read a stream.
    ///
    /// - Throws: 400 for HTTP/1.0.
    static func requireChunks(_ request: RequestContext) throws(Problem) {
        guard !request.exchange.isHTTP10 else {
            throw .badRequest("A stream is sent in chunks, which HTTP/1.0 does not have.")
        }
    }

    /// Returns the position to resume at, from the last id that the reader has seen.
    static func resume(after id: String?, in epoch: Epoch, newest: UInt64) -> Resume {
        guard let id, !id.isEmpty else { return .fresh }
        guard id.utf8.count <= idBytesMax, let tag = Tag(id) else { return resync(.malformed) }
        guard tag.epoch == epoch else { return resync(.epochChanged) }
        return resume(after: tag.version, newest: newest)
    }

    /// Returns the position to resume at, behind a version of this epoch.
    static func resume(after version: UInt64, newest: UInt64) -> Resume {
        // The snapshot is replaced before any client can see the new version, so a greater version
        // can't come from this history.
        version <= newest ? .after(version: version) : resync(.ahead)
    }

    private static func resync(_ reason: SSEFrame.ResyncReason) -> Resume {
        .resync(SSEFrame.resync(reason))
    }
}

/// The parameters of requests for streams.
enum StreamParameters {
    /// The most characters in a reader's name.
    static let nameCharactersMax = 128

    static let mode = Parameter<StreamMode>.choice(
        "mode",
        "Events have the whole value, or after the first a JSON Patch (RFC 6902)."
    )
    static let subscriber = Parameter<String>(
        description: .init(
            "subscriber",
            in: .query,
            .text(pattern: #"^[\s\S]{1,\#(nameCharactersMax)}$"#),
            summary: "The name by which actions may address this stream."
        ),
        allowed: "a name of 1 to \(nameCharactersMax) characters"
    ) { 1...nameCharactersMax ~= $0.unicodeScalars.count ? $0 : nil }
    static let lastEventID = Parameter.text("last_event_id", "Go on after this tag.")
    static let lastEventIDField = HeaderParameter(
        "Last-Event-ID",
        "Go on after this tag; has precedence over the parameter."
    )

    /// The parameters of all streams in which only the newest event counts.
    static let all: [any RouteParameter] = [mode, lastEventID, subscriber, lastEventIDField]

    /// Returns the last id that the reader has seen, from the header field or else from the query.
    static func lastEventID(of request: RequestContext) -> String? {
        request.exchange.header("last-event-id") ?? request[lastEventID]
    }
}

extension StreamFrames {
    /// Makes the writer's own frames for a store of this epoch.
    package static func tagged(epoch: Epoch) -> StreamFrames {
        StreamFrames(
            heartbeat: { SSEFrame.heartbeat(at: Tag(epoch: epoch, version: $0)) },
            expiring: { SSEFrame.expiring(seconds: $0) },
            bye: { reason in
                let word: SSEFrame.ByeReason =
                    switch reason {
                    case .shutdown: .shutdown
                    case .expired: .expired
                    case .lifetime: .lifetime
                    case .slow: .slow
                    }
                return SSEFrame.bye(word, retryMilliseconds: StreamOpening.retryMilliseconds)
            }
        )
    }
}
