import CHTTPD
import Glibc
import Synchronization
import Wire

// How an answer goes to the library.

extension EventLoop {
    /// Hands a response to the library.
    func answer(_ exchange: HTTPExchange, _ response: HTTPResponse) -> chttpd_verdict {
        guard let connection = exchange.connection else { return CHTTPD_CLOSE }
        exchange.phase = .answered
        record(of: connection)?.wait(for: .nothing)
        var headers = response.headers
        if response.closes || isStopping { headers.append(("Connection", "close")) }
        let taken = withFields(headers) { fields in
            switch response.body {
            case .none:
                chttpd_respond_copy(
                    connection,
                    UInt32(response.status),
                    fields.baseAddress,
                    fields.count,
                    nil,
                    0
                )
            case .bytes(let bytes):
                bytes.withUnsafeBytes {
                    chttpd_respond_copy(
                        connection,
                        UInt32(response.status),
                        fields.baseAddress,
                        fields.count,
                        $0.baseAddress,
                        $0.count
                    )
                }
            case .shared(let bytes):
                respond(connection, response.status, fields, bytes)
            }
        }
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    private func respond(
        _ connection: OpaquePointer,
        _ status: Int,
        _ fields: UnsafeBufferPointer<chttpd_response_field>,
        _ bytes: Bytes
    ) -> CInt {
        bytes.withUnsafeBytes { body in
            guard let base = body.baseAddress else { return 0 }
            // Safety: retained for the library, which releases it by `releaseBytes`, once.
            let owner = Unmanaged.passRetained(bytes as AnyObject).toOpaque()
            return chttpd_respond_shared(
                connection,
                UInt32(status),
                fields.baseAddress,
                fields.count,
                base,
                body.count,
                releaseBytes,
                owner
            )
        }
    }

    /// Lends header fields as C strings.
    private func withFields<R>(
        _ headers: [(String, String)],
        _ body: (UnsafeBufferPointer<chttpd_response_field>) -> R
    ) -> R {
        var text: [UInt8] = []
        text.reserveCapacity(224)
        var places: [(name: Int, value: Int)] = []
        places.reserveCapacity(headers.count)
        for (name, value) in headers {
            let start = text.count
            Self.append(name, to: &text)
            places.append((start, text.count))
            Self.append(HTTPResponse.clean(value), to: &text)
        }
        return text.withUnsafeBufferPointer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                guard let base = text.baseAddress else {
                    return body(UnsafeBufferPointer(start: nil, count: 0))
                }
                return places.map {
                    chttpd_response_field(name: base + $0.name, value: base + $0.value)
                }.withUnsafeBufferPointer(body)
            }
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        var string = string
        string.withUTF8 { text.append(contentsOf: $0) }
        text.append(0)
    }
}
