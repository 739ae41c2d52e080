import CStoreHTTPD
package import StoreJSON

/// A request and the means to answer it.
///
/// An exchange is used for one request after another, and belongs to the event loop's thread. Once
/// the exchange is suspended, any thread may call ``complete(_:)``, or a function in its place,
/// such as ``abandon()``. Only the loop's thread may call the other functions.
package final class HTTPExchange: @unchecked Sendable {
    // Safety: only the loop's thread touches the stored state, until `suspend` hands `outcome` over
    // to the thread that completes the exchange. `complete` hands `outcome` back through the lock
    // of the loop's queue.

    // Safety: the loop's thread works on one property at a time, and changes no property while its
    // value is in use. So the accesses need no check, which would cost time in every request.

    /// The loop that made the exchange. The loop releases its exchanges when it ends.
    let loop: EventLoop
    @exclusivity(unchecked) var connection: OpaquePointer?
    @exclusivity(unchecked) var phase = Phase.receivingHeaders
    @exclusivity(unchecked) var outcome = Outcome.none
    @exclusivity(unchecked) var waitState = WaitState.none
    @exclusivity(unchecked) var target: [UInt8] = []
    @exclusivity(unchecked) var bodyBytes: [UInt8] = []
    var fields: UnsafeMutablePointer<chttpd_field>
    @exclusivity(unchecked) var fieldCount = 0
    /// The bits of the fields' names. The first letter and the length of a name determine its bit
    /// (``RequestFraming/nameBit(first:length:)``).
    @exclusivity(unchecked) private var nameBits = UInt64.max
    /// True if the first handler has admitted the request. If another handler replaces the first
    /// handler, the new handler admits the request again.
    @exclusivity(unchecked) var isAdmittedByFirstHandler = false
    /// The closure to call if the client leaves before the answer is complete.
    @exclusivity(unchecked) var onClientLeft: (() -> Void)?
    @exclusivity(unchecked) var closesConnection = false
    /// The body's share of the memory for all bodies and answers; `nil` for a small body.
    @exclusivity(unchecked) var bodyMemory: BodyMemory?
    /// The answer, until its client has read it; `nil` for a small answer.
    @exclusivity(unchecked) var unreadAnswer: UnreadAnswer?
    /// The number of bytes of body that the request announces; `nil` if the body is chunked.
    @exclusivity(unchecked) private(set) var contentLength: Int? = 0
    /// The number of bytes of a refused request's body that were read and dropped.
    @exclusivity(unchecked) var discardedBytes = 0
    @exclusivity(unchecked) private var storedMethod = RequestMethod.get
    /// True if the request has the version HTTP/1.0, which has no chunks.
    @exclusivity(unchecked) private(set) package var isHTTP10 = false
    @exclusivity(unchecked) private var targetParts = RequestTarget()
    @exclusivity(unchecked) private var hostIndex: Int?
    /// The text of the path; `nil` until the text is first read. Few requests need the text.
    @exclusivity(unchecked) private var pathText: String?
    @exclusivity(unchecked) unowned(unsafe) var loopConnection: LoopConnection?
    /// The library's response to this request, if it can be used again.
    @exclusivity(unchecked) var reusedResponse: ReusedResponse?
    @exclusivity(unchecked) private var storedRequestStorage: AnyObject?
    @exclusivity(unchecked) private var storedSender: AnyObject?
    /// The data for the access log and for the span; `nil` if no data of the request are collected.
    @exclusivity(unchecked) var note: AccessNote?
    /// The header fields that the handler has added to the answer.
    @exclusivity(unchecked) var addedAnswerFields = HTTPFields()
    /// The client's address, if a proxy is at the other end of the connection.
    @exclusivity(unchecked) private var proxiedClient: ClientAddress?
    /// The start of the loop's turn that read the request line, in nanoseconds.
    @exclusivity(unchecked) var requestStartNanoseconds: UInt64 = 0
    /// The counters to which the request's duration is added; `nil` if the request has no route
    /// yet.
    @exclusivity(unchecked) var routeCounters: RouteTimes.Counters?

    init(loop: EventLoop) {
        self.loop = loop
        fields = .allocate(capacity: loop.configuration.fieldsMax)
    }

    deinit { fields.deallocate() }

    /// Resets the exchange for another request. Keeps the memory, unless the memory is unusually
    /// large.
    func reset() {
        connection = nil
        loopConnection = nil
        storedRequestStorage = nil
        storedSender = nil
        if note != nil { note = nil }
        routeCounters = nil
        reusedResponse = nil
        proxiedClient = nil
        if addedAnswerFields.count > 0 { addedAnswerFields.removeAll() }
        phase = .receivingHeaders
        outcome = .none
        waitState = .none
        // The bytes of a short target stay until the next request replaces them.
        if target.capacity > 1 << 10 { target = [] }
        bodyBytes.removeAll(keepingCapacity: bodyBytes.capacity <= 16 << 10)
        fieldCount = 0
        nameBits = .max
        pathText = nil
        isAdmittedByFirstHandler = false
        onClientLeft = nil
        discardedBytes = 0
        closesConnection = false
    }

    /// Stores the parts of the request line and the framing. The exchange has the fields already.
    func setHead(
        method: RequestMethod,
        target: RequestTarget,
        framing: RequestFraming,
        isHTTP10: Bool
    ) {
        self.isHTTP10 = isHTTP10
        storedMethod = method
        self.targetParts = target
        hostIndex = framing.hostIndex
        contentLength = framing.contentLength
        nameBits = framing.nameBits
    }
}

