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
    /// The milliseconds that a client should wait before it reconnects, ± 25 % at random.
    static let retryMilliseconds = 2_000
    /// The maximum number of bytes in an id; a longer id is not parsed. Tags have at most 29 bytes.
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
        let lines =
            response + request.exchange.answerFields.map { "\($0): \($1)" } + ["", ""]
        let bytes = Bytes(utf8: lines.joined(separator: "\r\n"))
        return StreamHead(responseHead: bytes, payload: Bytes(utf8: retry))
    }

    /// Turns a request into a stream. If `mode` is `nil`, the request chooses the mode. `slice` is
    /// the slice that the client shows by reading the stream.
    ///
    /// - Throws: 503 if all streams or all memory are in use, 429 above a rate limit, and 400 for
    ///   HTTP/1.0. Also throws the problems of the session and the credential.
    static func open(
        _ request: RequestContext,
        _ store: Store,
        _ stream: VisibleStream,
        in mode: StreamMode? = nil,
        showing slice: ShownSlice? = nil
    ) throws(Problem) {
        let mode = mode ?? request[StreamParameters.mode] ?? .snapshot
        let topic = stream.topic.inMode(mode)
        try checkMayStream(request)
        var (resume, owner, hold) = try reserveStream(
            request,
            store,
            to: topic,
            member: stream.memberName
        )
        let disappears: (@Sendable () -> Void)?
        do {
            let origin = request.logOrigin(in: owner.session)
            disappears = try slice.flatMap { slice throws(MailboxError) in
                try store.presence?.beginShowing(slice, in: owner.session, origin: origin)
            }
        } catch {
            store.streamWriter.giveBackPlace(topic)
            throw error.problem(detailIfFull: "too many of the program's own actions wait already")
        }
        owner.onEnd = endHandler(
            endingHold: hold,
            uncounting: request.countStream(topic),
            endingView: disappears,
            retaining: stream.watchPlace
        )
        // Make the head before the request is suspended: a suspended request must not be read any
        // more.
        let head = head(for: request)
        let states = store.reader.streams
        let known: UInt64 = if case .after(let version) = resume { version } else { 0 }
        let isOpen = states.openNow(stream.content, in: mode, after: known) {
            [resume, owner] first in
            request.exchange.stream(
                beginning(head, of: topic, resume, owner, first),
                to: store.streamWriter
            )
        }
        guard !isOpen else { return }
        request.exchange.suspend()
        states.open(stream.content, in: mode, after: known) { [resume, owner] first in
            request.exchange.completeAsStream(
                beginning(head, of: topic, resume, owner, first),
                to: store.streamWriter
            )
        }
    }

    /// Makes the beginning of a stream with its first frame. A first frame for this reader alone is
    /// left out if the reader has already seen its version.
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
            // The content is the same in all versions from `first` to `newest`. So the reader has
            // this content already, perhaps under a later version.
            if case .after(let seen) = resume, seen >= first.number, seen <= newest {
                known = .after(version: first.number)
            }
            return StreamBeginning(
                head,
                topic: topic,
                resume: known,
                owner: owner,
                firstVersion: first
            )
        case .own(let frame, let version):
            var known = Resume.after(version: version)
            var frames = [frame]
            switch resume {
            case .fresh: break
            case .resync(let reason): frames = [reason, frame]
            case .after(let seen) where seen < version: break
            case .after: (known, frames) = (resume, [])
            }
            let whole = frames.isEmpty ? head : head.followed(by: frames)
            return StreamBeginning(whole, topic: topic, resume: known, owner: owner)
        }
    }

    /// Checks that the client can read a stream, and that its rate limit allows another stream.
    ///
    /// - Throws: 400 for HTTP/1.0, 429 above the limit.
    static func checkMayStream(_ request: RequestContext) throws(Problem) {
        guard !request.exchange.isHTTP10 else {
            throw .badRequest(
                "A stream is sent in chunks, and HTTP/1.0 has no chunks. Send the request as "
                    + "HTTP/1.1."
            )
        }
        try request.environment.web.limits?.take(.streams, of: request.exchange)
    }

    /// Reserves one of the server's places for streams. Returns the position to resume at, the
    /// owner of the stream, and the hold on the owner's session. If the reader sends no id of an
    /// event, the stream begins after the version `start`, if given.
    static func reserveStream(
        _ request: RequestContext,
        _ store: Store,
        to topic: TopicID,
        after start: UInt64? = nil,
        member: String? = nil
    ) throws(Problem) -> (resume: Resume, owner: StreamOwner, hold: SessionHold?) {
        let newest = store.reader.version
        var resume = resumePosition(
            after: StreamParameters.lastEventID(of: request),
            in: store.reader.epoch,
            newest: newest
        )
        if case .fresh = resume, let start {
            resume = Self.resumePosition(after: start, newest: newest)
        }
        let name = request[StreamParameters.subscriber]
        var owner = StreamOwner(name: name, session: try request.useSession())
        owner.credential = try request.accessLease(toMember: member)?.credential
        let hold = try reservePlace(topic, for: &owner, request, store)
        store.streamWriter.counters.noteBeginning(resume)
        return (resume, owner, hold)
    }

    /// Reserves one of the server's places for streams, and holds the owner's session.
    ///
    /// - Throws: 503 if all streams or all memory are in use.
    private static func reservePlace(
        _ topic: TopicID,
        for owner: inout StreamOwner,
        _ request: RequestContext,
        _ store: Store
    ) throws(Problem) -> SessionHold? {
        guard !store.streamWriter.isShedding else {
            // A client of streams rarely sends more requests, so its connection would stay idle and
            // take memory.
            request.exchange.closeAfterAnswer()
            store.streamWriter.counters.refusedForMemory.add(1, ordering: .relaxed)
            throw .overloaded("the server uses all memory that it may have", retryAfterSeconds: 5)
        }
        guard store.streamWriter.reservePlace(topic) else {
            throw .streamLimit(store.bounds.streamsMax)
        }
        let hold = store.holdStream(of: owner.session)
        // The session may end before the stream is open. The function that ends the session's
        // streams would not find a stream that is not open yet.
        if owner.session != nil { owner.hasSessionEnded = { hold?.isSessionOpen != true } }
        return hold
    }

    /// Returns the closure for the end of a stream, or `nil` if there is nothing to do. The closure
    /// dispatches the action for the view's disappearance, ends the hold on the session, and
    /// corrects the count of the role's streams. The closure also retains `place`. As long
    /// as `place` is retained, the stream counts against its client's bound on streams with a
    /// pointer.
    static func endHandler(
        endingHold hold: SessionHold?,
        uncounting counted: (@Sendable () -> Void)?,
        endingView disappears: (@Sendable () -> Void)? = nil,
        retaining place: WatchReservation? = nil
    ) -> (@Sendable () -> Void)? {
        guard hold != nil || disappears != nil || counted != nil || place != nil else { return nil }
        return {
            withExtendedLifetime(place) {
                disappears?()
                hold?.end()
                counted?()
            }
        }
    }

    /// Returns the position to resume at, from the last id that the reader has seen.
    static func resumePosition(after id: String?, in epoch: Epoch, newest: UInt64) -> Resume {
        guard let id, !id.isEmpty else { return .fresh }
        guard id.utf8.count <= idBytesMax, let tag = Tag(id) else {
            return resyncPosition(.malformed)
        }
        guard tag.epoch == epoch else { return resyncPosition(.epochChanged) }
        return resumePosition(after: tag.version, newest: newest)
    }

    /// Returns the position to resume at, behind a version of this epoch.
    static func resumePosition(after version: UInt64, newest: UInt64) -> Resume {
        // The newest snapshot is published before a client can see its version. Therefore a client
        // that names a greater version did not get this version from this history.
        version <= newest ? .after(version: version) : resyncPosition(.ahead)
    }

    private static func resyncPosition(_ reason: SSEFrame.ResyncReason) -> Resume {
        .resync(SSEFrame.resync(reason))
    }
}

