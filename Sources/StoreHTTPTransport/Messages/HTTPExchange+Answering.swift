// The life of a request on the loop: it is answered at once, or put off and completed later.

extension HTTPExchange {
    enum Phase {
        /// The request line is read.
        case target
        /// The headers are admitted; the body is coming.
        case body
        /// The request is refused and answered; the rest of its body is read and dropped.
        case discarding
        /// The handler has the whole request.
        case handled
        /// A response is queued with the library.
        case answered
    }

    enum Outcome {
        case none, response(HTTPResponse), answer(any HTTPAnswer), again, handedOver,
            suspendedForGood, abandoned
        /// The answer is in the loop's writer.
        case written
        /// Indirect, because the other cases are much smaller, and every request moves them.
        indirect case stream(StreamBeginning, to: any StreamAdopter)
    }

    /// The way in which a request waits for its answer.
    enum Hold {
        /// The request does not wait.
        case none
        /// The library has called again and again for the answer since this time.
        case parked(since: Double)
        /// The library will suspend the connection at its next call.
        case suspending
        /// The library has suspended the connection until it is resumed.
        case suspended
        /// The client has closed the connection before the answer.
        case clientLeft
    }

    /// Closes the connection after the answer. On the loop's thread, before the answer is sent.
    package func closeAfterAnswer() { closes = true }

    /// Counts the request's duration in `times`, which the handler keeps as long as the loop runs.
    package func measure(by times: RouteTimes) { self.times = times.place }

    /// Adds header fields to the answer. On the loop's thread, before the answer is sent.
    package func addFields(_ write: (inout HTTPFields) -> Void) { write(&furtherFields) }

    /// The fields of every answer, and the fields added for this one. On the loop's thread.
    package var standingFields: [(String, String)] {
        loop.configuration.commonFields.texts + furtherFields.texts
    }

    /// True if the connection certainly goes on after the answer: neither side ends it, and the
    /// client has sent no `Connection` field.
    var keepsConnection: Bool { !closes && !isHTTP10 && !has("connection") }

    /// Answers the request now. On the loop's thread, from within the handler.
    package func respond(_ response: HTTPResponse) { outcome = .response(response) }

    /// Answers the request now; `write` writes directly to the bytes that are sent. On the loop's
    /// thread, from within the handler.
    package func respond(_ write: (inout HTTPAnswerWriter) -> Void) {
        guard connection != nil else {
            // The request of a test has no socket.
            outcome = .response(HTTPResponse(write))
            return
        }
        loop.writer.begin()
        write(&loop.writer)
        outcome = .written
    }

    /// Puts the answer off until ``complete(_:)``, for any time. From within the handler.
    package func suspend() {
        if case .none = hold { loop.suspend(self) }
    }

    /// Puts the answer off until ``complete(_:)``, which must come soon. From within the handler.
    ///
    /// Saves the two system calls of a suspension if the answer does come soon.
    package func park() {
        if case .none = hold { loop.park(self) }
    }

    /// Returns the outcome and clears it, because an answer goes to the library once.
    func takeOutcome() -> Outcome { exchange(&outcome, with: .none) }

    /// Answers a request that was put off. Must be called exactly once, on any thread.
    ///
    /// Nothing is sent before the server is woken. A single call of `wake` serves many answers.
    package func complete(_ response: HTTPResponse) { loop.finish(self, .response(response)) }

    /// Answers a request that was put off; the loop's thread writes the answer. Must be called
    /// exactly once, on any thread.
    ///
    /// Nothing is sent before the server is woken, as with ``complete(_:)-(HTTPResponse)``.
    package func complete(_ answer: any HTTPAnswer) { loop.finish(self, .answer(answer)) }

    /// Hands a suspended request to the handler again, in place of ``complete(_:)``. Nothing
    /// happens before the server is woken. Any thread.
    package func handleAgain() { loop.finish(self, .again) }

    /// Sets a closure that is called once if the client closes its side before the answer is
    /// complete. The answer must still be completed. The loop notices the closing within a second.
    /// On the loop's thread, which also calls the closure.
    package func whenClientLeaves(_ left: @escaping () -> Void) { onLeaving = left }

    /// Ends a request that was put off, without an answer; replaces ``complete(_:)``. Any thread.
    package func abandon() { loop.finish(self, .abandoned) }

    /// Turns the connection into a stream. `adopter`, which has reserved a place, gets the socket,
    /// and sends the head and the topic's frames. From within the handler.
    package func stream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.handOver(self, beginning, to: adopter)
    }

    /// Turns the connection of a request that was put off into a stream, in place of
    /// ``complete(_:)``. Nothing happens before the server is woken. Any thread.
    package func completeAsStream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.finish(self, .stream(beginning, to: adopter))
    }
}
