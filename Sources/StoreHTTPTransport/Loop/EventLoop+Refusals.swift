import CStoreHTTPD
import Glibc
import Synchronization

// Some answers bypass the library, such as answers to clients that are refused or too slow.

/// The socket of a refused client. Further bytes of the client are read and dropped. If the socket
/// were closed with unread bytes, the connection would be reset before the client has read the
/// answer.
struct LingeringSocket {
    /// The time at which the socket is closed, in the loop's seconds.
    let deadline: Double
    var droppedBytes = 0
}

extension EventLoop {
    /// The maximum number of sockets that linger. The number of descriptors that the server needs
    /// includes these sockets.
    static let lingeringSocketsMax = 32
    /// The seconds for which a refused client may go on sending.
    static let lingerSeconds = 5.0

    /// Answers a request that the library refuses, in place of the library.
    func refuse(_ connection: OpaquePointer, status: Int) {
        counters.framingRefusedRequests.add(1, ordering: .relaxed)
        let record = loopConnection(of: connection)
        if record?.isDoneSending == true { return }
        record?.isDoneSending = true
        record?.exchange?.noteAnswer(status: status, bytes: 0)
        let isBody = record?.exchange?.phase == .receivingBody
        refuse(
            chttpd_socket(connection),
            failure(ofStatus: status, isReceivingBody: isBody),
            lingers: true
        )
    }

    private func failure(ofStatus status: Int, isReceivingBody: Bool) -> TransportFailure {
        switch status {
        case 413: .bodyTooLarge(limit: configuration.bodyBytesMax)
        case 414: .uriTooLong(limit: configuration.uriBytesMax)
        case 431: .headersTooLarge(limit: configuration.headersBytesMax)
        case 505: .versionNotSupported
        default:
            .malformed(
                isReceivingBody
                    ? "A chunk of the body, or a field after the last chunk, is malformed."
                    : "The request line, a header field or the length of the body is malformed."
            )
        }
    }

    /// Answers on a connection that the library closes without an answer because the request line
    /// is malformed. Sends nothing if the client has closed the connection, or if the connection's
    /// last request ended in this run of the library.
    func refuseRequestLine(of record: LoopConnection) {
        guard record.awaitedInput == .firstRequest || record.awaitedInput == .nextRequest,
            record.libraryRunOfLastRequestEnd != libraryRunCount, !record.isDoneSending,
            !hasInputEnded(record.descriptor)
        else { return }
        counters.framingRefusedRequests.add(1, ordering: .relaxed)
        refuse(record.descriptor, .malformed("The request line is malformed."), lingers: true)
    }

    /// Answers on a socket that the library does not have, or on which the library sends nothing.
    /// The caller closes the socket. With `lingers`, a duplicate of the descriptor stays open until
    /// the client has closed the connection.
    func refuse(_ descriptor: CInt, _ failure: TransportFailure, lingers: Bool = false) {
        switch failure {
        case .connectionLimit, .connectionLimitPerAddress:
            counters.refusedConnections.add(1, ordering: .relaxed)
        default: break
        }
        reply(descriptor, handler.response(for: failure))
        if lingers, lingeringSockets.count < Self.lingeringSocketsMax {
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            if duplicate >= 0 {
                lingeringSockets[duplicate] = LingeringSocket(deadline: now + Self.lingerSeconds)
                watch(duplicate)
                return
            }
        }
        discardInput(of: descriptor)
    }

    /// Reads and drops the bytes on a socket that is about to be closed: see ``LingeringSocket``.
    func discardInput(of descriptor: CInt) {
        var scratch = [UInt8](repeating: 0, count: 16 << 10)
        for _ in 0..<4 where recv(descriptor, &scratch, scratch.count, CInt(MSG_DONTWAIT)) <= 0 {
            break
        }
    }

    /// Sends the last answer on a socket, with these further fields. The answer bypasses the
    /// library.
    func reply(
        _ descriptor: CInt,
        _ answer: HTTPResponse,
        hasBody: Bool = true,
        addingFields: HTTPFields = HTTPFields()
    ) {
        var fields = configuration.commonFields
        fields.append(addingFields)
        var bytes = answer.serialized(addingFields: fields)
        if !hasBody { bytes.removeLast(answer.body.count) }
        send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        shutdown(descriptor, CInt(SHUT_WR))
    }

    func drainLingering(_ descriptor: CInt) {
        guard var socket = lingeringSockets[descriptor] else { return }
        var scratch = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &scratch, scratch.count, CInt(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        socket.droppedBytes += max(0, count)
        lingeringSockets[descriptor] = socket
        if count <= 0 || socket.droppedBytes > configuration.discardedBodyBytesMax {
            endLinger(descriptor)
        }
    }

    func closeExpiredLingering() {
        for (descriptor, socket) in lingeringSockets where socket.deadline <= now || isStopping {
            endLinger(descriptor)
        }
    }

    private func endLinger(_ descriptor: CInt) {
        lingeringSockets[descriptor] = nil
        unwatchAndClose(descriptor)
    }

    /// Logs a message of the library, unless the message is about a single request. The library
    /// writes a message for every stream and for every malformed request, and attackers can send
    /// any number of malformed requests.
    func logLibraryMessage(_ message: String) {
        for part in Self.unloggedLibraryMessages where message.contains(part) { return }
        log("libmicrohttpd: \(message)")
    }

    private static let unloggedLibraryMessages = [
        "Application reported internal error", "Error processing request", "header. Closing",
        "incomplete request", "has been disconnected", "socket is closed when reading",
        "Not enough memory in pool", "Failed to send", "Too late for",
    ]
}