// These properties are computed, because other modules would check each access to a stored property
// for overlaps.

extension HTTPExchange {
    package var method: RequestMethod { storedMethod }

    package var hasBody: Bool { contentLength != 0 }

    /// True if the body may be so large that it takes shared memory.
    package var mayHaveLargeBody: Bool {
        contentLength.map { $0 > MessageMemory.uncountedBytes } ?? true
    }

    /// The object that the handler stores when it admits a request, and uses when it handles the
    /// request.
    package var requestStorage: AnyObject? {
        get { storedRequestStorage }
        set { storedRequestStorage = newValue }
    }

    /// The sender of the request, which the handler sets when it admits the request.
    package var sender: AnyObject? {
        get { storedSender }
        set { storedSender = newValue }
    }

    /// The object that the handler keeps for the connection's next requests. Only the loop's thread
    /// may use this property.
    package var connectionStorage: AnyObject? {
        get { loopConnection?.handlerStorage }
        set { loopConnection?.handlerStorage = newValue }
    }

    /// True if data of the request are collected, for the access log or for the request's span.
    package var isNoted: Bool { note != nil }

    /// Changes the collected data of the request, if data are collected. Call this function on the
    /// loop's thread.
    package func noteAccess(_ change: (inout AccessEntry) -> Void) {
        if let note { change(&note.access) }
    }

    /// The client's address: the address that the handler has set, or else the address of the other
    /// end of the connection. The handler sets an address if a proxy is at the other end. Only the
    /// loop's thread may use this property.
    package var client: ClientAddress {
        get { proxiedClient ?? loopConnection?.peer ?? .unknown }
        set { proxiedClient = newValue }
    }

    /// The address of the other end of the connection, which may be a proxy. Only the loop's thread
    /// may read this property.
    package var peer: ClientAddress { loopConnection?.peer ?? .unknown }

    /// The client's address without its port: `127.0.0.1`, `::1` or `unix`. Only the loop's thread
    /// may read this property.
    package var clientHost: String {
        proxiedClient?.description ?? loopConnection?.peerHost ?? ClientAddress.unknown.description
    }

    /// The start of the loop's present turn, by ``SystemTime/steadyNanoseconds()``. Only the loop's
    /// thread may read this property.
    package var turnStartNanoseconds: UInt64 { loop.turnStartNanoseconds }

    /// True if the connection was accepted at an address for operators. Only the loop's thread may
    /// read this property.
    package var isAdmin: Bool { loopConnection?.isAdmin == true }

    /// The method's name.
    package var methodName: String { method.name }

    /// The path of the target, as the client sent it.
    package var path: String {
        if let pathText { return pathText }
        let text = withPath { String(decoding: $0, as: UTF8.self) }
        pathText = text
        return text
    }