enum StreamParameters {
    static let subscriberNameCharactersMax = 128

    static let mode = Parameter<StreamMode>.choice(
        "mode",
        "Each event has the whole value; in mode patch, each event after the first has a JSON "
            + "Patch (RFC 6902)."
    )
    static let subscriber = Parameter<String>(
        description: .init(
            "subscriber",
            in: .query,
            .text(pattern: #"^[\s\S]{1,\#(subscriberNameCharactersMax)}$"#),
            summary: "The name by which actions may address this stream."
        ),
        allowedValues: "a name of 1 to \(subscriberNameCharactersMax) characters"
    ) { 1...subscriberNameCharactersMax ~= $0.unicodeScalars.count ? $0 : nil }
    static let lastEventID = Parameter.text(
        "last_event_id",
        "Continue after the event with this tag."
    )
    static let lastEventIDField = HeaderParameter(
        "Last-Event-ID",
        "Continue after the event with this tag. The header has precedence over the parameter."
    )

    /// The parameters of all streams in which only the newest event counts.
    static let all: [any RouteParameter] = [mode, lastEventID, subscriber, lastEventIDField]

    /// Returns the last id that the reader has seen, from the header field or else from the query.
    static func lastEventID(of request: RequestContext) -> String? {
        request.exchange.header("last-event-id") ?? request[lastEventID]
    }
}

extension StreamFrames {
    /// Makes the frames that the stream writer sends without an action, such as heartbeats and the
    /// last event of a stream. The id of a heartbeat has this epoch.
    package static func tagged(epoch: Epoch) -> StreamFrames {
        StreamFrames(
            makeHeartbeat: { SSEFrame.heartbeat(at: Tag(epoch: epoch, version: $0)) },
            makeExpiring: { SSEFrame.expiring(seconds: $0) },
            makeBye: { reason in
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
