import CStoreHTTPD
import Glibc

/// A probe that finds out properties of the loaded libmicrohttpd. The library's manual does not
/// state these properties, which differ between versions. A probe sends one request to a daemon of
/// its own.
final class LibraryProbe {
    /// A closure that answers the library's calls about the request.
    typealias AccessHandler = (OpaquePointer, chttpd_line) -> chttpd_verdict

    /// The client's end of the socket pair.
    let peerDescriptor: CInt
    private let accessHandler: AccessHandler
    /// The number of requests for which the library has called `refused` in place of its own
    /// answer.
    private(set) var refusalCount = 0

    /// Sends the request and runs the library. Returns `nil` if the system refuses sockets or a
    /// daemon.
    init?(
        _ request: String = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        access: @escaping AccessHandler
    ) {
        var pair: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
        peerDescriptor = pair[1]
        self.accessHandler = access
        guard serve(pair[0], Array(request.utf8)) else { return nil }
    }

    deinit { close(peerDescriptor) }

    private func serve(_ descriptor: CInt, _ request: [UInt8]) -> Bool {
        var callbacks = chttpd_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            request_began: { _, _, _ in nil },
            access: { context, connection, line, _, _, _ in
                Unmanaged<LibraryProbe>.fromOpaque(context).takeUnretainedValue()
                    .accessHandler(connection, line)
            },
            refused: { context, _, _ in
                Unmanaged<LibraryProbe>.fromOpaque(context).takeUnretainedValue().refusalCount += 1
            },
            request_ended: { _, _, _ in },
            connection_opened: { _, _ in nil },
            connection_closed: { _, _ in },
            log: { _, _ in }
        )
        guard let daemon = chttpd_start(&callbacks, 16 << 10, 4, 10) else {
            close(descriptor)
            return false
        }
        defer { chttpd_stop(daemon) }
        guard send(peerDescriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count
        else {
            close(descriptor)
            return false
        }
        let address = SocketAddress(.unix(path: ""))
        let added = address.withPointer { chttpd_add(daemon, descriptor, $0, $1) }
        guard added != 0 else { return false }
        for _ in 0..<16 { chttpd_run(daemon) }
        return true
    }
}

extension LibraryProbe {
    /// Returns true if a duplicate of a socket can still be used after the library has closed its
    /// own descriptor. Streams depend on this property.
    static func leavesDuplicatesAlone() -> Bool {
        var duplicate: CInt = -1
        defer { if duplicate >= 0 { close(duplicate) } }
        let probe = LibraryProbe { connection, _ in
            duplicate = fcntl(chttpd_socket(connection), F_DUPFD_CLOEXEC, 3)
            return CHTTPD_CLOSE
        }
        guard let probe, duplicate >= 0 else { return false }
        // If the library had shut the socket down, this write would fail.
        var byte = UInt8(ascii: "x")
        guard send(duplicate, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 else { return false }
        var got: UInt8 = 0
        guard recv(probe.peerDescriptor, &got, 1, 0) == 1, got == byte else { return false }
        return recv(probe.peerDescriptor, &got, 1, 0) < 0 && errno == EAGAIN
    }

    /// Returns true if the library, in each run, calls for the answer to a whole request that has
    /// no answer yet.
    static func callsInEachRun() -> Bool {
        var calls = 0
        let probe = LibraryProbe { connection, _ in
            calls += 1
            // The library makes the first call after the headers, and the second when the request
            // is whole. Calls two to four get no answer, and the fifth call gets an answer.
            guard calls == 5 else { return calls < 5 ? CHTTPD_CONTINUE : CHTTPD_CLOSE }
            var head = chttpd_response_head()
            head.status = 204
            let taken = chttpd_respond_copy(connection, head, nil, 0)
            return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
        }
        var status = [UInt8](repeating: 0, count: 12)
        guard let probe, recv(probe.peerDescriptor, &status, status.count, 0) == status.count else {
            return false
        }
        return status.elementsEqual("HTTP/1.1 204".utf8)
    }

    /// Returns true if the library calls `refused` for a malformed request, and accepts white space
    /// after the number in `Content-Length`.
    static func leavesRefusalsToServer() -> Bool {
        func refusals(of length: String) -> Int? {
            LibraryProbe("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n") {
                _,
                _ in CHTTPD_CLOSE
            }?.refusalCount
        }
        return refusals(of: "0 \t") == 0 && refusals(of: "+1") == 1
    }

    /// Returns true if the library leaves the parts of a request's head in memory as the client
    /// sent them. Only in this case can the server detect hidden bytes between the parts.
    static func keepsHeadsIntact() -> Bool {
        func hides(_ request: String, target: Int = 2) -> Bool? {
            var hides: CInt = -1
            let probe = LibraryProbe(request) { connection, line in
                withUnsafeTemporaryAllocation(of: chttpd_field.self, capacity: 1) { fields in
                    guard let fields = fields.baseAddress else { return }
                    _ = chttpd_fields(connection, line, target, fields, 1, &hides)
                }
                return CHTTPD_CLOSE
            }
            return probe == nil || hides < 0 ? nil : hides != 0
        }
        let whole = [
            "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /a HTTP/1.1\nHost:localhost \nCookie: a=b; c=d \r\nX:\t\r\nY: z\n\n",
            "\r\nPOST /a HTTP/1.0\r\nContent-Length: 0 \r\n\r\n",
        ]
        let hiding = [
            "GET /a HTTP/1.1\r\nHost: localhost\0x\r\nX: y\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\0x\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\n\0X: y\r\n\r\n",
            "GET /a\0b HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET\0b /a HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ]
        return whole.allSatisfy { hides($0) == false } && hiding.allSatisfy { hides($0) == true }
    }

    /// Returns true if an `ETag` can be changed in the library's memory. The library must then send
    /// a response with the new `ETag`, and not with the old one.
    static func allowsTagRewrites() -> Bool {
        guard let body = malloc(1) else { return false }
        guard let response = chttpd_response_make(body, 0) else {
            free(body)
            return false
        }
        defer { MHD_destroy_response(response) }
        guard chttpd_response_add(response, "ETag", "\"before\"") != 0,
            let value = MHD_get_response_header(response, "ETag"), strcmp(value, "\"before\"") == 0
        else { return false }
        // Safety: the value has the same length, and is in memory that the library has allocated.
        strcpy(UnsafeMutablePointer(mutating: value), "\"behind\"")
        let probe = LibraryProbe { connection, _ in
            chttpd_respond(connection, 200, response) != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
        }
        var head = [UInt8](repeating: 0, count: 512)
        guard let probe, recv(probe.peerDescriptor, &head, head.count - 1, 0) > 0 else {
            return false
        }
        return head.withUnsafeBufferPointer { head in
            head.withMemoryRebound(to: CChar.self) { head in
                guard let head = head.baseAddress else { return false }
                return strstr(head, "ETag: \"behind\"\r\n") != nil && strstr(head, "before") == nil
            }
        }
    }
}
