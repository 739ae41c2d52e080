import CStoreHTTPD
import Glibc
package import StoreEventStream
package import StoreWire
import Synchronization

/// One request and the way to answer it.
///
/// Reused for request after request. All of it belongs to the event loop's thread, but for
/// ``complete(_:)``, which any thread may call once the exchange is suspended.
package final class HTTPExchange: @unchecked Sendable {
    // Safety: only the loop's thread touches the stored state, until `suspend` hands `outcome` over
    // to the one who completes; `complete` hands it back through the lock of the loop's queue.

    enum Phase {
        /// The request line is there.
        case target
        /// The headers are admitted; the body is coming.
        case body
        /// The request is refused and answered; the rest of its body is read and dropped.
        case discarding
        /// The handler has the whole request.
        case handled
        /// A response is queued with the library.
        case answered
    }

    enum Outcome {
        case none, response(HTTPResponse), answer(any HTTPAnswer), again, handedOver,
            suspendedForGood, abandoned
        /// The answer is in the loop's writer.
        case written
        /// Indirect, because it is much larger than the others, which are moved for every request.
        indirect case stream(StreamBeginning, to: any StreamAdopter)
    }

    /// Whether the request waits for its answer, and how.
    enum Hold {
        /// It does not wait.
        case none
        /// The library calls again and again for the answer, since this moment.
        case parked(since: Double)
        /// The library is asked to suspend the connection when it calls next.
        case suspending
        /// The library has suspended the connection until it is resumed.
        case suspended
        /// The client has closed the connection before there was an answer.
        case clientLeft
    }

    // Safety: the loop's thread works on one property at a time, and none of these is changed while
    // it is lent, so the accesses are not checked: they are made for every request.

    /// Kept until the loop has ended and has let its exchanges go.
    let loop: EventLoop
    @exclusivity(unchecked) var connection: OpaquePointer?
    @exclusivity(unchecked) var phase = Phase.target
    @exclusivity(unchecked) var outcome = Outcome.none
    @exclusivity(unchecked) var hold = Hold.none
    @exclusivity(unchecked) var target: [UInt8] = []
    @exclusivity(unchecked) var bodyBytes: [UInt8] = []
    var fields: UnsafeMutablePointer<chttpd_field>
    @exclusivity(unchecked) var fieldCount = 0
    /// A bit for each first letter and length that names of fields have (``RequestFraming``).
    @exclusivity(unchecked) private var names = UInt64.max
    /// Whether it was admitted by a handler that another one has taken over from since.
    @exclusivity(unchecked) var isEarly = false
    /// What is done where the client leaves before its answer is complete.
    @exclusivity(unchecked) var onLeaving: (() -> Void)?
    /// Whether the connection ends with the answer.
    @exclusivity(unchecked) var closes = false
    /// What the body takes of the memory that there is for all; `nil` for a small one.
    @exclusivity(unchecked) var heldBody: HeldBody?
    /// The answer as long as its client has not read it; `nil` for a small one.
    @exclusivity(unchecked) var unread: UnreadAnswer?
    /// How many bytes of body the request announces; `nil` if it is chunked.
    @exclusivity(unchecked) private(set) var contentLength: Int? = 0
    /// How many bytes of a refused request's body were read and dropped.
    @exclusivity(unchecked) var discardedBytes = 0
    @exclusivity(unchecked) private var ownVerb = RequestMethod.get
    /// Whether the client speaks HTTP/1.0, which has no chunks.
    @exclusivity(unchecked) private(set) package var isHTTP10 = false
    @exclusivity(unchecked) private var place = RequestTarget()
    @exclusivity(unchecked) private var hostIndex: Int?
    /// What was made of the target as text, for it is rarely asked for.
    @exclusivity(unchecked) private var pathText: String?
    /// Where the connection's own record is.
    @exclusivity(unchecked) unowned(unsafe) var record: ConnectionRecord?
    /// The response that the library has of it, where that is used again.
    @exclusivity(unchecked) var reused: ReusedResponse?
    @exclusivity(unchecked) private var ownResource: AnyObject?
    @exclusivity(unchecked) private var ownSender: AnyObject?
    /// What is noted of the request; `nil` where there is nothing that it is noted for.
    @exclusivity(unchecked) var note: AccessNote?
    /// Fields that the answer has beside its own.
    @exclusivity(unchecked) private(set) var furtherFields = HTTPFields()
    /// Where the client is, where that is not the other end of the connection.
    @exclusivity(unchecked) private var ownClient: ClientAddress?
    /// When the turn began in which its line came.
    @exclusivity(unchecked) var began: UInt64 = 0
    /// Where it is measured how long it takes; `nil` for where the transport's own refusals are.
    @exclusivity(unchecked) var times: RouteTimes.Place?

    init(loop: EventLoop) {
        self.loop = loop
        fields = .allocate(capacity: loop.configuration.fieldsMax)
    }

    deinit {
        fields.deallocate()
    }

    /// Forgets the request and keeps the memory, unless it is unusually large.
    func reset() {
        connection = nil
        record = nil
        ownResource = nil
        ownSender = nil
        if note != nil { note = nil }
        times = nil
        reused = nil
        ownClient = nil
        if furtherFields.count > 0 { furtherFields.removeAll() }
        phase = .target
        outcome = .none
        hold = .none
        target.removeAll(keepingCapacity: target.capacity <= 1 << 10)
        bodyBytes.removeAll(keepingCapacity: bodyBytes.capacity <= 16 << 10)
        fieldCount = 0
        names = .max
        pathText = nil
        isEarly = false
        onLeaving = nil
        discardedBytes = 0
        closes = false
    }

    /// Takes what was read of the request line and the fields, which are there already.
    func begin(
        method: RequestMethod,
        place: RequestTarget,
        framing: RequestFraming,
        isHTTP10: Bool
    ) {
        self.isHTTP10 = isHTTP10
        ownVerb = method
        self.place = place
        hostIndex = framing.hostIndex
        contentLength = framing.contentLength
        names = framing.names
    }
}

