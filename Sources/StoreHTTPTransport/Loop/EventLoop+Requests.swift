import CStoreHTTPD
import Glibc
import StorePlatform
import Synchronization

extension EventLoop {
    /// Begins a request whose request line was read, and returns the exchange for the request.
    func beginRequest(_ connection: OpaquePointer, _ target: UnsafePointer<CChar>) -> HTTPExchange {
        let exchange = freeExchanges.popLast() ?? HTTPExchange(loop: self)
        exchange.connection = connection
        exchange.requestStartNanoseconds = turnStartNanoseconds
        exchange.target.replaceSubrange(
            0...,
            with: UnsafeRawBufferPointer(start: target, count: strlen(target))
        )
        if notesRequests { beginNote(exchange) }
        if let record = loopConnection(of: connection) {
            exchange.loopConnection = record
            record.exchange = exchange
            record.setAwaitedInput(
                .remainingHeaders,
                until: min(record.deadline, now + configuration.headersTimeoutSeconds)
            )
        }
        return exchange
    }

    /// Ends a request that is answered, or whose client has left.
    func endRequest(_ exchange: HTTPExchange, isAnswered: Bool) {
        if exchange.note != nil { endNote(exchange) }
        if let record = exchange.loopConnection {
            record.exchange = nil
            if !isAnswered { record.isDoneSending = true }
            record.libraryRunOfLastRequestEnd = exchange.keepsConnection ? 0 : libraryRunCount
            record.setAwaitedInput(.nextRequest, until: now + configuration.idleTimeoutSeconds)
        }
        switch exchange.waitState {
        case .none, .suspended, .clientLeft: break
        case .parked, .suspending:
            // The client has left, but another thread is still making the answer.
            if case .parked = exchange.waitState { parkedCount -= 1 }
            giveBackBodyMemory(of: exchange)
            exchange.connection = nil
            exchange.loopConnection = nil
            exchange.waitState = .clientLeft
            return
        }
        giveBackBodyMemory(of: exchange)
        giveBackAnswerMemory(of: exchange)
        dropStream(of: exchange)
        if let reused = exchange.reusedResponse { reusedResponses.giveBack(reused) }
        exchange.reset()
        if freeExchanges.count < 256 { freeExchanges.append(exchange) }
    }

