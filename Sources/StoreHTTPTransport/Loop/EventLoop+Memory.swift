import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import Synchronization

// The shared memory of requests and answers.

extension EventLoop {
    /// The shortest time between two lines of the log about unread answers.
    static let unreadReportSeconds = 60.0

    /// Takes memory for a body that has `count` bytes so far. If no memory is left, returns the
    /// reason.
    func holdBody(of exchange: HTTPExchange, _ count: Int) -> TransportFailure? {
        guard let record = exchange.record, !record.isAdmin else { return nil }
        let body = exchange.heldBody ?? HeldBody(holders: holders(of: exchange))
        let more = count - MessageMemory.ownBytes - body.bytes
        if let failure = memory.takeBody(more, for: body.holders) { return failure }
        exchange.heldBody = HeldBody(bytes: body.bytes + more, holders: body.holders)
        return nil
    }

    func letGoBody(of exchange: HTTPExchange) {
        guard let body = exchange.heldBody else { return }
        memory.giveBackBody(body.bytes, for: body.holders)
        exchange.heldBody = nil
        exchange.bodyBytes = []
    }

    /// Takes memory for an answer that is copied. Returns `true` if the answer may be sent.
    func holdAnswer(of exchange: HTTPExchange, bytes: Int) -> Bool {
        bytes <= MessageMemory.ownBytes || holdAnswer(of: exchange, own: bytes, [])
    }

    /// Takes memory for an answer whose body is sent without a copy. Returns `true` if the answer
    /// may be sent.
    func holdAnswer(of exchange: HTTPExchange, _ body: Bytes) -> Bool {
        guard body.isInPieces else {
            guard body.count > MessageMemory.ownBytes else { return true }
            let piece = SharedPiece(id: ObjectIdentifier(body), bytes: body.count)
            return holdAnswer(of: exchange, own: 0, [piece])
        }
        let pieces = body.pieces.map { SharedPiece(id: ObjectIdentifier($0), bytes: $0.count) }
        return holdAnswer(of: exchange, own: MessageMemory.readerBytes, pieces)
    }

    /// Takes memory for an answer, and ends the oldest answers if the bounds are exceeded. Answers
    /// of the same address or principal end first. An ended answer takes memory until the library
    /// has run again. So the taken memory may exceed its bound by one share. If the excess is
    /// larger, the new answer is sent only if no other answer is unread.
    private func holdAnswer(of exchange: HTTPExchange, own: Int, _ pieces: [SharedPiece]) -> Bool {
        guard let record = exchange.record, !record.isAdmin else { return true }
        let answer = UnreadAnswer(record, ownBytes: own, pieces, holders(of: exchange))
        memory.take(answer)
        unread.add(answer)
        exchange.unread = answer
        guard answer.taken > 0 else { return true }
        for holder in answer.holders {
            var excess = memory.share(of: holder) - memory.shareMax
            while excess > 0, let oldest = unread.oldest(but: answer, of: holder) {
                excess -= oldest.taken
                end(oldest)
            }
        }
        while memory.bytes - unread.endingBytes > memory.bytesMax,
            let oldest = unread.oldest(but: answer)
        {
            end(oldest)
        }
        let isHeld = memory.bytes <= memory.bytesMax + memory.shareMax || unread.count == 1
        if !isHeld { counters.unreadEnded.count() }
        return isHeld
    }

    func letGoAnswer(of exchange: HTTPExchange) {
        guard let answer = exchange.unread else { return }
        exchange.unread = nil
        unread.remove(answer)
        memory.giveBack(answer)
    }

    /// Ends the connection of an answer. The kernel drops the answer's unsent bytes.
    private func end(_ answer: UnreadAnswer) {
        unread.end(answer)
        counters.unreadEnded.count()
        if now >= nextUnreadReport {
            nextUnreadReport = now + Self.unreadReportSeconds
            log(
                "bodies and answers that clients do not read take \(memory.bytes) of "
                    + "\(memory.bytesMax) bytes: connections of the oldest answers are closed"
            )
        }
        let descriptor = answer.record.descriptor
        SocketOption.set(SO_LINGER, of: descriptor, to: linger(l_onoff: 1, l_linger: 0))
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Returns the holders of a request's memory: the principal, and the client's address unless
    /// many clients may have that address.
    private func holders(of exchange: HTTPExchange) -> [MessageMemory.Holder] {
        let client = exchange.client
        let address = places.isForMany(client) ? [] : [MessageMemory.Holder.address(client.shared)]
        let name = (exchange.sender as? any MemoryHolder)?.memoryHolder
        return address + (name.map { [.principal($0)] } ?? [])
    }

    /// Stores the number of taken bytes in the counters.
    func showMemory() {
        let bytes = UInt64(memory.bytes)
        if counters.buffersBytes.load(ordering: .relaxed) != bytes {
            counters.buffersBytes.store(bytes, ordering: .relaxed)
        }
    }
}

/// A sender that has a share of the memory for bodies and answers, from any address.
package protocol MemoryHolder: AnyObject {
    /// The name of the share; `nil` if the sender has no share.
    var memoryHolder: String? { get }
}