// Computed, because other modules would check each access to what is stored.

extension HTTPExchange {
    package var verb: RequestMethod { ownVerb }

    /// True if the request has a body, as its head says.
    package var hasBody: Bool { contentLength != 0 }

    /// True if the body may be so large that it takes memory of others.
    package var mayHaveLargeBody: Bool {
        contentLength.map { $0 > MessageMemory.ownBytes } ?? true
    }

    /// What the handler keeps from admitting a request until it handles it.
    package var resource: AnyObject? {
        get { ownResource }
        set { ownResource = newValue }
    }

    /// Who sends the request, as the handler has found when it admitted it.
    package var sender: AnyObject? {
        get { ownSender }
        set { ownSender = newValue }
    }

    /// What the handler keeps for the requests behind this one on the same connection. On the
    /// loop's thread.
    package var keptForConnection: AnyObject? {
        get { record?.kept }
        set { record?.kept = newValue }
    }

    /// Whether something can be noted of the request: for the access log, or for its span.
    package var isNoted: Bool { note != nil }

    /// Notes something, where it is noted for anything. On the loop's thread.
    package func noteAccess(_ change: (inout Access) -> Void) {
        if let note { change(&note.access) }
    }

    /// Where the client is: the other end of the connection, unless the handler has found that a
    /// proxy is there. On the loop's thread.
    package var client: ClientAddress {
        get { ownClient ?? record?.peer ?? .unknown }
        set { ownClient = newValue }
    }

    /// The other end of the connection, which may be a proxy's. On the loop's thread.
    package var peer: ClientAddress { record?.peer ?? .unknown }

    /// The client's address, without its port: `127.0.0.1`, `::1` or `unix`. On the loop's thread.
    package var clientHost: String {
        ownClient?.description ?? record?.peerHost ?? ClientAddress.unknown.description
    }

    /// Adds fields to those that the answer will have. On the loop's thread, before it is sent.
    package func addFields(_ write: (inout HTTPFields) -> Void) {
        write(&furtherFields)
    }

    /// The fields that every answer has, and those that were added for this one. On the loop's
    /// thread.
    package var standingFields: [(String, String)] {
        loop.configuration.commonFields.texts + furtherFields.texts
    }
}

