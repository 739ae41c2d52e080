import CStoreHTTPD
import Glibc
import StorePlatform
import Synchronization

@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StoreJSON
@testable import StorePublishing
@testable import StoreServer

/// A request that was handed over and may still wait for its answer.
final class SimulatedExchange {
    let exchange: HTTPExchange
    /// The bytes that the fields of the headers point to.
    private let memory: [UInt8]
    /// The connection of the request.
    private let connection: LoopConnection

    init(_ exchange: HTTPExchange, _ memory: [UInt8], on connection: LoopConnection) {
        self.exchange = exchange
        self.memory = memory
        self.connection = connection
    }

    // An exchange and its answer hold each other.
    deinit { exchange.reset() }

    /// The collected answer. `nil` before the collection, because another thread may still write
    /// it.
    var answer: Answer? {
        guard case .none = exchange.waitState else { return nil }
        return switch exchange.outcome {
        case .response(let response): Answer(response)
        case .answer(let answer): Answer(HTTPResponse(answer))
        case .abandoned: .abandoned
        case .handedOver: .streaming
        case .none, .handleAgain, .suspendedForGood, .stream, .writtenAnswer: nil
        }
    }
}

extension SimulatedExchange {
    /// True if the answer is the answer of an earlier request with the same key.
    var isReplay: Bool { headers.contains { $0.0 == "Idempotency-Replayed" } }

    /// The target of the answer's `Location` header.
    var location: String? { headers.first { $0.0 == "Location" }?.1 }

    private var headers: [(String, String)] {
        switch exchange.outcome {
        case .response(let response): response.headers
        case .answer(let answer): HTTPResponse(answer).headers
        default: []
        }
    }
}

enum Answer {
    case response(status: Int, body: [UInt8])
    case abandoned
    case streaming

    init(_ response: HTTPResponse) {
        let body: [UInt8] =
            switch response.body {
            case .none: []
            case .bytes(let bytes): bytes
            case .shared(let bytes): bytes.array
            }
        self = .response(status: response.status, body: body)
    }
}

extension SimulatedServer {
    /// Hands a request over. A stream is sent to the socket.
    func send(
        _ method: String,
        _ target: String,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        socket: CInt? = nil
    ) throws -> SimulatedExchange {
        var headers = headers
        headers.append(("Host", "localhost"))
        if !body.isEmpty {
            headers.append(("Content-Type", "application/json"))
            headers.append(("Content-Length", String(body.count)))
        }
        let exchange = HTTPExchange(loop: parts.context.process.transport.loop)
        let connection = nextConnection()
        exchange.loopConnection = connection
        let texts = headers.map { (name: Array($0.name.utf8), value: Array($0.value.utf8)) }
        let memory = texts.flatMap { $0.name + $0.value }
        // The routes read the fields while they take the request, and not later.
        try memory.withUnsafeBytes { memory in
            guard let base = memory.bindMemory(to: CChar.self).baseAddress else { return }
            var place = 0
            for (name, value) in texts {
                exchange.fields[exchange.fieldCount] = chttpd_field(
                    name: base + place,
                    value: base + place + name.count,
                    name_length: name.count,
                    value_length: value.count
                )
                exchange.fieldCount += 1
                place += name.count + value.count
            }
            try take(exchange, method, target, body)
        }
        let sent = SimulatedExchange(exchange, memory, on: connection)
        if let socket { stream(sent, to: socket) }
        return sent
    }

    /// Hands a socket to the stream writer if the request became a stream.
    private func stream(_ sent: SimulatedExchange, to socket: CInt) {
        if case .none = sent.exchange.waitState {
        } else {
            // The server makes a view of the state at the view's place in the order.
            while turnCore() {}
            if !wait(for: sent) { return }
        }
        collect()
        guard case .stream(let beginning, let adopter) = sent.exchange.outcome else { return }
        sent.exchange.outcome = .handedOver
        adopter.adopt(
            descriptor: fcntl(socket, F_DUPFD_CLOEXEC, 3),
            beginning,
            onEnd: beginning.owner.onEnd
        )
    }

    private func take(
        _ exchange: HTTPExchange,
        _ method: String,
        _ target: String,
        _ body: [UInt8]
    ) throws {
        let framing = try RequestFraming(
            fields: UnsafeBufferPointer(start: exchange.fields, count: exchange.fieldCount),
            isHTTP10: false
        )
        exchange.target = Array(target.utf8)
        exchange.setHead(
            method: RequestMethod(method),
            target: try RequestTarget(exchange.target, of: RequestMethod(method)),
            framing: framing,
            isHTTP10: false
        )
        if let refusal = handler.admit(exchange) {
            exchange.outcome = .response(refusal)
            return
        }
        exchange.bodyBytes = body
        handler.handle(exchange)
        handler.workAfterTurn()?()
    }

    /// Takes the finished answers, and the loop's new timers.
    func collect() {
        let loop = parts.context.process.transport.loop
        let done = loop.finishedExchanges.withLock { finished in
            defer { finished.exchanges = [] }
            return finished.exchanges
        }
        for exchange in done { loop.resume(exchange) }
        loop.takeTimerMail()
    }

    /// Waits for an answer of another thread.
    func wait(for exchange: SimulatedExchange) -> Bool {
        let loop = parts.context.process.transport.loop
        while true {
            let isDone = loop.finishedExchanges.withLock { finished in
                finished.exchanges.contains { $0 === exchange.exchange }
            }
            if isDone { return true }
            if case .none = exchange.exchange.waitState { return exchange.answer != nil }
            var woken = pollfd(fd: loop.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&woken, 1, Self.answerMillisecondsMax) == 1 else { return false }
            var value: UInt64 = 0
            read(loop.wakeDescriptor, &value, 8)
        }
    }
}

extension EventLoop {
    /// Drops the timers, and the answers that no request waits for any more.
    func forgetAll() {
        let done = finishedExchanges.withLock { finished in
            defer { finished.close() }
            return finished.exchanges
        }
        for exchange in done { exchange.reset() }
        timerMail.withLock { $0 = TimerMail() }
        timers = TimerHeap()
    }
}

extension StreamLoop {
    /// Releases every reader.
    func releaseAll() {
        for slot in slots.indices { release(Int32(slot)) }
    }
}
