// The handler answers a request at once, or puts the answer off and completes the request later.

extension HTTPExchange {
    enum Phase {
        /// The request line was read.
        case receivingHeaders
        /// The handler has admitted the request, and the body is being received.
        case receivingBody
        /// The request was refused and answered. The rest of its body is being read and dropped.
        case discarding
        /// The handler has the whole request.
        case handling
        /// A response is queued with the library.
        case answered
    }

    enum Outcome {
        case none, response(HTTPResponse), answer(any HTTPAnswer), handleAgain, handedOver,
            suspendedForGood, abandoned
        /// The answer is in the loop's writer.
        case writtenAnswer
        /// Indirect, so that an outcome stays small: every request moves an outcome, and the other
        /// cases are much smaller.
        indirect case stream(StreamBeginning, to: any StreamAdopter)
    }

    /// The way in which a request waits for its answer.
    enum WaitState {
        /// The request does not wait.
        case none
        /// The request is parked since this time: the library asks for the answer in each turn of
        /// the loop.
        case parked(since: Double)
        /// The connection will be suspended when the library next calls back about this request.
        case suspending
        /// The library has suspended the connection until the loop resumes it.
        case suspended
        /// The client has closed the connection before the answer.
        case clientLeft
    }

    /// Closes the connection after the answer. Call this function on the loop's thread before the
    /// answer is sent.
    package func closeAfterAnswer() { closesConnection = true }

    /// Counts the request's duration in `times`. The handler must keep `times` as long as the loop
    /// runs.
    package func measure(by times: RouteTimes) { self.routeCounters = times.counters }

    /// Adds header fields to the answer. Call this function on the loop's thread before the answer
    /// is sent.
    package func addAnswerFields(_ write: (inout HTTPFields) -> Void) { write(&addedAnswerFields) }

    /// The fields of every answer, and the fields added for this answer. Only the loop's thread may
    /// read this property.
    package var answerFields: [(String, String)] {
        loop.configuration.commonFields.namesAndValues + addedAnswerFields.namesAndValues
    }

    /// True if the connection certainly stays open after the answer: neither side ends it, and the
    /// client has sent no `Connection` field.
    var keepsConnection: Bool { !closesConnection && !isHTTP10 && !hasHeader("connection") }

    /// Answers the request now. Call this function on the loop's thread, from within the handler.
    package func respond(_ response: HTTPResponse) { outcome = .response(response) }

    /// Answers the request now. `write` writes the answer into the memory from which it is sent.
    /// Call this function on the loop's thread, from within the handler.
    package func respond(_ write: (inout HTTPAnswerWriter) -> Void) {
        guard connection != nil else {
            // The request of a test has no socket.
            outcome = .response(HTTPResponse(write))
            return
        }
        loop.answerWriter.reset()
        write(&loop.answerWriter)
        outcome = .writtenAnswer
    }

    /// Puts the answer off until ``complete(_:)``, which may come at any later time. Call this
    /// function from within the handler.
    package func suspend() {
        if case .none = waitState { loop.suspend(self) }
    }

    /// Puts the answer off until ``complete(_:)``, which must come soon. Call this function from
    /// within the handler.
    ///
    /// If the answer does come soon, the two system calls of a suspension are saved.
    package func park() {
        if case .none = waitState { loop.park(self) }
    }

    /// Returns the outcome and clears it, because an answer goes to the library once.
    func takeOutcome() -> Outcome { exchange(&outcome, with: .none) }

    /// Answers a request that was put off. Call this function exactly once for such a request, on
    /// any thread.
    ///
    /// The answer is sent only after a call of `wake` on the server. A single call of `wake` is
    /// enough for many answers.
    package func complete(_ response: HTTPResponse) { loop.finish(self, .response(response)) }

    /// Answers a request that was put off; the loop's thread writes the answer. Call this function
    /// exactly once for such a request, on any thread.
    ///
    /// The answer is sent only after a call of `wake` on the server, as with
    /// ``complete(_:)-(HTTPResponse)``.
    package func complete(_ answer: any HTTPAnswer) { loop.finish(self, .answer(answer)) }

    /// Hands a suspended request to the handler again, in place of ``complete(_:)``. The change
    /// takes effect only after a call of `wake` on the server. Any thread may call this function.
    package func handleAgain() { loop.finish(self, .handleAgain) }

    /// Sets a closure that is called once if the client closes its side before the answer is
    /// complete. The answer must still be completed. The loop notices the closing within a second.
    /// Call this function on the loop's thread, which also calls the closure.
    package func whenClientLeaves(_ left: @escaping () -> Void) { onClientLeft = left }

    /// Ends a request that was put off, and sends no answer. Call this function in place of
    /// ``complete(_:)``. Any thread may call this function.
    package func abandon() { loop.finish(self, .abandoned) }

    /// Turns the connection into a stream. The caller must have reserved a place at `adopter`,
    /// which gets the socket, and sends the head and the topic's frames. Call this function from
    /// within the handler.
    package func stream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.handOver(self, beginning, to: adopter)
    }

    /// Turns the connection of a request that was put off into a stream, in place of
    /// ``complete(_:)``. The change takes effect only after a call of `wake` on the server. Any
    /// thread may call this function.
    package func completeAsStream(_ beginning: StreamBeginning, to adopter: any StreamAdopter) {
        loop.finish(self, .stream(beginning, to: adopter))
    }
}
