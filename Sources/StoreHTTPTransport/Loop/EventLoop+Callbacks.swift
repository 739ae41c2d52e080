import CStoreHTTPD
import Glibc
import StoreJSON

// The callbacks of libmicrohttpd. The library calls these functions on the loop's thread, from
// within `chttpd_run` and `chttpd_add`. The callbacks are plain functions, because a closure from
// isolated code would trap if C called the closure on another thread.
//
// Safety: `context` is the loop, which outlives its daemon. The context of a connection is a
// record, and the context of a request is an exchange. A context is retained when it is handed to
// the library. The callback for the end of the connection or the request releases the context, and
// the library calls this callback exactly once.

private func eventLoop(fromContext context: UnsafeMutableRawPointer) -> Unmanaged<EventLoop> {
    Unmanaged.fromOpaque(context)
}

func onConnectionOpened(
    context: UnsafeMutableRawPointer,
    connection: OpaquePointer
) -> UnsafeMutableRawPointer? {
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef { loop in
        let descriptor = chttpd_socket(connection)
        let record = LoopConnection(
            descriptor: descriptor,
            peer: loop.acceptedAddress,
            isAdmin: loop.removeAdminDescriptor(descriptor),
            deadline: loop.now + loop.configuration.headersTimeoutSeconds
        )
        loop.add(record)
        return Unmanaged.passRetained(record).toOpaque()
    }
}

func onConnectionClosed(context: UnsafeMutableRawPointer, closed: UnsafeMutableRawPointer?) {
    guard let closed else { return }
    let record = Unmanaged<LoopConnection>.fromOpaque(closed).takeRetainedValue()
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef {
        $0.refuseRequestLine(of: record)
        $0.remove(record)
    }
}

func onRequestBegan(
    context: UnsafeMutableRawPointer,
    connection: OpaquePointer,
    target: UnsafePointer<CChar>
) -> UnsafeMutableRawPointer? {
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef { loop in
        Unmanaged.passRetained(loop.beginRequest(connection, target)).toOpaque()
    }
}

func onRequestCall(
    context: UnsafeMutableRawPointer,
    connection: OpaquePointer,
    line: chttpd_line,
    body: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>,
    request: UnsafeMutableRawPointer?
) -> chttpd_verdict {
    guard let request else { return CHTTPD_CLOSE }
    return eventLoop(fromContext: context)._withUnsafeGuaranteedRef { loop in
        Unmanaged<HTTPExchange>.fromOpaque(request)._withUnsafeGuaranteedRef { exchange in
            loop.continueRequest(exchange, line, body, size)
        }
    }
}

func onRequestEnded(
    context: UnsafeMutableRawPointer,
    request: UnsafeMutableRawPointer?,
    answered: CInt
) {
    guard let request else { return }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(request).takeRetainedValue()
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef {
        $0.endRequest(exchange, isAnswered: answered != 0)
    }
}

func onRefused(context: UnsafeMutableRawPointer, connection: OpaquePointer, status: UInt32) {
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef {
        $0.refuse(connection, status: Int(status))
    }
}

func onLog(context: UnsafeMutableRawPointer, message: UnsafePointer<CChar>) {
    eventLoop(fromContext: context)._withUnsafeGuaranteedRef {
        $0.logLibraryMessage(String(cString: message))
    }
}

func onPanic(reason: UnsafePointer<CChar>?) {
    let line = "libmicrohttpd aborts: \(reason.map { String(cString: $0) } ?? "no reason given")\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

func releaseBytes(owner: UnsafeMutableRawPointer?) {
    if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
}

/// Copies up to `max` bytes of a body that is made of pieces, and returns the number of copied
/// bytes.
func copyBodyBytes(
    owner: UnsafeMutableRawPointer?,
    offset: UInt64,
    to: UnsafeMutablePointer<CChar>?,
    max: Int
) -> Int {
    guard let owner, let to else { return 0 }
    // Safety: the owner is always a `Bytes`, and is retained until `releaseBytes`.
    let bytes = Unmanaged<Bytes>.fromOpaque(owner).takeUnretainedValue()
    return bytes.copy(from: Int(offset), to: UnsafeMutableRawBufferPointer(start: to, count: max))
}
