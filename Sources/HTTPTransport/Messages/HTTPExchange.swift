import CHTTPD
package import EventStream
import Glibc
import Synchronization
package import Wire

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
        /// The request is refused and its client told so; the rest of its body is taken off.
        case discarding
        /// The handler has the whole request.
        case handled
        /// A response is queued with the library.
        case answered
    }

    enum Outcome {
        case none, response(HTTPResponse), again, handedOver, suspendedForGood, abandoned
    }

    /// How the answer is put off, where it is.
    enum Hold {
        /// It is not.
        case none
        /// The library goes on calling for the answer, since this moment, and gets none yet.
        case parked(since: Double)
        /// The library has put the connection aside until it is resumed.
        case suspended
        /// The client has left while the answer was being made.
        case deserted
    }

    unowned let loop: EventLoop
    var connection: OpaquePointer?
    var phase = Phase.target
    var outcome = Outcome.none
    var hold = Hold.none
    var target: [UInt8] = []
    var bodyBytes: [UInt8] = []
    var fields: UnsafeMutablePointer<chttpd_field>
    var fieldCount = 0
    var isHead = false
    /// Whether it was admitted by a handler that another one has taken over from since.
    var isEarly = false
    /// What is done where the client leaves before its answer is complete.
    var onLeaving: (() -> Void)?
    /// How much of a refused request's body has been taken off.
    var discardedBytes = 0
    private(set) package var method = ""
    private(set) package var path = ""
    private(set) package var query: String?
    /// Whether the client speaks HTTP/1.0, which has no chunks.
    private(set) package var isHTTP10 = false
    /// The authority that the request is for: of an absolute target, else the `Host` header.
    private(set) package var host: String?

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
        phase = .target
        outcome = .none
        hold = .none
        target.removeAll(keepingCapacity: target.capacity <= 1 << 10)
        bodyBytes.removeAll(keepingCapacity: bodyBytes.capacity <= 16 << 10)
        fieldCount = 0
        isHead = false
        isEarly = false
        onLeaving = nil
        discardedBytes = 0
    }

    func begin(method: String, path: String, query: String?, host: String?, isHTTP10: Bool) {
        self.isHTTP10 = isHTTP10
        self.method = method
        self.path = path
        self.query = query
        self.host = host
        isHead = method == "HEAD"
    }
}

extension HTTPExchange {
    /// The value of a header field, by its name in lower case; the first where there are several.
    package func header(_ name: StaticString) -> String? {
        guard isReadable else { return nil }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            return fields[index].text
        }
        return nil
    }

    /// Whether the first header field of a name has exactly this value; makes no string of it.
    package func header(_ name: StaticString, is value: StaticString) -> Bool {
        guard isReadable else { return false }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            let bytes = fields[index].valueBytes
            return bytes.count == value.utf8CodeUnitCount
                && zip(bytes, UnsafeBufferPointer(start: value.utf8Start, count: bytes.count))
                    .allSatisfy(==)
        }
        return false
    }

    /// The values of all header fields of a name, joined as RFC 9110 §5.3 allows for lists.
    package func headerList(_ name: StaticString) -> String? {
        guard isReadable else { return nil }
        var values: [String] = []
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            values.append(fields[index].text)
        }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The address of the client, without its port: `127.0.0.1`, `::1` or `unix`. On the loop's thread.
    package var peerHost: String {
        connection.map { loop.peerHost(of: $0) } ?? PeerAddress.unknown
    }

    /// Lends the whole body for the time of the call.
    package func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bodyBytes.withUnsafeBytes(body)
    }

    /// Answers now. On the loop's thread, from within the handler.
    package func respond(_ response: HTTPResponse) {
        outcome = .response(response)
    }

    /// Puts the answer off until ``complete(_:)``, for however long. On the loop's thread, from within
    /// the handler.
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

    /// Hands a suspended request to the handler anew, as if it had just come; in place of
    /// ``complete(_:)``, and like it done when the server is woken. Any thread.
    package func askAgain() {
        loop.askAgain(self)
    }

    /// Does this once if the client closes its side before the answer is complete, which is still due;
    /// it is noticed within a second. On the loop's thread, before and after.
    package func whenClientLeaves(_ left: @escaping () -> Void) {
        onLeaving = left
    }

    /// Ends a request that was put off without an answer; in place of ``complete(_:)``. Any thread.
    package func abandon() {
        loop.giveUp(self)
    }

    /// Makes the connection a stream: the socket goes to the stream writer, which sends `opening`
    /// and then what the topic has. On the loop's thread, from within the handler.
    ///
    /// - Parameter owner: who reads it.
    package func stream(
        opening: Bytes,
        topic: TopicID,
        resume: Resume,
        for owner: StreamOwner = StreamOwner()
    ) {
        loop.handOver(self, opening: opening, topic: topic, resume: resume, owner: owner)
    }
}

extension chttpd_field {
    /// Whether the name is this one, which is given in lower case.
    func isNamed(_ expected: StaticString) -> Bool {
        guard name_length == expected.utf8CodeUnitCount else { return false }
        for offset in 0..<name_length {
            var byte = UInt8(bitPattern: name[offset])
            if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte { byte |= 0x20 }
            if byte != expected.utf8Start[offset] { return false }
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