    func loopConnection(of connection: OpaquePointer) -> LoopConnection? {
        chttpd_connection_context(connection).map {
            Unmanaged<LoopConnection>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Handles a call of the library about a request. The library calls when the headers are
    /// complete, with each piece of the body, when the request is whole, and after a resume.
    func continueRequest(
        _ exchange: HTTPExchange,
        _ line: chttpd_line,
        _ body: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>
    ) -> chttpd_verdict {
        switch exchange.phase {
        case .receivingHeaders:
            counters.requests.increment()
            return readHead(exchange, line)
        case .receivingBody where size.pointee > 0:
            return takeBodyPiece(exchange, body, size)
        case .receivingBody:
            exchange.phase = .handling
            exchange.loopConnection?.setAwaitedInput(.nothing)
            callHandler(exchange)
            return carryOutOutcome(of: exchange)
        case .discarding:
            return discardBodyPiece(exchange, size)
        case .handling:
            if case .suspending = exchange.waitState { suspendNow(exchange) }
            return carryOutOutcome(of: exchange)
        case .answered:
            // The request was answered before its last byte arrived, and the remaining bytes are
            // dropped.
            size.pointee = 0
            return CHTTPD_CONTINUE
        }
    }

    private func readHead(_ exchange: HTTPExchange, _ line: chttpd_line) -> chttpd_verdict {
        guard let connection = exchange.connection else { return CHTTPD_CLOSE }
        let framing: RequestFraming
        do throws(TransportFailure) {
            framing = try checkHead(exchange, line, connection)
        } catch {
            counters.countRefusal(error)
            var response = handler.response(for: error)
            if case .bodyTooLarge = error { return refuse(exchange, response, hasBody: true) }
            response.closesConnection = true
            return answer(exchange, response)
        }
        if let tracing { beginSpan(exchange, tracing) }
        if let note = exchange.note { note.access.method = exchange.methodName }
        exchange.isAdmittedByFirstHandler = hasFirstHandler
        if let response = handler.admit(exchange) {
            return refuse(exchange, response, hasBody: framing.contentLength != 0)
        }
        exchange.phase = .receivingBody
        if framing.contentLength != 0 {
            exchange.loopConnection?.setAwaitedInput(
                .body,
                until: now + configuration.bodyTimeoutSeconds
            )
            if let length = framing.contentLength {
                exchange.bodyBytes.reserveCapacity(min(length, MessageMemory.uncountedBytes))
            }
        }
        return CHTTPD_CONTINUE
    }

    /// Hands a whole request to the handler. If the handler was replaced after the headers were
    /// read, the new handler admits the request first.
    private func callHandler(_ exchange: HTTPExchange) {
        if exchange.isAdmittedByFirstHandler, !hasFirstHandler {
            exchange.isAdmittedByFirstHandler = false
            if let response = handler.admit(exchange) { return exchange.respond(response) }
        }
        handler.handle(exchange)
    }

    /// Answers a request that is refused. Answers at once, even if the body is still coming, and
    /// drops the body.
    private func refuse(
        _ exchange: HTTPExchange,
        _ response: HTTPResponse,
        hasBody: Bool
    ) -> chttpd_verdict {
        guard hasBody else {
            // The request is whole, but the library has not noticed the end of the request. After
            // an answer now, the library would end the connection. So the answer waits for the
            // library's next call, which comes at once.
            exchange.phase = .handling
            exchange.outcome = .response(response)
            return CHTTPD_CONTINUE
        }
        // A client that sends `Expect` before its body gets the refusal in place of `100 Continue`.
        guard exchange.header("expect") == nil else {
            var response = response
            response.closesConnection = true
            return answer(exchange, response)
        }
        answerDuringBody(exchange, response)
        return CHTTPD_CONTINUE
    }

    /// Answers while the body is still coming, and drops the rest of the body. The library takes no
    /// response in the middle of a body, so the answer bypasses the library.
    private func answerDuringBody(_ exchange: HTTPExchange, _ response: HTTPResponse) {
        exchange.phase = .discarding
        giveBackBodyMemory(of: exchange)
        exchange.bodyBytes.removeAll(keepingCapacity: false)
        noteAnswered(exchange, status: response.status)
        guard let connection = exchange.connection else { return }
        exchange.noteAnswer(status: response.status, bytes: response.body.count)
        reply(chttpd_socket(connection), response, addingFields: exchange.addedAnswerFields)
        exchange.loopConnection?.setAwaitedInput(.nothing, until: now + Self.lingerSeconds)
    }

    /// Drops a piece of a refused request's body. The connection is closed at the end of the body.
    private func discardBodyPiece(
        _ exchange: HTTPExchange,
        _ size: UnsafeMutablePointer<Int>
    ) -> chttpd_verdict {
        let isOver = size.pointee == 0
        exchange.discardedBytes += size.pointee
        size.pointee = 0
        return !isOver && exchange.discardedBytes <= configuration.discardedBodyBytesMax
            ? CHTTPD_CONTINUE : CHTTPD_CLOSE
    }

    /// Reads and checks the headers.
    private func checkHead(
        _ exchange: HTTPExchange,
        _ line: chttpd_line,
        _ connection: OpaquePointer
    ) throws(TransportFailure) -> RequestFraming {
        var hides: CInt = 0
        let count = chttpd_fields(
            connection,
            line,
            exchange.target.count,
            exchange.fields,
            configuration.fieldsMax,
            &hides
        )
        guard hides == 0 || !canNoticeHiddenBytes else {
            throw .malformed(
                "The header has a NUL, a folded line, a superfluous space, or a line without a "
                    + "name."
            )
        }
        guard count <= configuration.fieldsMax else {
            throw .tooManyFields(limit: configuration.fieldsMax)
        }
        exchange.fieldCount = count
        guard exchange.target.count <= configuration.uriBytesMax else {
            throw .uriTooLong(limit: configuration.uriBytesMax)
        }
        let isHTTP10 = strcmp(line.version, "HTTP/1.0") == 0
        let framing = try RequestFraming(
            fields: UnsafeBufferPointer(start: exchange.fields, count: count),
            isHTTP10: isHTTP10
        )
        let notes = TransportConfiguration.fieldOverheadBytes * count
        guard
            framing.fieldsBytes + notes + exchange.target.count <= configuration.headersBytesMax
        else { throw .headersTooLarge(limit: configuration.headersBytesMax) }
        if let length = framing.contentLength, length > configuration.bodyBytesMax {
            throw .bodyTooLarge(limit: configuration.bodyBytesMax)
        }
        // If the length of a body is missing, the library would read the body as the next request.
        // A field with an empty name ends the header for the library, and so can hide the field
        // with the body's length.
        let method = RequestMethod(line.method)
        if case .other(let name) = method {
            var name = name
            guard name.withUTF8({ RequestFraming.isToken(UnsafeRawBufferPointer($0)) }) else {
                throw .malformed("The method is no token.")
            }
        }
        if method.requiresBodyLength, !framing.hasLengthField {
            throw .malformed("A request with a body needs its length: Content-Length or chunks.")
        }
        exchange.setHead(
            method: method,
            target: try RequestTarget(exchange.target, of: method),
            framing: framing,
            isHTTP10: isHTTP10
        )
        return framing
    }

    /// Takes a piece of the body, and checks the size of the body so far. A body in chunks does not
    /// announce its total size.
    private func takeBodyPiece(
        _ exchange: HTTPExchange,
        _ body: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>
    ) -> chttpd_verdict {
        let count = exchange.bodyBytes.count + size.pointee
        if count > min(MessageMemory.uncountedBytes, configuration.bodyBytesMax),
            let failure = growBody(of: exchange, to: count)
        {
            counters.countRefusal(failure)
            answerDuringBody(exchange, handler.response(for: failure))
            return discardBodyPiece(exchange, size)
        }
        exchange.bodyBytes.append(
            contentsOf: UnsafeRawBufferPointer(start: body, count: size.pointee)
        )
        size.pointee = 0
        return CHTTPD_CONTINUE
    }

    /// Makes room for a body that has `count` bytes so far. If there is no room, returns the
    /// reason.
    private func growBody(of exchange: HTTPExchange, to count: Int) -> TransportFailure? {
        guard count <= configuration.bodyBytesMax else {
            return .bodyTooLarge(limit: configuration.bodyBytesMax)
        }
        let isFirst = exchange.bodyMemory == nil
        if let failure = takeBodyMemory(of: exchange, count) { return failure }
        if isFirst, let length = exchange.contentLength {
            exchange.bodyBytes.reserveCapacity(length)
        }
        return nil
    }

    /// Carries out the outcome that the handler or another thread has set for the exchange.
    private func carryOutOutcome(of exchange: HTTPExchange) -> chttpd_verdict {
        switch exchange.waitState {
        case .none: break
        case .parked(let since):
            suspendIfParkedLong(exchange, since: since)
            return CHTTPD_CONTINUE
        case .suspending, .suspended, .clientLeft: return CHTTPD_CONTINUE
        }
        switch exchange.takeOutcome() {
        case .response(let response): return answer(exchange, response)
        case .answer(let written): return answer(exchange, written)
        case .writtenAnswer: return sendWrittenAnswer(exchange)
        case .handleAgain:
            callHandler(exchange)
            return carryOutOutcome(of: exchange)
        case .stream(let beginning, let adopter):
            handOver(exchange, beginning, to: adopter)
            return carryOutOutcome(of: exchange)
        case .handedOver, .abandoned: return CHTTPD_CLOSE
        case .suspendedForGood, .none:
            log("a request to \(exchange.path) was left without an answer")
            return CHTTPD_CLOSE
        }
    }
}
