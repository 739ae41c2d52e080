import CStoreHTTPD
import Glibc
import StoreJSON
import Synchronization

// The loop hands answers to the library, and the library sends the answers.

/// The parts of an answer except its body. The fields stay in the memory into which they were
/// written.
private struct AnswerHead {
    let status: Int
    let fields: UnsafeRawBufferPointer
    let fieldCount: Int
    var closesConnection = false
}

extension EventLoop {
    func answer(_ exchange: HTTPExchange, _ response: HTTPResponse) -> chttpd_verdict {
        guard exchange.addedAnswerFields.count > 0 else { return send(response, to: exchange) }
        var whole = response
        whole.fields.append(exchange.addedAnswerFields)
        return send(whole, to: exchange)
    }

    private func send(_ response: HTTPResponse, to exchange: HTTPExchange) -> chttpd_verdict {
        response.fields.bytes.withUnsafeBytes { fields in
            let head = AnswerHead(
                status: response.status,
                fields: fields,
                fieldCount: response.fields.count,
                closesConnection: response.closesConnection
            )
            return switch response.body {
            case .none: send(exchange, head, UnsafeRawBufferPointer(start: nil, count: 0))
            case .bytes(let body): body.withUnsafeBytes { send(exchange, head, $0) }
            case .shared(let body): send(exchange, head, body)
            }
        }
    }

    func answer(_ exchange: HTTPExchange, _ answer: any HTTPAnswer) -> chttpd_verdict {
        answerWriter.reset()
        answer.write(to: &answerWriter)
        return sendWrittenAnswer(exchange)
    }

    /// Hands the answer in the loop's writer to the library.
    func sendWrittenAnswer(_ exchange: HTTPExchange) -> chttpd_verdict {
        if exchange.addedAnswerFields.count > 0 { answerWriter.add(exchange.addedAnswerFields) }
        let head = AnswerHead(
            status: answerWriter.status,
            fields: answerWriter.fields.bytes,
            fieldCount: answerWriter.fieldCount
        )
        guard let body = answerWriter.sharedBody else {
            return send(exchange, head, answerWriter.body.bytes)
        }
        answerWriter.sharedBody = nil
        return send(exchange, head, body)
    }

    /// Sends an answer whose body is copied.
    @inline(__always)
    private func send(
        _ exchange: HTTPExchange,
        _ head: AnswerHead,
        _ body: UnsafeRawBufferPointer
    ) -> chttpd_verdict {
        guard let connection = exchange.connection,
            takeAnswerMemory(of: exchange, bytes: body.count)
        else { return CHTTPD_CLOSE }
        let libraryHead = beginAnswer(exchange, head, bodyBytes: body.count)
        if libraryHead.closes == 0, let reused = reusedResponses.take(length: body.count),
            reused.send(
                on: connection,
                status: head.status,
                fields: head.fields,
                count: head.fieldCount,
                body: body,
                date: date
            )
        {
            exchange.reusedResponse = reused
            return CHTTPD_CONTINUE
        }
        let taken = chttpd_respond_copy(connection, libraryHead, body.baseAddress, body.count)
        return taken != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    /// Sends a large body from its own memory, and copies a small body.
    private func send(
        _ exchange: HTTPExchange,
        _ head: AnswerHead,
        _ body: Bytes
    ) -> chttpd_verdict {
        guard body.count > ReusedResponses.bodyBytesMax else {
            return body.withUnsafeBytes { send(exchange, head, $0) }
        }
        guard let connection = exchange.connection, takeAnswerMemory(of: exchange, body) else {
            return CHTTPD_CLOSE
        }
        let libraryHead = beginAnswer(exchange, head, bodyBytes: body.count)
        // Safety: the body is retained for the library. The library releases the body once, by
        // `releaseBytes`.
        let owner = Unmanaged.passRetained(body as AnyObject).toOpaque()
        let respondResult =
            body.isInPieces
            ? chttpd_respond_read(
                connection,
                libraryHead,
                body.count,
                copyBodyBytes,
                releaseBytes,
                owner
            )
            : respond(on: connection, libraryHead, body, owner)
        return respondResult != 0 ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    private func respond(
        on connection: OpaquePointer,
        _ head: chttpd_response_head,
        _ body: Bytes,
        _ owner: UnsafeMutableRawPointer
    ) -> CInt {
        body.withUnsafeBytes { bytes in
            // The address is not `nil`, because a body too long to be copied is not empty.
            guard let base = bytes.baseAddress else { return 0 }
            return chttpd_respond_shared(connection, head, base, bytes.count, releaseBytes, owner)
        }
    }

    /// Notes that the answer begins. Returns the answer's head in the library's form.
    @inline(__always)
    private func beginAnswer(
        _ exchange: HTTPExchange,
        _ head: AnswerHead,
        bodyBytes: Int
    ) -> chttpd_response_head {
        exchange.noteAnswer(status: head.status, bytes: bodyBytes)
        exchange.phase = .answered
        if exchange.bodyMemory != nil { giveBackBodyMemory(of: exchange) }
        exchange.closesConnection = exchange.closesConnection || head.closesConnection || isStopping
        exchange.loopConnection?.setAwaitedInput(.nothing)
        noteAnswered(exchange, status: head.status)
        return chttpd_response_head(
            fields: head.fields.baseAddress?.assumingMemoryBound(to: CChar.self),
            field_count: head.fieldCount,
            common: commonFields.baseAddress,
            common_count: configuration.commonFields.count,
            status: UInt32(head.status),
            closes: exchange.closesConnection ? 1 : 0
        )
    }
}