extension HTTPExchange {
    /// When the event loop's turn began that works on it, by ``SystemTime/steadyNanoseconds()``. On
    /// the loop's thread.
    package var turnBegan: UInt64 { loop.turnBegan }

    /// Whether it came in where operators do, apart from clients. On the loop's thread.
    package var isAdmin: Bool { record?.isAdmin == true }

    /// Ends the connection with the answer, which is still due. On the loop's thread.
    package func closeAfterAnswer() {
        closes = true
    }

    /// Measures how long it takes among the requests of a route, which the handler has for as long
    /// as the loop runs.
    package func measure(by times: RouteTimes) {
        self.times = times.place
    }
}

extension HTTPExchange {
    /// The method's name.
    package var method: String { verb.name }

    /// The path of the target, as it came.
    package var path: String {
        if let pathText { return pathText }
        let text = withPath { String(decoding: $0, as: UTF8.self) }
        pathText = text
        return text
    }

    /// Lends the bytes of the path.
    package func withPath<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        target.withUnsafeBytes { target in
            if place.path.isEmpty {
                var slash = UInt8(ascii: "/")
                return withUnsafeBytes(of: &slash, body)
            }
            return body(UnsafeRawBufferPointer(rebasing: target[place.path]))
        }
    }

    /// The query of the target, as it came.
    package var query: String? {
        place.query.map { String(decoding: target[$0], as: UTF8.self) }
    }

    /// Whether the target has a query.
    package var hasQuery: Bool { place.query != nil }

    /// The authority that the request is for: of an absolute target, else the `Host` header.
    package var host: String? {
        withHost { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Lends the bytes of the authority that the request is for.
    package func withHost<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        if let authority = place.authority {
            return target.withUnsafeBytes { target in
                body(UnsafeRawBufferPointer(rebasing: target[authority]))
            }
        }
        guard isReadable, let hostIndex else { return body(nil) }
        return body(fields[hostIndex].valueBytes)
    }
}

