import CStoreHTTPD
import Glibc
import StoreJSON
import Synchronization

// Answers are handed to the library, which sends them.

extension EventLoop {
    /// Hands a response to the library.
    func answer(_ exchange: HTTPExchange, _ response: HTTPResponse) -> chttpd_verdict {
        if exchange.furtherFields.count > 0 {
            var whole = response
            whole.fields.append(exchange.furtherFields)
            return answer(exchange, complete: whole)
        }
        return answer(exchange, complete: response)
    }

    private func answer(_ exchange: HTTPExchange, complete response: HTTPResponse) -> chttpd_verdict
    {
        let closes = response.closes
        return response.fields.bytes.withUnsafeBytes { fields in
            let fields = AnswerFields(bytes: fields, count: response.fields.count)
            switch response.body {
            case .none:
                return send(
                    exchange,
                    status: response.status,
                    fields: fields,
                    body: UnsafeRawBufferPointer.empty,
                    closes: closes
                )
            case .bytes(let bytes):
                return bytes.withUnsafeBytes {
                    send(
                        exchange,
                        status: response.status,
                        fields: fields,
                        body: $0,
                        closes: closes
                    )
                }
            case .shared(let bytes):
                return send(
                    exchange,
                    status: response.status,
                    fields: fields,
                    body: bytes,
                    closes: closes
                )
            }
        }
    }

    /// Writes an answer, and hands it to the library.
    func answer(_ exchange: HTTPExchange, _ answer: any HTTPAnswer) -> chttpd_verdict {
        writer.begin()
        answer.write(to: &writer)
        return answerWritten(exchange)
    }

    /// Hands the answer in the loop's writer to the library.
    func answerWritten(_ exchange: HTTPExchange) -> chttpd_verdict {
        if exchange.furtherFields.count > 0 { writer.add(exchange.furtherFields) }
        let fields = AnswerFields(bytes: writer.fields.bytes, count: writer.fieldCount)
        if let body = writer.sharedBody {
            writer.sharedBody = nil
            return send(
                exchange,
                status: writer.status,
                fields: fields,
                body: body,
                closes: false
            )
        }
        return send(
            exchange,
            status: writer.status,
            fields: fields,
            body: writer.body.bytes,
            closes: false
        )
    }

    /// Sends an answer whose body is copied.
    @inline(__always)
    private func send(
        _ exchange: HTTPExchange,
        status: Int,
        fields: AnswerFields,
        body: UnsafeRawBufferPointer,
        closes: Bool
    ) -> chttpd_verdict {
        guard let connection = exchange.connection,
            holdAnswer(of: exchange, bytes: body.count)
        else { return CHTTPD_CLOSE }
        let head = beginAnswer(
            exchange,
            status: status,
            fields: fields,
            bodyBytes: body.count,
            closes: closes
        )
        if head.closes == 0, let reused = reusedResponses.take(length: body.count),
            reused.send(
                on: connection,
                status: status,
                fields: fields.bytes,
                count: fields.count,
                body: body,
                date: date
            )
        {
            exchange.reused = reused
            return CHTTPD_CONTINUE
        }
        let taken = chttpd_respond_copy(connection, head, body.baseAddress, body.count)
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    /// Sends an answer whose body is large enough to be sent from its own memory. Copies a small
    /// body.
    private func send(
        _ exchange: HTTPExchange,
        status: Int,
        fields: AnswerFields,
        body: Bytes,
        closes: Bool
    ) -> chttpd_verdict {
        guard body.count > ReusedResponses.bodyBytesMax else {
            return body.withUnsafeBytes {
                send(exchange, status: status, fields: fields, body: $0, closes: closes)
            }
        }
        guard let connection = exchange.connection, holdAnswer(of: exchange, body) else {
            return CHTTPD_CLOSE
        }
        let head = beginAnswer(
            exchange,
            status: status,
            fields: fields,
            bodyBytes: body.count,
            closes: closes
        )
        // Safety: retained for the library, which releases it by `releaseBytes`, once.
        let owner = Unmanaged.passRetained(body as AnyObject).toOpaque()
        let taken =
            body.isInPieces
            ? chttpd_respond_read(connection, head, body.count, readBytes, releaseBytes, owner)
            : respond(on: connection, head, body, owner)
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    private func respond(
        on connection: OpaquePointer,
        _ head: chttpd_response_head,
        _ body: Bytes,
        _ owner: UnsafeMutableRawPointer
    ) -> CInt {
        body.withUnsafeBytes { bytes in
            // The address exists, because the body is longer than any that is copied.
            guard let base = bytes.baseAddress else { return 0 }
            return chttpd_respond_shared(connection, head, base, bytes.count, releaseBytes, owner)
        }
    }

    @inline(__always)
    private func beginAnswer(
        _ exchange: HTTPExchange,
        status: Int,
        fields: AnswerFields,
        bodyBytes: Int,
        closes: Bool
    ) -> chttpd_response_head {
        exchange.noteAnswer(status: status, bytes: bodyBytes)
        exchange.phase = .answered
        if exchange.heldBody != nil { letGoBody(of: exchange) }
        exchange.closes = exchange.closes || closes || isStopping
        exchange.record?.wait(for: .nothing)
        answered(exchange, status: status)
        return chttpd_response_head(
            fields: fields.bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            field_count: fields.count,
            common: commonFields.baseAddress,
            common_count: configuration.commonFields.count,
            status: UInt32(status),
            closes: exchange.closes ? 1 : 0
        )
    }
}

/// The fields of an answer, in the memory in which they were written.
private struct AnswerFields {
    let bytes: UnsafeRawBufferPointer
    let count: Int
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer { .init(start: nil, count: 0) }
}