    /// Calls `body` with the bytes of the path.
    package func withPath<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        target.withUnsafeBytes { target in
            if targetParts.path.isEmpty {
                var slash = UInt8(ascii: "/")
                return withUnsafeBytes(of: &slash, body)
            }
            return body(UnsafeRawBufferPointer(rebasing: target[targetParts.path]))
        }
    }

    /// The query of the target, as the client sent it.
    package var query: String? {
        targetParts.query.map { String(decoding: target[$0], as: UTF8.self) }
    }

    package var hasQuery: Bool { targetParts.query != nil }

    /// The authority that the request is for: from an absolute target, else from the `Host` header.
    package var host: String? { withHost { $0.map { String(decoding: $0, as: UTF8.self) } } }

    /// Calls `body` with the bytes of the authority that the request is for.
    package func withHost<R>(_ body: (UnsafeRawBufferPointer?) -> R) -> R {
        if let authority = targetParts.authority {
            return target.withUnsafeBytes { target in
                body(UnsafeRawBufferPointer(rebasing: target[authority]))
            }
        }
        guard canReadLibraryMemory, let hostIndex else { return body(nil) }
        return body(fields[hostIndex].valueBytes)
    }
}

extension HTTPExchange {
    /// Returns the value of the first header field with this name. `name` must be in lower case.
    package func header(_ name: StaticString) -> String? {
        withHeader(name) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the value of the first header field with this name. `name` must be in
    /// lower case. Returns `nil` if there is no such field.
    package func withHeader<R>(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard mayHaveHeader(name) else { return nil }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            return body(fields[index].valueBytes)
        }
        return nil
    }

    /// Returns true if the first header field with this name has exactly this value.
    package func header(_ name: StaticString, is value: StaticString) -> Bool {
        let value = UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount)
        return withHeader(name) { $0.hasSameBytes(as: value) } == true
    }

    /// Returns true if there is a header field with this name. `name` must be in lower case.
    package func hasHeader(_ name: StaticString) -> Bool { withHeader(name) { _ in true } == true }

    /// Returns false if the fields must not be read now. Also returns false if no field has this
    /// name's first letter and length. Most fields that a handler looks for are absent, and this
    /// test is enough for them.
    @inline(__always)
    private func mayHaveHeader(_ name: StaticString) -> Bool {
        nameBits & RequestFraming.nameBit(first: name.utf8Start[0], length: name.utf8CodeUnitCount)
            != 0
            && canReadLibraryMemory
    }

    /// Returns the values of all header fields with this name, joined by commas to a list (RFC 9110
    /// §5.3). Returns `nil` if there is no such field.
    package func headerList(_ name: StaticString) -> String? {
        var list: String?
        forEachValue(of: name) { value in
            let text = String(decoding: value, as: UTF8.self)
            list = list.map { "\($0), \(text)" } ?? text
        }
        return list
    }

    /// Calls `value` with the value of each header field with this name, in their order.
    package func forEachValue(of name: StaticString, _ value: (UnsafeRawBufferPointer) -> Void) {
        guard mayHaveHeader(name) else { return }
        for index in 0..<fieldCount where fields[index].isNamed(name) {
            value(fields[index].valueBytes)
        }
    }

    /// The workspace in which the handler reads JSON documents, on the loop's thread. A document
    /// remains valid if the handler keeps it after the request.
    package var workspace: JSONWorkspace { loop.workspace }

    /// Calls `body` with the bytes of the request's whole body.
    package func withBody<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        bodyBytes.withUnsafeBytes(body)
    }

    /// True if the library's memory of the request may be read.
    private var canReadLibraryMemory: Bool {
        if case .none = waitState { true } else { false }
    }
}

extension chttpd_field {
    /// Returns true if the field has this name. `expected` must be in lower case.
    @inline(__always)
    func isNamed(_ expected: StaticString) -> Bool {
        name_length == expected.utf8CodeUnitCount && nameBegins(with: expected)
    }

    /// Returns true if the field's name begins with `expected`. The field's name must be a token,
    /// and at least as long as `expected`. `expected` has only lower-case letters and hyphens, in
    /// which the bit for lower case is set already.
    func nameBegins(with expected: StaticString) -> Bool {
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
}
