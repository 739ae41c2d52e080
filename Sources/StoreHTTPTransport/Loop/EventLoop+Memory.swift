import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import Synchronization

// The shared memory of requests and answers.

extension EventLoop {
    /// The shortest time between two lines of the log about unread answers.
    static let unreadReportIntervalSeconds = 60.0

    /// Takes memory for a body that has `count` bytes so far. If no memory is left, returns the
    /// reason.
    func takeBodyMemory(of exchange: HTTPExchange, _ count: Int) -> TransportFailure? {
        guard let record = exchange.loopConnection, !record.isAdmin else { return nil }
        let body = exchange.bodyMemory ?? BodyMemory(holders: holders(of: exchange))
        let more = count - MessageMemory.uncountedBytes - body.byteCount
        if let failure = memory.takeBody(more, for: body.holders) { return failure }
        exchange.bodyMemory = BodyMemory(byteCount: body.byteCount + more, holders: body.holders)
        return nil
    }

    func giveBackBodyMemory(of exchange: HTTPExchange) {
        guard let body = exchange.bodyMemory else { return }
        memory.giveBackBody(body.byteCount, for: body.holders)
        exchange.bodyMemory = nil
        exchange.bodyBytes = []
    }

    /// Takes memory for an answer that is copied. Returns `true` if the answer may be sent.
    func takeAnswerMemory(of exchange: HTTPExchange, bytes: Int) -> Bool {
        bytes <= MessageMemory.uncountedBytes || takeAnswerMemory(of: exchange, ownBytes: bytes, [])
    }

    /// Takes memory for an answer whose body is sent without a copy. Returns `true` if the answer
    /// may be sent.
    func takeAnswerMemory(of exchange: HTTPExchange, _ body: Bytes) -> Bool {
        guard body.isInPieces else {
            guard body.count > MessageMemory.uncountedBytes else { return true }
            let piece = SharedPiece(id: ObjectIdentifier(body), byteCount: body.count)
            return takeAnswerMemory(of: exchange, ownBytes: 0, [piece])
        }
        let pieces = body.pieces.map { SharedPiece(id: ObjectIdentifier($0), byteCount: $0.count) }
        return takeAnswerMemory(of: exchange, ownBytes: MessageMemory.answerBlockBytes, pieces)
    }

    /// Takes memory for an answer, and ends the oldest answers if the bounds are exceeded. Answers
    /// of the same address or principal end first. An ended answer takes memory until the library
    /// has run again. So the taken memory may exceed its bound by one share. If the excess is
    /// larger, the new answer is sent only if no other answer is unread.
    private func takeAnswerMemory(of exchange: HTTPExchange, ownBytes: Int, _ pieces: [SharedPiece])
        -> Bool
    {
        guard let record = exchange.loopConnection, !record.isAdmin else { return true }
        let answer = UnreadAnswer(record, ownBytes: ownBytes, pieces, holders(of: exchange))
        memory.take(answer)
        unreadAnswers.add(answer)
        exchange.unreadAnswer = answer
        guard answer.takenBytes > 0 else { return true }
        for holder in answer.holders {
            var excess = memory.takenBytes(of: holder) - memory.shareBytesMax
            while excess > 0, let oldest = unreadAnswers.oldest(except: answer, of: holder) {
                excess -= oldest.takenBytes
                endConnection(of: oldest)
            }
        }
        while memory.takenBytes - unreadAnswers.endingBytes > memory.bytesMax,
            let oldest = unreadAnswers.oldest(except: answer)
        {
            endConnection(of: oldest)
        }
        let isHeld =
            memory.takenBytes <= memory.bytesMax + memory.shareBytesMax || unreadAnswers.count == 1
        if !isHeld { counters.unreadAnswerConnectionsClosed.increment() }
        return isHeld
    }

    func giveBackAnswerMemory(of exchange: HTTPExchange) {
        guard let answer = exchange.unreadAnswer else { return }
        exchange.unreadAnswer = nil
        unreadAnswers.remove(answer)
        memory.giveBack(answer)
    }

    /// Ends the connection of an answer. The kernel drops the answer's unsent bytes.
    private func endConnection(of answer: UnreadAnswer) {
        unreadAnswers.noteEnding(answer)
        counters.unreadAnswerConnectionsClosed.increment()
        if now >= nextUnreadReport {
            nextUnreadReport = now + Self.unreadReportIntervalSeconds
            log(
                "bodies and answers that clients do not read take \(memory.takenBytes) of "
                    + "\(memory.bytesMax) bytes: connections of the oldest answers are closed"
            )
        }
        let descriptor = answer.loopConnection.descriptor
        SocketOption.set(SO_LINGER, of: descriptor, to: linger(l_onoff: 1, l_linger: 0))
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Returns the holders of a request's memory: the principal, and the client's address unless
    /// many clients may have that address.
    private func holders(of exchange: HTTPExchange) -> [MessageMemory.Holder] {
        let client = exchange.client
        let address =
            places.mayHaveManyClients(client) ? [] : [MessageMemory.Holder.address(client.network)]
        let name = (exchange.sender as? any MemoryHolder)?.memoryShareName
        return address + (name.map { [.principal($0)] } ?? [])
    }

    /// Stores the number of taken bytes in the counters.
    func updateMemoryCounter() {
        let bytes = UInt64(memory.takenBytes)
        if counters.buffersBytes.load(ordering: .relaxed) != bytes {
            counters.buffersBytes.store(bytes, ordering: .relaxed)
        }
    }
}

/// A sender with a share of the memory for bodies and answers. The share is the same for all
/// addresses of the sender.
package protocol MemoryHolder: AnyObject {
    /// The name of the share; `nil` if the sender has no share.
    var memoryShareName: String? { get }
}