extension HTTPExchange {
    /// The value of a header field, by its name in lower case; the first where there are several.
    package func header(_ name: StaticString) -> String? {
        guard mayHave(name) else { return nil }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            return fields[index].text
        }
        return nil
    }

    /// Lends the bytes of the first header field of a name, given in lower case; `nil` where there
    /// is none.
    package func withHeader<R>(
        _ name: StaticString,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R? {
        guard mayHave(name) else { return nil }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            return body(fields[index].valueBytes)
        }
        return nil
    }

    /// Whether the first header field of a name has exactly this value.
    package func header(_ name: StaticString, is value: String) -> Bool {
        guard mayHave(name) else { return false }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            var value = value
            return value.withUTF8 {
                fields[index].valueBytes.hasSameBytes(as: UnsafeRawBufferPointer($0))
            }
        }
        return false
    }

    /// Whether there is a header field of this name, given in lower case.
    package func has(_ name: StaticString) -> Bool {
        guard mayHave(name) else { return false }
        for index in 0..<fieldCount where fields[index].isNamed(name) { return true }
        return false
    }

    /// Whether a field of this name may be there: most fields that are asked for are not, and none
    /// has a name like theirs.
    @inline(__always)
    private func mayHave(_ name: StaticString) -> Bool {
        names & RequestFraming.bit(of: name.utf8Start[0], length: name.utf8CodeUnitCount) != 0
            && isReadable
    }

    /// Whether the connection surely goes on behind the answer: neither side says otherwise, and
    /// the client says nothing of it at all.
    var keepsConnection: Bool { !closes && !isHTTP10 && !has("connection") }

    /// The values of all header fields of a name, joined as RFC 9110 §5.3 allows for lists.
    package func headerList(_ name: StaticString) -> String? {
        guard mayHave(name) else { return nil }
        var list: String?
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            let text = fields[index].text
            list = list.map { "\($0), \(text)" } ?? text
        }
        return list
    }

    /// Visits the values of all header fields of a name, in their order.
    package func visit(_ name: StaticString, _ value: (UnsafeRawBufferPointer) -> Void) {
        guard mayHave(name) else { return }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            value(fields[index].valueBytes)
        }
    }

    /// Where the handler reads documents, on the loop's thread. A document that it keeps beyond the
    /// request is safe there.
    package var workspace: JSONWorkspace { loop.documents }

    /// Lends the whole body for the time of the call.
    package func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bodyBytes.withUnsafeBytes(body)
    }

    /// Answers now. On the loop's thread, from within the handler.
    package func respond(_ response: HTTPResponse) {
        outcome = .response(response)
    }

    /// Answers now, by what `write` writes to the bytes that are sent. On the loop's thread, from
    /// within the handler.
    package func respond(_ write: (inout HTTPAnswerWriter) -> Void) {
        guard connection != nil else {
            // A request of a test, which has no socket.
            outcome = .response(HTTPResponse(write))
            return
        }
        loop.writer.begin()
        write(&loop.writer)
        outcome = .written
    }

    /// Puts the answer off until ``complete(_:)``, for however long. On the loop's thread, from
    /// within the handler.
    package func suspend() {
        if case .none = hold { loop.suspend(self) }
    }

    /// Puts the answer off until ``complete(_:)``, which comes soon. On the loop's thread, from
    /// within the handler.
    ///
    /// Spares the two system calls of a suspension, if the answer does come soon.
    package func park() {
        if case .none = hold { loop.park(self) }
    }

    /// Takes the answer out, for it goes to the library once.
    func takeOutcome() -> Outcome {
        var taken = Outcome.none
        swap(&taken, &outcome)
        return taken
    }

    /// Whether the library's memory of the request may be looked at.
    private var isReadable: Bool {
        if case .none = hold { true } else { false }
    }

    /// Answers a request that was put off; exactly once. Any thread.
    ///
    /// Nothing is sent before the server is woken, which is done once for many answers.
    package func complete(_ response: HTTPResponse) {
        loop.finish(self, response)
    }

    /// Answers a request that was put off, by what is written on the loop's thread; exactly once.
    /// Any thread.
    ///
    /// Nothing is sent before the server is woken, as with ``complete(_:)-(HTTPResponse)``.
    package func complete(_ answer: any HTTPAnswer) {
        loop.finish(self, answer)
    }

    /// Hands a suspended request to the handler anew, as if it had just come; in place of
    /// ``complete(_:)``, and like it done when the server is woken. Any thread.
    package func handleAgain() {
        loop.handleAgain(self)
    }

    /// Does this once if the client closes its side before the answer is complete, which is still
    /// due; it is noticed within a second. On the loop's thread, before and after.
    package func whenClientLeaves(_ left: @escaping () -> Void) {
        onLeaving = left
    }

    /// Ends a request that was put off without an answer; in place of ``complete(_:)``. Any thread.
    package func abandon() {
        loop.giveUp(self)
    }

    /// Makes the connection a stream: the socket goes to `adopter`, where a place is reserved, and
    /// which sends the head and then what the topic has. On the loop's thread, from within the
    /// handler.
    package func stream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.handOver(self, beginning, to: adopter)
    }

    /// The same for a request that was put off, in place of ``complete(_:)`` and like it done when
    /// the server is woken. Any thread.
    package func completeAsStream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.finish(self, beginning, to: adopter)
    }
}

extension chttpd_field {
    /// Whether the name is this one, which is given in lower case.
    @inline(__always)
    func isNamed(_ expected: StaticString) -> Bool {
        name_length == expected.utf8CodeUnitCount && begins(with: expected)
    }

    /// Whether the name, which is a token and not shorter, begins with this: a lower-case name of
    /// letters and hyphens, in which setting a bit does nothing.
    func begins(with expected: StaticString) -> Bool {
        let own = UnsafeRawPointer(name)
        let other = UnsafeRawPointer(expected.utf8Start)
        var offset = 0
        while offset + 8 <= expected.utf8CodeUnitCount {
            let word = own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard
                word | 0x2020_2020_2020_2020
                    == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < expected.utf8CodeUnitCount {
            guard UInt8(bitPattern: name[offset]) | 0x20 == expected.utf8Start[offset] else {
                return false
            }
            offset += 1
        }
        return true
    }

    var nameBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: name, count: name_length)
    }

    var valueBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : value_length)
    }

    var text: String { String(decoding: valueBytes, as: UTF8.self) }
}
