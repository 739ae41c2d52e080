import CHTTPD
import Glibc
import Synchronization
import Wire

// How an answer goes to the library.

extension EventLoop {
    /// Hands a response to the library.
    func answer(_ exchange: HTTPExchange, _ response: HTTPResponse) -> chttpd_verdict {
        guard let connection = exchange.connection else { return CHTTPD_CLOSE }
        var head = beginAnswer(exchange, response.status, closes: response.closes)
        let taken = response.fields.bytes.withUnsafeBytes { fields in
            head.fields = fields.baseAddress?.assumingMemoryBound(to: CChar.self)
            head.field_count = response.fields.count
            return switch response.body {
            case .none: chttpd_respond_copy(connection, head, nil, 0)
            case .bytes(let bytes):
                bytes.withUnsafeBytes {
                    chttpd_respond_copy(connection, head, $0.baseAddress, $0.count)
                }
            case .shared(let bytes): respond(connection, head, bytes)
            }
        }
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    /// Has an answer written, and hands it to the library.
    func answer(_ exchange: HTTPExchange, _ answer: any HTTPAnswer) -> chttpd_verdict {
        guard let connection = exchange.connection else { return CHTTPD_CLOSE }
        writer.begin()
        answer.write(to: &writer)
        var head = beginAnswer(exchange, writer.status, closes: false)
        let fields = writer.fields.bytes
        head.fields = fields.baseAddress?.assumingMemoryBound(to: CChar.self)
        head.field_count = writer.fieldCount
        let body = writer.body.bytes
        let taken = chttpd_respond_copy(connection, head, body.baseAddress, body.count)
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    private func beginAnswer(
        _ exchange: HTTPExchange,
        _ status: Int,
        closes: Bool
    ) -> chttpd_response_head {
        exchange.phase = .answered
        exchange.record?.wait(for: .nothing)
        return chttpd_response_head(
            fields: nil,
            field_count: 0,
            status: UInt32(status),
            closes: closes || isStopping ? 1 : 0
        )
    }

    private func respond(
        _ connection: OpaquePointer,
        _ head: chttpd_response_head,
        _ bytes: Bytes
    ) -> CInt {
        bytes.withUnsafeBytes { body in
            guard let base = body.baseAddress else { return 0 }
            // Safety: retained for the library, which releases it by `releaseBytes`, once.
            let owner = Unmanaged.passRetained(bytes as AnyObject).toOpaque()
            return chttpd_respond_shared(connection, head, base, body.count, releaseBytes, owner)
        }
    }
}
